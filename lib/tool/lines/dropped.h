/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_DROPPED_H
#define TOOL_DROPPED_H

#include <stdbool.h>

#include "base/scan.h"

/*
 * --dropped FILE: the lines that a filter does not pass, in the order of the
 * input, each with its end byte. The file is replaced when all is done; a fifo
 * has them after each block. Every failure ends the program. One such file in
 * a process; without dropped_open all of this does nothing.
 */
void dropped_open(const char *path);

/* By any worker, in the order of its block: where to append a line and its end, or
 * NULL if nobody asked for it. */
struct buffer *dropped_output(unsigned worker);
/* Those of the batch's n lines that are not kept; see tool/lines/kept.h. */
void dropped_lines(unsigned worker, const struct batch *, const bool *kept);

/* A worker's block is through: its lines go out. For job.block_end, which has
 * the turn. */
void dropped_flush(void *context, unsigned worker);

/* After what passed has been written: should that fail, the old file stays. */
void dropped_commit(void);

#endif
