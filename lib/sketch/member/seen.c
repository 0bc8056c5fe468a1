/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A shard begins as a set of hashes (slots.h) and ends as a block Bloom filter
 * (bloom.c) with one probe in the same memory:
 *
 *	bytes a distinct hash     what
 *	9.1 to 20                 set: 10 to 20 below its largest size
 *	9.1                       the set is full: it becomes a filter,
 *	                          of 73 bits an item, fpp 6e-7
 *	4                         32 bits an item: 3.6e-5
 *	2                         16: 0.13 %
 *	1.3                       10.5: 1 %
 *
 * One probe, since it is all that the switch needs no second memory for. The
 * block of a hash is the high half of hash * blocks, its home in the set the
 * high half of hash * slots, and a block of 32 bytes is 4 slots large. So both
 * are in the order of the hashes: with the hashes moved together at the end of
 * the memory, and taken from there one after another, a block is written only
 * where hashes have gone already.
 *
 *	| a | . | b | c | . | d | e |	the set, 7/8 full
 *	| . | . | a | b | c | d | e |	moved to the end
 *	[ block ]   | b | c | d | e |	a is in the filter, and so on
 *
 * Hashes far from home would break that; they are set aside and come last.
 *
 * All 16 shards lie one after another, and the place of a hash in the filter
 * of its shard is its place in one filter 16 times as large: when all have
 * turned, the whole memory is one ordinary block filter.
 *
 * LOSSES. While the fpp is r, one new line in 1/r is taken for one met before.
 * Those that are not number 1 - r of all new ones, so each stands for
 * r / (1 - r) lost ones: the sum of these is the number of losses to expect. r
 * is the fpp to expect of a filter with so many distinct hashes, those that
 * were probably lost included; it is worked out anew whenever these have grown
 * by 1/1024, as each step behind it is one that all later ones lack as well. Once
 * nine in ten are lost, what an error in their number does to r is more than what
 * is known: a line that passes stands for nine then, and the sum is too low.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/seen.h"
#include "sketch/member/seen_body.h"

_Static_assert(SEEN_SHARDS == 1 << SLOTS_TOP, "a shard's hashes share their top bits");

#define AHEAD 128                    /* hashes whose memory is sent for at a time */

/* Hashes that a shard is enough for. */
static uint64_t
shard_capacity(const struct seen *s)
{
	return s->size_max - s->size_max / 8;
}

enum status
seen_new(struct seen **out, uint64_t bytes)
{
	assert(bytes >= SEEN_BYTES_MIN);
	struct seen *s = aligned_alloc(SEEN_ALIGN, sizeof *s);
	if (!s)
		return STATUS_MEMORY;
	memset(s, 0, sizeof *s);
	s->size_max = slots_fit(bytes / SEEN_SHARDS);
	s->kernel = bloom_block_kernel(0);
	s->shape = (struct bloom_shape){
		.type = BLOOM_BLOCK, .size = SEEN_SHARDS * s->size_max / 4, .probes = 1,
	};
	enum status st = pages_reserve(&s->pages, bloom_bytes(&s->shape));
	if (st != OK) {
		free(s);
		return st;
	}
	for (unsigned i = 0; i < SEEN_SHARDS; i++)
		slots_init(&s->shard[i].set, (uint64_t *)(void *)s->pages.at + i * s->size_max,
		    s->size_max, shard_capacity(s));
	*out = s;
	return OK;
}

void
seen_free(struct seen *s)
{
	if (!s)
		return;
	pages_unmap(&s->pages);
	free(s);
}

/*
 * The filter.
 */

#define STANDS_FOR_MAX 9

/* Where the block of h begins, in all shards' memory. */
static inline uint64_t
block_at(const struct seen *s, uint64_t h)
{
	return hash_place(h, s->shape.size) * BLOOM_BLOCK_BYTES;
}

void
seen_reckon(const struct seen *s, struct shard *t)
{
	struct bloom_shape mine = s->shape;

	mine.size /= SEEN_SHARDS;
	uint64_t n = t->added + (uint64_t)t->lost;

	t->fpp = bloom_expected_fpp(&mine, n);
	t->reckon_at = n + n / 1024 + 1;
}

static void
filter_put(const struct seen *s, struct shard *t, uint64_t h)
{
	uint64_t at = block_at(s, h);

	s->kernel->set(s->pages.at, &at, &h, 1);
	t->added++;
}

/* A new hash has passed the filter and goes into it. */
static void
filter_add(const struct seen *s, struct shard *t, uint64_t h)
{
	filter_put(s, t, h);
	t->lost += fmin(t->fpp / (1 - t->fpp), STANDS_FOR_MAX);
	if (t->added + (uint64_t)t->lost >= t->reckon_at)
		seen_reckon(s, t);
}

static bool
filter_has(const struct seen *s, uint64_t h)
{
	uint64_t at = block_at(s, h);
	bool hit;

	s->kernel->test(s->pages.at, &at, &h, 1, &hit);
	return hit;
}

/* Move all values of the set to the end of its memory, in their order. */
static uint64_t
move_together(struct slots *set)
{
	uint64_t to = set->size;

	for (uint64_t i = set->size; i-- > 0; ) {
		uint64_t h = set->at[i];

		if (h == 0)
			continue;
		set->at[i] = 0;
		set->at[--to] = h;
	}
	return to;
}

static enum status
become_filter(struct seen *s, struct shard *t)
{
	struct buffer aside = {0};
	struct slots *set = &t->set;
	const unsigned char *all = s->pages.at;
	enum status st = OK;

	for (uint64_t i = move_together(set); st == OK && i < set->size; i++) {
		uint64_t h = slots_hash(set, set->at[i]);

		set->at[i] = 0;
		if (all + block_at(s, h) + BLOOM_BLOCK_BYTES <= (unsigned char *)&set->at[i + 1])
			filter_put(s, t, h);
		else
			st = buffer_append(&aside, &h, sizeof h);
	}
	for (size_t k = 0; st == OK && k < aside.len; k += sizeof(uint64_t)) {
		uint64_t h;
		memcpy(&h, aside.at + k, sizeof h);
		filter_put(s, t, h);
	}
	buffer_free(&aside);
	set->taken = 0;
	t->filter = true;
	seen_reckon(s, t);
	return st;
}

/*
 * Meeting.
 */

/* A new hash that found the set full. */
static enum status
make_room(struct seen *s, struct shard *t, uint64_t h)
{
	enum status st = slots_double(&t->set);

	if (st == STATUS_END)
		st = become_filter(s, t);
	if (st != OK)
		return st;
	if (t->filter)
		filter_add(s, t, h);
	else
		slots_put(&t->set, slots_find(&t->set, h), h);
	return OK;
}

static inline __attribute__((always_inline)) enum status
meet_one(struct seen *s, uint64_t h, bool *fresh)
{
	struct shard *t = &s->shard[seen_shard(h)];

	if (t->filter) {
		*fresh = !filter_has(s, h);
		if (*fresh)
			filter_add(s, t, h);
		return OK;
	}
	uint64_t *where = slots_find(&t->set, h);
	*fresh = *where == 0;
	if (!*fresh)
		return OK;
	if (slots_full(&t->set))
		return make_room(s, t, h);
	slots_put(&t->set, where, h);
	return OK;
}

static inline const void *
memory_of(const struct seen *s, uint64_t h)
{
	const struct shard *t = &s->shard[seen_shard(h)];

	if (t->filter)
		return s->pages.at + block_at(s, h);
	return t->set.at + slots_home(&t->set, h);
}

enum status
seen_meet(struct seen *s, const uint64_t *hash, size_t n, bool *fresh)
{
	enum status st = OK;

	while (n > 0 && st == OK) {
		size_t some = n < AHEAD ? n : AHEAD;

		for (size_t i = 0; i < some; i++)
			__builtin_prefetch(memory_of(s, seen_key(hash[i])), 1);
		for (size_t i = 0; i < some && st == OK; i++)
			st = meet_one(s, seen_key(hash[i]), &fresh[i]);
		hash += some;
		fresh += some;
		n -= some;
	}
	return st;
}

void
seen_has(const struct seen *s, const uint64_t *hash, size_t n, bool *met)
{
	for (; n > 0; hash += AHEAD, met += AHEAD, n -= AHEAD) {
		size_t some = n < AHEAD ? n : AHEAD;

		for (size_t i = 0; i < some; i++)
			__builtin_prefetch(memory_of(s, seen_key(hash[i])), 0);
		for (size_t i = 0; i < some; i++) {
			uint64_t h = seen_key(hash[i]);
			const struct shard *t = &s->shard[seen_shard(h)];
			met[i] = t->filter ? filter_has(s, h) : *slots_find(&t->set, h) != 0;
		}
		if (some == n)
			break;
	}
}

/* What stands for h the second time: a hash of its own, of the same shard. */
static inline uint64_t
again(uint64_t h)
{
	uint64_t below = ~UINT64_C(0) >> SLOTS_TOP;

	return seen_key((h & ~below) | (hash_step(h, 2) & below));
}

/* One after another: at which hash a shard turns into a filter must not depend
 * on how many are given at a time. */
enum status
seen_meet_again(struct seen *s, const uint64_t *hash, size_t n, bool *second)
{
	enum status st = OK;

	while (n > 0 && st == OK) {
		size_t some = n < AHEAD ? n : AHEAD;

		for (size_t i = 0; i < some; i++) {
			__builtin_prefetch(memory_of(s, seen_key(hash[i])), 1);
			__builtin_prefetch(memory_of(s, again(hash[i])), 1);
		}
		for (size_t i = 0; i < some && st == OK; i++) {
			bool first;
			second[i] = false;
			st = meet_one(s, seen_key(hash[i]), &first);
			if (st == OK && !first)
				st = meet_one(s, again(hash[i]), &second[i]);
		}
		hash += some;
		second += some;
		n -= some;
	}
	return st;
}

enum status
seen_expect(struct seen *s, unsigned shard, uint64_t n)
{
	struct shard *t = &s->shard[shard];

	if (n > shard_capacity(s))
		return become_filter(s, t);
	slots_expect(&t->set, n);
	return OK;
}

enum status
seen_take(struct seen *s, const uint64_t *hash, size_t n)
{
	enum status st = OK;

	for (size_t i = 0; i < n && st == OK; i++) {
		struct shard *t = &s->shard[seen_shard(hash[i])];

		if (t->filter)
			filter_put(s, t, hash[i]);
		else if (slots_full(&t->set))
			st = make_room(s, t, hash[i]);
		else
			slots_put(&t->set, slots_find(&t->set, hash[i]), hash[i]);
	}
	return st;
}

bool
seen_turned(const struct seen *s, unsigned shard)
{
	return s->shard[shard].filter;
}

void
seen_stats(const struct seen *s, struct seen_stats *stats)
{
	*stats = (struct seen_stats){.capacity = SEEN_SHARDS * shard_capacity(s)};
	for (unsigned i = 0; i < SEEN_SHARDS; i++) {
		const struct shard *t = &s->shard[i];

		stats->exact += t->set.taken;
		stats->filters += t->filter;
		stats->fpp += t->fpp / SEEN_SHARDS;
		stats->lost += t->lost;
		stats->bytes += (t->filter ? s->size_max : t->set.size) * sizeof(uint64_t);
	}
}

double
seen_collision(double n)
{
	double chance = n * n / 36893488147419103232.0;

	return chance < 1 ? chance : 1;
}
