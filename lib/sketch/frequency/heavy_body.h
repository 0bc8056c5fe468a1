/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HEAVY_BODY_H
#define SKETCH_HEAVY_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "sketch/frequency/candidates.h"

/* What the two files of a saved top list share: the list (heavy.h). */

struct heavy {
	struct candidates candidates;
	unsigned capacity;           /* items, at most */
	uint64_t missing;            /* T */
	uint64_t total;
	bool saturated;
	bool exact;
};

#endif
