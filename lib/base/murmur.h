/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_MURMUR_H
#define BASE_MURMUR_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Two hash functions of Austin Appleby's (public domain) that other systems
 * chose for their sketches. Both read their input as little-endian words, so
 * they give the same numbers on every machine. They are inline, to become part
 * of a loop over many items.
 *
 * Neither is a defence against crafted input, with any seed.
 */

/* The little-endian number in 1 to 7 bytes, by loads that may overlap: that is
 * quicker than a loop, and reads nothing outside. */
static inline uint64_t
murmur_rest(const unsigned char *p, size_t n)
{
	if (n >= 4)
		return get_le32(p) | (uint64_t)get_le32(p + n - 4) << 8 * (n - 4);
	return p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1);
}

#define MURMUR64A_FACTOR UINT64_C(0xc6a4a7935bd1e995)

/* MurmurHash64A, the 64-bit version of MurmurHash2. */
static inline uint64_t
murmur64a(struct slice s, uint64_t seed)
{
	const unsigned char *p = s.at;
	uint64_t h = seed ^ s.len * MURMUR64A_FACTOR;
	size_t n = s.len;

	for (; n >= 8; n -= 8, p += 8) {
		uint64_t k = get_le64(p) * MURMUR64A_FACTOR;

		k = (k ^ k >> 47) * MURMUR64A_FACTOR;
		h = (h ^ k) * MURMUR64A_FACTOR;
	}
	if (n > 0)
		h = (h ^ murmur_rest(p, n)) * MURMUR64A_FACTOR;
	h = (h ^ h >> 47) * MURMUR64A_FACTOR;
	return h ^ h >> 47;
}

#define MURMUR3_A UINT64_C(0x87c37b91114253d5)
#define MURMUR3_B UINT64_C(0x4cf5ad432745937f)

static inline uint64_t
murmur3_rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

/* What the first and the second word of 16 bytes are turned into. */
static inline uint64_t
murmur3_first(uint64_t k)
{
	return murmur3_rotate(k * MURMUR3_A, 31) * MURMUR3_B;
}

static inline uint64_t
murmur3_second(uint64_t k)
{
	return murmur3_rotate(k * MURMUR3_B, 33) * MURMUR3_A;
}

static inline uint64_t
murmur3_finish(uint64_t k)
{
	k = (k ^ k >> 33) * UINT64_C(0xff51afd7ed558ccd);
	k = (k ^ k >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return k ^ k >> 33;
}

/* The two words of a hash of 128 bits. */
struct murmur3 {
	uint64_t h1;
	uint64_t h2;
};

/* MurmurHash3_x64_128. */
static inline struct murmur3
murmur3(struct slice s, uint64_t seed)
{
	const unsigned char *p = s.at;
	uint64_t h1 = seed, h2 = seed;
	size_t n = s.len;

	for (; n >= 16; n -= 16, p += 16) {
		h1 ^= murmur3_first(get_le64(p));
		h1 = (murmur3_rotate(h1, 27) + h2) * 5 + 0x52dce729;
		h2 ^= murmur3_second(get_le64(p + 8));
		h2 = (murmur3_rotate(h2, 31) + h1) * 5 + 0x38495ab5;
	}
	if (n > 8)
		h2 ^= murmur3_second(murmur_rest(p + 8, n - 8));
	if (n >= 8)
		h1 ^= murmur3_first(get_le64(p));
	else if (n > 0)
		h1 ^= murmur3_first(murmur_rest(p, n));

	h1 ^= s.len;
	h2 ^= s.len;
	h1 += h2;
	h2 += h1;
	h1 = murmur3_finish(h1);
	h2 = murmur3_finish(h2);
	h1 += h2;
	return (struct murmur3){h1, h2 + h1};
}

#endif
