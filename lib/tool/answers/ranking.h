/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_RANKING_H
#define TOOL_RANKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * The entries of a table with a number each, the largest first, equal ones by key.
 * The table has up to 16 shards. Without memory the program ends.
 */
#define RANKING_SHARDS 16

struct ranked {
	uint64_t count;
	uint32_t shard, entry;
};

/* Bring the first k of n rows, 1 or more, into their order, and drop the others:
 * how many are left. It is quickest if entries lie in memory in the order of the
 * rows. */
size_t ranking_sort(struct ranked *, size_t n, size_t k,
    struct slice (*key)(const void *table, const struct ranked *), const void *table);

/* Row i of n is next: fetch its key from memory, and those of some behind it. To be
 * called for each row in turn, for the sake of speed. */
void ranking_fetch(const struct ranked *, size_t i, size_t n,
    struct slice (*key)(const void *table, const struct ranked *), const void *table);

#endif
