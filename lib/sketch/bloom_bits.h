/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_BITS_H
#define SKETCH_BLOOM_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "sketch/bloom_size.h"

/*
 * The bits of a Bloom filter: where an item's probes fall, adding and asking
 * in batches, counting, folding. No memory is owned here; bits are the
 * caller's bloom_bytes(shape) bytes.
 *
 * A probe is one 64-bit value v. It falls on place hash_place(v, size), a
 * block or a bit; in a block its mask follows from the low 32 bits of v. (For
 * other systems' types see bloom_bits.c.)
 */
#define BLOOM_BATCH 128

/* The probes of up to BLOOM_BATCH items, one after the other. */
struct bloom_walk {
	uint64_t hash[BLOOM_BATCH];
	uint64_t value[BLOOM_BATCH];         /* of the probe at hand */
	uint64_t step[BLOOM_BATCH];          /* classic: to the next value */
};

/* The bits of a value that tell its place: for Parquet only the high half. Not
 * for DCSO. */
static inline uint64_t
bloom_place_bits(const struct bloom_shape *shape)
{
	return shape->type == BLOOM_PARQUET ? ~UINT64_C(0) << 32 : ~UINT64_C(0);
}

/* Go to probe j, 1..probes, of the first n items. hash[] is filled in by the
 * caller; from j = 2 on, value[] and step[] are those of probe j - 1. */
void bloom_walk(struct bloom_walk *, const struct bloom_shape *, unsigned j, size_t n);

/* The probes of a single item, for classic. */
struct bloom_probe {
	uint64_t value;
	uint64_t step;               /* to the next value */
};

#define BLOOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline struct bloom_probe
bloom_probe_first(uint64_t hash)
{
	return (struct bloom_probe){hash, hash_step(hash, 1) | 1};
}

/* From probe j to the next. */
static inline void
bloom_probe_next(struct bloom_probe *p, unsigned j)
{
	p->value += p->step;
	p->step += j * BLOOM_STEP;
}

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
