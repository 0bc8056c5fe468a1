/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_DCSO_H
#define SKETCH_BLOOM_DCSO_H

#include <stddef.h>
#include <stdint.h>

#include "sketch/member/bloom_size.h"

/*
 * The places of DCSO's bloom, for filters of BLOOM_DCSO. From the hash of an
 * item, FNV-1, come values h, one for each of its k bits; the bit is h mod m.
 */

#define DCSO_M UINT64_C(18446744073709551557)        /* 2^64 - 59, a prime */
#define DCSO_G UINT64_C(18446744073709550147)        /* -1469 mod 2^64 */

/* x mod M, which is next to 2^64. */
static inline uint64_t
dcso_remainder(uint64_t x)
{
	return x < DCSO_M ? x : x - DCSO_M;
}

/* The value after this one. The product is cut to 64 bits before the remainder
 * is taken, which was hardly meant; see bloom_dcso.c for what comes of it. */
static inline uint64_t
dcso_next(uint64_t h)
{
	return dcso_remainder(h * DCSO_G);
}

/* The first value of an item. */
static inline uint64_t
dcso_first(uint64_t hash)
{
	return dcso_next(dcso_remainder(hash));
}

/* Add n items, one after the other; how many of them had a bit that was not
 * set. That is what DCSO counts, so the order matters for the sum. */
uint64_t bloom_dcso_add(unsigned char *bits, const struct bloom_shape *, const uint64_t *hash,
    size_t n);

/* The chance that all bits of an absent item are set, where m does not suit. Of
 * a large filter a sample is looked at, always the same. */
double bloom_dcso_fpp(const unsigned char *bits, const struct bloom_shape *);

#endif
