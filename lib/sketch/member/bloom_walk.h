/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_WALK_H
#define SKETCH_BLOOM_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "sketch/member/bloom_size.h"

/*
 * Where an item's probes fall, for bits and for counters.
 *
 * A probe is one 64-bit value v. It falls on place hash_place(v, size), a
 * block, a bit or a counter; in a block its mask follows from the low 32 bits
 * of v. (For other systems' types see bloom_walk.c.)
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

/* What the places are: the ways to enter one probe of each of n <= BLOOM_BATCH
 * items, given by their values, and to ask whether it is there. */
struct bloom_cells {
	void (*set)(unsigned char *at, const struct bloom_shape *, const uint64_t *value,
	    size_t n);
	void (*test)(const unsigned char *at, const struct bloom_shape *, const uint64_t *value,
	    size_t n, bool *hit);
};

/* All probes of n items. has[i]: are those of item i there? Returns how many. */
void bloom_walk_add(struct bloom_cells, unsigned char *at, const struct bloom_shape *,
    const uint64_t *hash, size_t n);
size_t bloom_walk_has(struct bloom_cells, const unsigned char *at, const struct bloom_shape *,
    const uint64_t *hash, size_t n, bool *has);

#endif
