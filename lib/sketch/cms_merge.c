/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Counters add up; each sum bounds the count from above if its two parts do, so
 * this holds for conservative ones too, only that they are then conservative in
 * their parts. Of the candidates, one that both sides have adds its bounds.
 * One that a side lacks occurred there at most min(estimate, T) times by that
 * side's account, and perhaps never: its count and error grow by as much. If
 * the side's list is complete, T is 0, and nothing is added. An item that
 * neither has occurred at most T + T times, and one dropped because there are
 * too many at most its count: the new T is the largest of these.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sketch/cms.h"
#include "sketch/cms_body.h"

enum status
cms_match(struct cms_parameters a, struct cms_parameters b, struct mismatch *why)
{
	if (a.width != b.width)
		snprintf(why->text, sizeof why->text, "width %llu and %llu",
		    (unsigned long long)a.width, (unsigned long long)b.width);
	else if (a.depth != b.depth)
		snprintf(why->text, sizeof why->text, "depth %u and %u", a.depth, b.depth);
	else
		return OK;
	return STATUS_MISMATCH;
}

/* All candidates of both, ordered by bytes, with the sums of their bounds. To
 * one that only one side knows, the other adds what it cannot exclude. */
static size_t
unite(const struct cms *a, const struct cms *b, struct counter *out)
{
	const struct counter *x = a->candidates.at, *y = b->candidates.at;
	const struct counter *x_end = x + a->candidates.n, *y_end = y + b->candidates.n;
	size_t n = 0;

	while (x < x_end || y < y_end) {
		int c = x == x_end ? 1 : y == y_end ? -1 : slice_compare(x->item, y->item);
		struct counter *sum = &out[n++];
		if (c < 0) {
			*sum = *x++;
			sum->high = add_saturated(sum->high, cms_outsider_high(b, sum->hash));
		} else if (c > 0) {
			*sum = *y++;
			sum->high = add_saturated(sum->high, cms_outsider_high(a, sum->hash));
		} else {
			*sum = *x++;
			sum->low = add_saturated(sum->low, y->low);
			sum->high = add_saturated(sum->high, y++->high);
		}
	}
	return n;
}

enum status
cms_merge(struct cms *into, const struct cms *from, struct mismatch *why)
{
	if (cms_match(cms_parameters(into), cms_parameters(from), why) != OK)
		return STATUS_MISMATCH;

	unsigned capacity = into->capacity > from->capacity ? into->capacity : from->capacity;
	uint64_t missing = add_saturated(into->missing, from->missing);
	struct counter *all =
	    malloc((into->candidates.n + from->candidates.n + 1) * sizeof *all);
	if (!all)
		return STATUS_MEMORY;
	size_t n = unite(into, from, all);
	if (n > capacity) {
		qsort(all, n, sizeof *all, counter_order);
		n = capacity;
		if (missing < all[n].high)
			missing = all[n].high;
	}
	enum status st = candidates_set(&into->candidates, all, n);
	free(all);
	if (st != OK)
		return st;

	for (size_t i = 0; i < (size_t)into->width * into->depth; i++)
		into->cells[i] = add_saturated(into->cells[i], from->cells[i]);
	into->conservative |= from->conservative;
	into->saturated |= from->saturated || into->total + from->total < into->total;
	into->total = add_saturated(into->total, from->total);
	into->missing = missing;
	into->capacity = capacity;
	if (into->epsilon < from->epsilon)
		into->epsilon = from->epsilon;
	if (into->delta < from->delta)
		into->delta = from->delta;
	return OK;
}
