/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_EACH_H
#define TOOL_EACH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/scan.h"

/*
 * --each of a program that asks several filters (tool/member/filters.h): which of
 * them have a line, by name.
 */

/* For each line of the batch that some filter has, up to most of them: a row
 * for each such filter, NAME TAB LINE, to the worker's output; or one more in
 * its count. Returns how many lines. */
uint64_t each_answer(unsigned worker, const struct batch *, bool count, uint64_t most);

/* The counts: a row for each filter, COUNT TAB NAME, then total. */
void each_print_counts(uint64_t total);

void each_free(void);

#endif
