/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TWOPASS_H
#define SKETCH_TWOPASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/member/seen.h"

/*
 * Which hashes come for the first time, exactly, of more than fit in memory:
 * by going through all of them twice. First a filter finds those that may have
 * come before; then only these, which include every one that does come again,
 * have to be remembered. As in sketch/member/seen.h, threads may share it if no two
 * are in the same shard.
 */
struct twopass;

/* bytes: the ceiling, at least TWOPASS_BYTES_MIN. STATUS_MEMORY. */
#define TWOPASS_BYTES_MIN ((uint64_t)2 * SEEN_BYTES_MIN)
enum status twopass_new(struct twopass **, uint64_t bytes);
/* NULL is allowed. */
void twopass_free(struct twopass *);

/* The first time through. STATUS_MEMORY: all is lost. */
enum status twopass_look(struct twopass *, const uint64_t *hash, size_t n);

/* Between the two. STATUS_FULL: more come again than fit half the ceiling. */
enum status twopass_turn(struct twopass *);

/* The second time through, in the same order: fresh[i] = does hash[i] come for
 * the first time? */
enum status twopass_meet(struct twopass *, const uint64_t *hash, size_t n, bool *fresh);

/* Of what is in memory now: exact, bytes; and of the first time through, how
 * many shards were filters. */
void twopass_stats(const struct twopass *, struct seen_stats *);

#endif
