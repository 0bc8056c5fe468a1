/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_REDIS_H
#define SKETCH_HLL_REDIS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "sketch/distinct/hll_low.h"
#include "sketch/kind.h"

/*
 * The HyperLogLog of Redis: 2^14 registers by the low bits of HASH_MURMUR64A,
 * ranks 1..51. It has no parameters, so any two unite. Sketches of the same
 * items are equal byte for byte, in whatever order and pieces they came.
 *
 * One is a struct hll_low of its own making, to be freed by hll_redis_free.
 */
#define HLL_REDIS_PRECISION 14
#define HLL_REDIS_RANK_MAX (64 - HLL_REDIS_PRECISION + 1)

extern const struct kind hll_redis_kind;

/* An empty one. OK or STATUS_MEMORY. */
enum status hll_redis_new(struct hll_low **);
/* NULL is allowed. */
void hll_redis_free(struct hll_low *);

/* What PFCOUNT answers, a whole number; at most REGISTERS_MOST. */
double hll_redis_estimate(const struct hll_low *);

/* The 95 % interval around it, low <= estimate <= high: that of the registers'
 * likelihood, as for our own kind. */
void hll_redis_interval(const struct hll_low *, double *low, double *high);

/*
 * The body of a value in Redis, which is the payload here: what follows its
 * header of 16 bytes. See hll_redis_kind.c.
 */
#define HLL_REDIS_DENSE 12288        /* bytes of a dense body */
#define HLL_REDIS_SPARSE 2984        /* of a sparse one at most, as Redis makes it */

/* Append the body in its one canonical form; *sparse is which that is. OK or
 * STATUS_MEMORY. */
enum status hll_redis_encode(const struct hll_low *, struct buffer *, bool *sparse);

/* Add what a body holds, in any form that Redis reads. OK, STATUS_MEMORY,
 * STATUS_SIZE (a dense one of another length), STATUS_INVARIANT (runs that do
 * not cover all registers exactly, a rank above 51). */
enum status hll_redis_decode(struct hll_low *, bool sparse, struct slice body);

#endif
