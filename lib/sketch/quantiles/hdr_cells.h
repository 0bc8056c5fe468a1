/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HDR_CELLS_H
#define SKETCH_HDR_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * Counters for slots (sketch/quantiles/hdr_slot.h). A few of them are a sorted list of 8
 * bytes each; many lie in chunks of neighbours, of which those exist that are in
 * use. How they lie is nobody else's business, but for hdr_add()'s inner loop.
 */

#define HDR_CHUNK_BITS 8         /* 256 counters, 2 KiB */
#define HDR_CHUNK (1 << HDR_CHUNK_BITS)
#define HDR_FEW_MAX 256          /* of a list */

struct hdr_few {
	int32_t slot;
	uint32_t count;
};

/* The chunks of slots of one sign: number first + i is chunk[i], or NULL. Slot s
 * is counter (s - 1) % 256 of the chunk (s - 1) / 256. */
struct hdr_side {
	uint64_t **chunk;
	uint32_t first, n;
};

struct hdr_many {
	struct hdr_side side[2];     /* slots above 0, and below it */
	uint64_t zero;
};

/* All zero is empty. */
struct hdr_cells {
	struct hdr_few *few;
	uint32_t n, room;
	struct hdr_many *many;       /* then few is NULL */
};

/* Add to a slot's counter, which stops at 2^64-1. OK or STATUS_MEMORY; then it is
 * as it was. */
enum status hdr_cells_add(struct hdr_cells *, int32_t slot, uint64_t count);

/* From a list to chunks. OK or STATUS_MEMORY; then it is as it was. */
enum status hdr_cells_spread(struct hdr_cells *);

/* The next slot whose counter is not 0, in ascending order, or false. *at is 0 at
 * first, then the cells' own. */
bool hdr_cells_next(const struct hdr_cells *, uint64_t *at, int32_t *slot, uint64_t *count);

/* The slot in whose turn the sum of all counters so far, in ascending order,
 * reaches the rank, which is at most the sum of all. */
int32_t hdr_cells_rank(const struct hdr_cells *, uint64_t rank);

/* Add the counters of slots whose shift is less by so much (0: the same). OK or
 * STATUS_MEMORY; then all counters are as they were. */
enum status hdr_cells_unite(struct hdr_cells *into, const struct hdr_cells *from,
    unsigned finer);

/* Bytes in use. */
size_t hdr_cells_memory(const struct hdr_cells *);

/* Release; the cells are empty. */
void hdr_cells_clear(struct hdr_cells *);

#endif
