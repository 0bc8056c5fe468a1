/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

/*
 * Bytes: little-endian numbers, slices of somebody else's bytes, and buffers
 * of one's own. A line may hold any byte, NUL included, so bytes are always a
 * pointer and a length.
 */

/* Somebody else's bytes; valid as long as its owner says. */
struct slice {
	const unsigned char *at;
	size_t len;
};

/* Owned bytes that grow. All zero is an empty buffer. */
struct buffer {
	unsigned char *at;
	size_t len;
	size_t room;
};

static inline uint16_t
get_le16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
get_le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t
get_le64(const unsigned char *p)
{
	return get_le32(p) | (uint64_t)get_le32(p + 4) << 32;
}

static inline void
put_le16(unsigned char *p, uint16_t v)
{
	p[0] = (unsigned char)v;
	p[1] = (unsigned char)(v >> 8);
}

static inline void
put_le32(unsigned char *p, uint32_t v)
{
	put_le16(p, (uint16_t)v);
	put_le16(p + 2, (uint16_t)(v >> 16));
}

static inline void
put_le64(unsigned char *p, uint64_t v)
{
	put_le32(p, (uint32_t)v);
	put_le32(p + 4, (uint32_t)(v >> 32));
}

/* A double as the 64 bits of IEEE 754, and back. */
static inline uint64_t
real_bits(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof bits);
	return bits;
}

static inline double
real_from(uint64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof real);
	return real;
}

static inline struct slice
slice_of(const char *text)
{
	return (struct slice){(const unsigned char *)text, strlen(text)};
}

static inline bool
slice_equal(struct slice a, struct slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

/* Where bytes go: a buffer, a file, an encoder. write returns OK, or why not. */
struct sink {
	enum status (*write)(void *to, const void *, size_t);
	void *to;
};

/* Order by bytes, a prefix first: as memcmp, then by length. */
int slice_compare(struct slice a, struct slice b);

/* Make room for more bytes behind len, growing at least twofold.
 * OK or STATUS_MEMORY; then the buffer is as it was. */
enum status buffer_reserve(struct buffer *, size_t more);
enum status buffer_append(struct buffer *, const void *, size_t);
/* More zero bytes. */
enum status buffer_zeros(struct buffer *, size_t);
/* A sink that appends to the buffer. */
struct sink buffer_sink(struct buffer *);
/* Release the bytes; the buffer is empty and may be used again. */
void buffer_free(struct buffer *);

/*
 * A number in as few bytes as it needs: groups of seven bits, the least
 * significant first, one group a byte; the eighth bit tells that another follows
 * (LEB128). The shortest form is the only one.
 */
#define NUMBER_BYTES 10        /* bytes of the longest */

/* How many bytes were put. */
size_t number_put(unsigned char *, uint64_t);
/* Takes it from the beginning of the slice; false, and the slice is as it was, if
 * it is cut, past 64 bits, or not in the shortest form. */
bool number_get(struct slice *, uint64_t *);

/* a + b, or the largest number if the sum is larger. */
static inline uint64_t
add_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The largest number that divides both; the other one if one is 0. */
static inline uint64_t
common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

#endif
