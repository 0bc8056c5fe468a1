/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/num.h"
#include "tool/options/opts.h"
#include "tool/time/overtime.h"
#include "tool/report.h"
#include "tool/time/steptop.h"

/* Beside the panes: the newer ones' union, and a row's. */
#define UNIONS 2

struct plan {
	const struct steptop *what;
	uint64_t share;
};

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot count");
}

uint64_t
steptop_share(void)
{
	uint64_t memory = shared.memory_given ? shared.memory : SPACESAVING_DEFAULT, share;
	int64_t panes;
	char least[NUM_REAL_SIZE];

	if (shared.window == 0)
		return memory;
	panes = panes_count((int64_t)shared.window, (int64_t)shared.every);
	share = memory / ((uint64_t)panes + UNIONS);
	if (share >= SPACESAVING_MIN || !shared.memory_given || panes > PANES_MAX)
		return share;
	die_usage("cannot use -M: the %lld panes of --window need %s at least", (long long)panes,
	    num_bytes(least, ((uint64_t)panes + UNIONS) * SPACESAVING_MIN));
}

static void *
new_table(void *context)
{
	const struct plan *p = context;
	struct spacesaving *table;

	must(spacesaving_new(&table, p->share));
	if (p->what->hits)
		spacesaving_want_hits(table);
	return table;
}

static void
add(void *context, void *table, const struct batch *b, size_t from, size_t n)
{
	(void)context;
	must(spacesaving_add(table, b->item + from, b->hash + from,
	    shared.scan.has_weight ? b->weight + from : NULL, n));
}

static void
unite(void *context, void *into, void *from)
{
	(void)context;
	must(spacesaving_merge(into, from));
}

static void
release(void *context, void *table)
{
	(void)context;
	spacesaving_free(table);
}

static void
row(void *context, const char *time, void *table)
{
	const struct plan *p = context;

	p->what->row(time, table);
}

void
steptop_run(const struct steptop *s, int argc, char *argv[])
{
	struct plan plan = {s, steptop_share()};
	const struct pane_sketch tables = {&plan, new_table, add, unite, release, row};
	struct job job = opts_job();

	job.scan.want_items = true;
	overtime_run(&tables, job, argc, argv);
}
