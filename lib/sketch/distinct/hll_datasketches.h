/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_DATASKETCHES_H
#define SKETCH_HLL_DATASKETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sketch/distinct/hll_composite.h"
#include "sketch/distinct/hll_explicit.h"
#include "sketch/kind.h"

/*
 * The HyperLogLog of Apache DataSketches. An item is hashed to a coupon of 32
 * bits, HASH_MURMUR3_COUPON: a rank 1..63 above 26 bits of place. A sketch holds
 * the distinct coupons while they are few, then 2^lgk registers: the low bits of
 * a coupon choose one, and it keeps the largest rank. Which of the two it holds
 * depends on the set of items alone, so sketches made in pieces and merged are
 * equal byte for byte to the one made at once.
 *
 * The empty item has no coupon. Its hash is 0, which no coupon is, and it is left
 * out, as the libraries do.
 *
 * A call that returns STATUS_MEMORY leaves a valid sketch that may have taken in
 * a part of what it was given; to repeat the call does no harm.
 */
struct hll_datasketches;

extern const struct kind hll_datasketches_kind;

/* The parameters in a record's header. */
enum hll_datasketches_param {
	HLL_DATASKETCHES_LGK,        /* 4..21 */
	HLL_DATASKETCHES_FORM,       /* 0 coupons, 1 registers */
	HLL_DATASKETCHES_HIP,        /* bits of a double, see hll_datasketches_set_hip */
};

#define HLL_DATASKETCHES_LGK_MIN 4
#define HLL_DATASKETCHES_LGK_MAX 21
#define HLL_DATASKETCHES_LGK_DEFAULT 12

/* A coupon is rank << 26 | place. */
#define HLL_DATASKETCHES_PLACE_BITS 26
#define HLL_DATASKETCHES_RANK_MAX 63

/* How many coupons one keeps at most before it turns to registers. */
size_t hll_datasketches_limit(unsigned lgk);

/* An empty sketch; the caller frees it. OK, STATUS_PARAMETER, STATUS_MEMORY. */
enum status hll_datasketches_new(struct hll_datasketches **, unsigned lgk);
/* NULL is allowed. */
void hll_datasketches_free(struct hll_datasketches *);

/* Add n items by their hashes. OK or STATUS_MEMORY. */
enum status hll_datasketches_add(struct hll_datasketches *, const uint64_t *hash, size_t n);

/* What the libraries answer of the bytes that we write of it. Finite. */
double hll_datasketches_estimate(const struct hll_datasketches *);
/* The 95 % interval as they have it, low <= estimate <= high. */
void hll_datasketches_interval(const struct hll_datasketches *, double *low, double *high);

/* into = union of both, at the smaller lgk of the two. OK or STATUS_MEMORY. */
enum status hll_datasketches_merge(struct hll_datasketches *into,
    const struct hll_datasketches *from);

/* To a smaller lgk: what the same items would have made there. OK, STATUS_MEMORY,
 * STATUS_PARAMETER: it is larger, or too small; then all is as it was. */
enum status hll_datasketches_fold(struct hll_datasketches *, unsigned lgk);

/* How much two have in common: nearly exactly, while both hold coupons. OK,
 * STATUS_MEMORY, or STATUS_MISMATCH for full registers, as joint_compare() tells. */
enum status hll_datasketches_compare(const struct hll_datasketches *,
    const struct hll_datasketches *, struct comparison *, struct mismatch *why);

unsigned hll_datasketches_lgk(const struct hll_datasketches *);

/* What it holds: the coupons, or NULL; else its registers, a byte each, or NULL. */
const struct hll_explicit *hll_datasketches_coupons(const struct hll_datasketches *);
const unsigned char *hll_datasketches_registers(const struct hll_datasketches *);
/* The coupons ascending, into room for all of them. */
void hll_datasketches_sorted(const struct hll_datasketches *, uint32_t *coupon);
/* How many registers hold which rank; of a sketch that holds registers. */
void hll_datasketches_histogram(const struct hll_datasketches *, struct composite *);

/* Turn to registers, and offer each of them a rank up to HLL_DATASKETCHES_RANK_MAX:
 * 2^lgk bytes. Without any rank above 0 nothing is done. OK or STATUS_MEMORY. */
enum status hll_datasketches_raise(struct hll_datasketches *, const unsigned char *rank);

/*
 * The answer of HIP, an estimator that errs a fifth less, and that follows a
 * sketch from its first item on, in their order. We make none, since ours are
 * made in pieces; of a file that brings one it is the answer until an item is
 * added or a sketch that is not empty merged. 0: there is none. False: it cannot
 * be one of these registers.
 */
bool hll_datasketches_set_hip(struct hll_datasketches *, double hip);
double hll_datasketches_hip(const struct hll_datasketches *);

/* Bytes of memory it takes now. */
size_t hll_datasketches_memory(const struct hll_datasketches *);

#endif
