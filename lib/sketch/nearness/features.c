/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/features.h"

#include <stdlib.h>

#include "base/hash.h"

#define P0 UINT64_C(0x243f6a8885a308d3)
#define P1 UINT64_C(0x13198a2e03707344)
#define P2 UINT64_C(0xa4093822299f31d0)
#define P3 UINT64_C(0x082efa98ec4e6c89)
#define P4 UINT64_C(0x452821e638d01377)
#define P5 UINT64_C(0xbe5466cf34e90c6c)

/* From byte 16 - n on: n bytes of ones, then zeros. */
static const unsigned char ones[48] = {
	255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

__extension__ typedef unsigned __int128 product;

static inline uint64_t
folded(uint64_t a, uint64_t b)
{
	product p = (product)a * b;

	return (uint64_t)(p >> 64) ^ (uint64_t)p;
}

/* 16 bytes behind p must be readable, whatever they hold. */
static inline uint64_t
word_hash(const unsigned char *p, size_t len, uint64_t seed)
{
	if (len > 16)
		return hash_bytes(p, len, seed);
	uint64_t x = get_le64(p) & get_le64(ones + 16 - len);
	uint64_t y = get_le64(p + 8) & get_le64(ones + 24 - len);

	return folded(x ^ P0 ^ seed, y ^ (P1 + len * P2));
}

/* By whichever of the two the rule asks for. */
static inline uint64_t
text_hash(const struct feature_rule *rule, const unsigned char *p, size_t len)
{
	return rule->key ? siphash(rule->key, (struct slice){p, len}) :
	    word_hash(p, len, rule->seed);
}

bool
feature_rule_parse(const char *text, struct feature_rule *rule)
{
	enum feature_unit unit = text[0] == 'c' ? FEATURE_CHAR : FEATURE_WORD;

	if (strncmp(text, unit == FEATURE_CHAR ? "char:" : "word:", 5) != 0)
		return false;
	unsigned n = 0;
	const char *digit = text + 5;
	while (*digit >= '0' && *digit <= '9' && n <= FEATURE_RUN_MAX)
		n = 10 * n + (unsigned)(*digit++ - '0');
	if (*digit != '\0' || text[5] == '0' || n < 1 || n > FEATURE_RUN_MAX)
		return false;
	rule->unit = unit;
	rule->n = n;
	return true;
}

void
features_init(struct features *features, struct feature_rule rule)
{
	*features = (struct features){.rule = rule};
	tokens_init(&features->tokens);
}

void
features_clear(struct features *features)
{
	tokens_clear(&features->tokens);
	free(features->at);
	features_init(features, features->rule);
}

static enum status
reserve(struct features *features, size_t more)
{
	if (more <= features->room - features->n)
		return OK;
	size_t room = features->room + features->room / 2 + more;
	uint64_t *at = realloc(features->at, room * sizeof(*at));
	if (!at)
		return STATUS_MEMORY;
	features->at = at;
	features->room = room;
	return OK;
}

/*
 * Hashes of all words. Where the mask differs from itself moved by one, a
 * word begins or ends. The places are written first and walked in pairs
 * afterwards: neither loop has a branch that follows the text. A word that
 * the stride cuts waits with its beginning in place[0].
 */
static enum status
hash_words(struct features *features)
{
	const struct tokens *tokens = &features->tokens;
	const unsigned char *text = tokens->text;
	size_t place[1 + TOKENS_PLACES], n = 0;
	const struct siphash_key *key = features->rule.key;
	uint64_t carry = 0, seed = features->rule.seed;

	for (size_t block = 0; block < tokens->blocks; ) {
		size_t stop = block + TOKENS_STRIDE;

		if (reserve(features, TOKENS_STRIDE * 32 + 1) != OK)
			return STATUS_MEMORY;
		for (; block < stop && block < tokens->blocks; block++) {
			uint64_t mask = tokens->mask[block];

			n += tokens_places(mask ^ (mask << 1 | carry), 64 * block, place + n);
			carry = mask >> 63;
		}
		uint64_t *at = features->at + features->n;
		/* tokens_places has written n of them; an analyser loses count.
		 * NOLINTBEGIN(clang-analyzer-core.*) */
		for (size_t i = 0; !key && i + 1 < n; i += 2)
			*at++ = word_hash(text + place[i], place[i + 1] - place[i], seed);
		for (size_t i = 0; key && i + 1 < n; i += 2)
			*at++ = siphash(key, (struct slice){text + place[i],
			    place[i + 1] - place[i]});
		features->n = (size_t)(at - features->at);
		if (n % 2 != 0)
			place[0] = place[n - 1];
		/* NOLINTEND(clang-analyzer-core.*) */
		n %= 2;
	}
	return OK;
}

/* Word i to words i .. i + n - 1, in place: who comes later reads only what
 * lies behind. Fewer than n words become one feature. */
static inline __attribute__((always_inline)) void
combine(struct features *features, size_t n)
{
	uint64_t *w = features->at;

	if (features->n < n)
		n = features->n;
	features->n -= n - 1;
	for (size_t i = 0; i < features->n; i++) {
		uint64_t f = n == 1 ? folded(w[i] ^ P3, P4) :
		    folded(w[i] ^ P3, w[i + 1] ^ P4);

		for (size_t j = 2; j < n; j++)
			f = folded(f ^ P3, w[i + j] ^ P4);
		w[i] = f;
	}
}

/* The same loop with n known where it matters. */
static void
combine_words(struct features *features)
{
	if (features->rule.n == 2 && features->n > 2)
		combine(features, 2);
	else if (features->rule.n == 3 && features->n > 3)
		combine(features, 3);
	else
		combine(features, features->rule.n);
}

/* Each run of n characters; place[] holds the beginnings of the n that came
 * last and then those of this stride. */
static enum status
hash_chars(struct features *features)
{
	const struct tokens *tokens = &features->tokens;
	size_t place[FEATURE_RUN_MAX + 1 + TOKENS_PLACES], n = features->rule.n, have = 0;

	for (size_t block = 0; block < tokens->blocks; ) {
		size_t stop = block + TOKENS_STRIDE, i = 0;

		if (reserve(features, TOKENS_STRIDE * 64 + 1) != OK)
			return STATUS_MEMORY;
		for (; block < stop && block < tokens->blocks; block++)
			have += tokens_places(tokens->mask[block], 64 * block, place + have);
		if (block == tokens->blocks)
			place[have++] = tokens->len;
		for (; i + n < have; i++) {
			uint64_t w = text_hash(&features->rule, tokens->text + place[i],
			    place[i + n] - place[i]);

			features->at[features->n++] = folded(w ^ P3, P4);
		}
		memmove(place, place + i, (have - i) * sizeof(*place));
		have -= i;
	}
	if (features->n == 0 && have > 1)
		features->at[features->n++] = folded(text_hash(&features->rule,
		    tokens->text + place[0], place[have - 1] - place[0]) ^ P3, P4);
	return OK;
}

enum status
features_of(struct features *features, struct slice document)
{
	bool words = features->rule.unit == FEATURE_WORD;

	features->n = 0;
	if ((words ? tokens_words : tokens_chars)(&features->tokens, document) != OK ||
	    (words ? hash_words : hash_chars)(features) != OK)
		return STATUS_MEMORY;
	if (features->n == 0) {
		const unsigned char *at = document.len ? document.at : ones;
		uint64_t h = features->rule.key ?
		    siphash(features->rule.key, (struct slice){at, document.len}) :
		    hash_bytes(at, document.len, features->rule.seed);

		features->at[features->n++] = folded(h ^ P5, P4);
	} else if (words) {
		combine_words(features);
	}
	return OK;
}
