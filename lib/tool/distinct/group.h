/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_GROUP_H
#define TOOL_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scan.h"
#include "sketch/distinct/distinctmap.h"
#include "sketch/kinds.h"
#include "tool/answers/ranking.h"

/*
 * One sketch of distinct items per key, for --by: a table in shards, so that
 * several workers can fill it and each touches little memory at a time. A union
 * does not depend on order, so neither does what the table holds in the end.
 * Failures of memory end the program.
 */
struct group;

/* settings: kind, and parameters as for distinct's make(). loose: keys do not
 * lie in the block but in a batch's scratch. */
struct group *group_new(const struct record *settings, unsigned workers, bool loose);
void group_free(struct group *);

/* Add a batch with keys; by any worker. */
void group_add(struct group *, unsigned worker, const struct batch *);
/* The block that this worker's keys lie in is about to go. */
void group_flush(struct group *, unsigned worker);

/* One for a single thread, in little memory, which takes all in by group_put (n
 * items of a batch) and group_unite, from another of its kind and settings; then
 * the rest of these functions answer as of any. */
struct group *group_small(const struct record *settings);
void group_put(struct group *, const struct batch *, size_t from, size_t n);
void group_unite(struct group *into, const struct group *from);

/* Of our own kind: make all entries of this precision, if that is coarser than
 * theirs. Not while workers add. */
void group_fold(struct group *, unsigned precision);
unsigned group_precision(const struct group *);

/* Unite with one key's sketch of the same kind. Of our own, a finer one is folded
 * and a coarser one folds the whole table. Not while workers add. OK, or
 * STATUS_MISMATCH and why. */
enum status group_merge(struct group *, struct slice key, const struct sketch *,
    struct mismatch *why);

size_t group_keys(const struct group *);

/* The k largest whose estimates are not below `least`, ties by the keys' bytes;
 * the caller frees the array. */
struct ranked *group_top(struct group *, size_t k, uint64_t least, size_t *n);

/* Row i of such n is next. */
void group_fetch(const struct group *, const struct ranked *, size_t i, size_t n);

/* Of such a row. */
struct slice group_key(const struct group *, const struct ranked *);
void group_interval(const struct group *, const struct ranked *, double *low, double *high);

/* Visit all entries in the order of their keys: items, kind, version, parameters
 * and size of the header are filled in. */
void group_each(struct group *, void (*visit)(void *context, struct slice key,
    const struct record *, struct slice payload), void *context);

#endif
