/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/buckets.h"

#include <stdlib.h>

/*
 * A bucket is a line of 64 bytes with 5 signatures and their numbers, so that
 * most buckets are one cache miss, and many are under way at any time. A full
 * line moves to the pool and is chained behind.
 *
 * Buckets are keyed by as few of a block's 16 bits as keep some 2 to 4
 * signatures in each: a block that differs in r bits differs in at most r of
 * these, there are fewer keys within r, and the tables fit a nearer cache.
 * When there are more than 4 on average, twice the buckets are filled anew.
 */

#define POOL_CHUNK 1024              /* lines */
#define AHEAD 16                     /* lines on their way from memory */
#define BATCH 64                     /* lines between second looks */

static inline unsigned
key_of(const struct buckets *b, unsigned block, uint64_t signature)
{
	return (unsigned)(signature >> (16 * block)) & ((1u << b->width) - 1);
}

static inline struct line *
pooled(const struct buckets *b, uint32_t next)
{
	return &b->pool[(next - 1) / POOL_CHUNK][(next - 1) % POOL_CHUNK];
}

/* A search under way, the same in both builds below. */
struct search {
	const struct buckets *buckets;
	uint64_t signature;
	unsigned distance;
	struct hits *hits;
	uint64_t lines;              /* read so far */
	uint64_t later, limit;       /* of these from the pool, and at most */
};

/* A line of which one signature at least is near, or that goes on in the
 * pool. */
static inline __attribute__((always_inline)) enum status
look(struct search *s, const struct line *line)
{
	for (;;) {
		for (unsigned i = 0; i < BUCKETS_WAYS; i++) {
			if (beyond(line->signature[i], s->signature, s->distance) >= 0 ||
			    line->number[i] == 0)
				continue;
			enum status st = hits_add(s->hits, line->number[i] - 1,
			    (uint32_t)__builtin_popcountll(line->signature[i] ^ s->signature));
			if (st != OK)
				return st;
		}
		if (line->next == 0)
			return OK;
		if (s->later++ >= s->limit)
			return STATUS_FULL;
		line = pooled(s->buckets, line->next);
		s->lines++;
	}
}

/* One block. A line is asked for AHEAD lines before it is read; what has to
 * be looked at again is put aside without a branch, since few are. */
static inline __attribute__((always_inline)) enum status
probe_block(struct search *s, unsigned block, uint32_t ball)
{
	const struct buckets *b = s->buckets;
	const struct line *table = b->first + ((size_t)block << b->width), *aside[BATCH];
	unsigned key = key_of(b, block, s->signature), distance = s->distance;
	uint64_t signature = s->signature;
	uint32_t i = 0;

	while (i < ball) {
		uint32_t stop = ball - i < BATCH ? ball : i + BATCH;
		size_t n = 0;

		for (s->lines += stop - i; i < stop; i++) {
			const struct line *line = table + (key ^ b->mask[i]);
			const uint64_t *at = line->signature;
			int near = beyond(at[0], signature, distance) |
			    beyond(at[1], signature, distance) |
			    beyond(at[2], signature, distance) |
			    beyond(at[3], signature, distance) |
			    beyond(at[4], signature, distance);

			if (i + AHEAD < ball)
				__builtin_prefetch(table + (key ^ b->mask[i + AHEAD]));
			aside[n] = line;
			n += (near < 0) | (line->next != 0);
		}
		for (size_t j = 0; j < n; j++) {
			enum status st = look(s, aside[j]);
			if (st != OK)
				return st;
		}
	}
	return OK;
}

void
buckets_expect(const struct buckets *b, const int radius[BUCKETS_BLOCKS], uint64_t signature)
{
	for (unsigned block = 0; block < BUCKETS_BLOCKS; block++) {
		const struct line *table = b->first + ((size_t)block << b->width);
		unsigned key = key_of(b, block, signature);

		for (uint32_t i = 0; i < AHEAD && i < b->ball[radius[block] + 1]; i++)
			__builtin_prefetch(table + (key ^ b->mask[i]));
	}
}

static inline __attribute__((always_inline)) enum status
probe(struct search *s, const int *radius)
{
	const struct buckets *b = s->buckets;
	enum status st = OK;

	for (unsigned block = 0; block < BUCKETS_BLOCKS && st == OK; block++)
		st = probe_block(s, block, b->ball[radius[block] + 1]);
	return st;
}

static enum status
probe_base(struct search *s, const int *radius)
{
	return probe(s, radius);
}

WITH_POPCNT static enum status
probe_popcnt(struct search *s, const int *radius)
{
	return probe(s, radius);
}

enum status
buckets_search(const struct buckets *b, const int radius[BUCKETS_BLOCKS], uint64_t signature,
    unsigned distance, uint64_t limit, struct hits *hits, uint64_t *work)
{
	struct search s = {b, signature, distance, hits, 0, 0, limit};
	enum status st = has_popcnt() ? probe_popcnt(&s, radius) : probe_base(&s, radius);

	*work += BUCKETS_WAYS * s.lines;
	return st;
}

void
buckets_width(struct buckets *b, unsigned width)
{
	uint32_t n = 0;

	b->width = width;
	for (int bits = 0; bits <= BUCKETS_RADIUS_MAX; bits++) {
		/* Each number with so many bits, from one to the next larger. */
		for (uint32_t m = (1u << bits) - 1; m < 1u << width; ) {
			b->mask[n++] = (uint16_t)m;
			if (m == 0)
				break;
			uint32_t lowest = m & -m, carried = m + lowest;
			m = carried | ((m ^ carried) / lowest) >> 2;
		}
		b->ball[bits + 1] = n;
	}
}

static enum status
grow_pool(struct buckets *b, size_t lines, uint64_t most)
{
	while (b->pool_n + lines > b->pool_room) {
		size_t chunks = b->pool_room / POOL_CHUNK;
		uint64_t bytes = POOL_CHUNK * sizeof(struct line);

		if (b->pool_room + POOL_CHUNK > UINT32_MAX || b->memory + bytes > most)
			return STATUS_MEMORY;
		if (chunks == b->chunks_room) {
			size_t room = chunks ? 2 * chunks : 64;
			struct line **pool = realloc(b->pool, room * sizeof(struct line *));
			if (!pool)
				return STATUS_MEMORY;
			b->memory += (room - b->chunks_room) * sizeof(struct line *);
			b->pool = pool;
			b->chunks_room = room;
		}
		b->pool[chunks] = aligned_alloc(sizeof(struct line), bytes);
		if (!b->pool[chunks])
			return STATUS_MEMORY;
		b->memory += bytes;
		b->pool_room += POOL_CHUNK;
	}
	return OK;
}

static uint64_t
table_bytes(unsigned width)
{
	return ((uint64_t)BUCKETS_BLOCKS << width) * (sizeof(struct line) + sizeof(uint32_t));
}

/* To split buckets never takes more lines from the pool than are there, so
 * only the first tables have to reserve some. */
enum status
buckets_make(struct buckets *b, unsigned width, size_t n, uint64_t most)
{
	size_t buckets = (size_t)BUCKETS_BLOCKS << width, lines = b->first ? 0 :
	    BUCKETS_BLOCKS * (n / BUCKETS_WAYS + 1);
	struct pages pages;

	if (b->memory > most || table_bytes(width) > most - b->memory ||
	    grow_pool(b, lines, most - table_bytes(width)) != OK)
		return STATUS_MEMORY;
	uint32_t *size = calloc(buckets, sizeof(*size));
	if (!size || pages_map(&pages, buckets * sizeof(struct line)) != OK) {
		free(size);
		return STATUS_MEMORY;
	}
	if (b->first)
		b->memory -= table_bytes(b->width);
	pages_unmap(&b->pages);
	free(b->size);
	b->pages = pages;
	b->first = (struct line *)(void *)pages.at;
	b->size = size;
	b->memory += table_bytes(width);
	b->pool_n = 0;
	b->largest = 0;
	for (unsigned block = 0; block < BUCKETS_BLOCKS; block++)
		b->squares[block] = 0;
	buckets_width(b, width);
	return OK;
}

void
buckets_free(struct buckets *b)
{
	for (size_t i = 0; i < b->pool_room / POOL_CHUNK; i++)
		free(b->pool[i]);
	free(b->pool);
	pages_unmap(&b->pages);
	free(b->size);
}

enum status
buckets_reserve(struct buckets *b, uint64_t most)
{
	return grow_pool(b, BUCKETS_BLOCKS, most);
}

void
buckets_add(struct buckets *b, uint64_t signature, uint32_t number)
{
	for (unsigned block = 0; block < BUCKETS_BLOCKS; block++) {
		size_t bucket = ((size_t)block << b->width) + key_of(b, block, signature);
		struct line *line = &b->first[bucket];
		unsigned way = b->size[bucket] % BUCKETS_WAYS;

		if (way == 0 && b->size[bucket] > 0) {
			uint32_t next = (uint32_t)++b->pool_n;

			*pooled(b, next) = *line;
			*line = (struct line){.next = next};
		}
		line->signature[way] = signature;
		line->number[way] = number + 1;
		uint32_t size = ++b->size[bucket];
		b->squares[block] += 2.0 * size - 1;
		b->largest = size > b->largest ? size : b->largest;
	}
}

