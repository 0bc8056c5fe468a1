/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Filtered Space-Saving: the heavy items of a stream, with certain bounds.
 *
 * THE IDEA. Space-Saving (Metwally, Agrawal, El Abbadi, "Efficient Computation
 * of Frequent and Top-k Elements in Data Streams", 2005) monitors as many
 * items as it has room for. An item without a counter takes over the lightest
 * one, with its count, which it thereby may exceed its own true count by: that
 * much is noted as the counter's error. In a long tail nearly every item is
 * such a newcomer, and each throws another one out. Homem and Carvalho
 * ("Finding top-k elements in data streams", 2010) put a filter before: an
 * array alpha of plain numbers, each the sum of what items without a counter
 * and of one hash have had. Only an item whose cell grows past what a counter
 * is worth gets one, and its error is what the cell held before.
 *
 * Here no heap looks for the lightest counter. Entries lie one after another
 * (tally.h). When they are full, a purge finds by a histogram of counts which
 * ones are the heaviest half, slides them together, and lets the rest go. What
 * they had goes to their cells, as a maximum: a cell bounds every single item
 * behind it, not their sum. T is the largest count ever let go. An item gets a
 * counter once its cell would exceed T; "reach T" would be too little, for
 * then every item of an even stream enters, and leaves at the next purge.
 *
 * Until the budget is reached there is no filter: all counts are exact.
 *
 * THE BOUNDS, for the true count f of an item x:
 *
 *	x has a counter:   count - err <= f <= count
 *	x has none:                  0 <= f <= alpha[h(x)] <= T
 *
 * Both are kept by induction. Without a counter x adds to its cell, which is
 * never lowered; entering starts from the cell, so count >= f, and everything
 * since is x's own, so count - err <= f; a purge leaves the cell at count or
 * more.
 * A cell above T exists at no time: a newcomer above it enters, except one too
 * long for any counter, which raises T. So every item with f > T is monitored,
 * and the one number T says what may be missing. Additions stop at 2^64-1,
 * where all of this still holds for counts that stop there.
 *
 * An example. T is 3 and the cell of x holds 2. x comes: 3 is not above T, the
 * cell becomes 3. x comes again: 4 is, so x enters with count 4 and error 3.
 * It occurred 1 to 4 times; truly it was 2, and another item of the same cell
 * had the rest.
 *
 * HITS. Where the lines of an item are wanted beside their weight, an entry has
 * a second count and its error, and a cell a second number. The weight alone
 * decides who has a counter; whatever that comes to, the bounds of the hits are
 * kept by the same steps. They have no T: a light item may have many lines.
 *
 * HOW TIGHT T IS follows from how flat the stream is. Flat: 30 M draws out of
 * 30 M items, 8 bytes each, of which 19 M occur. Log: 3 M addresses of some 13
 * bytes, 590 k distinct, the first with 142 k.
 *
 *	budget    counters, flat     T     counters, log     T
 *	 1 MiB          6,404      464          5,189       52
 *	16 MiB        115,858       34         87,296        3
 *	64 MiB        533,724       11        589,747        0, exact
 *
 * MEMORY is one block of budget >> shift bytes, doubled while counts are exact:
 *
 *	exact    [entries ->                                |  index ]
 *	after    [entries ->          | index |  alpha: half of it   ]
 *
 * Alpha is taken from the top bits of the hash and the index from the lower
 * half, so what is crowded in one is not in the other.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "sketch/frequency/spacesaving.h"
#include "sketch/frequency/spacesaving_body.h"

#define BATCH 256

enum status
spacesaving_new(struct spacesaving **out, uint64_t budget)
{
	struct spacesaving *s = calloc(1, sizeof *s);

	if (!s)
		return STATUS_MEMORY;
	if (budget < SPACESAVING_MIN)
		budget = SPACESAVING_MIN;
	if (budget > SPACESAVING_MAX)
		budget = SPACESAVING_MAX;
	s->budget = (size_t)budget;
	s->wide = 1;
	while (s->budget >> s->shift > 2048)
		s->shift++;

	enum status st = tally_resize(&s->tally, spacesaving_block_size(s));
	if (st != OK) {
		free(s);
		return st;
	}
	*out = s;
	return OK;
}

void
spacesaving_free(struct spacesaving *s)
{
	if (!s)
		return;
	tally_free(&s->tally);
	free(s);
}

void
spacesaving_want_hits(struct spacesaving *s)
{
	s->wide = 2;
	s->tally.extra = sizeof(struct hits);
	tally_lay_out(&s->tally, s->tally.size);
	tally_index(&s->tally);
}

/* An item without a counter. False if it should have one, but there is no
 * room; then nothing has changed. */
static bool
newcomer(struct spacesaving *s, size_t slot, struct slice item, uint64_t hash,
    uint64_t weight, uint64_t hits)
{
	uint64_t count = weight, before = 0;

	if (s->cells) {
		uint64_t *a = spacesaving_cell(s, hash);
		before = *a;
		count = add_saturated(before, weight);
		/* Nearly all that come here are light, and stay outside. */
		if (count <= s->missing || spacesaving_too_long(s, item.len)) {
			if (s->missing < count)
				s->missing = count;
			*a = count;
			if (spacesaving_has_hits(s))
				a[1] = add_saturated(a[1], hits);
			return true;
		}
	}
	if (!tally_has_room(&s->tally, item.len))
		return false;
	const struct entry *e = tally_insert(&s->tally, slot, item, hash, count, before);
	if (spacesaving_has_hits(s)) {
		before = spacesaving_outsider_hits(s, hash);
		*spacesaving_hits_of(s, e) = (struct hits){add_saturated(before, hits), before};
	}
	return true;
}

/* An item with one. */
static void
known(struct spacesaving *s, struct entry *e, uint64_t weight, uint64_t hits)
{
	e->count = add_saturated(e->count, weight);
	if (spacesaving_has_hits(s)) {
		struct hits *h = spacesaving_hits_of(s, e);
		h->count = add_saturated(h->count, hits);
	}
}

static void
add_to_total(struct spacesaving *s, const uint64_t *weight, size_t n)
{
	uint64_t total = s->total;

	for (size_t i = 0; weight && i < n; i++) {
		s->saturated |= total + weight[i] < total;
		total = add_saturated(total, weight[i]);
	}
	if (!weight) {
		s->saturated |= total + n < total;
		total = add_saturated(total, n);
	}
	s->total = total;
}

static void
add_to_lines(struct spacesaving *s, const uint64_t *hits, size_t n)
{
	for (size_t i = 0; hits && i < n; i++)
		s->lines = add_saturated(s->lines, hits[i]);
	if (!hits)
		s->lines = add_saturated(s->lines, n);
}

/* Add at most a batch of items, until one lacks room; how many were added. */
static size_t
add_batch(struct spacesaving *s, const struct load *l)
{
	struct tally *t = &s->tally;
	size_t slot[BATCH], n = l->n < BATCH ? l->n : BATCH, i;

	tally_look_ahead(t, l->item, l->hash, n, slot);
	for (i = 0; s->cells && i < n; i++)
		if (!t->slots[slot[i]])
			__builtin_prefetch(spacesaving_cell(s, l->hash[i]), 1);

	for (i = 0; i < n; i++) {
		uint64_t weight = l->weight ? l->weight[i] : 1, hits = l->hits ? l->hits[i] : 1;
		struct entry *e = tally_find(t, l->item[i], l->hash[i], &slot[i]);
		if (e)
			known(s, e, weight, hits);
		else if (!newcomer(s, slot[i], l->item[i], l->hash[i], weight, hits))
			break;
	}
	tally_settle(t);
	add_to_total(s, l->weight, i);
	if (spacesaving_has_hits(s))
		add_to_lines(s, l->hits, i);
	return i;
}

/* What is left of a load without its first n. */
static struct load
load_from(const struct load *l, size_t n)
{
	return (struct load){
		l->item + n, l->hash + n, l->weight ? l->weight + n : NULL,
		l->hits ? l->hits + n : NULL, l->n - n,
	};
}

/* The same for any number. */
static size_t
add_some(struct spacesaving *s, const struct load *l)
{
	size_t done = 0, added;

	while (done < l->n) {
		struct load rest = load_from(l, done);
		added = add_batch(s, &rest);
		done += added;
		if (added < BATCH)
			break;
	}
	return done;
}

/* Room for an item of this length, in an exact table. STATUS_END: no way. */
static enum status
make_room(struct spacesaving *s, size_t len)
{
	struct tally *t = &s->tally;
	enum status st = OK;

	/* Items got longer or shorter than the block was shared out for? */
	if (tally_unused(t) > t->size / 8)
		st = tally_resize(t, t->size);
	while (st == OK && !tally_has_room(t, len)) {
		if (s->shift == 0)
			return STATUS_END;
		s->shift--;
		st = tally_resize(t, spacesaving_block_size(s));
		if (st != OK)
			s->shift++;
	}
	return st;
}

enum status
spacesaving_take_exact(struct spacesaving *s, const struct load *l, size_t *done)
{
	enum status st = OK;

	*done = 0;
	while (st == OK && !s->cells && *done < l->n) {
		struct load rest = load_from(l, *done);
		*done += add_some(s, &rest);
		if (*done < l->n)
			st = make_room(s, l->item[*done].len);
	}
	return st == STATUS_END ? OK : st;
}

enum status
spacesaving_take(struct spacesaving *s, const struct load *l)
{
	size_t done;
	enum status st = spacesaving_take_exact(s, l, &done);

	if (st != OK || done == l->n)
		return st;
	if (!s->cells)
		spacesaving_open_filter(s);
	for (;;) {
		struct load rest = load_from(l, done);
		done += add_some(s, &rest);
		if (done == l->n)
			return OK;
		spacesaving_purge(s);
	}
}

enum status
spacesaving_add_exact(struct spacesaving *s, const struct slice *item,
    const uint64_t *hash, const uint64_t *weight, size_t n, size_t *done)
{
	return spacesaving_take_exact(s, &(struct load){item, hash, weight, NULL, n}, done);
}

enum status
spacesaving_add(struct spacesaving *s, const struct slice *item, const uint64_t *hash,
    const uint64_t *weight, size_t n)
{
	return spacesaving_take(s, &(struct load){item, hash, weight, NULL, n});
}

bool
spacesaving_exact(const struct spacesaving *s)
{
	return s->cells == 0;
}

uint64_t
spacesaving_missing(const struct spacesaving *s)
{
	return s->missing;
}

uint64_t
spacesaving_total(const struct spacesaving *s)
{
	return s->total;
}

bool
spacesaving_saturated(const struct spacesaving *s)
{
	return s->saturated;
}

size_t
spacesaving_distinct(const struct spacesaving *s)
{
	return s->tally.n;
}

size_t
spacesaving_memory(const struct spacesaving *s)
{
	return s->tally.size;
}

void
spacesaving_bounds(const struct spacesaving *s, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high)
{
	size_t slot = tally_home(&s->tally, item, hash);
	const struct entry *e = tally_find(&s->tally, item, hash, &slot);

	*low = e ? e->count - e->err : 0;
	*high = e ? e->count : spacesaving_outsider(s, hash);
}

uint64_t
spacesaving_lines(const struct spacesaving *s)
{
	return s->lines;
}

void
spacesaving_hits(const struct spacesaving *s, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high)
{
	size_t slot = tally_home(&s->tally, item, hash);
	const struct entry *e = tally_find(&s->tally, item, hash, &slot);
	const struct hits *h = e ? spacesaving_hits_of(s, e) : NULL;

	*low = h ? h->count - h->err : 0;
	*high = h ? h->count : spacesaving_outsider_hits(s, hash);
}

bool
spacesaving_each(const struct spacesaving *s, size_t *at, struct counter *c)
{
	if (*at >= s->tally.used)
		return false;
	const struct entry *e = tally_at(&s->tally, *at);
	*c = (struct counter){
		.item = {e->key, e->len},
		.hash = e->hash,
		.low = e->count - e->err,
		.high = e->count,
	};
	*at += tally_entry_size(&s->tally, e->len);
	return true;
}

static bool
next_counter(const void *source, size_t *at, struct counter *c)
{
	return spacesaving_each(source, at, c);
}

enum status
spacesaving_top(const struct spacesaving *s, size_t k, struct counter **out, size_t *n)
{
	return top_of(s, next_counter, k, s->missing, out, n);
}
