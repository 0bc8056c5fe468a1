/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * The heaviest items of a stream, as they are saved: up to 65,536 with count and
 * error, and T, the largest count that any other item may have.
 *
 * A Space-Saving table (spacesaving.c) has counters for as many items as fit its
 * memory, and a filter that bounds all others. In a file a person asks for the
 * heaviest few. So the heaviest are kept, and for the rest, those that are left
 * out and those that the table itself had lost, one bound does:
 *
 *	item that is kept:     count - err <= f <= count
 *	any other:                       0 <= f <= T
 *
 * The filter is not saved. It would be half a table's memory, most of it noise
 * from the tail, to lower the upper bounds of items of which no lower bound is
 * known; and cells of unlike tables unite only by becoming coarser.
 *
 * UNION. What both keep adds up. An item that only one side keeps occurred on the
 * other side at most T times and perhaps never. One that neither keeps occurred
 * at most T + T' times, and one for which there is no more room at most as often
 * as it was counted. So T grows with each union of sketches that are not
 * complete, by the count of their first item left out: keep many times as many
 * items as are asked for. Daily sketches of a log in which the 65,536th item
 * occurs twice a day have, after a year, a T of 730.
 *
 * EXACT is more than T = 0: it also tells that items of weight 0 are all there.
 */
#include <stdlib.h>

#include "sketch/frequency/heavy.h"
#include "sketch/frequency/heavy_body.h"

enum status
heavy_new(struct heavy **out, unsigned capacity)
{
	if (capacity < 1 || capacity > HEAVY_MAX)
		return STATUS_PARAMETER;
	struct heavy *h = malloc(sizeof *h);
	if (!h)
		return STATUS_MEMORY;
	*h = (struct heavy){.capacity = capacity, .exact = true};
	*out = h;
	return OK;
}

void
heavy_free(struct heavy *h)
{
	if (!h)
		return;
	candidates_free(&h->candidates);
	free(h);
}

enum status
heavy_take(struct heavy *h, const struct spacesaving *table)
{
	struct counter *top;
	size_t n;
	enum status st = spacesaving_top(table, (size_t)h->capacity + 1, &top, &n);

	if (st != OK)
		return st;
	uint64_t missing = spacesaving_missing(table);
	bool complete = n <= h->capacity;
	if (!complete) {
		n = h->capacity;
		if (missing < top[n].high)
			missing = top[n].high;
	}
	st = candidates_set(&h->candidates, top, n);
	free(top);
	if (st != OK)
		return st;
	h->missing = missing;
	h->total = spacesaving_total(table);
	h->saturated = spacesaving_saturated(table);
	h->exact = complete && spacesaving_exact(table);
	return OK;
}

static uint64_t
outsider(const void *sketch, uint64_t hash)
{
	(void)hash;
	return heavy_missing(sketch);
}

enum status
heavy_merge(struct heavy *into, const struct heavy *from)
{
	unsigned capacity = into->capacity > from->capacity ? into->capacity : from->capacity;
	uint64_t missing = add_saturated(into->missing, from->missing);
	size_t dropped;
	enum status st = candidates_unite(&into->candidates,
	    (struct candidates_side){&into->candidates, outsider, into},
	    (struct candidates_side){&from->candidates, outsider, from},
	    capacity, &missing, &dropped);

	if (st != OK)
		return st;
	into->capacity = capacity;
	into->exact = into->exact && from->exact && dropped == 0;
	into->saturated |= from->saturated || into->total + from->total < into->total;
	into->total = add_saturated(into->total, from->total);
	into->missing = missing;
	return OK;
}

void
heavy_bounds(const struct heavy *h, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high)
{
	const struct counter *found = candidates_find(&h->candidates, item, hash);

	*low = found ? found->low : 0;
	*high = found ? found->high : h->missing;
}

bool
heavy_each(const struct heavy *h, size_t *at, struct counter *out)
{
	if (*at >= h->candidates.n)
		return false;
	*out = h->candidates.at[(*at)++];
	return true;
}

size_t
heavy_listed(const struct heavy *h)
{
	return h->candidates.n;
}

unsigned
heavy_capacity(const struct heavy *h)
{
	return h->capacity;
}

uint64_t
heavy_missing(const struct heavy *h)
{
	return h->missing;
}

uint64_t
heavy_total(const struct heavy *h)
{
	return h->total;
}

bool
heavy_saturated(const struct heavy *h)
{
	return h->saturated;
}

bool
heavy_exact(const struct heavy *h)
{
	return h->exact;
}

uint64_t
heavy_excess(const struct heavy *h)
{
	uint64_t most = h->missing;

	for (size_t i = 0; i < h->candidates.n; i++) {
		const struct counter *c = &h->candidates.at[i];
		if (most < c->high - c->low)
			most = c->high - c->low;
	}
	return most;
}
