/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One line on standard error that says how far reading is: only if that is a
 * terminal and standard output is not, and only after a second; or always.
 */
enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* total: bytes to read in all, 0 if unknown. */
void progress_start(enum progress_when, uint64_t total);
/* From any worker, once a block. Draws at most twice a second. */
void progress_step(uint64_t bytes);
/* Take the line away. Safe without a start. */
void progress_end(void);

#endif
