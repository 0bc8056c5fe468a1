/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_ALSO_H
#define TOOL_ALSO_H

#include <stddef.h>
#include <stdint.h>

#include "tool/answers/rows.h"

/*
 * What --also asks for: beside the sum of an item's weights, of how many lines it
 * is the sum, and what one line has on average. Whatever is known of the sum and
 * the lines are bounds, and so are these.
 */
enum also_what { ALSO_COUNT, ALSO_MEAN };

#define ALSO_MAX 2

struct also {
	size_t n;                    /* 0: not asked for */
	enum also_what what[ALSO_MAX];       /* in the order asked for */
};

/* "count", "mean" or both, of the option at hand; anything else ends the program. */
void also_parse(struct also *);

/* What is known: the sum of weights, and the number of lines. */
struct also_known {
	uint64_t sum_low, sum_high, lines_low, lines_high;
};

/* The numbers for a row, also->n of them. */
void also_fill(const struct also *, const struct also_known *, struct row_also out[ALSO_MAX]);

#endif
