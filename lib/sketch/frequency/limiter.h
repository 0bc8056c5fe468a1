/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_LIMITER_H
#define SKETCH_LIMITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/frequency/meter.h"

/*
 * Who may pass: of each 64-bit hash no more than a limit, for all time or in a
 * window of panes (meter.h). What is held back does not count. Exact as long as
 * the hashes fit a ceiling of memory, then by a Count-Min sketch in their place:
 * more may be held back then than should be, and never less.
 *
 * The hashes are dealt out to 16 shards by their top 4 bits. Each turns into a
 * sketch on its own, at a moment that follows from its hashes and their order,
 * so shards may be used by several threads at a time: one thread in each.
 */
#define LIMITER_SHARDS 16

struct limiter;

/* bytes: the ceiling, at least LIMITER_BYTES_MIN. STATUS_MEMORY, or
 * STATUS_SYSTEM (a lock was not to be had). */
#define LIMITER_BYTES_MIN (256 << 10)
enum status limiter_new(struct limiter **, struct meter_form, uint64_t bytes);
/* NULL is allowed. */
void limiter_free(struct limiter *);

/*
 * passes[i]: does hash[i] pass, with its weight (1 each if weight is NULL), in a
 * pane that is `age` panes older than the newest one? In the order given.
 * Several threads may do so at a time, if none has a hash of a shard that
 * another one has. STATUS_MEMORY: the limiter is lost.
 */
enum status limiter_pass(struct limiter *, unsigned age, const uint64_t *hash,
    const uint64_t *weight, size_t n, bool *passes);

/* So many new panes have begun; one thread alone. STATUS_MEMORY. */
enum status limiter_advance(struct limiter *, uint64_t panes);

struct limiter_stats {
	uint64_t hashes;             /* that are known exactly */
	unsigned sketches;           /* shards that have turned into one */
	uint64_t bytes;              /* of memory in use */
	uint64_t passed;
	/* Since shards have turned, about: how many would have passed an exact
	 * limiter, and how many of these were held back. */
	double due, lost;
};

void limiter_stats(const struct limiter *, struct limiter_stats *);

#endif
