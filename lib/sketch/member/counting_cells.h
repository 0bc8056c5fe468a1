/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_COUNTING_CELLS_H
#define SKETCH_COUNTING_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/member/bloom_walk.h"
#include "sketch/promise.h"

/*
 * The counters of a counting Bloom filter: 4 bits each, two a byte, the even
 * one in the low half. A counter that reaches CELL_MAX stays there for good,
 * since nobody knows how often it was passed. No memory is owned here; cells
 * are the caller's counting_bytes(shape) bytes.
 *
 * The shape is that of a classic filter: size counters, probes of them an
 * item, at the places of its bits (sketch/member/bloom_bits.h).
 */
#define CELL_MAX 15

uint64_t counting_bytes(const struct bloom_shape *);

/* Add 1 for one probe of each of n <= BLOOM_BATCH items, by their values. */
void counting_cells_set(unsigned char *cells, const struct bloom_shape *,
    const uint64_t *value, size_t n);

/* All probes of n items. has[i]: are those of item i above 0? Returns how many. */
void counting_cells_add(unsigned char *cells, const struct bloom_shape *,
    const uint64_t *hash, size_t n);
size_t counting_cells_has(const unsigned char *cells, const struct bloom_shape *,
    const uint64_t *hash, size_t n, bool *has);

/* Are the counters of one item above 0? If not, it is added. */
bool counting_cells_meet(unsigned char *cells, const struct bloom_shape *, uint64_t hash);

/* Take one copy of an item out. REMOVE_ABSENT if a counter is less than what
 * one copy added to it: then others would be robbed. REMOVE_PERMANENT if all
 * stand at CELL_MAX. */
enum removal counting_cells_remove(unsigned char *cells, const struct bloom_shape *,
    uint64_t hash);

/* Read every counter: how many are above 0, as bloom_bits_count does of bits,
 * and how many stand at CELL_MAX. */
struct counting_count {
	struct bloom_count bits;
	uint64_t permanent;
};
struct counting_count counting_cells_count(const unsigned char *cells,
    const struct bloom_shape *);

/* to = the sums of the counters of both, and their minima, over so many
 * bytes of cells. */
void counting_cells_sum(unsigned char *to, const unsigned char *from, uint64_t bytes);
void counting_cells_min(unsigned char *to, const unsigned char *from, uint64_t bytes);

/* Write the filter as one of size / factor would have been built; factor
 * divides size. to may be the same memory as from, and needs no zeroing. */
void counting_cells_fold(unsigned char *to, const unsigned char *from,
    const struct bloom_shape *, uint64_t factor);

#endif
