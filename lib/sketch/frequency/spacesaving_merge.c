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
#include <assert.h>
#include <stdlib.h>

#include "sketch/frequency/spacesaving.h"
#include "sketch/frequency/spacesaving_body.h"

#define BATCH 256

/* How many lines an entry counts, or NULL if that was not wanted. */
static const uint64_t *
hits_of(const struct spacesaving *s, const struct entry *e)
{
	return spacesaving_has_hits(s) ? &spacesaving_hits_of(s, e)->count : NULL;
}

/* Add the other's counters as items with weights, as long as it stays exact;
 * *at is how far this came. */
static enum status
add_exact(struct spacesaving *into, const struct spacesaving *from, size_t *at)
{
	const struct tally *t = &from->tally;
	size_t done = 1;
	enum status st = OK;

	while (st == OK && *at < t->used) {
		const struct entry *e = tally_at(t, *at);
		const struct slice item = {e->key, e->len};
		st = spacesaving_take_exact(into, &(struct load){
			&item, &e->hash, &e->count, hits_of(from, e), 1
		}, &done);
		if (done == 0)
			break;
		*at += tally_entry_size(t, e->len);
	}
	return st;
}

/* The rest of an exact table into one that cannot be exact. */
static enum status
add_rest(struct spacesaving *into, const struct spacesaving *from, size_t at)
{
	struct slice item[BATCH];
	uint64_t hash[BATCH], weight[BATCH], hits[BATCH];
	enum status st = OK;

	while (at < from->tally.used && st == OK) {
		size_t n = 0;
		for (; n < BATCH && at < from->tally.used; n++) {
			const struct entry *e = tally_at(&from->tally, at);
			item[n] = (struct slice){e->key, e->len};
			hash[n] = e->hash;
			weight[n] = e->count;
			hits[n] = hits_of(from, e) ? *hits_of(from, e) : 0;
			at += tally_entry_size(&from->tally, e->len);
		}
		st = spacesaving_take(into, &(struct load){item, hash, weight, hits, n});
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
	const struct slice item = {e->key, e->len};
	size_t slot = tally_home(&s->tally, item, e->hash);

	return tally_find(&s->tally, item, e->hash, &slot);
}

/* Both bounds grow; counts stop at 2^64-1. */
static void
raise(uint64_t *count, uint64_t *err, uint64_t low, uint64_t high)
{
	uint64_t least = add_saturated(*count - *err, low);

	*count = add_saturated(*count, high);
	*err = *count - least;
}

/* What a table says of an item: of its weight, and of its lines if it counts
 * them. */
struct account {
	uint64_t low, high, hits_low, hits_high;
};

/* Of one that has this entry there, or NULL and its hash is that of e. */
static struct account
account_of(const struct spacesaving *s, const struct entry *e, const struct entry *there)
{
	struct account a = {0};

	a.high = there ? there->count : spacesaving_outsider(s, e->hash);
	a.low = there ? there->count - there->err : 0;
	if (!spacesaving_has_hits(s))
		return a;
	const struct hits *h = there ? spacesaving_hits_of(s, there) : NULL;
	a.hits_high = h ? h->count : spacesaving_outsider_hits(s, e->hash);
	a.hits_low = h ? h->count - h->err : 0;
	return a;
}

/* What the other table says of the items that have counters here. */
static void
raise_all(struct spacesaving *into, const struct spacesaving *from)
{
	for (size_t at = 0; at < into->tally.used;) {
		struct entry *e = tally_at(&into->tally, at);
		struct account a = account_of(from, e, find(from, e));
		raise(&e->count, &e->err, a.low, a.high);
		if (spacesaving_has_hits(into)) {
			struct hits *h = spacesaving_hits_of(into, e);
			raise(&h->count, &h->err, a.hits_low, a.hits_high);
		}
		at += tally_entry_size(&into->tally, e->len);
	}
}

/* Of cells j.. below end, in the k-th of their numbers. */
static uint64_t
largest(const struct spacesaving *s, size_t j, size_t end, size_t k)
{
	uint64_t most = 0;

	for (; j < end; j++)
		if (most < s->alpha[j * s->wide + k])
			most = s->alpha[j * s->wide + k];
	return most;
}

static void
add_filter(struct spacesaving *into, const struct spacesaving *from)
{
	for (size_t i = 0; from->cells && i < into->cells; i++) {
		size_t j = i * from->cells / into->cells;
		size_t end = ((i + 1) * from->cells + into->cells - 1) / into->cells;
		for (size_t k = 0; k < into->wide; k++) {
			uint64_t *a = &into->alpha[i * into->wide + k];
			*a = add_saturated(*a, largest(from, j, end, k));
		}
	}
}

/* A counter of the other table whose item has none here, and its bounds with
 * what our filter says of it. */
struct arrival {
	const struct entry *of;
	struct account a;
};

static size_t
find_arrivals(const struct spacesaving *into, const struct spacesaving *from,
    struct arrival *out)
{
	size_t n = 0;

	for (size_t at = 0; at < from->tally.used;) {
		const struct entry *e = tally_at(&from->tally, at);
		at += tally_entry_size(&from->tally, e->len);
		if (find(into, e))
			continue;
		struct account a = account_of(from, e, e), here = account_of(into, e, NULL);
		a.high = add_saturated(a.high, here.high);
		a.hits_high = add_saturated(a.hits_high, here.hits_high);
		out[n++] = (struct arrival){e, a};
	}
	return n;
}

/* An arrival gets a counter. */
static void
enter(struct spacesaving *s, const struct entry *from, const struct account *a)
{
	struct tally *t = &s->tally;
	struct slice item = {from->key, from->len};
	size_t slot = tally_home(t, item, from->hash);

	tally_find(t, item, from->hash, &slot);
	const struct entry *e = tally_insert(t, slot, item, from->hash, a->high, a->high - a->low);
	if (spacesaving_has_hits(s))
		*spacesaving_hits_of(s, e) = (struct hits){a->hits_high, a->hits_high - a->hits_low};
	tally_settle(t);
}

/* Of our counters and n arrivals, keep the heaviest that there is room for. */
static void
settle(struct spacesaving *s, const struct arrival *arrivals, size_t n)
{
	struct tally *t = &s->tally, both = *t;
	struct quota q = {0};

	for (size_t i = 0; i < n; i++)
		both.used += tally_entry_size(t, arrivals[i].of->len);
	both.n += n;
	tally_lay_out(&both, t->size - s->cells * s->wide * sizeof *s->alpha);
	t->limit = q.bytes = both.limit;
	t->capacity = q.entries = both.capacity;
	t->slots = both.slots;
	t->nslots = both.nslots;

	for (size_t at = 0; at < t->used;) {
		const struct entry *e = tally_at(t, at);
		at += tally_entry_size(t, e->len);
		if (!spacesaving_too_long(s, e->len))
			quota_offer(&q, e->count, tally_entry_size(t, e->len));
	}
	for (size_t i = 0; i < n; i++)
		if (!spacesaving_too_long(s, arrivals[i].of->len))
			quota_offer(&q, arrivals[i].a.high, tally_entry_size(t, arrivals[i].of->len));
	quota_close(&q);
	spacesaving_slide(s, &q);
	tally_index(t);

	for (size_t i = 0; i < n; i++) {
		const struct entry *e = arrivals[i].of;
		const struct account *a = &arrivals[i].a;
		if (!spacesaving_too_long(s, e->len) &&
		    quota_takes(&q, a->high, tally_entry_size(t, e->len)))
			enter(s, e, a);
		else
			spacesaving_let_go(s, e->hash, a->high, a->hits_high);
	}
	s->missing = largest(s, 0, s->cells, 0);
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
	uint64_t lines = add_saturated(into->lines, from->lines);
	bool saturated = into->saturated || from->saturated ||
	    into->total + from->total < into->total;
	enum status st = OK;
	size_t at = 0;

	assert(into->wide == from->wide);
	if (into->cells || from->cells) {
		st = unite(into, from);
	} else {
		st = add_exact(into, from, &at);
		if (st == OK)
			st = add_rest(into, from, at);
	}
	into->total = total;
	into->lines = lines;
	into->saturated = saturated;
	return st;
}
