/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "tool/options/opts.h"
#include "tool/time/overtime.h"
#include "tool/report.h"
#include "tool/quantiles/samples.h"

static void
must(enum status st)
{
	if (st == STATUS_FULL)
		die_exit(EXIT_USAGE, "cannot correct the samples: the interval is too short for them");
	if (st != OK)
		die(st, "cannot hold the samples");
}

_Noreturn void
samples_full(void)
{
	die_exit(EXIT_SYSTEM, "cannot unite the samples: their weights are more than 2^64-1");
}

void
samples_options(void)
{
	if (shared.scan.item.joined)
		die_usage("cannot use -f: one field holds the number");
	shared.scan.want_values = true;
}

void
samples_begin(struct samples *s, const struct record *settings)
{
	*s = (struct samples){
		.what = quantiles_find(settings->kind), .kind = kind_find(settings->kind),
		.settings = *settings,
	};
}

void *
samples_empty(const struct samples *s)
{
	void *body = NULL;

	must(s->what->make(&body, &s->settings));
	return body;
}

void
samples_put(const struct samples *s, void *into, const struct batch *b, size_t from, size_t n)
{
	must(s->what->add(into, b->value + from, shared.scan.has_weight ? b->weight + from : NULL, n));
}

void
samples_merge(const struct samples *s, void *into, const void *from)
{
	struct mismatch why;
	enum status st = s->kind->merge(into, from, &why);

	if (st == STATUS_FULL)
		samples_full();
	must(st);
}

/* Where the order matters all turns belong to one sketch, whoever has them. */
static enum verdict
add(void *context, unsigned worker, struct batch *b)
{
	struct samples *s = context;
	void **part = &s->part[s->what->ordered ? 0 : worker];

	if (!*part)
		*part = samples_empty(s);
	samples_put(s, *part, b, 0, b->n);
	return GO_ON;
}

struct job
samples_job(struct samples *s)
{
	struct job job = opts_job();

	job.context = s;
	if (s->what->ordered)
		job.inorder = add;
	else
		job.each = add;
	return job;
}

void *
samples_take(struct samples *s)
{
	void *all = NULL;

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		if (!s->part[i])
			continue;
		if (!all) {
			all = s->part[i];
			continue;
		}
		samples_merge(s, all, s->part[i]);
		s->kind->free(s->part[i]);
	}
	memset(s->part, 0, sizeof s->part);
	return all ? all : samples_empty(s);
}

/*
 * Over time.
 */

struct steps {
	struct samples *samples;
	void (*row)(const char *time, const void *body);
};

static void *
make(void *context)
{
	const struct steps *s = context;

	return samples_empty(s->samples);
}

static void
put(void *context, void *body, const struct batch *b, size_t from, size_t n)
{
	const struct steps *s = context;

	samples_put(s->samples, body, b, from, n);
}

static void
unite(void *context, void *into, void *from)
{
	const struct steps *s = context;

	samples_merge(s->samples, into, from);
}

static void
drop(void *context, void *body)
{
	const struct steps *s = context;

	s->samples->kind->free(body);
}

static void
row(void *context, const char *time, void *body)
{
	const struct steps *s = context;

	s->row(time, body);
}

void
samples_over_time(struct samples *samples, void (*each)(const char *, const void *), int argc,
    char *argv[])
{
	struct steps steps = {samples, each};
	const struct pane_sketch what = {&steps, make, put, unite, drop, row};

	overtime_run(&what, opts_job(), argc, argv);
}
