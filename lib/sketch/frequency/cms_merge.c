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

#include "sketch/frequency/cms.h"
#include "sketch/frequency/cms_body.h"

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

static uint64_t
outsider(const void *sketch, uint64_t hash)
{
	return cms_outsider_high(sketch, hash);
}

enum status
cms_merge(struct cms *into, const struct cms *from, struct mismatch *why)
{
	if (cms_match(cms_parameters(into), cms_parameters(from), why) != OK)
		return STATUS_MISMATCH;

	unsigned capacity = into->capacity > from->capacity ? into->capacity : from->capacity;
	uint64_t missing = add_saturated(into->missing, from->missing);
	size_t dropped;
	enum status st = candidates_unite(&into->candidates,
	    (struct candidates_side){&into->candidates, outsider, into},
	    (struct candidates_side){&from->candidates, outsider, from},
	    capacity, &missing, &dropped);
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
