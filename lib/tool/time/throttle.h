/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_THROTTLE_H
#define TOOL_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/frequency/limiter.h"
#include "tool/time/window.h"

/*
 * What cms-limit knows of its keys: a limiter (sketch/frequency/limiter.h) with the clock of
 * the lines (tool/time/window.h), and another one for the lines that are held back, if
 * of these only the first of each key is wanted. There is one throttle in a
 * process. Whatever fails ends the program.
 */

/* What windows are cut into. */
#define THROTTLE_PARTS 8

struct throttle_form {
	uint64_t limit;
	uint64_t bytes;              /* the ceiling */
	int64_t window, tumble;      /* microseconds; 0: none. Not both */
	bool arrival;                /* the clock is the system's */
	bool offenders;              /* the lines that are held back are wanted */
	bool once;                   /* of these, one in a window is */
};

/* A ceiling that is too low is status 2. */
void throttle_start(const struct throttle_form *);
void throttle_free(void);

/* wanted[i]: is the line with hash[i] and this weight (1 if weight is NULL) one
 * that is wanted? Of a shard, in order; workers may be in different shards. Not
 * with a window. */
void throttle_take(const uint64_t *hash, const uint64_t *weight, size_t n, bool *wanted);

/* The same with a window, where these are the times; by one worker. */
void throttle_take_at(const int64_t *time, const uint64_t *hash, const uint64_t *weight,
    size_t n, bool *wanted);

struct throttle_stats {
	struct limiter_stats lines;
	struct limiter_stats told;   /* of offenders, if of each one is wanted */
};

void throttle_stats(struct throttle_stats *);
/* The window's clock, or NULL. */
const struct window *throttle_window(void);

#endif
