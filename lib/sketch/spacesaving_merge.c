/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Two tables into one. An item that both have adds its bounds. To one that a
 * side lacks, that side's account allows what its cell there holds, and no
 * more: its count grows by as much, and what is sure stays. Cells add up, since
 * an item without a counter has at most one cell here and one there; a cell of
 * the other table's filter, if that is not as fine, lies over several of ours,
 * and if it is finer the largest of those it is cut into counts. Then the
 * heaviest stay that there is room for, and the count of one that goes is noted
 * in its cell, as in a purge. T is the largest cell.
 *
 * Two exact tables are exact together while they fit, and so is their union's
 * flag: it says that nothing was ever counted without its item.
 */
#include <stdlib.h>

#include "sketch/spacesaving.h"
#include "sketch/spacesaving_body.h"

#define BATCH 256

/* Add the other's counters as items with weights, as long as it stays exact;
 * *at is how far this came. */
static enum status
add_exact(struct spacesaving *into, const struct spacesaving *from, size_t *at)
{
	struct counter c;
	size_t next = *at, done = 1;
	enum status st = OK;

	while (st == OK && spacesaving_each(from, &next, &c)) {
		st = spacesaving_add_exact(into, &c.item, &c.hash, &c.high, 1, &done);
		if (done == 0)
			break;
		*at = next;
	}
	return st;
}

/* The rest of an exact table into one that cannot be exact. */
static enum status
add_rest(struct spacesaving *into, const struct spacesaving *from, size_t at)
{
	struct slice item[BATCH];
	uint64_t hash[BATCH], weight[BATCH];
	struct counter c;
	enum status st = OK;
	bool more = true;

	while (more && st == OK) {
		size_t n = 0;
		while (n < BATCH && (more = spacesaving_each(from, &at, &c))) {
			item[n] = c.item;
			hash[n] = c.hash;
			weight[n++] = c.high;
		}
		st = spacesaving_add(into, item, hash, weight, n);
	}
	return st;
}

/* A table with a filter, whatever it was. */
static enum status
make_filter(struct spacesaving *s)
{
	if (s->cells)
		return OK;
	if (s->shift > 0) {
		unsigned shift = s->shift;
		s->shift = 0;
		enum status st = tally_resize(&s->tally, spacesaving_block_size(s));
		if (st != OK) {
			s->shift = shift;
			return st;
		}
	}
	spacesaving_open_filter(s);
	return OK;
}

static struct entry *
find(const struct spacesaving *s, const struct entry *e)
{
	size_t slot = tally_home(&s->tally, e->hash);

	return tally_find(&s->tally, (struct slice){e->key, e->len}, e->hash, &slot);
}

/* Both bounds grow; counts stop at 2^64-1. */
static void
raise(struct entry *e, uint64_t low, uint64_t high)
{
	uint64_t least = add_saturated(e->count - e->err, low);

	e->count = add_saturated(e->count, high);
	e->err = e->count - least;
}

/* What the other table says of the items that have counters here. */
static void
raise_all(struct spacesaving *into, const struct spacesaving *from)
{
	for (size_t at = 0; at < into->tally.used;) {
		struct entry *e = tally_at(&into->tally, at);
		const struct entry *other = find(from, e);
		if (other)
			raise(e, other->count - other->err, other->count);
		else
			raise(e, 0, spacesaving_outsider(from, e->hash));
		at += tally_entry_size(e->len);
	}
}

static void
add_filter(struct spacesaving *into, const struct spacesaving *from)
{
	for (size_t i = 0; from->cells && i < into->cells; i++) {
		size_t j = i * from->cells / into->cells;
		size_t end = ((i + 1) * from->cells + into->cells - 1) / into->cells;
		uint64_t most = 0;
		for (; j < end; j++)
			if (most < from->alpha[j])
				most = from->alpha[j];
		into->alpha[i] = add_saturated(into->alpha[i], most);
	}
}

/* A counter of the other table whose item has none here, and its bounds with
 * what our filter says of it. */
struct arrival {
	const struct entry *of;
	uint64_t low, high;
};

static size_t
find_arrivals(const struct spacesaving *into, const struct spacesaving *from,
    struct arrival *out)
{
	size_t n = 0;

	for (size_t at = 0; at < from->tally.used;) {
		const struct entry *e = tally_at(&from->tally, at);
		at += tally_entry_size(e->len);
		if (!find(into, e))
			out[n++] = (struct arrival){
				e, e->count - e->err,
				add_saturated(e->count, spacesaving_outsider(into, e->hash)),
			};
	}
	return n;
}

/* Of our counters and n arrivals, keep the heaviest that there is room for. */
static void
settle(struct spacesaving *s, const struct arrival *arrivals, size_t n)
{
	struct tally *t = &s->tally, both = *t;
	struct quota q = {0};

	for (size_t i = 0; i < n; i++)
		both.used += tally_entry_size(arrivals[i].of->len);
	both.n += n;
	tally_lay_out(&both, t->size - s->cells * sizeof *s->alpha);
	t->limit = q.bytes = both.limit;
	t->capacity = q.entries = both.capacity;
	t->slots = both.slots;
	t->nslots = both.nslots;

	for (size_t at = 0; at < t->used;) {
		const struct entry *e = tally_at(t, at);
		at += tally_entry_size(e->len);
		if (!spacesaving_too_long(s, e->len))
			quota_offer(&q, e->count, tally_entry_size(e->len));
	}
	for (size_t i = 0; i < n; i++)
		if (!spacesaving_too_long(s, arrivals[i].of->len))
			quota_offer(&q, arrivals[i].high, tally_entry_size(arrivals[i].of->len));
	quota_close(&q);
	spacesaving_slide(s, &q);
	tally_index(t);

	for (size_t i = 0; i < n; i++) {
		const struct entry *e = arrivals[i].of;
		uint64_t high = arrivals[i].high;
		if (!spacesaving_too_long(s, e->len) &&
		    quota_takes(&q, high, tally_entry_size(e->len))) {
			size_t slot = tally_home(t, e->hash);
			struct slice item = {e->key, e->len};
			tally_find(t, item, e->hash, &slot);
			tally_insert(t, slot, item, e->hash, high, high - arrivals[i].low);
		} else if (*spacesaving_cell(s, e->hash) < high) {
			*spacesaving_cell(s, e->hash) = high;
		}
	}
	s->missing = 0;
	for (size_t i = 0; i < s->cells; i++)
		if (s->missing < s->alpha[i])
			s->missing = s->alpha[i];
}

/* Both have, or are given, a filter. */
static enum status
unite(struct spacesaving *into, const struct spacesaving *from)
{
	struct arrival *arrivals = malloc((from->tally.n + 1) * sizeof *arrivals);
	enum status st = arrivals ? make_filter(into) : STATUS_MEMORY;

	if (st == OK) {
		size_t n = find_arrivals(into, from, arrivals);
		raise_all(into, from);
		add_filter(into, from);
		settle(into, arrivals, n);
	}
	free(arrivals);
	return st;
}

enum status
spacesaving_merge(struct spacesaving *into, const struct spacesaving *from)
{
	uint64_t total = add_saturated(into->total, from->total);
	bool saturated = into->saturated || from->saturated ||
	    into->total + from->total < into->total;
	enum status st = OK;
	size_t at = 0;

	if (into->cells || from->cells) {
		st = unite(into, from);
	} else {
		st = add_exact(into, from, &at);
		if (st == OK)
			st = add_rest(into, from, at);
	}
	into->total = total;
	into->saturated = saturated;
	return st;
}
