/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A set of hashes: open addressing with linear probing (Knuth, TAOCP 3, 6.4).
 * A slot is the hash itself and 0 is an empty slot; whether 0 is in the set is
 * noted apart, since an item may well hash to it.
 *
 * One table, in huge pages from its first slot on, is cut into 16 shards of
 * neighbouring slots, chosen by the hash's top bits, with a lock each so that
 * threads seldom meet. In a shard the home of a hash is the high half of a
 * product, so slots are nearly in the order of the hashes, the table over.
 *
 *	load    probes a new hash takes
 *	0.4     1.9
 *	0.8     13      (two or three cache lines)
 *
 * DOUBLING is done in place, within address space for the whole ceiling that
 * costs nothing until it is touched:
 *
 *	| 0 | 1 | 2 | 3 |		shard i moves to where 2i and 2i+1
 *	|   0   |   1   |   2   |   3   |	were, which have moved before
 *
 * from the last to the first, each walked from front to back. Only shard 0
 * would meet itself, and is set aside meanwhile: 1/16 of the old table.
 *
 * THE CEILING. The table doubles when a shard has taken 4/5 of its slots, up
 * to 16/17 of the ceiling. It takes 4/5 of the slots there can be, and of one
 * shard's 15/16: hashes spread so evenly that only made-up ones come to that.
 * Both count distinct hashes, so being full is a property of the set.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pages.h"
#include "sketch/hashset.h"

#define SHARD_BITS 4
#define SHARDS (1 << SHARD_BITS)
#define SLOTS_START 1024
#define CACHE_LINE 64
#define BATCH 256

struct shard {
	_Alignas(CACHE_LINE) pthread_mutex_t lock;
	uint64_t taken;
};

struct hashset {
	struct shard shard[SHARDS];
	struct pages pages;
	uint64_t *slot;
	_Atomic uint64_t slots;      /* of a shard; changes with all locks held */
	uint64_t limit;              /* taken grows no further than this */
	uint64_t slots_max, capacity;
	_Atomic uint64_t count;
	_Atomic bool zero;           /* is 0 in the set? */
	_Atomic bool full;
};

static void
set_slots(struct hashset *s, uint64_t slots)
{
	s->slots = slots;
	s->limit = slots < s->slots_max ? slots / 5 * 4 : slots - slots / 16;
}

static void
destroy(struct hashset *s, unsigned locks)
{
	for (unsigned i = 0; i < locks; i++)
		pthread_mutex_destroy(&s->shard[i].lock);
	pages_unmap(&s->pages);
	free(s);
}

enum status
hashset_new(struct hashset **out, uint64_t bytes)
{
	assert(bytes >= HASHSET_BYTES_MIN);
	uint64_t start = bytes / (SHARDS + 1) / sizeof(uint64_t);
	unsigned doublings = 0;
	for (; start >= 2 * SLOTS_START; start /= 2)
		doublings++;

	struct hashset *s = aligned_alloc(CACHE_LINE, sizeof *s);
	if (!s)
		return STATUS_MEMORY;
	memset(s, 0, sizeof *s);
	s->slots_max = start << doublings;
	s->capacity = SHARDS * (s->slots_max / 5 * 4);
	set_slots(s, start);
	enum status st = pages_map(&s->pages, SHARDS * s->slots_max * sizeof *s->slot);
	if (st != OK) {
		free(s);
		return st;
	}
	s->slot = (uint64_t *)(void *)s->pages.at;
	for (unsigned i = 0; i < SHARDS; i++) {
		int error = pthread_mutex_init(&s->shard[i].lock, NULL);
		if (error != 0) {
			destroy(s, i);
			errno = error;
			return STATUS_SYSTEM;
		}
	}
	*out = s;
	return OK;
}

void
hashset_free(struct hashset *s)
{
	if (s)
		destroy(s, SHARDS);
}

uint64_t
hashset_capacity(const struct hashset *s)
{
	return s->capacity;
}

uint64_t
hashset_count(const struct hashset *s)
{
	return s->count;
}

static inline unsigned
shard_of(uint64_t h)
{
	return (unsigned)(h >> (64 - SHARD_BITS));
}

/* Of a shard's slots, the one where the search for h begins. */
static inline uint64_t
home(uint64_t h, uint64_t slots)
{
	return hash_place(h << SHARD_BITS, slots);
}

/* Of the slots of its shard, the one that holds h, or the empty one where it
 * belongs. */
static inline uint64_t *
find(uint64_t *slot, uint64_t slots, uint64_t h)
{
	uint64_t i = home(h, slots);

	while (slot[i] != 0 && slot[i] != h)
		i = i + 1 < slots ? i + 1 : 0;
	return &slot[i];
}

static void
move(uint64_t *to, uint64_t slots, const uint64_t *from, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (from[i] != 0)
			*find(to, slots, from[i]) = from[i];
}

/* All locks are held. */
static enum status
grow(struct hashset *s)
{
	uint64_t n = s->slots;
	size_t bytes = (size_t)n * sizeof *s->slot;
	struct pages aside;
	enum status st = pages_map(&aside, bytes);

	if (st != OK)
		return st;
	for (unsigned i = SHARDS; --i > 0; ) {
		uint64_t *to = s->slot + 2 * n * i;
		/* Behind the old table there are zeros already. */
		if (2 * i < SHARDS)
			memset(to, 0, 2 * bytes);
		move(to, 2 * n, s->slot + n * i, n);
	}
	memcpy(aside.at, s->slot, bytes);
	memset(s->slot, 0, 2 * bytes);
	move(s->slot, 2 * n, (const uint64_t *)(const void *)aside.at, n);
	pages_unmap(&aside);
	set_slots(s, 2 * n);
	return OK;
}

/* Unless somebody else has been quicker: then slots is no longer this. */
static enum status
grow_from(struct hashset *s, uint64_t slots)
{
	enum status st = OK;

	for (unsigned i = 0; i < SHARDS; i++)
		pthread_mutex_lock(&s->shard[i].lock);
	if (s->slots == slots)
		st = grow(s);
	for (unsigned i = 0; i < SHARDS; i++)
		pthread_mutex_unlock(&s->shard[i].lock);
	return st;
}

/*
 * Add *n hashes to their shard, whose lock is held; none of them is 0. *n are
 * then in the set, all of them unless the table is too small.
 */
static void
shard_add(struct hashset *s, unsigned shard, const uint64_t *hash, size_t *n)
{
	struct shard *t = &s->shard[shard];
	uint64_t slots = s->slots;
	uint64_t *slot = s->slot + slots * shard;

	for (size_t i = 0; i < *n; i++) {
		uint64_t *at = find(slot, slots, hash[i]);

		if (*at != 0)
			continue;
		if (t->taken == s->limit) {
			*n = i;
			return;
		}
		*at = hash[i];
		t->taken++;
	}
}

static enum status
shard_enter(struct hashset *s, unsigned shard, const uint64_t *hash, size_t n)
{
	struct shard *t = &s->shard[shard];

	for (;;) {
		pthread_mutex_lock(&t->lock);
		/* Asked under the lock: what is added once the set is full could
		 * be missed by a hashset_each that has been here already. */
		size_t done = s->full ? 0 : n;
		uint64_t before = t->taken, slots = s->slots;
		shard_add(s, shard, hash, &done);
		uint64_t added = t->taken - before;
		if (atomic_fetch_add(&s->count, added) + added > s->capacity ||
		    (done < n && slots == s->slots_max))
			s->full = true;
		pthread_mutex_unlock(&t->lock);
		if (s->full)
			return STATUS_END;
		if (done == n)
			return OK;
		enum status st = grow_from(s, slots);
		if (st != OK)
			return st;
		hash += done;
		n -= done;
	}
}

/* Sorted by shard, so that each lock is taken once. The slots are on their way
 * by then; if the table moves meanwhile, it was only a hint. */
static enum status
add_batch(struct hashset *s, const uint64_t *hash, size_t n)
{
	unsigned end[SHARDS] = {0};
	uint64_t sorted[BATCH], slots = s->slots;

	for (size_t i = 0; i < n; i++) {
		unsigned shard = shard_of(hash[i]);
		end[shard]++;
		__builtin_prefetch(s->slot + slots * shard + home(hash[i], slots), 1);
	}
	for (unsigned i = 1; i < SHARDS; i++)
		end[i] += end[i - 1];
	for (size_t i = n; i-- > 0; )
		sorted[--end[shard_of(hash[i])]] = hash[i];
	for (unsigned i = 0; i < SHARDS; i++) {
		size_t from = end[i], to = i + 1 < SHARDS ? end[i + 1] : n;
		enum status st = from < to ? shard_enter(s, i, sorted + from, to - from) : OK;
		if (st != OK)
			return st;
	}
	return OK;
}

static enum status
add_zero(struct hashset *s)
{
	if (!atomic_exchange(&s->zero, true) && ++s->count > s->capacity)
		s->full = true;
	return s->full ? STATUS_END : OK;
}

enum status
hashset_add(struct hashset *s, const uint64_t *hash, size_t n)
{
	uint64_t some[BATCH];
	enum status st = OK;

	while (n > 0 && st == OK) {
		size_t batch = n < BATCH ? n : BATCH, kept = 0;

		for (size_t i = 0; i < batch; i++) {
			some[kept] = hash[i];
			kept += hash[i] != 0;
		}
		if (kept < batch)
			st = add_zero(s);
		if (st == OK)
			st = add_batch(s, some, kept);
		hash += batch;
		n -= batch;
	}
	return st;
}

void
hashset_each(struct hashset *s,
    void (*each)(void *context, const uint64_t *hash, size_t n), void *context)
{
	uint64_t some[BATCH] = {0};

	if (s->zero)
		each(context, some, 1);
	for (unsigned i = 0; i < SHARDS; i++) {
		size_t n = 0;

		pthread_mutex_lock(&s->shard[i].lock);
		uint64_t slots = s->slots;
		const uint64_t *slot = s->slot + slots * i;
		for (uint64_t k = 0; k < slots; k++) {
			some[n] = slot[k];
			n += slot[k] != 0;
			if (n == BATCH) {
				each(context, some, n);
				n = 0;
			}
		}
		if (n > 0)
			each(context, some, n);
		pthread_mutex_unlock(&s->shard[i].lock);
	}
}
