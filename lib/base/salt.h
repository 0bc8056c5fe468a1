/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_SALT_H
#define BASE_SALT_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/*
 * What tables in memory are hashed with, and nothing else: numbers that are others
 * in each run. Whoever writes our input knows our public hash and can choose keys
 * that all come to one slot, so that a run takes time with the square of their
 * number (Crosby, Wallach, "Denial of Service via Algorithmic Complexity Attacks",
 * 2003). He cannot choose them for a salt that he does not know.
 *
 * A salt must not show: not in what is printed or saved, nor in its order, nor in
 * when a ceiling of memory is reached. So a table may use it only where slots are
 * asked for one key at a time, or what is in them is sorted before anybody sees it.
 *
 * It is no secret key. Pairs of keys are known that meet under one seed of XXH3 in
 * some 1,400; but a few pairs do not make a table slow. Where two keys that meet
 * would make an answer wrong, only a key helps (siphash.h).
 */
struct salt {
	uint64_t seed;               /* of XXH3 */
	uint64_t odd[2];             /* factors */
};

/* Before salt_draw() it is one that everybody knows, of seed 0. */
extern struct salt salt;

/* Once, while there is one thread. */
void salt_draw(void);

/* Scatter a hash, one to one; 0 stays 0. */
static inline uint64_t
salt_scatter(uint64_t hash)
{
	hash *= salt.odd[0];
	hash ^= hash >> 32;
	return hash * salt.odd[1];
}

/* What was scattered to this. */
uint64_t salt_gather(uint64_t scattered);

/* The hash of a key, for tables alone. */
static inline uint64_t
salt_hash(const void *p, size_t n)
{
	return hash_bytes(p, n, salt.seed);
}

/*
 * The same for tables that are cut into shards by the top 4 bits: these are
 * public, since the memory that shards take together depends on which key is in
 * which, and may be limited. Who fills one shard makes the others idle, no more.
 */
#define SALT_SHARD_BITS 4

static inline uint64_t
salt_shard_hash(const void *p, size_t n)
{
	uint64_t low = ~UINT64_C(0) >> SALT_SHARD_BITS;

	return (hash_bytes(p, n, 0) & ~low) | (salt_hash(p, n) & low);
}

#endif
