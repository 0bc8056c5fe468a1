/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PANES_H
#define TOOL_PANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "tool/time/window.h"

/*
 * One answer after another as time goes on. Time is cut into steps, which begin
 * at multiples of their length since 1970, and when the clock of the lines (see
 * tool/time/window.h) has passed the end of a step there is a row: what the lines
 * within a window's length before that end say together. A window as long as a
 * step tumbles; one without an end tells running totals.
 *
 * Nothing is read twice. The window is cut into panes, as long as divides both
 * it and the step, and each has a sketch of its own, of any kind that unites: a
 * row costs one union, not one a pane, however long the window is (panes.c).
 *
 * Each line counts once. A late one is taken as of the oldest pane of the window,
 * so it is in the next row at the latest; one whose time was doubted and found
 * wrong, as of the newest. Rows that were printed stay as they are.
 *
 * A step in which the window holds no line has no row, so a gap of years takes
 * no time. By arrival it has one, but for those that have passed unseen while
 * the program was not running.
 */
struct panes;

/* What a program keeps for each pane. None of these fails: where memory is short
 * they end the program. */
struct pane_sketch {
	void *context;
	void *(*make)(void *context);
	/* Add the items from.. of a batch, n of them. */
	void (*add)(void *context, void *sketch, const struct batch *, size_t from, size_t n);
	void (*unite)(void *context, void *into, void *from);
	void (*free)(void *context, void *sketch);
	/* Print the row of what ends at this time. */
	void (*row)(void *context, const char *time, void *sketch);
};

#define PANES_MAX 65536

/* Panes of a window, both in microseconds and above 0; how many that may be is
 * for the caller to judge. */
int64_t panes_count(int64_t window, int64_t every);

/* every: the length of a step, above 0. window: 0 for no end; panes_count is at
 * most PANES_MAX. By arrival panes_clock is to be called next. NULL: there is no
 * memory. The kind is copied, its context is not. */
struct panes *panes_new(const struct pane_sketch *, int64_t window, int64_t every, bool arrival);
void panes_free(struct panes *);

/* Lines in their order: b->time[] tells when each was. */
void panes_take(struct panes *, const struct batch *b);

/* By arrival: it is so late now. Returns the end of the step under way. */
int64_t panes_clock(struct panes *, int64_t now);

/* There are no more lines: the row of the step under way. */
void panes_end(struct panes *);

/* The clock, with the counts of late lines and wrong ones. */
const struct window *panes_window(const struct panes *);

#endif
