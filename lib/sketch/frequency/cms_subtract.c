/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Plain counters are sums, so those of a part can be taken away again: what is
 * left is, counter by counter, the sketch of the remainder.
 *
 * Of a candidate x of the whole, the part holds l to h, whether x is a
 * candidate there or not. So the remainder holds
 *
 *	low - h  to  min(high - l, what the counters left say)
 *
 * and nothing outside the candidates has more than it had before: T stays. A
 * candidate of which nothing can be left is none any more. If all counts were
 * exact, they still are, and the outcome is that of counting the remainder.
 *
 * All of this rests on the part being one. Its sketch cannot prove that; it can
 * only be found to contradict it, where something would fall below 0.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sketch/frequency/cms.h"
#include "sketch/frequency/cms_body.h"

static enum status
refuse(struct mismatch *why, const char *text)
{
	snprintf(why->text, sizeof why->text, "%s", text);
	return STATUS_MISMATCH;
}

/* Does no counter, and no candidate of the part, say that it is none? */
static bool
may_be_part(const struct cms *whole, const struct cms *part)
{
	size_t n = (size_t)whole->width * whole->depth;

	if (whole->total < part->total)
		return false;
	for (size_t i = 0; i < n; i++)
		if (whole->cells[i] < part->cells[i])
			return false;
	for (size_t i = 0; i < part->candidates.n; i++) {
		const struct counter *c = &part->candidates.at[i];
		uint64_t low, high;
		cms_bounds(whole, c->item, c->hash, &low, &high);
		if (high < c->low)
			return false;
	}
	return true;
}

/* The smallest of an item's counters once the part's are taken away. */
static uint64_t
estimate_left(const struct cms *whole, const struct cms *part, uint64_t hash)
{
	uint64_t least = UINT64_MAX;

	for (unsigned row = 0; row < whole->depth; row++) {
		size_t at = cms_place(whole, hash, row);
		uint64_t left = whole->cells[at] - part->cells[at];
		if (least > left)
			least = left;
	}
	return least;
}

/* The candidates of which something may be left, with new bounds. False if one
 * of them has none. */
static bool
candidates_left(const struct cms *whole, const struct cms *part, struct counter *out, size_t *n)
{
	struct counter c;

	*n = 0;
	for (size_t at = 0; cms_each(whole, &at, &c);) {
		uint64_t low, high, most = estimate_left(whole, part, c.hash);
		cms_bounds(part, c.item, c.hash, &low, &high);
		/* The part's candidates were compared: low is no more than c.high. */
		c.high -= low;
		c.low = c.low > high ? c.low - high : 0;
		if (c.high > most)
			c.high = most;
		if (c.low > c.high)
			return false;
		if (c.high > 0)
			out[(*n)++] = c;
	}
	return true;
}

enum status
cms_subtract(struct cms *whole, const struct cms *part, struct mismatch *why)
{
	if (cms_match(cms_parameters(whole), cms_parameters(part), why) != OK)
		return STATUS_MISMATCH;
	if (whole->conservative || part->conservative)
		return refuse(why, "conservative counters are no sums");
	if (whole->saturated || part->saturated)
		return refuse(why, "a sum reached 2^64-1 and stopped there");
	if (!may_be_part(whole, part))
		return refuse(why, "not a part: a count would be below 0");

	struct counter *left = malloc((whole->candidates.n + 1) * sizeof *left);
	size_t n;
	if (!left)
		return STATUS_MEMORY;
	enum status st = candidates_left(whole, part, left, &n) ?
	    candidates_set(&whole->candidates, left, n) :
	    refuse(why, "not a part: a count would be below 0");
	free(left);
	if (st != OK)
		return st;

	for (size_t i = 0; i < (size_t)whole->width * whole->depth; i++)
		whole->cells[i] -= part->cells[i];
	whole->total -= part->total;
	if (whole->missing > whole->total || whole->capacity == 0)
		whole->missing = whole->total;
	if (whole->epsilon < part->epsilon)
		whole->epsilon = part->epsilon;
	if (whole->delta < part->delta)
		whole->delta = part->delta;
	return OK;
}
