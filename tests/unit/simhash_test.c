/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/simhash.h"

#include <math.h>

#include "check.h"
#include "sketch/nearness/simhash_near.h"

#define VOCABULARY 50000

static struct features scratch;
static uint64_t random_state = 11;

struct simhash {
	uint64_t signature, content[2];
	const uint64_t *feature;
	size_t features;
	bool exact;
};

/* Too few features have a signature as well, of which an index has no use. */
static struct simhash
signed_text(const char *text, size_t len)
{
	struct near_document d = {0};
	struct near_rule rule = {.features = scratch.rule};
	uint64_t signature;

	CHECK_EQ(near_document(&simhash_nearness, &rule, &scratch,
	    (struct slice){(const unsigned char *)text, len}, &signature, NULL, &d), OK);
	return (struct simhash){
		.signature = simhash_sign(scratch.at, scratch.n),
		.content = {d.content[0], d.content[1]},
		.feature = scratch.at, .features = scratch.n, .exact = d.exact,
	};
}

static struct simhash
signed_string(const char *text)
{
	return signed_text(text, strlen(text));
}

static void
use_rule(const char *text)
{
	struct feature_rule rule = {0};

	CHECK(feature_rule_parse(text, &rule));
	features_clear(&scratch);
	features_init(&scratch, rule);
}

static double
uniform(void)
{
	return (double)(check_random(&random_state) >> 11) / 9007199254740992.0;
}

/* A word of natural text: number i has the weight 1 / (i + 2.7). */
static unsigned
zipf(void)
{
	static double sum[VOCABULARY];

	if (sum[0] == 0)
		for (unsigned i = 0; i < VOCABULARY; i++)
			sum[i] = (i ? sum[i - 1] : 0) + 1 / (i + 2.7);
	double at = uniform() * sum[VOCABULARY - 1];
	unsigned low = 0, high = VOCABULARY - 1;
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (sum[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct simhash
signed_words(const unsigned *word, size_t n)
{
	static char text[16384];
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		for (unsigned v = word[i] + 1; v > 0; v /= 20)
			text[len++] = (char)('a' + v % 20);
		text[len++] = ' ';
	}
	return signed_text(text, len);
}

/* The definition: a counter for each bit. */
static uint64_t
plain_sign(const uint64_t *f, size_t n)
{
	uint64_t least = f[0], signature = 0;

	for (size_t i = 1; i < n; i++)
		least = f[i] < least ? f[i] : least;
	for (unsigned b = 0; b < 64; b++) {
		size_t votes = 0, all = n + (n % 2 == 0);

		for (size_t i = 0; i < n; i++)
			votes += f[i] >> b & 1;
		if (n % 2 == 0)
			votes += least >> b & 1;
		if (2 * votes > all)
			signature |= UINT64_C(1) << b;
	}
	return signature;
}

static void
signature_is_the_majority_of_each_bit(void)
{
	unsigned word[600];

	use_rule("word:2");
	for (size_t n = 1; n < 600; n += n < 140 ? 1 : 37) {
		for (size_t i = 0; i < n; i++)
			word[i] = zipf();
		struct simhash s = signed_words(word, n);
		CHECK_EQ(s.signature, plain_sign(s.feature, s.features));
		CHECK_EQ(s.features, n > 1 ? n - 1 : 1);
		CHECK_EQ(s.exact, s.features < 4);
	}
	/* One feature, many votes. */
	for (size_t n = 2; n < 600; n += 53) {
		for (size_t i = 0; i < n; i++)
			word[i] = 7;
		struct simhash s = signed_words(word, n);
		CHECK_EQ(s.signature, s.feature[0]);
	}
}

static void
vectors_of_the_manual(void)
{
	use_rule("word:2");
	struct simhash s = signed_string("The quick brown fox jumps over the lazy dog.");
	CHECK_EQ(s.signature, UINT64_C(0x197ea48584ca661d));
	CHECK_EQ(s.content[0], UINT64_C(0x5dcd1a964b3546fe));
	CHECK_EQ(s.content[1], UINT64_C(0x975a3cc7494f07c2));
	CHECK_EQ(s.features, 8);
	CHECK(!s.exact);
	use_rule("char:5");
	CHECK_EQ(signed_string("The quick brown fox jumps over the lazy dog.").signature, UINT64_C(0x4a9dfdb8516b5029));
}

static void
content_is_what_is_left_of_case_and_punctuation(void)
{
	use_rule("word:2");
	struct simhash a = signed_string("Error: disk full, on /dev/sda at 12:30");
	struct simhash b = signed_string("error disk FULL on dev sda (at) 12 30!");
	CHECK(a.signature == b.signature && memcmp(a.content, b.content, 16) == 0);
	struct simhash c = signed_string("error disk full on dev sda at 12 31");
	CHECK(memcmp(a.content, c.content, 16) != 0);
	/* Same features in another order. */
	use_rule("word:1");
	a = signed_string("a b c d e");
	b = signed_string("a b c e d");
	CHECK(a.signature == b.signature && memcmp(a.content, b.content, 16) != 0);
}

static void
short_documents_have_no_constant_signature(void)
{
	static const char *text[] = {
		"", "-", "--", "\xe3\x80\x82", "cat", "dog", "cat dog", "dog cat", "a b c", "a b d",
		"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x9c\xac\xe6\x97\xa5", "\xff", "\xfe",
	};
	const size_t n = sizeof(text) / sizeof(*text);
	uint64_t seen[14];

	use_rule("word:2");
	for (size_t i = 0; i < n; i++) {
		struct simhash s = signed_string(text[i]);

		CHECK(s.exact);
		seen[i] = s.signature;
		for (size_t j = 0; j < i; j++)
			CHECK(seen[i] != seen[j]);
	}
}

/* S1: replaced words move a signature as far as the formula says. */
static void
distance_follows_the_share_of_edits(void)
{
	static const unsigned lengths[] = {50, 100, 300, 1000};
	static const double share[] = {0.01, 0.02, 0.05, 0.1, 0.2};
	const unsigned pairs = check_long() ? 3000 : 300;

	for (unsigned n = 2; n <= 3; n++) {
		use_rule(n == 2 ? "word:2" : "word:3");
		for (unsigned cell = 0; cell < 20; cell++) {
			unsigned len = lengths[cell / 5], word[1000], other[1000];
			double p = share[cell % 5], sum = 0, within[3] = {0};

			/* A whole number of edits, and the share that it makes. */
			unsigned edits = (unsigned)(p * len + 0.5);
			p = (double)edits / len;
			for (unsigned i = 0; i < pairs; i++) {
				for (unsigned j = 0; j < len; j++)
					word[j] = zipf();
				memcpy(other, word, sizeof(word));
				for (unsigned left = edits; left > 0; ) {
					unsigned at = (unsigned)(check_random(&random_state) % len), w = zipf();

					if (other[at] != word[at] || w == word[at])
						continue;
					other[at] = w;
					left--;
				}
				unsigned d = simhash_distance(signed_words(word, len).signature,
				    signed_words(other, len).signature);
				sum += d;
				for (unsigned k = 0; k < 3; k++)
					within[k] += d <= 6 + 2 * k;
			}
			CHECK_IN(sum / pairs, simhash_expected(p, n) - 0.8, simhash_expected(p, n) + 0.8);
			for (unsigned k = 0; k < 3 && len >= 300; k++) {
				double want = simhash_recall(p, n, 6 + 2 * k);
				double slack = 3 * sqrt(want * (1 - want) / pairs) + 0.05;

				CHECK_IN(within[k] / pairs, want - slack, want + slack);
			}
		}
	}
}

/* S2: unrelated documents differ in half of the bits, at all lengths and for
 * odd and even numbers of votes. */
static void
unrelated_documents_differ_in_half_of_the_bits(void)
{
	static const unsigned lengths[] = {5, 6, 7, 8, 9, 10, 25, 26, 100, 101};
	static const char *rules[] = {"word:2", "word:3"};

	for (unsigned r = 0; r < 2; r++) {
		use_rule(rules[r]);
		for (unsigned k = 0; k < 10; k++) {
			unsigned ones[64] = {0}, n = 2000, word[101];
			double mean = 0;

			if (lengths[k] < 5 + r)
				continue;
			for (unsigned i = 0; i < n; i++) {
				for (unsigned j = 0; j < lengths[k]; j++)
					word[j] = zipf();
				struct simhash s = signed_words(word, lengths[k]);
				CHECK(!s.exact);
				for (unsigned b = 0; b < 64; b++)
					ones[b] += s.signature >> b & 1;
			}
			/* Mean over all pairs, from the ones and zeros of each bit. */
			for (unsigned b = 0; b < 64; b++)
				mean += 2.0 * ones[b] * (n - ones[b]) / ((double)n * (n - 1));
			CHECK_IN(mean, 31.8, 32.2);
		}
	}
}

static void
distances_and_shares_of_edits_agree(void)
{
	CHECK_IN(simhash_expected(0.01, 2), 4.06, 4.08);
	CHECK_IN(simhash_expected(0.2, 3), 20.9, 21.1);
	CHECK_IN(simhash_expected(0, 2), 0, 0);
	CHECK_IN(simhash_expected(1, 2), 31.999, 32.001);
	CHECK_IN(simhash_recall(0.01, 2, 6), 0.885, 0.895);
	CHECK_IN(simhash_recall(0, 2, 0), 1, 1);
	CHECK_IN(simhash_recall(0.5, 2, 64), 0.999999, 1);
	CHECK_IN(simhash_chance(3), 2.3e-15, 2.4e-15);
	CHECK_IN(simhash_chance(10), 0.9e-8, 1.1e-8);
	for (unsigned n = 1; n <= 5; n++)
		for (double p = 0.01; p < 0.3; p += 0.01) {
			unsigned k = simhash_distance_for(p, n, 0.9);

			CHECK(simhash_recall(p, n, k) >= 0.9);
			CHECK(k == 0 || simhash_recall(p, n, k - 1) < 0.9);
		}
	CHECK_EQ(simhash_distance_for(0, 2, 0.9), 0);
	CHECK_EQ(simhash_distance_for(0.02, 2, 0.9), 9);
}

static void
verification_asks_for_less_the_larger_the_distance(void)
{
	for (unsigned k = 1; k <= 22; k++)
		CHECK(simhash_similarity_for(k) < simhash_similarity_for(k - 1));
	CHECK_IN(simhash_similarity_for(3), 0.80, 0.82);
	CHECK_IN(simhash_similarity_for(6), 0.64, 0.66);
	CHECK_IN(simhash_similarity_for(10), 0.43, 0.45);
	CHECK_IN(simhash_similarity_for(64), 0, 1e-6);
	CHECK_IN(simhash_similarity_for_edits(0, 2), 1, 1);
	CHECK_IN(simhash_similarity_for_edits(0.02, 2), 0.887, 0.889);
	CHECK_IN(simhash_similarity_for_edits(0.9, 2), 0, 0);
}

int
main(void)
{
	features_init(&scratch, (struct feature_rule){.unit = FEATURE_WORD, .n = 2});
	RUN(signature_is_the_majority_of_each_bit);
	RUN(vectors_of_the_manual);
	RUN(content_is_what_is_left_of_case_and_punctuation);
	RUN(short_documents_have_no_constant_signature);
	RUN(distance_follows_the_share_of_edits);
	RUN(unrelated_documents_differ_in_half_of_the_bits);
	RUN(distances_and_shares_of_edits_agree);
	RUN(verification_asks_for_less_the_larger_the_distance);
	features_clear(&scratch);
	return check_done();
}
