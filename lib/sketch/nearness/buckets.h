/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BUCKETS_H
#define SKETCH_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"
#include "base/status.h"
#include "sketch/nearness/hits.h"

/*
 * Four tables of 64-bit signatures, one for each block of 16 bits, keyed by
 * the low bits of the block: what hamming.c looks into. Everything here is
 * open to it and to nobody else.
 *
 * A salt would not help: what is near must lie near. Signatures that were made to
 * crowd in all blocks end a search early (hamming.c), which shows in the answer.
 */
#define BUCKETS_BLOCKS 4
#define BUCKETS_WIDTH_MIN 9          /* bits of a key */
#define BUCKETS_WIDTH_MAX 16
#define BUCKETS_RADIUS_MAX 4
#define BUCKETS_WAYS 5

/* Searches are built twice: the baseline of x86-64 counts bits with shifts
 * and adds, nearly all that are in use have an instruction. */
#if defined(__x86_64__)
#define WITH_POPCNT __attribute__((target("popcnt")))
static inline bool
has_popcnt(void)
{
	return __builtin_cpu_supports("popcnt");
}
#else
#define WITH_POPCNT
static inline bool
has_popcnt(void)
{
	return false;
}
#endif

/* Below zero if the two are near. */
static inline __attribute__((always_inline)) int
beyond(uint64_t one, uint64_t other, unsigned distance)
{
	return __builtin_popcountll(one ^ other) - (int)distance - 1;
}

/* 64 bytes, a cache line. */
struct line {
	uint64_t signature[BUCKETS_WAYS];
	uint32_t number[BUCKETS_WAYS];       /* plus 1; 0 is a vacancy */
	uint32_t next;                       /* in the pool, plus 1; 0: none */
};

struct buckets {
	unsigned width;
	struct pages pages;
	struct line *first;                  /* 4 tables of 2^width lines, or NULL */
	uint32_t *size;                      /* of each bucket */
	struct line **pool;                  /* full lines, in chunks */
	size_t pool_n, pool_room, chunks_room;
	double squares[BUCKETS_BLOCKS];      /* sum of squared sizes */
	uint32_t largest;
	uint64_t memory;
	/* Masks of up to 4 bits below width, fewest bits first; ball[r + 1] of
	 * them have at most r. */
	uint32_t ball[BUCKETS_RADIUS_MAX + 2];
	uint16_t mask[2517];
};

/* Keys of this many bits from now on; only while there are no tables. */
void buckets_width(struct buckets *, unsigned width);

/* Empty tables in place of those there are, for n signatures at once. OK or
 * STATUS_MEMORY, and then nothing has changed: refused by the system, or it
 * would take more than this many bytes, the old tables apart. */
enum status buckets_make(struct buckets *, unsigned width, size_t n, uint64_t most);
void buckets_free(struct buckets *);

/* Make room for one more, then add it. */
enum status buckets_reserve(struct buckets *, uint64_t most);
void buckets_add(struct buckets *, uint64_t signature, uint32_t number);

/* Ask memory for the first buckets that a search will look into. */
void buckets_expect(const struct buckets *, const int radius[BUCKETS_BLOCKS],
    uint64_t signature);

/* Add to hits what lies within the distance, in the buckets whose keys lie
 * within radius[block] (-1: none) of the signature's own; some of it more
 * than once, until it has read so many lines of the pool (limit). Adds to work
 * the compares it took. OK, or what hits_add says; STATUS_FULL at the limit, too. */
enum status buckets_search(const struct buckets *, const int radius[BUCKETS_BLOCKS],
    uint64_t signature, unsigned distance, uint64_t limit, struct hits *, uint64_t *work);

#endif
