/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/simindex.h"

#include "check.h"

static struct features scratch;

static struct simindex *
fresh(unsigned distance, double similarity, uint64_t most)
{
	struct simindex *index;

	CHECK_EQ(simindex_new(&index, (struct simindex_rule){distance, similarity, most}), OK);
	return index;
}

static struct simhash
signed_bytes(const void *text, size_t len)
{
	struct simhash s = {0};

	CHECK_EQ(simhash_document(&scratch, (struct slice){text, len}, &s), OK);
	return s;
}

static struct simindex_match
offer(struct simindex *index, const void *text, size_t len)
{
	struct simindex_match match = {0};
	struct simhash s = signed_bytes(text, len);

	CHECK_EQ(simindex_offer(index, &s, &match), OK);
	return match;
}

static struct simindex_match
offer_text(struct simindex *index, const char *text)
{
	return offer(index, text, strlen(text));
}

/* Words of the base, of which so many are replaced. */
static size_t
edited(char *out, uint64_t base, size_t words, size_t edits, uint64_t *random)
{
	uint64_t word[400];
	size_t len = 0;

	for (size_t i = 0; i < words; i++)
		word[i] = check_random(&base) % 5000;
	for (; edits > 0; edits--)
		word[check_random(random) % words] = 5000 + check_random(random) % 5000;
	for (size_t i = 0; i < words; i++) {
		for (uint64_t v = word[i] + 1; v > 0; v /= 26)
			out[len++] = (char)('a' + v % 26);
		out[len++] = ' ';
	}
	return len;
}

/* The definition: compare each with all that were kept before. */

#define DOCUMENTS 3000

struct plain {
	uint64_t signature, content[2];
	uint32_t id[400];
	size_t n;
	bool exact, kept;
};

static double
similarity(const struct plain *a, const struct plain *b)
{
	bool used[400] = {false};
	size_t shared = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			if (!used[j] && a->id[i] == b->id[j]) {
				used[j] = true;
				shared++;
				break;
			}
	return (double)shared / (double)(a->n + b->n - shared);
}

static struct simindex_match
plain_offer(const struct plain *all, size_t at, const struct simindex_rule *rule)
{
	struct simindex_match best = {.leader = at, .similarity = -1};

	for (size_t i = 0; i < at; i++) {
		const struct plain *a = &all[i], *b = &all[at];
		unsigned d = simhash_distance(a->signature, b->signature);

		if (!a->kept)
			continue;
		if (memcmp(a->content, b->content, sizeof(a->content)) == 0)
			return (struct simindex_match){true, true, i, 0, 1};
		if (a->exact || b->exact || d > rule->distance || (best.found && d >= best.distance))
			continue;
		double j = rule->similarity > 0 ? similarity(a, b) : -1;
		if (rule->similarity > 0 && j < rule->similarity)
			continue;
		best = (struct simindex_match){true, false, i, d, j};
	}
	return best;
}

static void
answers_are_those_of_comparing_with_all(void)
{
	static struct plain all[DOCUMENTS];
	static const struct simindex_rule rules[] = {
		{3, 0.8, 0}, {6, 0.65, 0}, {6, 0, 0}, {10, 0.44, 0}, {10, 0.9, 0}, {16, 0, 0}, {0, 0.95, 0},
	};

	for (size_t r = 0; r < sizeof(rules) / sizeof(*rules); r++) {
		struct simindex *index = fresh(rules[r].distance, rules[r].similarity, 0);
		struct simindex_stats stats;
		uint64_t random = 5, kept = 0;

		for (size_t i = 0; i < DOCUMENTS; i++) {
			static char text[8192];
			struct simindex_match got, want;
			size_t words = i % 11 == 0 ? check_random(&random) % 6 : 30 + check_random(&random) % 3;

			/* 1500 origins, two documents each on average, up to 5 edits;
			 * some from few common words, short ones often equal. */
			size_t len = words == 0 ? 0 : edited(text,
			    i % 7 == 0 ? check_random(&random) % 40 : check_random(&random) % 1500,
			    words, check_random(&random) % 6, &random);
			struct simhash s = signed_bytes(text, len);
			all[i] = (struct plain){.signature = s.signature,
			    .content = {s.content[0], s.content[1]}, .n = s.features, .exact = s.exact};
			for (size_t j = 0; j < s.features; j++)
				all[i].id[j] = (uint32_t)s.feature[j];
			CHECK_EQ(simindex_offer(index, &s, &got), OK);
			want = plain_offer(all, i, &rules[r]);
			all[i].kept = !want.found;
			kept += !want.found;
			CHECK_EQ(got.found, want.found);
			CHECK_EQ(got.equal, want.equal);
			CHECK_EQ(got.leader, want.leader);
			CHECK_EQ(got.distance, want.distance);
			CHECK_IN(got.similarity, want.similarity, want.similarity);
		}
		simindex_stats(index, &stats);
		CHECK_EQ(stats.offered, DOCUMENTS);
		CHECK_EQ(stats.kept, kept);
		CHECK(kept > DOCUMENTS / 8 && kept < DOCUMENTS);
		CHECK(simindex_memory(index) > 30 * kept);
		simindex_free(index);
	}
}

static void
a_dropped_document_recruits_nobody(void)
{
	struct simindex *index = fresh(6, 0.6, 0);
	static const char *chain[] = {
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
		"One, two, three: FOUR five six seven eight nine ten eleven twelve thirteen fourteen!",
		"cat", "dog", "Cat.", "", "", "---", "***", "---",
	};
	static const uint64_t leader[] = {0, 0, 2, 3, 2, 5, 5, 7, 8, 7};

	for (size_t i = 0; i < 10; i++) {
		struct simindex_match m = offer_text(index, chain[i]);

		CHECK_EQ(m.found, leader[i] != i);
		CHECK_EQ(m.equal, m.found);
		CHECK_EQ(m.leader, leader[i]);
	}
	simindex_free(index);

	/* From each to the next few words change; from the first to the last
	 * all. Every dropped one must be near a kept one. */
	index = fresh(10, 0.44, 0);
	char text[4096];
	uint64_t random = 6, word[60], kept[60], n = 0;
	uint64_t signature[60];
	for (unsigned i = 0; i < 60; i++)
		word[i] = check_random(&random);
	for (unsigned step = 0; step < 60; step++) {
		size_t len = 0;

		word[step] = check_random(&random);
		for (unsigned i = 0; i < 60; i++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "w%llu ",
			    (unsigned long long)(word[i] % 1000000));
		signature[step] = signed_bytes(text, len).signature;
		struct simindex_match m = offer(index, text, len);
		if (!m.found)
			kept[n++] = step;
		else
			CHECK(simhash_distance(signature[m.leader], signature[step]) <= 10);
		bool is_kept = false;
		for (unsigned i = 0; i < n; i++)
			is_kept |= kept[i] == m.leader;
		CHECK(is_kept);
	}
	CHECK(n >= 3 && n < 30);
	simindex_free(index);
}

/* Signatures that agree by accident must not cost a document. */
static void
verification_refuses_what_only_signatures_share(void)
{
	char a[4096], b[4096];
	uint64_t random = 7;
	size_t a_len = edited(a, 1, 100, 0, &random), b_len = edited(b, 2, 100, 0, &random);

	for (unsigned verified = 0; verified < 2; verified++) {
		struct simindex *index = fresh(6, verified ? simhash_similarity_for(6) : 0, 0);
		struct simindex_stats stats;
		struct simindex_match m;
		struct simhash s = signed_bytes(a, a_len);
		uint64_t signature = s.signature;

		CHECK_EQ(simindex_offer(index, &s, &m), OK);
		s = signed_bytes(b, b_len);
		s.signature = signature ^ 3;
		CHECK_EQ(simindex_offer(index, &s, &m), OK);
		CHECK_EQ(m.found, !verified);
		simindex_stats(index, &stats);
		CHECK_EQ(stats.near, 1);
		CHECK_EQ(stats.rejected, verified);
		CHECK_EQ(stats.kept, 1 + verified);
		simindex_free(index);
	}
}

static void
one_in_fifty_words_edited_is_found_as_often_as_promised(void)
{
	unsigned k = simhash_distance_for(0.02, 2, 0.9), n = check_long() ? 5000 : 500, found = 0;
	struct simindex *index = fresh(k, simhash_similarity_for_edits(0.02, 2), 0);
	uint64_t random = 8;
	char text[8192];

	for (unsigned i = 0; i < n; i++)
		CHECK(!offer(index, text, edited(text, 1000 + i, 200, 0, &random)).found);
	for (unsigned i = 0; i < n; i++) {
		struct simindex_match m = offer(index, text, edited(text, 1000 + i, 200, 4, &random));

		found += m.found;
		CHECK(!m.found || m.leader == i);
	}
	CHECK_IN((double)found / n, 0.86, 1);
	simindex_free(index);
}

static void
equal_and_hostile_lines_cost_one_probe(void)
{
	struct simindex *index = fresh(6, 0.65, 0);
	static unsigned char big[1 << 20];
	struct simindex_stats stats;
	uint64_t random = 9;

	for (unsigned i = 0; i < 100000; i++) {
		struct simindex_match m = offer_text(index, "the same line again and again, all day");

		CHECK(m.found == (i > 0) && m.leader == 0);
	}
	simindex_stats(index, &stats);
	CHECK_EQ(stats.work, 0);
	CHECK_EQ(stats.kept, 1);

	/* Any bytes: NUL, a mebibyte without a blank, noise; each its own. */
	CHECK(!offer(index, "\0\0\0", 3).found);
	CHECK(!offer(index, "\0\0", 2).found);
	memset(big, 'x', sizeof(big));
	CHECK(!offer(index, big, sizeof(big)).found);
	CHECK(offer(index, big, sizeof(big)).found);
	CHECK(!offer(index, big, sizeof(big) - 1).found);
	memset(big, ' ', sizeof(big));
	CHECK(!offer(index, big, sizeof(big)).found);
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (unsigned char)check_random(&random);
	CHECK(!offer(index, big, sizeof(big)).found);
	CHECK(offer(index, big, sizeof(big)).equal);
	CHECK(!offer(index, "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", 8).found);
	CHECK(!offer(index, "e\xcc\x81", 3).found);
	CHECK(!offer(index, "\xc3\xa9", 2).found);
	CHECK(offer(index, "e\xcc\x81\r", 4).found);
	simindex_free(index);
}

static void
finding_keeps_nothing(void)
{
	struct simindex *index = fresh(6, 0.65, 0);
	struct simhash s = signed_bytes("a b c d e f", 11);
	struct simindex_match m;

	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(simindex_find(index, &s, &m), OK);
		CHECK(!m.found);
	}
	CHECK_EQ(simindex_offer(index, &s, &m), OK);
	CHECK(!m.found && m.leader == 0);
	CHECK_EQ(simindex_find(index, &s, &m), OK);
	CHECK(m.found && m.equal && m.leader == 0);
	simindex_free(index);
	simindex_free(NULL);
}

static void
a_ceiling_ends_it_and_leaves_it_whole(void)
{
	uint64_t most = 3 << 20, random = 10;
	struct simindex *index = fresh(6, 0.65, most);
	struct simindex_stats stats;
	struct simindex_match m;
	struct simhash s;
	char text[8192];
	uint64_t n = 0;

	for (;; n++) {
		s = signed_bytes(text, edited(text, 5000 + n, 100, 0, &random));
		if (simindex_offer(index, &s, &m) != OK || n > 100000)
			break;
		CHECK(!m.found);
		CHECK(simindex_memory(index) <= most + 4096);
	}
	/* 500 bytes a document, and what is reserved ahead. */
	CHECK_IN((double)n, 1500, 6300);
	simindex_stats(index, &stats);
	CHECK_EQ(stats.offered, n);
	CHECK_EQ(stats.kept, n);
	for (uint64_t i = 0; i < n; i += 100) {
		s = signed_bytes(text, edited(text, 5000 + i, 100, 0, &random));
		CHECK_EQ(simindex_offer(index, &s, &m), OK);
		CHECK(m.equal && m.leader == i);
	}
	simindex_free(index);
}

int
main(void)
{
	features_init(&scratch, (struct feature_rule){FEATURE_WORD, 2, 0});
	RUN(answers_are_those_of_comparing_with_all);
	RUN(a_dropped_document_recruits_nobody);
	RUN(verification_refuses_what_only_signatures_share);
	RUN(one_in_fifty_words_edited_is_found_as_often_as_promised);
	RUN(equal_and_hostile_lines_cost_one_probe);
	RUN(finding_keeps_nothing);
	RUN(a_ceiling_ends_it_and_leaves_it_whole);
	features_clear(&scratch);
	return check_done();
}
