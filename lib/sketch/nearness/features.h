/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_FEATURES_H
#define SKETCH_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/siphash.h"
#include "base/status.h"
#include "sketch/nearness/tokens.h"

/*
 * Features of a document: one 64-bit hash for each run of N words (word:N) or
 * N characters (char:N), in order, repeats included.
 *
 * word:N slides by one word over all words; a document with fewer than N of
 * them has one feature, all the words there are, so that "cat" and "dog"
 * differ under word:2. char:N does the same with characters, where a run of
 * white space counts as one blank. A document without any word or character
 * has one feature, its bytes as they came, so that "---" and "***" differ.
 *
 * The hash is part of what a saved signature means. All arithmetic is on
 * unsigned 64-bit numbers, P0 P1 ... are the first bits behind the point of
 * pi, 64 at a time, and fold(a, b) is the high half of the 128-bit product
 * a * b XOR its low half.
 *
 *	P0 = 243f6a8885a308d3   P3 = 082efa98ec4e6c89
 *	P1 = 13198a2e03707344   P4 = 452821e638d01377
 *	P2 = a4093822299f31d0   P5 = be5466cf34e90c6c
 *
 *	bytes of a word or of N characters, folded, len of them:
 *	len <= 16: padded with zeros to 16, two little-endian halves x, y;
 *	           W = fold(x ^ P0 ^ seed, y ^ (P1 + len * P2))
 *	len > 16:  W = XXH3-64(bytes, seed)
 *
 *	words W1 .. Wk, k >= 2:       F = fold(W1 ^ P3, W2 ^ P4), then for each
 *	                              further word F = fold(F ^ P3, Wi ^ P4)
 *	one word, or N characters:    F = fold(W1 ^ P3, P4)
 *	neither word nor character:   F = fold(XXH3-64(document, seed) ^ P5, P4)
 *
 * With a key W is SipHash-2-4(bytes), whatever their length, and so is the hash of
 * a document with neither word nor character. What is made of them stays as above:
 * who knows no W cannot choose what it will be.
 *
 * No length classes and no branch for words up to 16 bytes: a word of a text
 * is short, and its length is what a processor cannot guess. Without a key it is a
 * fast hash with a public seed, no defence against crafted input.
 *
 *	rule    seed  document                features
 *	word:1  0     a                       8bad060523fd9337
 *	word:1  0     Hello                   8d19658c76420ebe
 *	word:1  7     hello                   880184cc3e80144d
 *	word:1  0     internationalization    6a5ddd5b9c539ea2
 *	word:2  0     The quick fox           2bb7860d7603e22a 309adf364559d0ac
 *	word:3  0     the, quick... FOX       fecfc00111015c3f
 *	char:3  0     A  b c                  af64842cd27d2b73 7d447fda58005c92
 *	                                      d1bff11d7b904c41
 *	word:2  0     ---                     57f5ed16d8b8008b
 */
enum feature_unit { FEATURE_WORD, FEATURE_CHAR };

struct feature_rule {
	enum feature_unit unit;
	unsigned n;                  /* 1..FEATURE_RUN_MAX */
	uint64_t seed;
	const struct siphash_key *key;       /* in its place; NULL: none */
};

#define FEATURE_RUN_MAX 16

/* "word:2", "char:5". False, and the rule untouched, if it is anything else;
 * seed and key are left as they were. */
bool feature_rule_parse(const char *text, struct feature_rule *);

/* Scratch that grows to the longest document and is kept: 8 bytes a feature
 * and what tokens.h says. One for each thread. */
struct features {
	struct feature_rule rule;
	struct tokens tokens;
	uint64_t *at;                /* the features, until the next call */
	size_t n;                    /* at least 1 */
	size_t room;
};

void features_init(struct features *, struct feature_rule);
void features_clear(struct features *);

/* OK or STATUS_MEMORY. */
enum status features_of(struct features *, struct slice document);

#endif
