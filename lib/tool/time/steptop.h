/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_STEPTOP_H
#define TOOL_STEPTOP_H

#include <stdbool.h>
#include <stdint.h>

#include "sketch/frequency/spacesaving.h"

/*
 * The most frequent items step by step (tool/time/overtime.h): a table for each pane.
 *
 * The memory is for all of them together. Those that may be large at the same
 * time are the panes of the window, what unites the newer ones, and what unites
 * all of them for a row (tool/time/panes.h): with n panes each has a share of
 * 1 / (n + 2). Without --window there is one table, which has all of it.
 */
struct steptop {
	bool hits;                   /* spacesaving_want_hits */
	/* What ends at this time; the table is empty if there was no line. */
	void (*row)(const char *time, const struct spacesaving *);
};

/* The budget of one table, by -M and the windows that the options ask for. Unless
 * -M is given, a share is no less than the least budget there is; with one that
 * is too small the program ends. */
uint64_t steptop_share(void);

/* Over the operands, none meaning standard input, as the options say. */
void steptop_run(const struct steptop *, int argc, char *argv[]);

#endif
