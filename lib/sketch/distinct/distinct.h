/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_DISTINCT_H
#define SKETCH_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/record.h"
#include "base/status.h"

/*
 * What all sketches that answer "how many distinct items?" do alike, ours and
 * those of other systems, so that a program which counts need not know which
 * one it holds. A body is what the kind's load() made, or make() here; the kind
 * unites two and frees one. Each answers by its own system's estimator.
 */
struct distinct {
	uint16_t kind;               /* enum record_kind */
	enum hash_id hash;           /* of the items that add() takes */

	/* An empty one with the settings that the header's parameters tell; what
	 * they say of content is ignored. OK, STATUS_MEMORY, or STATUS_PARAMETER
	 * for a setting out of range. */
	enum status (*make)(void **body, const struct record *settings);

	/* Add a batch of items by their hashes, in any order. OK or STATUS_MEMORY;
	 * then a part of them may be in, and to repeat the call does no harm. */
	enum status (*add)(void *body, const uint64_t *hash, size_t n);

	/* The number of distinct items, not rounded. Finite. */
	double (*estimate)(const void *body);

	/* The 95 % interval around it, low <= estimate <= high, none of them NaN. */
	void (*interval)(const void *body, double *low, double *high);
};

/* The row of this kind, or NULL: it counts nothing distinct. */
const struct distinct *distinct_find(uint16_t kind);

/* The i-th row, NULL past the last. */
const struct distinct *distinct_row(size_t i);

/* For records' only: how the names of those kinds begin of which counting is the
 * purpose. */
#define DISTINCT_KINDS "hll"

#endif
