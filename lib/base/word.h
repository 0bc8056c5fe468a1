/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of log lines. A word is a run of bytes that separate nothing; what
 * separates are blanks and  " ' ( ) , : ; < = > [ ] { | }
 */

/* One bit for each of the first 128 bytes. */
#define WORD_SEPARATORS_LOW UINT64_C(0x7c001385ffffffff)
#define WORD_SEPARATORS_HIGH UINT64_C(0x3800000028000000)

static inline bool
is_blank(unsigned char c)
{
	return c <= ' ';
}

static inline bool
is_separator(unsigned char c)
{
	uint64_t set = c < 64 ? WORD_SEPARATORS_LOW : WORD_SEPARATORS_HIGH;

	return c < 128 && (set >> (c & 63) & 1);
}

static inline bool
is_digit(unsigned char c)
{
	return (unsigned)c - '0' < 10;
}

static inline bool
is_letter(unsigned char c)
{
	return ((unsigned)c | 0x20) - 'a' < 26;
}

static inline bool
is_hex(unsigned char c)
{
	return is_digit(c) || ((unsigned)c | 0x20) - 'a' < 6;
}

/* What a hexadecimal digit is worth; -1: it is none. */
static inline int
hex_value(unsigned char c)
{
	return !is_hex(c) ? -1 : is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* What ends a sentence, behind a word: not a part of it. */
static inline bool
is_stop(unsigned char c)
{
	return c == '.' || c == '!' || c == '?';
}

/* Is there no more of a word at p? */
static inline bool
word_over(const unsigned char *p, const unsigned char *end)
{
	while (p < end && is_stop(*p))
		p++;
	return p == end || is_separator(*p);
}

#endif
