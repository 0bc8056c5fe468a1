/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_EXPLICIT_H
#define SKETCH_HLL_EXPLICIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * A small set of 64-bit hashes, for sketches that begin as one: some 16 bytes
 * a hash. All zero is an empty set.
 */
struct hll_explicit {
	uint64_t *slot;              /* a power of two of them, 0 is free */
	size_t room, taken;
	bool zero;                   /* is 0, which no slot can hold, in the set? */
};

/* Release the memory; the set is empty again. */
void hll_explicit_clear(struct hll_explicit *);

/* Add one. OK or STATUS_MEMORY. */
enum status hll_explicit_add(struct hll_explicit *, uint64_t hash);
bool hll_explicit_has(const struct hll_explicit *, uint64_t hash);

/* How many there are. */
size_t hll_explicit_count(const struct hll_explicit *);

/* Visit them from *at on, 0 at first: the next one, or false after the last. */
bool hll_explicit_next(const struct hll_explicit *, size_t *at, uint64_t *hash);

#endif
