/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLLTOKEN_H
#define SKETCH_HLLTOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A token is what HyperLogLog needs of one hash, in 32 bits: the top 26 bits
 * as an index, then 6 bits with the rank of the other 38 (their leading zeros
 * plus one, 39 if all are zero). From a token follows the register and the
 * rank at any precision up to 26, so a few items may be kept as tokens and
 * poured into registers later without loss. A rank is at least 1, so no token
 * is 0, and 0 marks a free place in a table.
 */
#define TOKEN_INDEX_BITS 26
#define TOKEN_RANK_BITS 6
#define TOKEN_RANK_MAX (64 - TOKEN_INDEX_BITS + 1)

static inline uint32_t
token_of(uint64_t h)
{
	/* The bit behind the last one that counts ends the zeros. */
	uint64_t rest = h << TOKEN_INDEX_BITS | UINT64_C(1) << (TOKEN_INDEX_BITS - 1);
	uint32_t rank = (uint32_t)__builtin_clzll(rest) + 1;

	return (uint32_t)(h >> (64 - TOKEN_INDEX_BITS)) << TOKEN_RANK_BITS | rank;
}

static inline uint32_t
token_rank(uint32_t token)
{
	return token & ((1 << TOKEN_RANK_BITS) - 1);
}

static inline bool
token_valid(uint32_t token)
{
	return token_rank(token) >= 1 && token_rank(token) <= TOKEN_RANK_MAX;
}

/* The register a token belongs to among 2^precision. */
static inline uint32_t
token_register(uint32_t token, unsigned precision)
{
	return token >> (32 - precision);
}

/* The rank it brings there: zeros go on from the index bits that the register
 * does not use into the token's own rank. */
static inline unsigned
token_register_rank(uint32_t token, unsigned precision)
{
	uint32_t unused = (token - token_rank(token)) << precision;

	if (unused != 0)
		return (unsigned)__builtin_clz(unused) + 1;
	return TOKEN_INDEX_BITS - precision + token_rank(token);
}

/*
 * A table of tokens: a power of two of places, open addressing, 0 is free.
 * The lowest index bits choose the place: they are as good as random, and
 * unlike the highest ones they spread a list that comes in ascending order,
 * or in the order of another table, over a small table that has yet to grow.
 */

/* At most so many tokens in so many places: above 13 of 16 searches get long.
 * A free place must remain, or they do not end. */
static inline size_t
token_table_limit(size_t room)
{
	return room / 16 * 13;
}

/* Where the search for a token begins. */
static inline size_t
token_home(size_t room, uint32_t token)
{
	return token >> TOKEN_RANK_BITS & (room - 1);
}

/* Where the token is, or the free place where it belongs. */
static inline uint32_t *
token_place(uint32_t *table, size_t room, uint32_t token)
{
	size_t at = token_home(room, token);

	while (table[at] != 0 && table[at] != token)
		at = (at + 1) & (room - 1);
	return &table[at];
}

#endif
