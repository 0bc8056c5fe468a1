/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Count-Min (Cormode and Muthukrishnan, "An Improved Data Stream Summary: The
 * Count-Min Sketch and its Applications", 2005).
 *
 * THE IDEA. d rows of w counters. An item adds its weight to one counter of
 * each row, chosen by a hash of its own per row. Other items fall into the
 * same counters, so each of them is at least the item's count, and the
 * smallest of the d is the best of the d upper bounds.
 *
 * THE BOUND. Let N be the total weight. In one row the others leave N/w on
 * average in an item's counter, so by Markov's inequality e N/w or more with a
 * probability of at most 1/e; in all d rows, e^-d. Therefore
 *
 *	f <= estimate			always
 *	estimate <= f + epsilon N	with probability 1 - delta
 *
 * for w = ceil(e / epsilon) and d = ceil(ln(1 / delta)). The error is a share
 * of everything counted: small beside a heavy item, and often more than the
 * whole of a rare one.
 *
 *	epsilon   delta     w x d        memory   too high, in a million
 *	  0.01     0.01       272 x 5    11 KiB        10,000
 *	  0.001    0.01     2,719 x 5   106 KiB         1,000
 *	  0.001    0.001    2,719 x 7   149 KiB         1,000
 *	  1e-4     0.01    27,183 x 5   1.0 MiB           100
 *	  1e-5     0.01   271,829 x 5    10 MiB            10
 *
 * Rows are linear: the sketch of two streams is the sum of their sketches,
 * byte for byte, whatever the order. This also lets a table of exact counts
 * stand in for the counters, and give them each item's sum once: cms_feed().
 * Conservative counters are closer, but not linear: cms_add.c.
 *
 * THE CANDIDATES. The counters cannot say which items they counted. So the
 * heaviest of a Space-Saving table are kept beside them with their count and
 * error, and T, the largest count that any other item may have. Their bounds
 * are certain on both sides and usually closer than the counters'; the lesser
 * of two certain upper bounds is one too:
 *
 *	candidate:      count - err <= f <= min(estimate, count)
 *	other item:               0 <= f <= min(estimate, T)
 *
 * Without candidates T is N. cms_merge.c says how they are united.
 */
#include <assert.h>
#include <stdlib.h>

#include "sketch/frequency/cms.h"
#include "sketch/frequency/cms_body.h"

#define BATCH 256

enum status
cms_new(struct cms **out, uint64_t width, unsigned depth, double epsilon, double delta,
    unsigned candidates)
{
	if (!cms_in_range(width, depth, epsilon, delta, candidates))
		return STATUS_PARAMETER;
	if (width > SIZE_MAX / sizeof(uint64_t) / depth)
		return STATUS_MEMORY;

	struct cms *c = malloc(sizeof *c);
	if (!c)
		return STATUS_MEMORY;
	*c = (struct cms){
		.width = width,
		.depth = depth,
		.epsilon = epsilon,
		.delta = delta,
		.capacity = candidates,
		.cells = calloc((size_t)width * depth, sizeof *c->cells),
	};
	if (!c->cells) {
		free(c);
		return STATUS_MEMORY;
	}
	*out = c;
	return OK;
}

enum status
cms_new_like(struct cms **out, const struct cms *c)
{
	enum status st = cms_new(out, c->width, c->depth, c->epsilon, c->delta, c->capacity);

	if (st == OK)
		(*out)->conservative = c->conservative;
	return st;
}

void
cms_conserve(struct cms *c)
{
	assert(c->total == 0);
	c->conservative = true;
}

void
cms_free(struct cms *c)
{
	if (!c)
		return;
	candidates_free(&c->candidates);
	free(c->cells);
	free(c);
}

/* Give the counters each item's sum from the table. */
static void
settle(struct cms *c, const struct spacesaving *table)
{
	uint64_t hash[BATCH], weight[BATCH];
	struct counter from;
	size_t n = 0;

	for (size_t at = 0; spacesaving_each(table, &at, &from);) {
		hash[n] = from.hash;
		weight[n++] = from.low;
		if (n == BATCH) {
			cms_add(c, hash, weight, n);
			n = 0;
		}
	}
	cms_add(c, hash, weight, n);
	c->saturated |= spacesaving_saturated(table);
}

/* A total of 0 says that whatever was added still is in the table alone, or
 * weighs nothing. Sums would not do for conservative counters: what these hold
 * may depend on the items and their order, but not on the table's size. */
enum status
cms_feed(struct cms *c, struct spacesaving *table, const struct slice *item,
    const uint64_t *hash, const uint64_t *weight, size_t n)
{
	size_t done = 0;

	if (c->total == 0 && !c->conservative) {
		enum status st = spacesaving_add_exact(table, item, hash, weight, n, &done);
		if (st != OK || done == n)
			return st;
		settle(c, table);
	}
	weight = weight ? weight + done : NULL;
	cms_add(c, hash + done, weight, n - done);
	return spacesaving_add(table, item + done, hash + done, weight, n - done);
}

enum status
cms_take_candidates(struct cms *c, const struct spacesaving *table)
{
	struct counter *top;
	size_t n;
	enum status st = spacesaving_top(table, (size_t)c->capacity + 1, &top, &n);

	if (st != OK)
		return st;
	uint64_t missing = spacesaving_missing(table);
	if (n > c->capacity) {
		n = c->capacity;
		if (missing < top[n].high)
			missing = top[n].high;
	}
	if (c->total == 0 && !c->conservative)
		settle(c, table);
	st = candidates_set(&c->candidates, top, n);
	if (st == OK && c->capacity > 0)
		c->missing = missing;
	free(top);
	return st;
}

uint64_t
cms_estimate(const struct cms *c, uint64_t hash)
{
	uint64_t least = UINT64_MAX;

	for (unsigned row = 0; row < c->depth; row++) {
		uint64_t count = c->cells[cms_place(c, hash, row)];
		if (count < least)
			least = count;
	}
	return least;
}

uint64_t
cms_outsider_high(const struct cms *c, uint64_t hash)
{
	uint64_t estimate = cms_estimate(c, hash);

	return estimate < c->missing ? estimate : c->missing;
}

void
cms_bounds(const struct cms *c, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high)
{
	const struct counter *found = candidates_find(&c->candidates, item, hash);

	if (!found) {
		*low = 0;
		*high = cms_outsider_high(c, hash);
		return;
	}
	*low = found->low;
	*high = cms_estimate(c, hash);
	if (*high > found->high)
		*high = found->high;
}

uint64_t
cms_excess(const struct cms *c)
{
	double product = c->epsilon * (double)c->total;

	if (product >= 0x1p64)
		return UINT64_MAX;
	uint64_t whole = (uint64_t)product;
	return whole + ((double)whole < product);
}

uint64_t
cms_probable_low(const struct cms *c, uint64_t estimate)
{
	uint64_t most = cms_excess(c);

	return estimate > most ? estimate - most : 0;
}

uint64_t
cms_total(const struct cms *c)
{
	return c->total;
}

bool
cms_saturated(const struct cms *c)
{
	return c->saturated;
}

uint64_t
cms_missing(const struct cms *c)
{
	return c->missing;
}

size_t
cms_candidates(const struct cms *c)
{
	return c->candidates.n;
}

unsigned
cms_candidates_max(const struct cms *c)
{
	return c->capacity;
}

uint64_t
cms_bytes(const struct cms *c)
{
	return c->width * c->depth * sizeof(*c->cells);
}

bool
cms_each(const struct cms *c, size_t *at, struct counter *out)
{
	if (*at >= c->candidates.n)
		return false;
	*out = c->candidates.at[(*at)++];
	cms_bounds(c, out->item, out->hash, &out->low, &out->high);
	return true;
}

static bool
next_candidate(const void *source, size_t *at, struct counter *c)
{
	return cms_each(source, at, c);
}

enum status
cms_top(const struct cms *c, size_t k, struct counter **out, size_t *n)
{
	return top_of(c, next_candidate, k, c->missing, out, n);
}
