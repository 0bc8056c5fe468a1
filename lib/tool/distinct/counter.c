/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "tool/distinct/counter.h"
#include "tool/options/opts.h"
#include "tool/report.h"

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot count");
}

void
counter_compat(const char *precision)
{
	const struct system *system = shared.compat;

	if (!system || !precision)
		return;
	if (!system->settings)
		die_usage("--compat and %s exclude each other: %s has one precision only", precision,
		    system->name);
	die_usage("--compat and %s exclude each other: use --compat %s:%s", precision, system->name,
	    system->settings_form);
}

void
counter_begin(struct counter *c, const struct record *settings)
{
	*c = (struct counter){
		.what = distinct_find(settings->kind), .kind = kind_find(settings->kind),
		.settings = *settings,
	};
}

void *
counter_empty(const struct counter *c)
{
	void *body = NULL;

	must(c->what->make(&body, &c->settings));
	return body;
}

void
counter_put(const struct counter *c, void *into, const uint64_t *hash, size_t n)
{
	must(c->what->add(into, hash, n));
}

void
counter_add(struct counter *c, unsigned worker, const struct batch *b)
{
	if (!c->part[worker])
		c->part[worker] = counter_empty(c);
	counter_put(c, c->part[worker], b->hash, b->n);
}

void
counter_merge(const struct counter *c, void *into, const void *from)
{
	struct mismatch why;

	must(c->kind->merge(into, from, &why));
}

void
counter_unite(const struct counter *c, void *into, void *from)
{
	counter_merge(c, into, from);
	c->kind->free(from);
}

void *
counter_take(struct counter *c)
{
	void *all = counter_empty(c);

	for (unsigned i = 0; i < WORKERS_MAX; i++)
		if (c->part[i])
			counter_unite(c, all, c->part[i]);
	memset(c->part, 0, sizeof c->part);
	return all;
}
