/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SEEN_H
#define SKETCH_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"

/*
 * Which 64-bit hashes have been met before: exactly, as long as they fit a
 * ceiling of memory, then by a Bloom filter that takes their place. A new one
 * may then be taken for met; one that was met never is taken for new.
 *
 * The hashes are dealt out to 16 shards by their top 4 bits. Each has a 16th
 * of the ceiling and turns into a filter on its own, at a number of distinct
 * hashes that follows from the ceiling. So what is answered depends on the
 * order of the hashes within each shard and on nothing else, and shards may be
 * used by several threads at a time: one thread in each.
 */
#define SEEN_SHARDS 16

struct seen;

/* bytes: the ceiling, at least SEEN_BYTES_MIN. STATUS_MEMORY. */
#define SEEN_BYTES_MIN (64 << 10)
enum status seen_new(struct seen **, uint64_t bytes);
/* NULL is allowed. */
void seen_free(struct seen *);

static inline unsigned
seen_shard(uint64_t hash)
{
	return (unsigned)(hash >> 60);
}

/*
 * fresh[i] = is hash[i] new, to this set and among these n?, and remember them,
 * in the order given. Several threads may do so at a time, if none has a hash
 * of a shard that another one has. STATUS_MEMORY: the set is lost.
 */
enum status seen_meet(struct seen *, const uint64_t *hash, size_t n, bool *fresh);

/* The same, but second[i] = has hash[i] been met once before, not more often?
 * Each hash that comes again takes the room of two. */
enum status seen_meet_again(struct seen *, const uint64_t *hash, size_t n, bool *second);

/* met[i] = has hash[i] been met? Nothing is remembered. */
void seen_has(const struct seen *, const uint64_t *hash, size_t n, bool *met);

/* Has this shard turned into a filter? */
bool seen_turned(const struct seen *, unsigned shard);

struct seen_stats {
	uint64_t exact;              /* hashes that are known exactly */
	uint64_t capacity;           /* how many the ceiling is enough for */
	unsigned filters;            /* shards that have turned into one */
	double fpp;                  /* chance that a new hash is taken for met now */
	double lost;                 /* how many probably were, so far */
	uint64_t bytes;              /* of memory in use */
};

void seen_stats(const struct seen *, struct seen_stats *);

/* The chance that among n hashes any two of different items are equal:
 * n^2 / 2^65, at most 1. */
double seen_collision(double n);

#endif
