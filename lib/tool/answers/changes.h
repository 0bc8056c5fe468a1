/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_CHANGES_H
#define TOOL_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "sketch/frequency/frequency.h"

/* Rows of what rose and what fell between two sketches of counts: the largest
 * change first, equal ones by item bytes; nothing that did not change. */
struct changes_wish {
	uint64_t k;                  /* at most so many rows; 0: any number */
	uint64_t min;                /* changed by at least so much */
	bool sure;                   /* for certain */
	bool share;                  /* of the total, not counts; min is not heeded */
};

/* Of the two bodies' items; ends the program if memory is short. */
void changes_print(const struct changes_wish *, const struct frequency *,
    const void *before, const void *after);

#endif
