/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HITS_H
#define SKETCH_HITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * What an index of signatures finds: the numbers of those that are near, and
 * how far each is. A list that grows as needed, up to most.
 */
struct hit {
	uint32_t number;
	uint32_t distance;
};

/* All zero is none, and none may be added: set most. */
struct hits {
	struct hit *at;
	size_t n, room;
	size_t most;
};

/* OK, STATUS_MEMORY, or STATUS_FULL: there are as many as there may be. */
enum status hits_add(struct hits *, uint32_t number, uint32_t distance);

/* Nearest first, then by number; of what has the same number, the first only. */
void hits_sort(struct hits *);

void hits_free(struct hits *);

#endif
