/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_MEMO_H
#define TOOL_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/member/seen.h"
#include "tool/time/window.h"

/*
 * What bloom-uniq remembers: one set of hashes (sketch/member/seen.h), one for each
 * pane of a window (tool/time/recent.h), or what two passes need (sketch/member/twopass.h);
 * with a state that is kept in a file (tool/files/state.h). There is one memo in a
 * process. Whatever fails ends the program.
 */
struct memo_form {
	uint64_t bytes;              /* the ceiling */
	int64_t window;              /* microseconds; 0: none */
	bool arrival;                /* its clock is the system's */
	bool repeated;               /* ask for the second time, not the first */
	bool exact;                  /* two passes; neither of the others, nor a state */
	const char *state;           /* a file, or NULL */
};

/* Locks and loads the state; a ceiling that is too low is status 2. */
void memo_start(const struct memo_form *);
void memo_free(void);

/* wanted[i]: does hash[i] come for the first time (or the second)? Of a shard,
 * in order; workers may be in different shards. Not with a window. */
void memo_meet(const uint64_t *hash, size_t n, bool *wanted);

/* The same with a window, where these are the times; by one worker. */
void memo_meet_at(const int64_t *time, const uint64_t *hash, size_t n, bool *wanted);

/* With exact: the first pass, and between the two. */
void memo_look(const uint64_t *hash, size_t n);
void memo_turn(void);

/* Save the state, if there is one. What was answered for these items must have
 * been written. memo_save is the last time. */
void memo_save_now(uint64_t items);
void memo_save(uint64_t items);

void memo_stats(struct seen_stats *);
/* The window's clock, or NULL. */
const struct window *memo_window(void);

#endif
