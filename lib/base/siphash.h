/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_SIPHASH_H
#define BASE_SIPHASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * SipHash-2-4 of Aumasson and Bernstein ("SipHash: a fast short-input PRF",
 * 2012): who does not hold the key cannot tell its 64 bits from random ones, so
 * nobody can look for items that meet. A short one takes some 10 ns longer than by
 * XXH3; many at a time (siphash_batch.h) half of that.
 *
 * A sketch must be able to say by which key it was made without telling the key.
 * It stores the key's fingerprint: the first 64 bits of the 128 that the same
 * authors' wider variant makes of SIPHASH_NAME. The wider one starts and ends
 * with other constants, so that a fingerprint is the hash of no item.
 */
struct siphash_key {
	uint64_t k0, k1;             /* 16 bytes, little-endian */
};

#define SIPHASH_KEY_BYTES 16
#define SIPHASH_NAME "sketchutils key"

/* A key as a file holds it: 16 bytes as they are, or 32 hexadecimal digits, with or
 * without a newline. Sixteen digits are 16 bytes: no key is shorter. False: anything
 * else. */
bool siphash_key_parse(struct slice file, struct siphash_key *);

/* No file of a key is longer. */
#define SIPHASH_FILE_MAX (2 * SIPHASH_KEY_BYTES + 1)

uint64_t siphash_fingerprint(const struct siphash_key *);

/* The wider variant, all of it. */
void siphash_wide(const struct siphash_key *, struct slice, uint64_t hash[2]);

struct siphash_state {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t
siphash_rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static inline __attribute__((always_inline)) void
siphash_round(struct siphash_state *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = siphash_rotate(s->v1, 13) ^ s->v0;
	s->v3 = siphash_rotate(s->v3, 16) ^ s->v2;
	s->v0 = siphash_rotate(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = siphash_rotate(s->v1, 17) ^ s->v2;
	s->v3 = siphash_rotate(s->v3, 21) ^ s->v0;
	s->v2 = siphash_rotate(s->v2, 32);
}

static inline __attribute__((always_inline)) void
siphash_word(struct siphash_state *s, uint64_t word)
{
	s->v3 ^= word;
	siphash_round(s);
	siphash_round(s);
	s->v0 ^= word;
}

static inline __attribute__((always_inline)) uint64_t
siphash_finish(struct siphash_state *s)
{
	siphash_round(s);
	siphash_round(s);
	siphash_round(s);
	siphash_round(s);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/* The 0 to 7 bytes that fill no word, and above them the length's lowest byte. By
 * loads that may overlap: quicker than a loop, and nothing outside is read. */
static inline __attribute__((always_inline)) uint64_t
siphash_tail(struct slice s)
{
	size_t rest = s.len & 7;
	uint64_t word = (uint64_t)s.len << 56;

	if (rest == 0)
		return word;
	const unsigned char *end = s.at + s.len;
	if (s.len >= 8)
		return word | get_le64(end - 8) >> 8 * (8 - rest);
	if (rest >= 4)
		return word | get_le32(s.at) | (uint64_t)get_le32(end - 4) << 8 * (rest - 4);
	return word | s.at[0] | (uint64_t)s.at[rest / 2] << 8 * (rest / 2) |
	    (uint64_t)end[-1] << 8 * (rest - 1);
}

static inline __attribute__((always_inline)) struct siphash_state
siphash_start(const struct siphash_key *key)
{
	return (struct siphash_state){
		key->k0 ^ UINT64_C(0x736f6d6570736575), key->k1 ^ UINT64_C(0x646f72616e646f6d),
		key->k0 ^ UINT64_C(0x6c7967656e657261), key->k1 ^ UINT64_C(0x7465646279746573),
	};
}

static inline __attribute__((always_inline)) void
siphash_text(struct siphash_state *state, struct slice s)
{
	size_t whole = s.len & ~(size_t)7;

	for (size_t i = 0; i < whole; i += 8)
		siphash_word(state, get_le64(s.at + i));
	siphash_word(state, siphash_tail(s));
}

static inline uint64_t
siphash(const struct siphash_key *key, struct slice s)
{
	struct siphash_state state = siphash_start(key);

	siphash_text(&state, s);
	state.v2 ^= 0xff;
	return siphash_finish(&state);
}

#endif
