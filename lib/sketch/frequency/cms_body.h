/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CMS_BODY_H
#define SKETCH_CMS_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "sketch/frequency/candidates.h"

/* What the files of Count-Min share among themselves: the sketch (cms.h). */

struct cms {
	uint64_t width;
	unsigned depth;
	double epsilon, delta;
	uint64_t *cells;             /* row after row */
	uint64_t total;
	bool saturated;
	bool conservative;           /* its counters were raised no more than needed */
	unsigned capacity;           /* of candidates */
	struct candidates candidates;
	uint64_t missing;            /* without candidates: the total */
};

/* Where in the counters an item has its one of this row. */
static inline size_t
cms_place(const struct cms *c, uint64_t hash, unsigned row)
{
	return (size_t)(row * c->width + hash_place(hash_step(hash, row + 1), c->width));
}

/* At most how often an item that is no candidate occurred. */
uint64_t cms_outsider_high(const struct cms *, uint64_t hash);

#endif
