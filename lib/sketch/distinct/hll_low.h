/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_LOW_H
#define SKETCH_HLL_LOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/comparison.h"
#include "sketch/kind.h"
#include "sketch/distinct/registers.h"

/*
 * The registers of a HyperLogLog the other way round, as Redis and PostgreSQL's
 * hll have them: the low bits of a hash choose one, and its rank is the number
 * of trailing zeros of the other bits, plus one. Ours use the high bits and
 * leading zeros. What they tell is the same.
 *
 * While few of them are above 0 they lie in a table that grows, later a byte
 * each. Nobody sees which: the registers are a function of the set of hashes.
 *
 * A call that returns STATUS_MEMORY leaves valid registers that may have taken
 * in a part of what it was given; to repeat the call does no harm.
 */
struct hll_low {
	unsigned precision;          /* 2^precision registers */
	unsigned cap;                /* the largest rank; higher ones are this */
	unsigned none;               /* the rank if the other bits are all 0 */
	uint32_t used;               /* entries of the table */
	uint32_t room;               /* its places; 0: there is none */
	uint32_t *entry;             /* see hll_low.c */
	unsigned char *registers;    /* or these, 2^precision of them */
};

/* All registers 0, without memory of its own. precision 4..18, cap 1..61, none
 * at most 61 too: 0 leaves such a hash out. */
void hll_low_init(struct hll_low *, unsigned precision, unsigned cap, unsigned none);
/* Release the memory; all registers are 0 again. */
void hll_low_clear(struct hll_low *);

/* Add n items by their hashes. OK or STATUS_MEMORY. */
enum status hll_low_add(struct hll_low *, const uint64_t *hash, size_t n);

/* Offer a rank to a register. The caller knows that there is such a register.
 * OK or STATUS_MEMORY. */
enum status hll_low_raise(struct hll_low *, uint32_t index, unsigned rank);

/* into = the larger of both, register by register. A finer from is folded: the
 * result is what its items would have made at into's precision, but for hashes
 * that none = 0 left out. from is not coarser. OK or STATUS_MEMORY. */
enum status hll_low_merge(struct hll_low *into, const struct hll_low *from);

/* How much two sets have in common: see hll_joint.h. Of unlike precisions the
 * finer one is taken for the coarser one. OK, STATUS_MEMORY, or STATUS_MISMATCH
 * for full registers, as joint_compare() tells. */
enum status hll_low_compare(const struct hll_low *, const struct hll_low *,
    struct comparison *, struct mismatch *why);

/* All registers, a byte each, 2^precision of them. */
void hll_low_spread(const struct hll_low *, unsigned char *registers);

/* How many hold which rank; those that are above 0. */
void hll_low_histogram(const struct hll_low *, struct histogram *);
uint32_t hll_low_used(const struct hll_low *);

/* Bytes of memory besides the struct. */
size_t hll_low_memory(const struct hll_low *);

#endif
