/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TOKENS_H
#define SKETCH_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * Words and characters of a document, case folded into a copy.
 *
 * A word is a maximal run of letters, marks and numbers (Unicode categories L,
 * M and N); all else separates. A character of a script that is written
 * without blanks (Han, kana, Thai, Lao, Khmer, Myanmar) is a word by itself.
 * Case is folded where one character becomes one character. Text is UTF-8 and
 * is not normalised: a composed and a decomposed accent differ. A byte that is
 * no part of well-formed UTF-8 is a letter that has no case, so words of
 * Latin-1 text stay whole. A document of ASCII bytes alone never pays for
 * this: it is classed 64 bytes at a time, with the same words as a result.
 *
 * What was found is a bit for each byte of the copy.
 */
struct tokens {
	unsigned char *text;         /* the copy, TOKENS_SLACK readable bytes behind */
	uint64_t *mask;              /* bit i % 64 of mask[i / 64] belongs to text[i] */
	size_t len;                  /* bytes of the copy */
	size_t blocks;               /* words of mask, the last of them zero */
	size_t room;
	unsigned char *classes;      /* of characters below U+10000, once needed */
};

/* Behind text: so that 16 bytes may be loaded wherever a word begins. */
#define TOKENS_SLACK 64

void tokens_init(struct tokens *);
void tokens_clear(struct tokens *);

/* A bit is set where a byte belongs to a word; words do not touch. Both
 * return OK or STATUS_MEMORY, and what they found lives until the next call.
 * Memory grows to the longest document (ASCII: its size and an eighth; else
 * at most twice that) and is kept. */
enum status tokens_words(struct tokens *, struct slice document);

/* A bit is set where a character begins. Punctuation stays; a run of white
 * space is one blank, and none at either end. */
enum status tokens_chars(struct tokens *, struct slice document);

/* A walk over the bits, TOKENS_STRIDE blocks at a time. */
#define TOKENS_STRIDE 16
/* Places that one call may write: one a bit, and seven that are overrun. */
#define TOKENS_PLACES (TOKENS_STRIDE * 64 + 8)

/* Write the place of the lowest set bit, return the others. */
static inline uint64_t
tokens_place(uint64_t bits, size_t base, size_t *place)
{
	*place = base + (unsigned)__builtin_ctzll(bits | UINT64_C(1) << 63);
	return bits & (bits - 1);
}

/* Write the places of the set bits of one block, lowest first, and return
 * how many. Up to seven places behind them are overwritten: eight at a time
 * without a branch beats a loop that leaves at the right moment. */
static inline size_t
tokens_places(uint64_t bits, size_t base, size_t *place)
{
	size_t n = (size_t)__builtin_popcountll(bits);

	for (const size_t *end = place + n; place < end; place += 8) {
		bits = tokens_place(bits, base, place);
		bits = tokens_place(bits, base, place + 1);
		bits = tokens_place(bits, base, place + 2);
		bits = tokens_place(bits, base, place + 3);
		bits = tokens_place(bits, base, place + 4);
		bits = tokens_place(bits, base, place + 5);
		bits = tokens_place(bits, base, place + 6);
		bits = tokens_place(bits, base, place + 7);
	}
	return n;
}

#endif
