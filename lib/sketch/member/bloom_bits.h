/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_BITS_H
#define SKETCH_BLOOM_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/member/bloom_size.h"
#include "sketch/member/bloom_walk.h"

/*
 * The bits of a Bloom filter: adding and asking in batches, counting, folding.
 * No memory is owned here; bits are the caller's bloom_bytes(shape) bytes.
 */

/* Set one probe of each of n <= BLOOM_BATCH items. */
void bloom_bits_set(unsigned char *bits, const struct bloom_shape *,
    const uint64_t *value, size_t n);

/* All probes of n items. has[i]: are those of item i set? Returns how many. */
void bloom_bits_add(unsigned char *bits, const struct bloom_shape *,
    const uint64_t *hash, size_t n);
size_t bloom_bits_has(const unsigned char *bits, const struct bloom_shape *,
    const uint64_t *hash, size_t n, bool *has);

/* Are the probes of one item set? If not, they are now. Not for DCSO. */
bool bloom_bits_meet(unsigned char *bits, const struct bloom_shape *, uint64_t hash);

/* Read every bit, and what follows from the count: how many bits there are,
 * the fpp of this very filter, its distinct items (INFINITY if no bit is 0). */
struct bloom_count bloom_bits_count(const unsigned char *bits, const struct bloom_shape *);
uint64_t bloom_bits_all(const struct bloom_shape *);
double bloom_count_fpp(struct bloom_count, const struct bloom_shape *);
double bloom_count_distinct(struct bloom_count, const struct bloom_shape *);

/* Write the filter as one of size / factor would have been built; factor
 * divides size. to may be the same memory as from, and needs no zeroing. */
void bloom_bits_fold(unsigned char *to, const unsigned char *from,
    const struct bloom_shape *, uint64_t factor);

#endif
