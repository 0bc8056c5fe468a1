/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"

/*
 * One 64-bit hash h of an item; everything a sketch needs derives from it,
 * so nothing is hashed twice. h is XXH3-64 with the seed (Yann Collet's
 * xxHash, "XXH3" in its specification). The seed is public: it keeps sites
 * apart, it is not a defence against crafted input. With a secret key h is
 * SipHash-2-4 (siphash.h), which is one.
 *
 * A sketch that another system shall read needs that system's hash. Those have
 * no seed here: the systems' own files could not tell it.
 */

/* Identities of hash functions, as a record's header stores them. */
enum hash_id {
	HASH_XXH3 = 1,
	HASH_SIPHASH = 2,    /* SipHash-2-4 with a secret key; the seed is its fingerprint */
	HASH_XXH64 = 3,      /* XXH64 with seed 0: Apache Parquet */
	HASH_FNV1 = 4,       /* FNV-1, 64 bits: DCSO's bloom */
	HASH_MURMUR64A = 5,  /* MurmurHash64A with seed adc83b19: Redis */
	HASH_MURMUR3 = 6,    /* MurmurHash3 x64 128, seed 0, first word: PostgreSQL's hll */
	HASH_MURMUR3_COUPON = 7,     /* 32 bits of it with seed 9001: DataSketches */
};

/* Is it one of ours? 0 stands for HASH_XXH3. */
static inline bool
hash_is_ours(unsigned id)
{
	return id <= HASH_SIPHASH;
}

/* Is it cheap enough to be computed in the loop that finds the items? */
static inline bool
hash_is_fused(unsigned id)
{
	return id <= HASH_XXH3;
}

/* The hashes of n items by a function that is not ours. */
void hash_items(enum hash_id, const struct slice *item, size_t n, uint64_t *hash);

static inline uint64_t
hash_bytes(const void *p, size_t n, uint64_t seed)
{
	/* Without a seed the secret is a constant: 5 to 7 % of a short line. */
	return seed == 0 ? XXH3_64bits(p, n) : XXH3_64bits_withSeed(p, n, seed);
}

/* s_j, the j-th step of splitmix64 (Steele, Lea, Flood, OOPSLA 2014) that
 * starts from h, j >= 1: more bits as independent of h as we ever need. */
static inline uint64_t
hash_step(uint64_t h, unsigned j)
{
	uint64_t z = h + j * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

__extension__ typedef unsigned __int128 hash_wide;

/* A place in 0..n-1 from a hash: the high half of h * n. No modulo, no bias
 * worth naming, and even n fold to n/2 by floor(place / 2). */
static inline uint64_t
hash_place(uint64_t h, uint64_t n)
{
	return (uint64_t)((hash_wide)h * n >> 64);
}

#endif
