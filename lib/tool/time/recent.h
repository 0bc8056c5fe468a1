/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_RECENT_H
#define TOOL_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/member/seen.h"
#include "sketch/member/seen_file.h"
#include "tool/time/window.h"

/*
 * Which hashes have been met within a window of time: one set (sketch/member/seen.h)
 * a pane, all of which are asked, while a new hash is remembered in that of its
 * line's pane. A hash is forgotten with the pane that it was new in, and
 * meeting it again before does not keep it for longer. So it is new again no
 * sooner than a window's length after it was last new, and at the latest one
 * pane's length later.
 */
struct recent;

/* What windows are cut into. */
#define RECENT_PARTS 8

/* A window of `span` microseconds. bytes: the ceiling of all sets together, at
 * least RECENT_BYTES_MIN; there may be one set more than the window has panes,
 * for the doubted one. repeated: see recent_meet. STATUS_MEMORY. */
#define RECENT_SETS (RECENT_PARTS + 2)
#define RECENT_BYTES_MIN ((uint64_t)RECENT_SETS * SEEN_BYTES_MIN)
enum status recent_new(struct recent **, int64_t span, bool arrival, bool repeated,
    uint64_t bytes);
/* NULL is allowed. */
void recent_free(struct recent *);

/*
 * fresh[i] = was hash[i] not met within the window, nor is it among those before
 * it? In the order of the lines, whose times these are. If `repeated`: is it the
 * second time instead, not the first nor a later one? STATUS_MEMORY.
 */
enum status recent_meet(struct recent *, const int64_t *time, const uint64_t *hash, size_t n,
    bool *fresh);

/* Its clock, with the counts of late lines and wrong ones. */
const struct window *recent_window(const struct recent *);

/* All sets there are, 1 to RECENT_SETS, and what each is, in the order of their
 * panes: they tell all there is to go on later. STATUS_MEMORY. */
enum status recent_sets(struct recent *, struct seen **, struct seen_use *, size_t *n);

/* Going on: before anything is met, an empty set for each of those, in the same
 * order, to be loaded with what it had. bytes: its own ceiling, or 0 for one
 * like the others'. STATUS_INVARIANT: these panes do not come from a window. */
enum status recent_resume(struct recent *, struct seen_use, uint64_t bytes, struct seen **);

/* Of all sets there are; lost: of all there have been, too. */
void recent_stats(const struct recent *, struct seen_stats *);

#endif
