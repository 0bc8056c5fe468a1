/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Two digests into one: all their centroids in one order, and one sweep. Each
 * centroid that comes of it keeps the size that its rank in the union allows, so
 * no error grows for being old; but other centroids come of another order of
 * merging. Two in turn give the same either way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "sketch/quantiles/tdigest.h"
#include "sketch/quantiles/tdigest_body.h"

static enum status
match(const struct tdigest *a, const struct tdigest *b, struct mismatch *why)
{
	if (a->unit != b->unit) {
		snprintf(why->text, sizeof why->text, "unit %s and %s", unit_label(a->unit),
		    unit_label(b->unit));
		return STATUS_MISMATCH;
	}
	if (a->total > UINT64_MAX - b->total) {
		snprintf(why->text, sizeof why->text, "%llu and %llu samples",
		    (unsigned long long)a->total, (unsigned long long)b->total);
		return STATUS_FULL;
	}
	return OK;
}

/* Both in their order into one list; equal ones become one. How many it were. */
static size_t
pool_both(struct centroid *pool, struct centroids a, struct centroids b)
{
	const struct centroid *a_end = a.at + a.n, *b_end = b.at + b.n;
	size_t n = 0;

	while (a.at < a_end || b.at < b_end) {
		bool from_a = b.at == b_end || (a.at < a_end && !centroid_before(b.at, a.at));
		bool from_b = a.at == a_end || (b.at < b_end && !centroid_before(a.at, b.at));
		struct centroid c = from_a ? *a.at++ : *b.at++;
		if (from_a && from_b)
			c.weight += b.at++->weight;
		pool[n++] = c;
	}
	return n;
}

/* To out, which has room for it. */
static enum status
sweep_pool(struct centroid *out, const struct centroid *pool, size_t *n, unsigned compression,
    uint64_t total)
{
	struct gap *gap = malloc((sweep_room(compression) + 1) * sizeof *gap);
	struct sweep sweep;

	if (!gap)
		return STATUS_MEMORY;
	sweep_begin(&sweep, out, gap, compression, total);
	do
		sweep_put(&sweep, pool, *n);
	while (sweep_again(&sweep));
	free(gap);
	*n = sweep.n;
	return OK;
}

static bool
only_points(struct centroids c)
{
	size_t i = 0;

	while (i < c.n && c.at[i].point)
		i++;
	return i == c.n;
}

enum status
tdigest_merge(struct tdigest *into, const struct tdigest *from, struct mismatch *why)
{
	unsigned compression = into->compression < from->compression ?
	    into->compression : from->compression;
	enum status st = match(into, from, why);

	if (st != OK)
		return st;
	struct centroids a = tdigest_look(into), b = tdigest_look(from);
	size_t room = sweep_room(compression);
	struct centroid *pool = malloc((a.n + b.n + 1) * sizeof *pool);
	struct centroid *out = malloc(room * sizeof *out);
	if (!pool || !out) {
		st = STATUS_MEMORY;
		goto out;
	}

	size_t n = pool_both(pool, a, b);
	bool points = n <= room && only_points((struct centroids){pool, n});
	/* Points need no sweep; what is united with nothing has had its own. */
	if (points || (n <= room && (a.n == 0 || b.n == 0)))
		memcpy(out, pool, n * sizeof *out);
	else
		st = sweep_pool(out, pool, &n, compression, into->total + from->total);
	if (st != OK)
		goto out;
	into->total += from->total;
	into->saturated |= from->saturated;
	into->compression = (uint16_t)compression;
	tdigest_replace(into, out, n, points);
	out = NULL;
out:
	free(pool);
	free(out);
	return st;
}
