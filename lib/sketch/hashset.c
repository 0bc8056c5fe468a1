/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A set of hashes: open addressing with linear probing (Knuth, TAOCP 3, 6.4),
 * in 16 shards chosen by the top bits, a lock each, so that threads seldom
 * meet. A slot is the hash itself and 0 is an empty slot; whether 0 is in the
 * set is noted apart, since an item may well hash to it.
 *
 * The home of a hash is the high half of hash * slots, so the slots are nearly
 * in the order of the hashes, and a shard that doubles walks through its old
 * and its new memory from front to back. Only the shard that doubles is there
 * twice, 1/17 of the ceiling at most: that much of it is kept for this.
 *
 *	load    probes a new hash takes
 *	0.4     1.9
 *	0.8     13      (two or three cache lines)
 *
 * THE CEILING. A shard doubles when 4/5 of its slots are taken, up to a 17th
 * of the ceiling. All shards together take 4/5 of the slots there can be, one
 * alone 15/16 of its own: hashes spread so evenly that only made-up ones come
 * to that. Both are counts of distinct hashes, so being full is a property of
 * the set.
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
	struct pages pages;
	uint64_t *slot;
	uint64_t slots, taken;
	uint64_t limit;              /* taken grows no further than this */
};

struct hashset {
	struct shard shard[SHARDS];
	uint64_t slots_max;          /* of one shard */
	uint64_t capacity;
	_Atomic uint64_t count;
	_Atomic bool zero;           /* is 0 in the set? */
	_Atomic bool full;
};

static enum status
shard_open(struct shard *t, uint64_t slots, uint64_t slots_max)
{
	struct pages pages;
	enum status st = pages_map(&pages, slots * sizeof *t->slot);

	if (st != OK)
		return st;
	t->pages = pages;
	t->slot = (uint64_t *)(void *)pages.at;
	t->slots = slots;
	t->limit = slots < slots_max ? slots / 5 * 4 : slots - slots / 16;
	return OK;
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
	for (unsigned i = 0; i < SHARDS; i++) {
		enum status st = shard_open(&s->shard[i], start, s->slots_max);
		int error = st == OK ? pthread_mutex_init(&s->shard[i].lock, NULL) : 0;
		if (error != 0) {
			pages_unmap(&s->shard[i].pages);
			st = STATUS_SYSTEM;
		}
		if (st != OK) {
			hashset_free(s);
			errno = error;
			return st;
		}
	}
	*out = s;
	return OK;
}

void
hashset_free(struct hashset *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *t = &s->shard[i];
		if (!t->pages.mapped)
			continue;
		pages_unmap(&t->pages);
		pthread_mutex_destroy(&t->lock);
	}
	free(s);
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

static inline uint64_t
home(const struct shard *t, uint64_t h)
{
	return hash_place(h << SHARD_BITS, t->slots);
}

/* The slot that holds h, or the empty one where it belongs. */
static inline uint64_t *
find(const struct shard *t, uint64_t h)
{
	uint64_t i = home(t, h);

	while (t->slot[i] != 0 && t->slot[i] != h)
		i = i + 1 < t->slots ? i + 1 : 0;
	return &t->slot[i];
}

static enum status
grow(struct shard *t, uint64_t slots_max)
{
	struct shard old = *t;
	enum status st = shard_open(t, 2 * old.slots, slots_max);

	if (st != OK)
		return st;
	for (uint64_t i = 0; i < old.slots; i++)
		if (old.slot[i] != 0)
			*find(t, old.slot[i]) = old.slot[i];
	pages_unmap(&old.pages);
	return OK;
}

/* The shard's lock is held. None of the hashes is 0. */
static enum status
shard_add(struct hashset *s, struct shard *t, const uint64_t *hash, size_t n)
{
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&t->slot[home(t, hash[i])], 1);
	for (size_t i = 0; i < n; i++) {
		uint64_t *slot = find(t, hash[i]);

		if (*slot != 0)
			continue;
		if (t->taken == t->limit) {
			if (t->slots == s->slots_max)
				return STATUS_END;
			enum status st = grow(t, s->slots_max);
			if (st != OK)
				return st;
			slot = find(t, hash[i]);
		}
		*slot = hash[i];
		t->taken++;
	}
	return OK;
}

static enum status
shard_enter(struct hashset *s, struct shard *t, const uint64_t *hash, size_t n)
{
	enum status st = STATUS_END;

	pthread_mutex_lock(&t->lock);
	/* Asked under the lock: what is added once the set is full could be
	 * missed by a hashset_each that has been here already. */
	if (!s->full) {
		uint64_t before = t->taken;
		st = shard_add(s, t, hash, n);
		uint64_t added = t->taken - before;
		if (atomic_fetch_add(&s->count, added) + added > s->capacity)
			st = STATUS_END;
		if (st == STATUS_END)
			s->full = true;
	}
	pthread_mutex_unlock(&t->lock);
	return st;
}

/* Sorted by shard, so that each lock is taken once. */
static enum status
add_batch(struct hashset *s, const uint64_t *hash, size_t n)
{
	unsigned end[SHARDS] = {0};
	uint64_t sorted[BATCH];

	for (size_t i = 0; i < n; i++)
		end[hash[i] >> (64 - SHARD_BITS)]++;
	for (unsigned i = 1; i < SHARDS; i++)
		end[i] += end[i - 1];
	for (size_t i = n; i-- > 0; )
		sorted[--end[hash[i] >> (64 - SHARD_BITS)]] = hash[i];
	for (unsigned i = 0; i < SHARDS; i++) {
		size_t from = end[i], to = i + 1 < SHARDS ? end[i + 1] : n;
		enum status st = from < to ?
		    shard_enter(s, &s->shard[i], sorted + from, to - from) : OK;
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
		struct shard *t = &s->shard[i];
		size_t n = 0;

		pthread_mutex_lock(&t->lock);
		for (uint64_t k = 0; k < t->slots; k++) {
			some[n] = t->slot[k];
			n += t->slot[k] != 0;
			if (n == BATCH) {
				each(context, some, n);
				n = 0;
			}
		}
		if (n > 0)
			each(context, some, n);
		pthread_mutex_unlock(&t->lock);
	}
}
