/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLLCELL_H
#define SKETCH_HLLCELL_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sketch/distinct/hll.h"

/*
 * A HyperLogLog in 12 bytes and what it shares of a pool: for tables with one
 * each for a million keys. Up to two tokens lie in the cell. More of them, or
 * registers, lie in a block of the pool; a cell that outgrows its block gives
 * it back for others. All zero is an empty cell. Cells are not released one
 * by one: they end with their pool.
 */
struct hllcell {
	uint32_t tokens;             /* how many, or all ones: registers */
	uint32_t part[2];            /* the tokens, or a block and its size */
};

#define HLLCELL_SIZES 32

struct hllpool {
	unsigned precision;          /* of all cells */
	uint32_t token_limit;
	struct buffer words;         /* of 32 bits */
	uint32_t free_block[HLLCELL_SIZES];    /* by size; 0: none */
};

/* The caller knows that the precision is one of 4..18. */
void hllpool_init(struct hllpool *, unsigned precision);
void hllpool_clear(struct hllpool *);

/* Ask for the memory that adding this hash will touch. */
void hllcell_prefetch(const struct hllpool *, const struct hllcell *, uint64_t hash);

/* OK, or STATUS_MEMORY and nothing changed. */
enum status hllcell_add(struct hllpool *, struct hllcell *, uint64_t hash);

/* Unite with a sketch of the pool's precision or a finer one. OK, or
 * STATUS_MEMORY with a part of it added. */
enum status hllcell_unite(struct hllpool *, struct hllcell *, const struct hll_view *);

/* What the cell holds, until the next call that adds to a cell of the pool. */
struct hll_view hllcell_view(const struct hllpool *, const struct hllcell *);

#endif
