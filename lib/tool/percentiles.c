/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "tool/asked.h"
#include "tool/distribution.h"
#include "tool/figures.h"
#include "tool/output.h"
#include "tool/overtime.h"
#include "tool/percentiles.h"
#include "tool/records.h"
#include "tool/report.h"
#include "tool/samples.h"
#include "tool/screen.h"
#include "tool/shelf.h"
#include "tool/unite.h"

static struct asked asked;
static struct figures figures = {.asked = &asked};

static struct {
	uint64_t top, least;
	bool each, total, plot;
} opt = {.top = UINT64_MAX};

static const struct percentiles *program;
static struct samples samples;

void
percentiles_take(int option)
{
	switch (option) {
	case 'Q':
		asked_quantiles(&asked);
		break;
	case PERCENTILES_RANK:
		asked_ranks(&asked);
		break;
	case PERCENTILES_SLO:
		asked_promise(&asked);
		break;
	case 'q':
		figures.quiet = true;
		break;
	case 'k':
		opt.top = opts_count(1, UINT64_MAX);
		break;
	case PERCENTILES_MIN:
		opt.least = opts_count(1, UINT64_MAX);
		break;
	case PERCENTILES_EACH:
		opt.each = true;
		break;
	case PERCENTILES_TOTAL:
		opt.total = true;
		break;
	case PERCENTILES_PLOT:
		opt.plot = true;
		break;
	}
}

void
percentiles_settle(void)
{
	const char *limit = opt.least > 0 ? "--min" : opt.top != UINT64_MAX ? "-k" : NULL;

	samples_options();
	opts_exclude(shared.scan.has_key, "--by", opt.each, "--each");
	opts_exclude(overtime_wanted(), shared.tumble > 0 ? "--tumble" : "--every", opt.each, "--each");
	opts_exclude(limit != NULL, limit, opt.each, "--each");
	opts_exclude(limit != NULL, limit, opt.total, "--total");
	opts_exclude(opt.plot, "--plot", shared.scan.has_key, "--by");
	opts_exclude(opt.plot, "--plot", opt.each, "--each");
	opts_exclude(opt.plot, "--plot", shared.json, "--json");
	opts_exclude(opt.plot, "--plot", figures.quiet, "-q");
	opts_exclude(opt.plot, "--plot", overtime_wanted(), shared.tumble > 0 ? "--tumble" : "--every");
	if (figures.quiet && !asked_promises(&asked))
		die_usage("-q needs --slo");
	if (shared.from && !shared.sketch)
		die_usage("--from needs -s");
	if (opt.total && !shared.sketch)
		die_usage("--total needs -s");
	if (limit && !shared.scan.has_key && !shared.sketch)
		die_usage("%s needs --by, or keyed sketches and -s", limit);
	asked_default(&asked);
	if (!shared.sketch)
		asked_units(&asked, shared.scan.unit, shared.scan.unit);
}

/* How many did not fit into 64 bits is not known. */
static void
tell_saturated(const void *body)
{
	static bool told;

	if (!told && samples.what->saturated(body))
		lament("the sum of weights passed 2^64-1 and stopped there");
	told |= samples.what->saturated(body);
}

static void
plot(const void *body)
{
	struct screen screen = screen_of_output();
	struct buffer picture = {0};

	if (samples.what->total(body) > 0)
		distribution_plot(&picture, &figures.reading, body, &screen);
	output_bytes(picture.at, picture.len);
	buffer_free(&picture);
}

static void
print(const void *body, const struct whose *whose)
{
	void *second = program->second ? program->second(body) : NULL;

	figures_print(&figures, body, second, whose);
	if (opt.plot)
		plot(second ? second : body);
	tell_saturated(body);
	if (second)
		samples.kind->free(second);
}

static void
print_input(const void *body, const char *name)
{
	print(body, &(struct whose){
		.label = name ? "file" : NULL, .item = slice_of(name ? name : ""),
	});
}

static void
begin(const struct record *settings, enum unit shown)
{
	samples_begin(&samples, settings);
	figures.reading = (struct reading){
		.what = samples.what, .discrete = program->discrete,
		.confidence = shared.bounds || shared.json,
		.kept = (enum unit)settings->param[QUANTILES_UNIT], .shown = shown,
	};
}

/*
 * Lines.
 */

static void *all;                    /* what all inputs hold together */

/* The workers' parts of one input, united. */
static void
input_end(void *context, const char *name)
{
	(void)context;
	if (!opt.each)
		return;
	void *input = samples_take(&samples);
	print_input(input, name);
	samples_merge(&samples, all, input);
	samples.kind->free(input);
}

static void
of_lines(int argc, char *argv[])
{
	struct job job = samples_job(&samples);

	job.input_end = input_end;
	if (opt.each)
		all = samples_empty(&samples);
	struct intake tally = parallel_run(&job, argc, argv);
	if (!opt.each)
		all = samples_take(&samples);
	opts_tally(&tally);
	print_input(all, opt.each ? "total" : NULL);
	samples.kind->free(all);
}

static void
print_at(const char *time, const void *body)
{
	print(body, &(struct whose){.time = time});
}

/*
 * Saved sketches: plain ones unite, keyed ones answer key by key unless --total
 * unites them too.
 */

static const struct unite plainly;

static struct {
	bool any;
	struct record head;          /* of the first; the others must match it */
	struct sketch all, input;    /* of the operand at hand, for --each */
	struct shelf *shelf;         /* by key */
} saved;

static void
match(const char *name, const struct record *head)
{
	enum unit kept = (enum unit)head->param[QUANTILES_UNIT];
	struct mismatch why;

	if (program->judge)
		program->judge(name, head);
	if (!saved.any) {
		enum unit shown = shared.scan.unit != UNIT_NONE ? shared.scan.unit : kept;
		if (shown != UNIT_NONE && kept == UNIT_NONE)
			die_exit(EXIT_SKETCH, "cannot use --unit: the numbers in '%s' have no unit", name);
		saved.head = *head;
		begin(head, shown);
		asked_units(&asked, kept, shown);
	}
	saved.any = true;
	if (record_compare(&saved.head, head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot unite '%s' with what came before: %s", name, why.text);
}

/* into = both; the first one moves. */
static void
keep(struct sketch *into, struct sketch *s, const char *name)
{
	if (into->body) {
		unite_pair(&plainly, into, s, name);
		return;
	}
	*into = *s;
	*s = (struct sketch){0};
}

static void
refuse_plot(const char *name)
{
	if (saved.shelf && opt.plot)
		die_exit(EXIT_SKETCH, "cannot use --plot: '%s' is keyed; use --total", name);
}

static void
saved_sketch(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	(void)context;
	match(name, &s->head);
	if (key && !opt.total && !opt.each) {
		if (!saved.shelf)
			saved.shelf = shelf_new();
		keep(shelf_at(saved.shelf, *key), s, name);
	} else {
		keep(opt.each ? &saved.input : &saved.all, s, name);
	}
	bool plain = saved.all.body || saved.input.body;
	if (plain && saved.shelf)
		die_exit(EXIT_SKETCH, "cannot unite '%s': keyed and plain sketches; use --total", name);
	if (plain && (opt.top != UINT64_MAX || opt.least > 0))
		die_exit(EXIT_SKETCH, "cannot use %s: '%s' is not keyed",
		    opt.least > 0 ? "--min" : "-k", name);
	refuse_plot(name);
}

static void
saved_keyed(void *context, const char *name, const struct record *head)
{
	(void)context;
	match(name, head);
	/* Even without a single key it is keyed, and prints no row. */
	if (!saved.shelf && !opt.total && !opt.each)
		saved.shelf = shelf_new();
	refuse_plot(name);
}

/* A keyed record without a key holds nothing. */
static void
fill(struct sketch *s)
{
	if (!s->body)
		*s = (struct sketch){
			.head = saved.head, .kind = samples.kind, .body = samples_empty(&samples),
		};
}

static void
saved_end(void *context, const char *name)
{
	(void)context;
	if (!opt.each)
		return;
	fill(&saved.input);
	print_input(saved.input.body, name);
	keep(&saved.all, &saved.input, name);
	sketch_free(&saved.input);
	saved.input = (struct sketch){0};
}

/* The keys of a shelf, and what each holds. */
struct entry {
	struct slice key;
	const void *body;
	uint64_t n;
};

struct entries {
	size_t n, room;
	struct entry *at;
};

static void
list_entry(void *context, struct slice key, struct sketch *s)
{
	struct entries *list = context;

	if (list->n == list->room) {
		list->room = list->room > 0 ? 2 * list->room : 256;
		list->at = reallocarray(list->at, list->room, sizeof *list->at);
		if (!list->at)
			die(STATUS_MEMORY, "cannot list the keys");
	}
	list->at[list->n++] = (struct entry){key, s->body, samples.what->total(s->body)};
}

/* Most samples first, then by the bytes of the keys. */
static int
order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return slice_compare(x->key, y->key);
}

static void
print_shelf(struct shelf *shelf)
{
	struct entries list = {0};

	shelf_each(shelf, list_entry, &list);
	if (list.n > 0)
		qsort(list.at, list.n, sizeof *list.at, order);
	for (size_t i = 0; i < list.n && i < opt.top && list.at[i].n >= opt.least; i++)
		print(list.at[i].body, &(struct whose){.label = "key", .item = list.at[i].key});
	free(list.at);
}

static void
of_saved(int argc, char *argv[])
{
	struct records records = {
		.only = program->only, .end = shared.scan.end, .sketch = saved_sketch,
		.keyed = saved_keyed, .input_end = saved_end,
	};

	opts_records(records_run(&records, argc, argv));
	if (saved.shelf) {
		print_shelf(saved.shelf);
	} else {
		fill(&saved.all);
		print_input(saved.all.body, opt.each ? "total" : NULL);
	}
	shelf_free(saved.shelf);
	sketch_free(&saved.all);
}

int
percentiles_run(const struct percentiles *p, int argc, char *argv[])
{
	program = p;
	if (shared.sketch) {
		of_saved(argc, argv);
		return figures_status(&figures);
	}
	begin(&p->settings, shared.scan.unit);
	if (overtime_wanted())
		samples_over_time(&samples, print_at, argc, argv);
	else
		of_lines(argc, argv);
	return figures_status(&figures);
}
