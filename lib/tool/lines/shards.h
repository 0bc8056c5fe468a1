/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SHARDS_H
#define TOOL_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/lines/parallel.h"

/*
 * A block's hashes, asked about by shard: through each gate in the block's
 * turn, all hashes whose top bits lead there, in their order; by a worker that is
 * alone, all at once. For job.block. An answer that is not set is false.
 */
typedef void shards_visit(void *context, const uint64_t *hash, size_t n, bool *answer);

/* The answers, in the order of the block's items; they live until the worker's
 * next block. NULL: all is over. Ends the program if memory is short. */
const bool *shards_pass(unsigned worker, struct batch *const *batch, size_t n,
    struct gates *, shards_visit *visit, void *context);

/* Release what workers keep. */
void shards_free(void);

#endif
