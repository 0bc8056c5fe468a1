/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/nearindex_file.h"

#include "check.h"
#include "sketch/nearness/simhash.h"
#include "sketch/nearness/simhash_near.h"

static struct features scratch;
static bool verified;                /* by the latest index */

static struct nearindex *
fresh(unsigned distance, double similarity, uint64_t most)
{
	struct near_rule rule = {
		.features = scratch.rule, .distance = distance,
		.similarity = near_similarity(similarity),
	};
	struct nearindex *index;

	verified = similarity > 0;
	CHECK_EQ(nearindex_new(&index, &simhash_nearness, &rule, most), OK);
	return index;
}

static uint64_t last_signature;
static struct buffer last_ids;

static struct near_document
signed_bytes(const void *text, size_t len)
{
	struct near_rule rule = {.features = scratch.rule, .similarity = verified ? 1 : 0};
	struct near_document d = {0};

	last_ids.len = 0;
	CHECK_EQ(near_document(&simhash_nearness, &rule, &scratch, (struct slice){text, len},
	    &last_signature, &last_ids, &d), OK);
	return d;
}

static struct near_match
offer(struct nearindex *index, const void *text, size_t len)
{
	struct near_match match = {0};
	struct near_document s = signed_bytes(text, len);

	CHECK_EQ(nearindex_offer(index, &s, &match), OK);
	return match;
}

static struct near_match
offer_text(struct nearindex *index, const char *text)
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

struct rule {
	unsigned distance;
	double similarity;
};

struct plain {
	uint64_t signature, content[2];
	uint32_t number;             /* among the kept */
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

static struct near_match
plain_offer(const struct plain *all, size_t at, uint32_t kept, const struct rule *rule)
{
	struct near_match best = {.number = kept, .similarity = -1};

	for (size_t i = 0; i < at; i++) {
		const struct plain *a = &all[i], *b = &all[at];
		unsigned d = simhash_distance(a->signature, b->signature);

		if (!a->kept)
			continue;
		if (memcmp(a->content, b->content, sizeof(a->content)) == 0)
			return (struct near_match){true, true, a->number, 0, 1};
		if (a->exact || b->exact || d > rule->distance || (best.found && d >= best.distance))
			continue;
		double j = rule->similarity > 0 ? similarity(a, b) : -1;
		if (rule->similarity > 0 && j < rule->similarity)
			continue;
		best = (struct near_match){true, false, a->number, d, j};
	}
	return best;
}

static void
answers_are_those_of_comparing_with_all(void)
{
	static struct plain all[DOCUMENTS];
	static const struct rule rules[] = {
		{3, 0.8}, {6, 0.65}, {6, 0}, {10, 0.44}, {10, 0.9}, {16, 0}, {0, 0.95},
	};

	for (size_t r = 0; r < sizeof(rules) / sizeof(*rules); r++) {
		struct nearindex *index = fresh(rules[r].distance, rules[r].similarity, 0);
		struct near_stats stats;
		uint64_t random = 5, kept = 0;

		for (size_t i = 0; i < DOCUMENTS; i++) {
			static char text[8192];
			struct near_match got, want;
			size_t words = i % 11 == 0 ? check_random(&random) % 6 : 30 + check_random(&random) % 3;

			/* 1500 origins, two documents each on average, up to 5 edits;
			 * some from few common words, short ones often equal. */
			size_t len = words == 0 ? 0 : edited(text,
			    i % 7 == 0 ? check_random(&random) % 40 : check_random(&random) % 1500,
			    words, check_random(&random) % 6, &random);
			struct near_document s = signed_bytes(text, len);
			all[i] = (struct plain){.signature = s.exact ? 0 : *s.signature,
			    .content = {s.content[0], s.content[1]}, .n = s.ids, .exact = s.exact};
			for (size_t j = 0; j < s.ids; j++)
				all[i].id[j] = s.id[j];
			CHECK_EQ(nearindex_offer(index, &s, &got), OK);
			want = plain_offer(all, i, (uint32_t)kept, &rules[r]);
			all[i].number = (uint32_t)kept;
			all[i].kept = !want.found;
			kept += !want.found;
			CHECK_EQ(got.found, want.found);
			CHECK_EQ(got.equal, want.equal);
			CHECK_EQ(got.number, want.number);
			CHECK_EQ(got.distance, want.distance);
			CHECK_IN(got.similarity, want.similarity, want.similarity);
		}
		nearindex_stats(index, &stats);
		CHECK_EQ(stats.offered, DOCUMENTS);
		CHECK_EQ(stats.kept, kept);
		CHECK(kept > DOCUMENTS / 8 && kept < DOCUMENTS);
		CHECK(nearindex_memory(index) > 30 * kept);
		nearindex_free(index);
	}
}

static void
a_dropped_document_recruits_nobody(void)
{
	struct nearindex *index = fresh(6, 0.6, 0);
	static const char *chain[] = {
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
		"One, two, three: FOUR five six seven eight nine ten eleven twelve thirteen fourteen!",
		"cat", "dog", "Cat.", "", "", "---", "***", "---",
	};
	static const bool passes[] = {true, false, true, true, false, true, false, true, true, false};
	static const uint64_t leader[] = {0, 0, 1, 2, 1, 3, 3, 4, 5, 4};

	for (size_t i = 0; i < 10; i++) {
		struct near_match m = offer_text(index, chain[i]);

		CHECK_EQ(m.found, !passes[i]);
		CHECK_EQ(m.equal, m.found);
		CHECK_EQ(m.number, leader[i]);
	}
	nearindex_free(index);

	/* From each to the next few words change; from the first to the last
	 * all. Every dropped one must be near a kept one. */
	index = fresh(10, 0.44, 0);
	char text[4096];
	uint64_t random = 6, word[60], n = 0, signature[60];
	for (unsigned i = 0; i < 60; i++)
		word[i] = check_random(&random);
	for (unsigned step = 0; step < 60; step++) {
		size_t len = 0;

		word[step] = check_random(&random);
		for (unsigned i = 0; i < 60; i++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "w%llu ",
			    (unsigned long long)(word[i] % 1000000));
		signature[n] = *signed_bytes(text, len).signature;
		struct near_match m = offer(index, text, len);
		CHECK(m.found ? m.number < n : m.number == n);
		if (m.found)
			CHECK(simhash_distance(signature[m.number], signature[n]) <= 10);
		n += !m.found;
	}
	CHECK(n >= 3 && n < 30);
	nearindex_free(index);
}

/* Signatures that agree by accident must not cost a document. */
static void
verification_refuses_what_only_signatures_share(void)
{
	char a[4096], b[4096];
	uint64_t random = 7;
	size_t a_len = edited(a, 1, 100, 0, &random), b_len = edited(b, 2, 100, 0, &random);

	for (unsigned turn = 0; turn < 2; turn++) {
		struct nearindex *index = fresh(6, turn ? simhash_similarity_for(6) : 0, 0);
		struct near_stats stats;
		struct near_match m;
		struct near_document s = signed_bytes(a, a_len);
		uint64_t signature = *s.signature;

		CHECK_EQ(nearindex_offer(index, &s, &m), OK);
		s = signed_bytes(b, b_len);
		signature ^= 3;
		s.signature = &signature;
		CHECK_EQ(nearindex_offer(index, &s, &m), OK);
		CHECK_EQ(m.found, turn == 0);
		nearindex_stats(index, &stats);
		CHECK_EQ(stats.near, 1);
		CHECK_EQ(stats.rejected, turn);
		CHECK_EQ(stats.kept, 1 + turn);
		nearindex_free(index);
	}
}

static void
one_in_fifty_words_edited_is_found_as_often_as_promised(void)
{
	unsigned k = simhash_distance_for(0.02, 2, 0.9), n = check_long() ? 5000 : 500, found = 0;
	struct nearindex *index = fresh(k, simhash_similarity_for_edits(0.02, 2), 0);
	uint64_t random = 8;
	char text[8192];

	for (unsigned i = 0; i < n; i++)
		CHECK(!offer(index, text, edited(text, 1000 + i, 200, 0, &random)).found);
	for (unsigned i = 0; i < n; i++) {
		struct near_match m = offer(index, text, edited(text, 1000 + i, 200, 4, &random));

		found += m.found;
		CHECK(!m.found || m.number == i);
	}
	CHECK_IN((double)found / n, 0.86, 1);
	nearindex_free(index);
}

static void
equal_and_hostile_lines_cost_one_probe(void)
{
	struct nearindex *index = fresh(6, 0.65, 0);
	static unsigned char big[1 << 20];
	struct near_stats stats;
	uint64_t random = 9;

	for (unsigned i = 0; i < 100000; i++) {
		struct near_match m = offer_text(index, "the same line again and again, all day");

		CHECK(m.found == (i > 0) && m.number == 0);
	}
	nearindex_stats(index, &stats);
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
	nearindex_free(index);
}

static void
finding_keeps_nothing(void)
{
	struct nearindex *index = fresh(6, 0.65, 0);
	struct near_document s = signed_bytes("a b c d e f", 11);
	struct near_match m;

	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(nearindex_find(index, &s, &m), OK);
		CHECK(!m.found);
	}
	CHECK_EQ(nearindex_offer(index, &s, &m), OK);
	CHECK(!m.found && m.number == 0);
	CHECK_EQ(nearindex_find(index, &s, &m), OK);
	CHECK(m.found && m.equal && m.number == 0);
	nearindex_free(index);
	nearindex_free(NULL);
}

static void
a_ceiling_ends_it_and_leaves_it_whole(void)
{
	uint64_t most = 3 << 20, random = 10;
	struct nearindex *index = fresh(6, 0.65, most);
	struct near_stats stats;
	struct near_match m;
	struct near_document s;
	char text[8192];
	uint64_t n = 0;

	for (;; n++) {
		s = signed_bytes(text, edited(text, 5000 + n, 100, 0, &random));
		if (nearindex_offer(index, &s, &m) != OK || n > 100000)
			break;
		CHECK(!m.found);
		CHECK(nearindex_memory(index) <= most + 4096);
	}
	/* 500 bytes a document, and what is reserved ahead. */
	CHECK_IN((double)n, 1500, 6300);
	nearindex_stats(index, &stats);
	CHECK_EQ(stats.offered, n);
	CHECK_EQ(stats.kept, n);
	for (uint64_t i = 0; i < n; i += 100) {
		s = signed_bytes(text, edited(text, 5000 + i, 100, 0, &random));
		CHECK_EQ(nearindex_offer(index, &s, &m), OK);
		CHECK(m.equal && m.number == i);
	}
	nearindex_free(index);
}

/*
 * In a file.
 */

static void
offer_some(struct nearindex *index, uint64_t from, uint64_t n)
{
	uint64_t random = from;
	char text[8192];

	for (uint64_t i = from; i < from + n; i++)
		offer(index, text, edited(text, i / 2, i % 9 == 0 ? 2 : 60, i % 2, &random));
}

static struct record
saved(struct nearindex *index, struct buffer *payload)
{
	struct record head = {0};

	payload->len = 0;
	CHECK_EQ(nearindex_head(index, &head), OK);
	CHECK_EQ(nearindex_write(index, buffer_sink(payload)), OK);
	CHECK_EQ(payload->len, head.size);
	CHECK_EQ(nearindex_check(&simhash_nearness, &head), OK);
	return head;
}

static struct nearindex *
loaded(const struct record *head, const struct buffer *payload)
{
	struct near_rule rule = near_rule_of(head);
	struct nearindex *index;

	CHECK_EQ(nearindex_new(&index, &simhash_nearness, &rule, 0), OK);
	nearindex_saves(index);
	CHECK_EQ(nearindex_load(index, head, payload->at), OK);
	return index;
}

static void
an_index_from_a_file_goes_on_as_if_nothing_had_been(void)
{
	for (unsigned turn = 0; turn < 2; turn++) {
		struct nearindex *whole = fresh(8, turn ? 0.5 : 0, 0);
		struct nearindex *part = fresh(8, turn ? 0.5 : 0, 0);
		struct buffer a = {0}, b = {0};

		nearindex_saves(whole);
		nearindex_saves(part);
		offer_some(whole, 0, 2000);
		offer_some(whole, 1000, 2000);
		offer_some(part, 0, 2000);
		struct record head = saved(part, &b);
		nearindex_free(part);
		part = loaded(&head, &b);
		offer_some(part, 1000, 2000);
		head = saved(whole, &a);
		saved(part, &b);
		CHECK(a.len == b.len && memcmp(a.at, b.at, a.len) == 0);
		CHECK(head.param[5] > 1500 && head.param[5] < 3000);
		nearindex_free(whole);
		nearindex_free(part);
		buffer_free(&a);
		buffer_free(&b);
	}
}

static void
a_union_finds_what_either_finds(void)
{
	struct nearindex *a = fresh(8, 0.5, 0), *b = fresh(8, 0.5, 0);
	struct nearindex *found[3] = {a, b, a};
	struct buffer payload = {0};
	struct near_stats before, after;
	bool either[3][300];

	nearindex_saves(a);
	nearindex_saves(b);
	offer_some(a, 0, 400);
	offer_some(b, 200, 400);
	saved(b, &payload);
	for (unsigned turn = 0; turn < 3; turn++) {
		if (turn == 2)
			CHECK_EQ(nearindex_unite(a, b), OK);
		for (uint64_t i = 0; i < 300; i++) {
			uint64_t random = i + 7;
			char text[8192];
			struct near_match m;
			struct near_document d = signed_bytes(text,
			    edited(text, i, i % 9 == 0 ? 2 : 60, i % 3, &random));
			CHECK_EQ(nearindex_find(found[turn], &d, &m), OK);
			either[turn][i] = m.found;
		}
	}
	for (unsigned i = 0; i < 300; i++)
		CHECK_EQ(either[2][i], either[0][i] || either[1][i]);
	/* Once more changes nothing, and what it has can be saved. */
	nearindex_stats(a, &before);
	CHECK_EQ(nearindex_unite(a, b), OK);
	nearindex_stats(a, &after);
	CHECK_EQ(before.kept, after.kept);
	struct record head = saved(a, &payload);
	struct nearindex *again = loaded(&head, &payload);
	nearindex_stats(again, &after);
	CHECK_EQ(before.kept, after.kept);
	nearindex_free(a);
	nearindex_free(b);
	nearindex_free(again);
	buffer_free(&payload);
}

static void
a_payload_that_contradicts_itself_is_refused(void)
{
	struct nearindex *index = fresh(8, 0.5, 0);
	struct buffer payload = {0}, damaged = {0};

	nearindex_saves(index);
	offer_some(index, 0, 40);
	struct record head = saved(index, &payload);
	size_t n = (size_t)head.param[5], counts = 16 * n;
	struct { size_t at; uint32_t value; } damage[] = {
		{counts, get_le32(payload.at + counts) + 1},     /* one id too many */
		{counts, UINT32_MAX},
		{counts + 4, 0},                                 /* a signature too many */
		{payload.len - 4, 0},                            /* out of order */
	};
	for (size_t i = 0; i < 5; i++) {
		struct near_rule rule = near_rule_of(&head);
		struct nearindex *other;

		damaged.len = 0;
		CHECK_EQ(buffer_append(&damaged, payload.at, payload.len), OK);
		if (i < 4)
			put_le32(damaged.at + damage[i].at, damage[i].value);
		else
			memcpy(damaged.at, damaged.at + 16, 16);     /* a content twice */
		CHECK_EQ(nearindex_new(&other, &simhash_nearness, &rule, 0), OK);
		nearindex_saves(other);
		CHECK_EQ(nearindex_load(other, &head, damaged.at), STATUS_INVARIANT);
		nearindex_free(other);
	}
	for (unsigned i = 0; i < 8; i++) {
		struct record bad = head;
		bad.param[i] += i == 3 ? 1 : UINT64_C(1) << 20;
		CHECK(nearindex_check(&simhash_nearness, &bad) != OK);
	}
	nearindex_free(index);
	buffer_free(&payload);
	buffer_free(&damaged);
}

/*
 * Signatures that meet while features differ: one template, or somebody's ill
 * will. Twice as many must cost twice as much.
 */
static void
candidates_that_are_refused_cost_linear_work(void)
{
	uint64_t random = 11, near[2];
	size_t most = check_long() ? 100000 : 4000;

	for (unsigned turn = 0; turn < 2; turn++) {
		struct nearindex *index = fresh(6, 0.65, 0);
		struct near_stats stats;
		size_t n = most << turn;

		for (size_t i = 0; i < n; i++) {
			/* Within 4 bits of each other, and nothing in common. */
			uint64_t signature = check_random(&random) & UINT64_C(0x1000100010001);
			uint32_t id[5];
			struct near_match m;
			for (unsigned k = 0; k < 5; k++)
				id[k] = (uint32_t)check_random(&random);
			struct near_document d = {
				.content = {check_random(&random), i}, .id = id,
				.ids = 5, .signature = &signature,
			};
			CHECK_EQ(nearindex_offer(index, &d, &m), OK);
			CHECK(!m.found);
		}
		nearindex_stats(index, &stats);
		near[turn] = stats.near;
		CHECK_EQ(stats.near, stats.rejected);
		CHECK(stats.cut > n - 200 && stats.cut < n);
		CHECK(stats.near < 100 * n);
		nearindex_free(index);
	}
	CHECK(near[1] < near[0] * 22 / 10);
}

int
main(void)
{
	features_init(&scratch, (struct feature_rule){.unit = FEATURE_WORD, .n = 2});
	RUN(answers_are_those_of_comparing_with_all);
	RUN(a_dropped_document_recruits_nobody);
	RUN(verification_refuses_what_only_signatures_share);
	RUN(one_in_fifty_words_edited_is_found_as_often_as_promised);
	RUN(equal_and_hostile_lines_cost_one_probe);
	RUN(finding_keeps_nothing);
	RUN(a_ceiling_ends_it_and_leaves_it_whole);
	RUN(an_index_from_a_file_goes_on_as_if_nothing_had_been);
	RUN(a_union_finds_what_either_finds);
	RUN(a_payload_that_contradicts_itself_is_refused);
	RUN(candidates_that_are_refused_cost_linear_work);
	features_clear(&scratch);
	buffer_free(&last_ids);
	return check_done();
}
