/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_REAL_SHORT_H
#define BASE_REAL_SHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * The numbers that most lines hold: up to 16 digits, perhaps a dot, nothing else.
 * Eight bytes are one word, whose bytes are tested at once and made a number by
 * three multiplications, each of which puts neighbours together: digits to
 * pairs, pairs to fours, fours to eight.
 */

#define REAL_SHORT_BYTES 16

/* Powers of ten that are exact as doubles; in real.c. */
#define REAL_POWER_EXACT 22
extern const double real_power_of_ten[REAL_POWER_EXACT + 1];

#define REAL_EACH UINT64_C(0x0101010101010101)

/* The first n of eight bytes, 1 to 8, as digits; before them come zeros. What is
 * no digit is above 9. */
static inline uint64_t
real_word(const unsigned char *at, size_t n)
{
	return (get_le64(at) ^ '0' * REAL_EACH) << (64 - 8 * n);
}

static inline bool
real_word_digits(uint64_t word)
{
	return ((word | (word + 0x76 * REAL_EACH)) & 0x80 * REAL_EACH) == 0;
}

static inline uint64_t
real_word_value(uint64_t word)
{
	const uint64_t every_fourth = UINT64_C(0x000000ff000000ff);

	word = word * 10 + (word >> 8);
	return ((word & every_fourth) * (100 + (UINT64_C(1000000) << 32)) +
	    (word >> 16 & every_fourth) * (1 + (UINT64_C(10000) << 32))) >> 32;
}

/* Take the first dot out of a word: what stands before it moves up. Tells how
 * many bytes stand behind, 8: there is none. */
static inline unsigned
real_word_dot(uint64_t *word)
{
	const uint64_t low7 = 0x7f * REAL_EACH;
	uint64_t x = *word ^ ('.' ^ '0') * REAL_EACH;
	uint64_t dots = ~(((x & low7) + low7) | x | low7);

	if (dots == 0)
		return 8;
	unsigned bit = (unsigned)__builtin_ctzll(dots) - 7;
	uint64_t before = (UINT64_C(1) << bit) - 1;
	*word = (*word & ~(before << 8 | 0xff)) | (*word & before) << 8;
	return 7 - bit / 8;
}

/* mantissa / 10^places; a mantissa above 2^53 has no places. */
struct real_short {
	uint64_t mantissa;
	unsigned places;
};

/* A number of more than eight bytes. Out of line, since most are shorter. */
static __attribute__((noinline, unused)) bool
real_short_long(const unsigned char *at, size_t len, struct real_short *out)
{
	uint64_t high = real_word(at, len - 8), low = real_word(at + len - 8, 8);
	uint64_t shift = 100000000;

	out->places = 0;
	if (!real_word_digits(low)) {
		out->places = real_word_dot(&low);
		shift = 10000000;
	} else if (!real_word_digits(high)) {
		out->places = 8 + real_word_dot(&high);
	}
	out->mantissa = real_word_value(high) * shift + real_word_value(low);
	return real_word_digits(low) && real_word_digits(high);
}

/* false: it is no such number. Eight bytes from at on must be readable, whatever
 * the length. */
static inline __attribute__((always_inline)) bool
real_short_read(const unsigned char *at, size_t len, struct real_short *out)
{
	if (len - 1 >= 8)
		return len - 1 < REAL_SHORT_BYTES && real_short_long(at, len, out);

	uint64_t word = real_word(at, len);
	out->places = 0;
	if (!real_word_digits(word)) {
		out->places = real_word_dot(&word);
		if (!real_word_digits(word) || len == 1)
			return false;
	}
	out->mantissa = real_word_value(word);
	return true;
}

/* The same as a double: false asks for real_parse. */
static inline __attribute__((always_inline)) bool
real_short(const unsigned char *at, size_t len, double *out)
{
	struct real_short s;

	if (!real_short_read(at, len, &s))
		return false;
	*out = (double)(int64_t)s.mantissa;
	if (s.places > 0)
		*out /= real_power_of_ten[s.places];
	return true;
}

#endif
