/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_STEPCOUNT_H
#define TOOL_STEPCOUNT_H

#include "tool/distinct/counter.h"
#include "tool/distinct/group.h"

/*
 * How many distinct items step by step (tool/time/overtime.h), in sketches of any kind;
 * with --by in a group of them. A pane costs what its items need, a sketch some
 * KiB at most, and keys are held once for up to as many panes as there are.
 */
struct stepcount {
	const struct counter *counter;       /* begun, for its settings */
	/* Print what ends at this time: one of the two is called, for each step. */
	void (*count)(const char *time, const void *body);
	void (*group)(const char *time, struct group *);
};

/* Over the operands, none meaning standard input, as the options say. */
void stepcount_run(const struct stepcount *, int argc, char *argv[]);

#endif
