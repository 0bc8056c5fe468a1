/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_STATE_H
#define TOOL_STATE_H

#include "base/record.h"
#include "sketch/member/seen.h"
#include "sketch/member/seen_file.h"

/*
 * --state FILE: what a run has seen, kept for the next one: one record, or one
 * a pane of a window. The file is locked as long as the program runs, so that
 * runs take turns, and is replaced whole: at the end, and by state_save_now in
 * between. What fails ends the program; the file is then as it was saved last.
 *
 * What was answered must be written before it is saved as seen: a crash then
 * makes lines pass twice, and none is lost.
 */

/* One set and what it is. */
struct state_part {
	struct seen *seen;
	struct seen_use use;
};

/* Lock it, waiting up to 60 seconds for another run. */
void state_open(const char *path);

/* The sets in it, if there is such a file: for each, in the file's order, an
 * empty one to load it into. Its header has a hash, seed, transform and join
 * rule that the options agree with. */
void state_load(struct seen *(*empty_set)(const struct record *head));

/* "cannot use 'FILE': TEXT A and B", for what else must agree. Status 4. */
_Noreturn void state_differs(const char *what, const char *in_file, const char *now);

/* items: lines with an item in this run, so far. */
void state_save_now(const struct state_part *, size_t n, uint64_t items);
/* The last time; the lock is given up. */
void state_save(const struct state_part *, size_t n, uint64_t items);

#endif
