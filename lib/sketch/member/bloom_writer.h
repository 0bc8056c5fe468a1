/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_WRITER_H
#define SKETCH_BLOOM_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/member/bloom.h"

/*
 * Many threads add to one filter too large for copies. The filter is cut into up to
 * 64 shards of neighbouring places, with a lock each. A thread's writer sorts its
 * probes into a list per shard, and enters a shard only with a full list. Setting
 * bits commutes, as does counting up to a limit, so the filter does not depend on
 * who came first, nor on how many there were.
 *
 * One bloom_shards for the filter, one bloom_writer for each thread; the
 * filter outlives the shards, and the shards the writers.
 */
struct bloom_shards;
struct bloom_writer;

/* What is written to: memory whose places probes touch in a way that commutes. */
struct bloom_target {
	unsigned char *at;
	const struct bloom_shape *shape;
	unsigned line;               /* 2^line places fill a cache line of 64 bytes */
	/* Enter one probe of each of n <= BLOOM_BATCH items, by their values. */
	void (*set)(unsigned char *at, const struct bloom_shape *, const uint64_t *value,
	    size_t n);
};

/* STATUS_MEMORY, or STATUS_SYSTEM (a lock was not to be had). */
enum status bloom_shards_new(struct bloom_shards **, struct bloom *);
/* The same for anything else of that form. */
enum status bloom_shards_on(struct bloom_shards **, struct bloom_target);
void bloom_shards_free(struct bloom_shards *);

/* 64 KiB of lists. STATUS_MEMORY. */
enum status bloom_writer_new(struct bloom_writer **, struct bloom_shards *);
/* What was not flushed is lost. NULL is allowed, here and above. */
void bloom_writer_free(struct bloom_writer *);

/* Add n items; they are in the filter after the next flush at the latest. */
void bloom_writer_add(struct bloom_writer *, const uint64_t *hash, size_t n);
void bloom_writer_flush(struct bloom_writer *);

#endif
