/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_WINDOW_H
#define TOOL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The clock of a stream, in panes. Pane number n is the time from n * length up
 * to (n + 1) * length microseconds since 1970. The clock stands at the newest
 * pane there was, and a window is that pane and the `back` panes before it. A
 * program keeps one sketch a pane, and forgets those that leave the window.
 *
 * Lines may come out of order. A line of the window goes to its own pane; one
 * from before it is late: it is counted, and goes to the oldest pane. Where there
 * is an answer only at the end of each `step` panes, the window is that of the
 * next one: what is older is in no answer to come. So what
 * comes out depends on the lines and their order alone, not on when they were
 * read: a log that is replayed gives the same answer.
 *
 * One time far in the future must not empty the window. So a line that is more
 * than `ahead` panes ahead of the newest is doubted: it has a pane of its own,
 * beside the window, until the next line. If that one is not back by more than
 * as many, there was a gap, and the clock is set; else the time was wrong: it is
 * counted, and its pane forgotten. The first line of all is doubted in the same
 * way.
 *
 * By arrival there is nothing to doubt: what the system's clock says is taken,
 * except that it never goes back.
 */
struct window {
	int64_t length;              /* of a pane, microseconds */
	int64_t back;                /* panes of the window before the newest */
	int64_t step;                /* or before the end of so many, if they end there; or 0 */
	int64_t ahead;               /* how far a line may lead, in panes */
	bool arrival;
	bool started;                /* there is a newest pane */
	bool doubting;               /* there is a doubted one */
	int64_t newest, doubted;
	uint64_t late, wrong;        /* lines, so far */
};

/* A window of so many microseconds, cut into so many parts; both above 0. The
 * newest pane is hardly begun at times, so there is one more than parts: what
 * is at most `span` old is always in the window, and what is older than
 * span + span / parts never. span / parts is rounded up. A line may lead by as
 * many panes. */
struct window window_of(int64_t span, int64_t parts, bool arrival);

/* The pane that a line of this time goes to. The clock may have moved: then
 * panes have left the window, or the doubted one has joined or gone. */
int64_t window_take(struct window *, int64_t time);

/* There will be no next line: the doubted one is believed. */
void window_believe(struct window *);

/* Is a pane of any use still: in the window, or the doubted one? */
bool window_holds(const struct window *, int64_t pane);

/* The instant at which a pane ends. */
int64_t window_end(const struct window *, int64_t pane);

/* Say on standard error how many of so many lines were late, and why that
 * matters, and how many had a wrong time. */
void window_tell(const struct window *, uint64_t lines, const char *late);

/* Now, by the system's clock. */
int64_t window_now(void);

#endif
