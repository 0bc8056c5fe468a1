/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_MASK_BITS_H
#define BASE_MASK_BITS_H

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

/*
 * The bytes of a line by class, a bit each: 64 bytes at a time, without a branch
 * and without a table. A class is computed in vectors of 16 bytes, in whatever
 * form the machine has them; only the gathering of bits is told apart.
 */

enum mask_class {
	MASK_SEPARATOR,              /* base/word.h */
	MASK_TRIGGER,                /* digits and " ' / \ @, of which a value holds one */
	MASK_AF,                     /* letters a to f */
	MASK_CLASSES,
};

typedef unsigned char mask_vector __attribute__((vector_size(16)));

#if defined(__SSE2__) && !defined(SCAN_PORTABLE)
#include <emmintrin.h>

static inline uint64_t
mask_gather(mask_vector v)
{
	return (uint32_t)_mm_movemask_epi8((__m128i)v);
}

#else

/* Bytes that are 0 or 255: the multiplication moves the lowest bit of byte i
 * to bit 56 + i, and no two meet. */
static inline uint64_t
mask_gather(mask_vector v)
{
	unsigned char flag[16];
	uint64_t bits = 0;

	v &= 1;
	memcpy(flag, &v, 16);
	for (unsigned i = 0; i < 2; i++)
		bits |= (get_le64(flag + 8 * i) * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
	return bits;
}

#endif

/* Is a byte one of so many from low on? */
static inline mask_vector
mask_range(mask_vector v, unsigned char low, unsigned char high)
{
	return (mask_vector)((v - low) <= (unsigned char)(high - low));
}

static inline mask_vector
mask_equal(mask_vector v, unsigned char c)
{
	return (mask_vector)(v == c);
}

/* Of 64 bytes the bits of each class. */
static inline void
mask_classes(const unsigned char *p, uint64_t bits[MASK_CLASSES])
{
	uint64_t separators = 0, triggers = 0, letters = 0;

	for (unsigned i = 0; i < 64; i += 16) {
		mask_vector v;

		memcpy(&v, p + i, 16);
		mask_vector folded = v | 0x20;       /* [\] become {|} */
		mask_vector backslash = mask_equal(v, '\\');
		mask_vector quote = mask_equal(v, '"');
		mask_vector separator = quote | mask_range(v, 0, ' ') | mask_range(v, '\'', ')') |
		    mask_equal(v, ',') | mask_range(v, ':', '>') |
		    (mask_range(folded, '{', '}') & ~backslash);
		mask_vector trigger = quote | backslash | mask_range(v, '/', '9') |
		    mask_equal(v, '\'') | mask_equal(v, '@');

		separators |= mask_gather(separator) << i;
		triggers |= mask_gather(trigger) << i;
		letters |= mask_gather(mask_range(folded, 'a', 'f')) << i;
	}
	bits[MASK_SEPARATOR] = separators;
	bits[MASK_TRIGGER] = triggers;
	bits[MASK_AF] = letters;
}

/* Of 64 bytes the digits. */
static inline uint64_t
mask_digits(const unsigned char *p)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 64; i += 16) {
		mask_vector v;

		memcpy(&v, p + i, 16);
		bits |= mask_gather(mask_range(v, '0', '9')) << i;
	}
	return bits;
}

/* Where eight bits in a row begin, of two words that follow each other. */
static inline uint64_t
mask_eight(uint64_t low, uint64_t high)
{
	for (unsigned step = 1; step < 8; step *= 2) {
		low &= low >> step | high << (64 - step);
		high &= high >> step;
	}
	return low;
}

#endif
