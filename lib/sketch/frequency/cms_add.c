/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * How items get into the counters of a Count-Min sketch.
 *
 * The plain rule raises all d counters of an item by its weight w: the counters
 * do not depend on the order of the items, and a sum may come in one step.
 *
 * CONSERVATIVE UPDATE (Estan and Varghese, "New Directions in Traffic
 * Measurement and Accounting", 2002). Before w is added, the item's count is at
 * most the smallest of its counters, m; after it, at most m + w. So a counter
 * above m + w bounds it already, because others have raised it, and stays. Only
 * those below are raised, to m + w:
 *
 *	counters of x, then x comes	5 3 9	->  5 4 9
 *					plain:	    6 4 10
 *
 * No counter is higher than by the plain rule, so that one's bound holds, too;
 * in a log the mean excess is half of it. But what a
 * counter had added depends on what the others held: on the order of the items,
 * so one thread adds them, one after another; and none of it can be taken out
 * again.
 */
#include <assert.h>

#include "sketch/frequency/cms.h"
#include "sketch/frequency/cms_body.h"

#define FAR ((size_t)512 << 10)  /* more counters than this leave a core's cache */
#define PLACES 1024              /* looked ahead for at a time */

/* The hottest loop: the sketch's fields are held in registers, which a store
 * to a counter, for all the compiler knows, might change. */
static void
add_near(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	const uint64_t width = c->width;
	const unsigned depth = c->depth;
	uint64_t *const cells = c->cells;

	for (size_t i = 0; i < n; i++) {
		uint64_t w = weight ? weight[i] : 1;
		uint64_t *row = cells;
		for (unsigned step = 1; step <= depth; step++, row += width)
			row[hash_place(hash_step(hash[i], step), width)] += w;
	}
}

/* The counters of n items, on their way into the cache. */
static void
find_places(const struct cms *c, const uint64_t *hash, size_t n, size_t *at)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned row = 0; row < c->depth; row++) {
			*at = cms_place(c, hash[i], row);
			__builtin_prefetch(&c->cells[*at++], 1);
		}
}

/* Counters that are not in the cache are touched first. */
static void
add_far(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	size_t at[PLACES], batch = PLACES / c->depth;

	for (size_t done = 0; done < n; done += batch) {
		if (batch > n - done)
			batch = n - done;
		find_places(c, hash + done, batch, at);
		const size_t *from = at;
		for (size_t i = 0; i < batch; i++)
			for (unsigned row = 0; row < c->depth; row++)
				c->cells[*from++] += weight ? weight[done + i] : 1;
	}
}

static void
add_saturating(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned row = 0; row < c->depth; row++) {
			uint64_t *cell = &c->cells[cms_place(c, hash[i], row)];
			*cell = add_saturated(*cell, weight ? weight[i] : 1);
		}
}

static void
add_conservative(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	size_t at[PLACES], batch = PLACES / c->depth;

	for (size_t done = 0; done < n; done += batch) {
		if (batch > n - done)
			batch = n - done;
		find_places(c, hash + done, batch, at);
		for (size_t i = 0; i < batch; i++) {
			const size_t *own = at + i * c->depth;
			uint64_t least = c->cells[own[0]];
			for (unsigned row = 1; row < c->depth; row++)
				if (least > c->cells[own[row]])
					least = c->cells[own[row]];
			uint64_t count = add_saturated(least, weight ? weight[done + i] : 1);
			for (unsigned row = 0; row < c->depth; row++)
				if (c->cells[own[row]] < count)
					c->cells[own[row]] = count;
		}
	}
}

void
cms_add(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	uint64_t total = c->total;
	bool over = false;

	assert(c->candidates.n == 0);
	for (size_t i = 0; i < n; i++) {
		uint64_t w = weight ? weight[i] : 1;
		over |= total + w < w;
		total = add_saturated(total, w);
	}
	/* No counter is larger than the total. */
	if (c->conservative)
		add_conservative(c, hash, weight, n);
	else if (over)
		add_saturating(c, hash, weight, n);
	else if (c->width * c->depth > FAR / sizeof *c->cells)
		add_far(c, hash, weight, n);
	else
		add_near(c, hash, weight, n);
	c->saturated |= over;
	c->total = c->missing = total;
}
