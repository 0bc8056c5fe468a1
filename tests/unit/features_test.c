/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/features.h"

#include "base/hash.h"
#include "check.h"

static struct feature_rule
rule(const char *text, uint64_t seed)
{
	struct feature_rule r = {.seed = seed};

	CHECK(feature_rule_parse(text, &r));
	return r;
}

/* The definition in features.h once more, without its shortcuts. */

static uint64_t
fold(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t other = a0 * b1 + (uint32_t)middle;

	return (a1 * b1 + (middle >> 32) + (other >> 32)) ^ (a * b);
}

static const uint64_t P[6] = {
	UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344),
	UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89),
	UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c),
};

static uint64_t
word(const char *text, size_t len, uint64_t seed)
{
	uint64_t half[2] = {0};

	if (len > 16)
		return XXH3_64bits_withSeed(text, len, seed);
	for (size_t i = 0; i < len; i++)
		half[i / 8] |= (uint64_t)(unsigned char)text[i] << 8 * (i % 8);
	return fold(half[0] ^ P[0] ^ seed, half[1] ^ (P[1] + len * P[2]));
}

static uint64_t
run(const char **text, size_t n, uint64_t seed)
{
	uint64_t f = word(text[0], strlen(text[0]), seed);

	if (n == 1)
		return fold(f ^ P[3], P[4]);
	for (size_t i = 1; i < n; i++)
		f = fold(f ^ P[3], word(text[i], strlen(text[i]), seed) ^ P[4]);
	return f;
}

static void
rules_are_read_whole(void)
{
	struct feature_rule r = {.unit = FEATURE_CHAR, .n = 9, .seed = 5};
	static const char *bad[] = {
		"", "word", "word:", "word:0", "word:17", "word:02", "word:2 ", "word:-2",
		"Word:2", "words:2", "char", "char:0", "char:99999999999999999999", "w:2", ":2", "c",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(!feature_rule_parse(bad[i], &r));
	CHECK(r.unit == FEATURE_CHAR && r.n == 9 && r.seed == 5);
	CHECK(feature_rule_parse("word:2", &r) && r.unit == FEATURE_WORD && r.n == 2 && r.seed == 5);
	CHECK(feature_rule_parse("char:16", &r) && r.unit == FEATURE_CHAR && r.n == 16);
}

static void
vectors_of_the_manual(void)
{
	static const struct {
		const char *rule;
		uint64_t seed;
		const char *document;
		size_t n;
		uint64_t feature[3];
	} v[] = {
		{"word:1", 0, "a", 1, {UINT64_C(0x8bad060523fd9337)}},
		{"word:1", 0, "Hello", 1, {UINT64_C(0x8d19658c76420ebe)}},
		{"word:1", 7, "hello", 1, {UINT64_C(0x880184cc3e80144d)}},
		{"word:1", 0, "internationalization", 1, {UINT64_C(0x6a5ddd5b9c539ea2)}},
		{"word:2", 0, "The quick fox", 2,
		    {UINT64_C(0x2bb7860d7603e22a), UINT64_C(0x309adf364559d0ac)}},
		{"word:3", 0, "the, quick... FOX", 1, {UINT64_C(0xfecfc00111015c3f)}},
		{"char:3", 0, "A  b c", 3, {UINT64_C(0xaf64842cd27d2b73),
		    UINT64_C(0x7d447fda58005c92), UINT64_C(0xd1bff11d7b904c41)}},
		{"word:2", 0, "---", 1, {UINT64_C(0x57f5ed16d8b8008b)}},
		{"word:2", 0, "na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac", 2,
		    {UINT64_C(0x6a26240c615f8533), UINT64_C(0x0a04e8fb30e20687)}},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct features f;

		features_init(&f, rule(v[i].rule, v[i].seed));
		CHECK_EQ(features_of(&f, slice_of(v[i].document)), OK);
		CHECK_EQ(f.n, v[i].n);
		for (size_t j = 0; j < v[i].n && j < f.n; j++)
			CHECK_EQ(f.at[j], v[i].feature[j]);
		features_clear(&f);
	}
}

static void
words_slide_by_one_whatever_the_strides(void)
{
	static char document[200000], lexeme[5000][24];
	static const char *at[5000];
	uint64_t random = 3;

	/* Lengths 1..20, so that words lie across all edges of blocks. */
	for (size_t count = 1; count <= 5000; count = 3 * count + 1) {
		size_t len = 0;

		for (size_t i = 0; i < count; i++) {
			size_t n = 1 + check_random(&random) % 20;

			for (size_t j = 0; j < n; j++)
				lexeme[i][j] = (char)('a' + check_random(&random) % 26);
			lexeme[i][n] = '\0';
			at[i] = lexeme[i];
			memcpy(document + len, lexeme[i], n);
			len += n;
			for (size_t blanks = 1 + check_random(&random) % 3; blanks > 0; blanks--)
				document[len++] = ' ';
		}
		for (unsigned n = 1; n <= 16; n++) {
			struct features f;
			char text[16];
			size_t used = count < n ? count : n;

			snprintf(text, sizeof(text), "word:%u", n);
			features_init(&f, rule(text, count));
			CHECK_EQ(features_of(&f, (struct slice){(unsigned char *)document, len}), OK);
			CHECK_EQ(f.n, count - used + 1);
			for (size_t i = 0; i < f.n; i++)
				CHECK_EQ(f.at[i], run(at + i, used, count));
			features_clear(&f);
		}
	}
}

static void
characters_slide_by_one(void)
{
	static unsigned char document[3000];
	uint64_t random = 4;
	struct features f;

	for (size_t i = 0; i < sizeof(document); i++)
		document[i] = (unsigned char)('!' + check_random(&random) % 30);
	for (unsigned n = 1; n <= 16; n += 5) {
		char text[16];

		snprintf(text, sizeof(text), "char:%u", n);
		features_init(&f, rule(text, 0));
		CHECK_EQ(features_of(&f, (struct slice){document, sizeof(document)}), OK);
		CHECK_EQ(f.n, sizeof(document) - n + 1);
		for (size_t i = 0; i < f.n; i++)
			CHECK_EQ(f.at[i], fold(word((char *)document + i, n, 0) ^ P[3], P[4]));
		features_clear(&f);
	}
	/* Three ideographs are a run of three, not of nine; 8 take 24 bytes. */
	static const char *han = "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5"
	    "\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac";
	features_init(&f, rule("char:3", 0));
	CHECK_EQ(features_of(&f, slice_of(han)), OK);
	CHECK_EQ(f.n, 6);
	CHECK_EQ(f.at[1], fold(word(han + 3, 9, 0) ^ P[3], P[4]));
	CHECK_EQ(f.at[0], f.at[3]);
	features_clear(&f);
	features_init(&f, rule("char:8", 0));
	CHECK_EQ(features_of(&f, slice_of(han)), OK);
	CHECK_EQ(f.n, 1);
	CHECK_EQ(f.at[0], fold(word(han, 24, 0) ^ P[3], P[4]));
	features_clear(&f);
}

static void
short_documents_differ_as_their_texts_do(void)
{
	static const char *alike[][2] = {
		{"cat", "Cat!"}, {"cat dog", "  CAT,dog"}, {"-", "-"}, {"", ""},
	};
	static const char *unlike[] = {
		"", " ", "-", "--", "\xe3\x80\x82", "cat", "dog", "cat dog", "dog cat", "catdog",
		"cat cat", "\xe6\x97\xa5", "\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac", "a", "b",
	};
	const size_t n = sizeof(unlike) / sizeof(*unlike);
	static const char *rules[] = {"word:2", "word:5", "char:9"};

	for (size_t r = 0; r < 3; r++) {
		struct features f;
		uint64_t seen[32];

		features_init(&f, rule(rules[r], 0));
		for (size_t i = 0; i < 4 && r < 2; i++) {
			CHECK_EQ(features_of(&f, slice_of(alike[i][0])), OK);
			uint64_t first = f.at[0];
			CHECK_EQ(features_of(&f, slice_of(alike[i][1])), OK);
			CHECK_EQ(f.at[0], first);
		}
		for (size_t i = 0; i < n; i++) {
			CHECK_EQ(features_of(&f, slice_of(unlike[i])), OK);
			CHECK_EQ(f.n, 1);
			seen[i] = f.at[0];
			for (size_t j = 0; j < i; j++)
				CHECK(seen[j] != seen[i]);
		}
		features_clear(&f);
	}
}

/* Every input bit must reach every output bit about half of the time. */
static void
one_changed_letter_turns_half_of_the_bits(void)
{
	uint64_t random = 5, flips[64] = {0}, rounds = 0;
	struct features f;

	features_init(&f, rule("word:1", 0));
	for (unsigned round = 0; round < 20000; round++) {
		unsigned char text[17];
		size_t len = 1 + check_random(&random) % 16, at = check_random(&random) % len;

		for (size_t i = 0; i < len; i++)
			text[i] = (unsigned char)('a' + check_random(&random) % 26);
		CHECK_EQ(features_of(&f, (struct slice){text, len}), OK);
		uint64_t before = f.at[0];
		text[at] = (unsigned char)('a' + (text[at] - 'a' + 1 + check_random(&random) % 25) % 26);
		CHECK_EQ(features_of(&f, (struct slice){text, len}), OK);
		for (unsigned b = 0; b < 64; b++)
			flips[b] += (before ^ f.at[0]) >> b & 1;
		rounds++;
	}
	/* Five standard deviations of 20000 fair coins. */
	for (unsigned b = 0; b < 64; b++)
		CHECK_IN((double)flips[b] / (double)rounds, 0.5 - 0.018, 0.5 + 0.018);
	features_clear(&f);
}

int
main(void)
{
	RUN(rules_are_read_whole);
	RUN(vectors_of_the_manual);
	RUN(words_slide_by_one_whatever_the_strides);
	RUN(characters_slide_by_one);
	RUN(short_documents_differ_as_their_texts_do);
	RUN(one_changed_letter_turns_half_of_the_bits);
	return check_done();
}
