/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>

#include "sketch/frequency/change.h"
#include "tool/answers/changes.h"
#include "tool/options/opts.h"
#include "tool/report.h"
#include "tool/answers/rows.h"

/* Of one item, in the order of rows. */
struct ranked {
	const struct change *of;
	struct difference by;
	double share[3];             /* likely, low, high */
};

static int
order(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	double p = fabs(x->share[0]), q = fabs(y->share[0]);

	if (p < q || p > q)
		return p > q ? -1 : 1;
	if (x->by.by != y->by.by)
		return x->by.by > y->by.by ? -1 : 1;
	return slice_compare(x->of->item, y->of->item);
}

static double
share(uint64_t count, uint64_t total)
{
	return total > 0 ? (double)count / (double)total : 0;
}

/* Division keeps the order of its results, so a difference of shares that is
 * above 0 here is so in truth. */
static void
take_shares(struct ranked *r, uint64_t before, uint64_t after)
{
	const struct change *c = r->of;

	r->share[0] = share(c->after.high, after) - share(c->before.high, before);
	r->share[1] = share(c->after.low, after) - share(c->before.high, before);
	r->share[2] = share(c->after.high, after) - share(c->before.low, before);
	r->by = (struct difference){0};
}

/* Is it worth a row? */
static bool
wanted(const struct changes_wish *wish, const struct ranked *r)
{
	if (wish->share)
		return r->share[0] != 0 && (!wish->sure || r->share[1] > 0 || r->share[2] < 0);
	uint64_t by = wish->sure ? change_surely(r->of) : r->by.by;
	return by > 0 && by >= wish->min;
}

static void
print(const struct changes_wish *wish, const struct ranked *r)
{
	struct difference low = change_low(r->of), high = change_high(r->of);
	bool certain = wish->share ? r->share[1] > 0 || r->share[2] < 0 : change_certain(r->of);
	struct row row = {
		.estimate = r->by.by, .low = low.by, .high = high.by,
		.minus = {r->by.minus, low.minus, high.minus},
		.real = wish->share ? r->share : NULL,
		.uncertain = !certain, .label = "item", .item = r->of->item,
	};

	row_print(&row);
}

static void
print_notes(const struct frequency *of, const void *before, const void *after)
{
	note("the totals are %llu and %llu", (unsigned long long)of->total(before),
	    (unsigned long long)of->total(after));
	note("an item that neither sketch lists rose by at most %llu or fell by at most %llu",
	    (unsigned long long)of->missing(after), (unsigned long long)of->missing(before));
}

void
changes_print(const struct changes_wish *wish, const struct frequency *of,
    const void *before, const void *after)
{
	struct change *changes;
	size_t n, rows = 0;
	enum status st = changes_of(of, before, after, &changes, &n);
	struct ranked *ranked = st == OK ? calloc(n + 1, sizeof *ranked) : NULL;

	if (!ranked)
		die(STATUS_MEMORY, "cannot list changes");
	for (size_t i = 0; i < n; i++) {
		struct ranked *r = &ranked[rows];
		r->of = &changes[i];
		r->by = change_likely(r->of);
		if (wish->share)
			take_shares(r, of->total(before), of->total(after));
		rows += wanted(wish, r);
	}
	qsort(ranked, rows, sizeof *ranked, order);
	for (size_t i = 0; i < rows && (wish->k == 0 || i < wish->k); i++)
		print(wish, &ranked[i]);
	if (shared.stats)
		print_notes(of, before, after);
	free(ranked);
	free(changes);
}
