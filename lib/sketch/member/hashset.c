/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A set of hashes, cut into 16 shards by their top bits: each of them slots
 * (slots.h) with a lock, so that threads seldom meet. Whether 0 is in the set
 * is noted apart, since an item may well hash to it.
 *
 * THE CEILING. The set takes 4/5 of the slots there can be, and of one shard's
 * 15/16: hashes spread so evenly that only made-up ones come to that. Both
 * count distinct hashes, so being full is a property of the set.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "sketch/member/hashset.h"
#include "sketch/member/slots.h"

#define SHARDS (1 << SLOTS_TOP)
#define CACHE_LINE 64
#define BATCH 256

struct shard {
	_Alignas(CACHE_LINE) pthread_mutex_t lock;
	struct slots set;
	_Atomic uint64_t size_hint;  /* set.size, for who has no lock yet */
};

struct hashset {
	struct shard shard[SHARDS];
	struct pages pages;
	uint64_t capacity;
	_Atomic uint64_t count;
	_Atomic bool zero;           /* is 0 in the set? */
	_Atomic bool full;
};

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
	struct hashset *s = aligned_alloc(CACHE_LINE, sizeof *s);
	if (!s)
		return STATUS_MEMORY;
	memset(s, 0, sizeof *s);
	uint64_t size = slots_fit(bytes / SHARDS);
	s->capacity = SHARDS * (size / 5 * 4);
	enum status st = pages_reserve(&s->pages, SHARDS * size * sizeof(uint64_t));
	if (st != OK) {
		free(s);
		return st;
	}
	uint64_t *slot = (uint64_t *)(void *)s->pages.at;
	for (unsigned i = 0; i < SHARDS; i++) {
		slots_init(&s->shard[i].set, slot + i * size, size, size - size / 16);
		s->shard[i].size_hint = s->shard[i].set.size;
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
	return (unsigned)(h >> (64 - SLOTS_TOP));
}

/* Add hashes, none of which is 0, to their shard, whose lock is held.
 * STATUS_END: that would be more than it takes. */
static enum status
shard_add(struct slots *set, const uint64_t *hash, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t *where = slots_find(set, hash[i]);

		if (*where != 0)
			continue;
		if (slots_full(set)) {
			enum status st = slots_double(set);
			if (st != OK)
				return st;
			where = slots_find(set, hash[i]);
		}
		slots_put(set, where, hash[i]);
	}
	return OK;
}

static enum status
shard_enter(struct hashset *s, unsigned shard, const uint64_t *hash, size_t n)
{
	struct shard *t = &s->shard[shard];

	pthread_mutex_lock(&t->lock);
	/* Asked under the lock: what is added once the set is full could be
	 * missed by a hashset_each that has been here already. */
	uint64_t before = t->set.taken;
	enum status st = s->full ? STATUS_END : shard_add(&t->set, hash, n);
	uint64_t added = t->set.taken - before;
	t->size_hint = t->set.size;
	if (atomic_fetch_add(&s->count, added) + added > s->capacity || st == STATUS_END)
		s->full = true;
	pthread_mutex_unlock(&t->lock);
	return st == OK && s->full ? STATUS_END : st;
}

/* Sorted by shard, so that each lock is taken once. The slots are on their way
 * by then; if the table moves meanwhile, it was only a hint. */
static enum status
add_batch(struct hashset *s, const uint64_t *hash, size_t n)
{
	unsigned end[SHARDS] = {0};
	uint64_t sorted[BATCH];

	for (size_t i = 0; i < n; i++) {
		unsigned shard = shard_of(hash[i]);
		end[shard]++;
		__builtin_prefetch(s->shard[shard].set.at +
		    hash_place(hash[i] << SLOTS_TOP, s->shard[shard].size_hint), 1);
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
		const struct slots *set = &s->shard[i].set;
		size_t n = 0;

		pthread_mutex_lock(&s->shard[i].lock);
		for (uint64_t k = 0; k < set->size; k++) {
			some[n] = slots_hash(set, set->at[k]);
			n += some[n] != 0;
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
