/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "cms_streams.h"

static void
geometry_is_that_of_the_paper(void)
{
	CHECK_EQ(cms_width_for(0.001), 2719);
	CHECK_EQ(cms_depth_for(0.01), 5);
	CHECK_EQ(cms_width_for(1e-4), 27183);
	CHECK_EQ(cms_depth_for(1e-3), 7);
	CHECK_EQ(cms_depth_for(0.9), 1);
	CHECK(cms_width_for(1e-300) > CMS_WIDTH_MAX);
	CHECK(cms_depth_for(1e-300) > CMS_DEPTH_MAX);
	for (unsigned depth = 1; depth <= CMS_DEPTH_MAX; depth++)
		CHECK_EQ(cms_depth_for(cms_delta_of(depth)), depth);
	for (uint64_t width = 1; width <= CMS_WIDTH_MAX; width += 1 + width / 50)
		CHECK_EQ(cms_width_for(cms_epsilon_of(width)), width);
}

static void
parameters_out_of_range_are_refused(void)
{
	struct cms *c;

	CHECK(cms_new(&c, 0, 5, 0.001, 0.01, 0) == STATUS_PARAMETER);
	CHECK(cms_new(&c, CMS_WIDTH_MAX + 1, 5, 0.001, 0.01, 0) == STATUS_PARAMETER);
	CHECK(cms_new(&c, 2719, 0, 0.001, 0.01, 0) == STATUS_PARAMETER);
	CHECK(cms_new(&c, 2719, 65, 0.001, 0.01, 0) == STATUS_PARAMETER);
	CHECK(cms_new(&c, 2718, 5, 0.001, 0.01, 0) == STATUS_PARAMETER);
	CHECK(cms_new(&c, 2719, 4, 0.001, 0.01, 0) == STATUS_PARAMETER);
	CHECK(cms_new(&c, 2719, 5, NAN, 0.01, 0) == STATUS_PARAMETER);
	CHECK(cms_new(&c, 2719, 5, 0.001, NAN, 0) == STATUS_PARAMETER);
	CHECK(cms_new(&c, 2719, 5, 0.001, 0.01, 65537) == STATUS_PARAMETER);
	CHECK(cms_new(&c, 2719, 5, 0.001, 0.01, 65536) == OK);
	cms_free(c);
	cms_free(NULL);
}

static void
the_example_on_the_first_page_is_right(void)
{
	static const unsigned char payload[] = {
		0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0,  3, 0, 0, 0, 0, 0, 0, 0,
		1, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
		1, 0, 0, 0, 'a',
	};
	struct cms *c = NULL;
	struct spacesaving *table;
	struct slice item[] = {slice_of("a"), slice_of("b"), slice_of("a")};
	uint64_t hash[3];

	CHECK(cms_new(&c, 4, 2, 0.7, 0.2, 1) == OK);
	CHECK(spacesaving_new(&table, 0) == OK);
	for (size_t i = 0; i < 3; i++)
		hash[i] = hash_bytes(item[i].at, 1, 0);
	CHECK(cms_feed(c, table, item, hash, NULL, 3) == OK);
	CHECK(cms_take_candidates(c, table) == OK);
	struct saved s = save(c);
	CHECK_EQ(s.payload.len, sizeof payload);
	if (s.payload.len == sizeof payload)
		CHECK(memcmp(s.payload.at, payload, sizeof payload) == 0);
	CHECK_EQ(s.head.param[6], 1);
	buffer_free(&s.payload);
	spacesaving_free(table);
	cms_free(c);
}

static void
counters_never_undercount_and_keep_their_bound(void)
{
	for (unsigned wide = 0; wide < 2; wide++) {
		/* The wide one is larger than a cache. */
		struct cms *c = cms_of(wide ? 30000 : 272, 5, 0);
		size_t over = 0;
		memset(truth, 0, sizeof truth);
		for (size_t i = 0; i < 100000; i++) {
			truth[stream[i]] += weights[i];
			if (i % 250 == 0) {
				uint64_t hash[250];
				for (size_t j = 0; j < 250; j++)
					hash[j] = hash_of[stream[i + j]];
				cms_add(c, hash, weights + i, 250);
			}
		}
		for (size_t id = 0; id < IDS; id++) {
			uint64_t estimate = cms_estimate(c, hash_of[id]);
			CHECK(estimate >= truth[id]);
			over += cms_probable_low(c, estimate) > truth[id];
		}
		CHECK(over <= IDS * cms_delta_of(5));
		CHECK_EQ(check_bounds(c), 0);
		cms_free(c);
	}
}

static void
deferred_counting_gives_the_same_bytes(void)
{
	for (unsigned weighted = 0; weighted < 2; weighted++)
		for (size_t budget = BUDGET; budget <= BUDGET * 100; budget *= 100) {
			memset(truth, 0, sizeof truth);
			struct cms *fed = cms_from(0, 100000, budget, weighted, 1024);
			struct cms *direct = cms_of(272, 5, 1024);
			struct spacesaving *table;
			CHECK(spacesaving_new(&table, budget) == OK);
			for (size_t i = 0; i < 100000; i++) {
				const uint64_t *w = weighted ? &weights[i] : NULL;
				size_t id = stream[i];
				cms_add(direct, &hash_of[id], w, 1);
				CHECK(spacesaving_add(table, &item_of[id], &hash_of[id], w, 1) == OK);
			}
			CHECK(spacesaving_exact(table) == (budget > BUDGET));
			CHECK(cms_take_candidates(direct, table) == OK);
			CHECK(same_bytes(fed, direct));
			CHECK(check_bounds(fed) >= 8);
			spacesaving_free(table);
			cms_free(fed);
			cms_free(direct);
		}
}

/* Of a build whose list of candidates has room for all items nothing is
 * missing: each count is exact, and an absent item is known to be absent. */
static void
complete_candidates_make_exact_answers(void)
{
	uint64_t low, high;

	memset(truth, 0, sizeof truth);
	struct cms *a = cms_from(0, 600, BUDGET, true, 1024);
	struct cms *b = cms_from(600, 1100, BUDGET, true, 1024);
	CHECK(cms_merge(a, b, NULL) == OK);
	CHECK_EQ(cms_missing(a), 0);
	for (size_t id = 0; id < IDS; id++) {
		cms_bounds(a, item_of[id], hash_of[id], &low, &high);
		CHECK(low == truth[id] && high == truth[id]);
	}
	CHECK_EQ(check_bounds(a), 10);
	cms_free(a);
	cms_free(b);
}

/* Parts in any tree: all bounds hold, the counters are those of the whole. */
static void
merged_parts_keep_all_promises(void)
{
	static const size_t parts[] = {1, 2, 3, 7, 16};

	for (unsigned weighted = 0; weighted < 2; weighted++)
		for (size_t p = 0; p < 5; p++)
			for (unsigned candidates = 0; candidates <= 1024; candidates += 128) {
				struct cms *part[16];
				uint64_t random = p + candidates;
				size_t n = parts[p], size = 100000 / n + 1;
				if (candidates > 256 && candidates < 1024)
					continue;
				memset(truth, 0, sizeof truth);
				for (size_t i = 0; i < n; i++) {
					size_t to = (i + 1) * size;
					part[i] = cms_from(i * size, to < 100000 ? to : 100000,
					    BUDGET, weighted, candidates);
				}
				for (; n > 1; n--) {
					size_t from = 1 + check_random(&random) % (n - 1);
					CHECK(cms_merge(part[0], part[from], NULL) == OK);
					cms_free(part[from]);
					part[from] = part[n - 1];
					struct cms *first = part[0];
					part[0] = part[n - 2];
					part[n - 2] = first;
				}
				CHECK(cms_candidates(part[0]) <= candidates);
				CHECK(check_bounds(part[0]) >= (candidates ? 3 : 0));

				memset(truth, 0, sizeof truth);
				struct cms *whole = cms_from(0, 100000, BUDGET, weighted, candidates);
				for (size_t id = 0; id < IDS; id++)
					CHECK(cms_estimate(whole, hash_of[id]) ==
					    cms_estimate(part[0], hash_of[id]));
				CHECK(candidates > 0 || same_bytes(whole, part[0]));
				cms_free(whole);
				cms_free(part[0]);
			}
}

static void
merging_does_not_depend_on_who_is_first(void)
{
	for (unsigned unlike = 0; unlike < 2; unlike++) {
		struct cms *pair[2][2];
		for (unsigned i = 0; i < 2; i++) {
			pair[i][0] = cms_from(0, 40000, BUDGET, true, 200);
			pair[i][1] = cms_from(40000, 100000, BUDGET, false, unlike ? 0 : 200);
			CHECK(cms_merge(pair[i][i], pair[i][!i], NULL) == OK);
		}
		CHECK(same_bytes(pair[0][0], pair[1][1]));
		for (unsigned i = 0; i < 2; i++) {
			cms_free(pair[i][0]);
			cms_free(pair[i][1]);
		}
	}
}

static void
unlike_sketches_are_refused_or_united(void)
{
	struct mismatch why;
	struct cms *a, *b;

	a = cms_of(272, 5, 0);
	b = cms_of(2719, 5, 0);
	CHECK(cms_kind.merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "width 272 and 2719") == 0);
	cms_free(b);
	b = cms_of(272, 7, 0);
	CHECK(cms_kind.merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "depth 5 and 7") == 0);
	cms_free(b);

	CHECK(cms_new(&b, 272, 5, 0.02, 0.007, 9) == OK);
	CHECK(cms_merge(a, b, &why) == OK);
	struct saved s = save(a);
	double epsilon, delta;
	memcpy(&epsilon, &s.head.param[2], 8);
	memcpy(&delta, &s.head.param[3], 8);
	CHECK(epsilon == 0.02 && delta == 0.007 && s.head.param[4] == 9);
	buffer_free(&s.payload);
	cms_free(a);
	cms_free(b);
}

/* The checksum is the same on machines of either byte order. */
static void
what_is_saved_loads_as_it_was(void)
{
	memset(truth, 0, sizeof truth);
	struct cms *c = cms_from(0, 50000, BUDGET, true, 300), *again = NULL;
	struct saved s = save(c);

	CHECK_EQ(hash_bytes(s.payload.at, s.payload.len, 0), UINT64_C(13490844703304759034));
	CHECK(load(&s, &again) == OK);
	CHECK(same_bytes(c, again));
	CHECK_EQ(cms_candidates(again), 300);
	CHECK(check_bounds(again) >= 8);
	for (size_t id = 0; id < IDS; id++) {
		uint64_t low[2], high[2];
		cms_bounds(c, item_of[id], hash_of[id], &low[0], &high[0]);
		cms_bounds(again, item_of[id], hash_of[id], &low[1], &high[1]);
		CHECK(low[0] == low[1] && high[0] == high[1]);
	}
	buffer_free(&s.payload);
	cms_free(c);
	cms_free(again);
}

static void
empty_sketches_load_and_answer(void)
{
	struct cms *c = cms_of(10, 2, 5), *again = NULL;
	struct saved s = save(c);
	struct counter *top;
	size_t n = 1;

	CHECK(load(&s, &again) == OK);
	CHECK(cms_total(again) == 0 && cms_missing(again) == 0);
	CHECK(cms_top(again, 5, &top, &n) == OK && n == 0);
	free(top);
	buffer_free(&s.payload);
	cms_free(c);
	cms_free(again);
}

/* One change each that contradicts the rest. */
static void
contradictions_are_refused(void)
{
	memset(truth, 0, sizeof truth);
	struct cms *c = cms_from(0, 5000, BUDGET, false, 20), *again = NULL;
	struct saved s = save(c);
	unsigned char *first = s.payload.at + 272 * 5 * 8;
	size_t len = get_le32(first + 16);
	unsigned char *second = first + 20 + len;

#define REFUSED(field, value, status) do { \
	uint64_t kept = (field); \
	(field) = (value); \
	CHECK(load(&s, &again) == (status)); \
	(field) = kept; \
} while (0)
#define BAD_U64(at, value) do { \
	uint64_t kept = get_le64(at); \
	put_le64((at), (value)); \
	CHECK(load(&s, &again) == STATUS_INVARIANT); \
	put_le64((at), kept); \
} while (0)
	REFUSED(s.head.param[0], 0, STATUS_PARAMETER);
	REFUSED(s.head.param[0], 271, STATUS_PARAMETER);
	REFUSED(s.head.param[0], 273, STATUS_INVARIANT);
	REFUSED(s.head.param[0], CMS_WIDTH_MAX, STATUS_SIZE);
	REFUSED(s.head.param[0], UINT64_MAX, STATUS_PARAMETER);
	REFUSED(s.head.param[1], UINT64_MAX, STATUS_PARAMETER);
	REFUSED(s.head.param[2], UINT64_C(0x7ff8000000000000), STATUS_PARAMETER);
	REFUSED(s.head.param[2], UINT64_C(1) << 63, STATUS_PARAMETER);
	REFUSED(s.head.param[3], UINT64_C(0x3ff0000000000000), STATUS_PARAMETER);
	REFUSED(s.head.param[4], 19, STATUS_PARAMETER);
	REFUSED(s.head.param[5], 21, STATUS_PARAMETER);
	REFUSED(s.head.param[5], 19, STATUS_INVARIANT);
	REFUSED(s.head.param[6], 5001, STATUS_PARAMETER);
	REFUSED(s.head.param[7], 5001, STATUS_INVARIANT);
	REFUSED(s.head.size, 272 * 5 * 8 + 399, STATUS_SIZE);
	s.head.flags = FLAG_SATURATED;
	CHECK(load(&s, &again) == STATUS_INVARIANT);
	s.head.flags = 0;

	BAD_U64(s.payload.at + 8 * 272, get_le64(s.payload.at + 8 * 272) + 1);
	BAD_U64(first, 5000);                           /* low above the counters */
	put_le64(first + 8, 5001);
	BAD_U64(first, 5001);                           /* count above the total */
	put_le64(first + 8, 0);
	BAD_U64(first + 8, get_le64(first) + 1);        /* error above the count */
	BAD_U64(first + 16, UINT64_MAX);                /* length past the end */
	BAD_U64(second + 20, 0);                        /* not ascending */
	first[16]++;
	CHECK(load(&s, &again) == STATUS_INVARIANT);
	first[16]--;
	/* All bytes are there, but one too many. */
	CHECK(buffer_zeros(&s.payload, 1) == OK);
	s.head.size++;
	CHECK(load(&s, &again) == STATUS_INVARIANT);
	s.head.size--;
	s.payload.len--;
	CHECK(load(&s, &again) == OK);
	cms_free(again);
	buffer_free(&s.payload);
	cms_free(c);
}

static void
twins_and_loose_bounds_are_refused(void)
{
	for (unsigned candidates = 0; candidates <= 2; candidates += 2) {
		struct cms *c = NULL, *again = NULL;
		struct spacesaving *table;
		struct slice item[] = {slice_of("a"), slice_of("b")};
		uint64_t hash[] = {hash_bytes("a", 1, 0), hash_bytes("b", 1, 0)};
		CHECK(cms_new(&c, 4, 2, 0.7, 0.2, candidates) == OK);
		CHECK(spacesaving_new(&table, 0) == OK);
		CHECK(cms_feed(c, table, item, hash, NULL, 2) == OK);
		CHECK(cms_take_candidates(c, table) == OK);
		struct saved s = save(c);
		if (candidates)
			s.payload.at[s.payload.len - 1] = 'a';
		else
			s.head.param[6] = 1;    /* who could tell, without candidates? */
		CHECK(load(&s, &again) == STATUS_INVARIANT);
		buffer_free(&s.payload);
		spacesaving_free(table);
		cms_free(c);
	}
}

/* Whatever loads must be what it would be saved as. */
static void
damage_never_does_worse_than_a_status(void)
{
	struct cms *c = cms_from(0, 3000, BUDGET, false, 50);
	struct saved s = save(c);
	uint64_t random = 4;
	size_t loaded = 0;

	for (unsigned i = 0; i < (check_long() ? 200000 : 3000); i++) {
		struct saved bad = {.head = s.head};
		CHECK(buffer_append(&bad.payload, s.payload.at, s.payload.len) == OK);
		for (uint64_t n = 1 + check_random(&random) % 3; n > 0; n--) {
			uint64_t r = check_random(&random);
			size_t tail = bad.payload.len - 272 * 5 * 8;
			if (r % 8 == 0)
				bad.head.param[r >> 8 & 7] ^= UINT64_C(1) << (r >> 16 & 63);
			else
				bad.payload.at[bad.payload.len - 1 - (r >> 8) % tail] ^=
				    (unsigned char)(1 << (r >> 3 & 7));
		}
		if (check_random(&random) % 8 == 0)
			bad.head.size = bad.payload.len =
			    check_random(&random) % (s.payload.len + 1);
		struct cms *again = NULL;
		if (load(&bad, &again) == OK) {
			struct saved after = save(again);
			CHECK(same(&bad, &after));
			buffer_free(&after.payload);
			cms_free(again);
			loaded++;
		}
		buffer_free(&bad.payload);
	}
	CHECK(loaded > 0);
	buffer_free(&s.payload);
	cms_free(c);
}

static void
sums_stop_at_the_largest_number(void)
{
	const uint64_t most = INT64_MAX, weight[] = {most, most, 2, 1};
	uint64_t hash[4], low, high;
	struct slice item[4];
	struct cms *fed = cms_of(50, 3, 4), *direct = cms_of(50, 3, 4), *again = NULL;
	struct spacesaving *table;

	for (unsigned i = 0; i < 4; i++) {
		item[i] = item_of[i / 3];
		hash[i] = hash_of[i / 3];
	}
	/* One item alone can do it. */
	CHECK(spacesaving_new(&table, BUDGET) == OK);
	CHECK(cms_feed(fed, table, item, hash, weight, 3) == OK);
	CHECK(cms_take_candidates(fed, table) == OK);
	CHECK(cms_saturated(fed));
	cms_free(fed);
	spacesaving_free(table);

	fed = cms_of(50, 3, 4);
	CHECK(spacesaving_new(&table, BUDGET) == OK);
	CHECK(cms_feed(fed, table, item, hash, weight, 4) == OK);
	CHECK(cms_take_candidates(fed, table) == OK);
	for (unsigned i = 0; i < 4; i++) {
		CHECK(cms_saturated(direct) == (i == 3));
		cms_add(direct, &hash[i], &weight[i], 1);
	}
	CHECK(cms_saturated(direct) && cms_saturated(fed));
	CHECK_EQ(cms_total(direct), UINT64_MAX);
	CHECK_EQ(cms_estimate(direct, hash[0]), UINT64_MAX);
	CHECK(cms_take_candidates(direct, table) == OK);
	CHECK(same_bytes(fed, direct));

	CHECK(cms_merge(fed, direct, NULL) == OK);
	struct saved s = save(fed);
	CHECK(s.head.flags == FLAG_SATURATED);
	CHECK(load(&s, &again) == OK);
	CHECK(cms_saturated(again));
	cms_bounds(again, item[0], hash[0], &low, &high);
	CHECK(low == UINT64_MAX && high == UINT64_MAX);
	cms_bounds(again, item[3], hash[3], &low, &high);
	CHECK(low == 2 && high == 2);
	s.head.flags = 0;                               /* then it could be no sum */
	cms_free(again);
	CHECK(load(&s, &again) == STATUS_INVARIANT);
	s.head.flags = FLAG_SATURATED;
	unsigned char *candidate = s.payload.at + s.payload.len;
	candidate -= 2 * 20 + item[0].len + item[3].len;
	put_le64(candidate, UINT64_MAX - 1);
	put_le64(candidate + 8, UINT64_MAX);            /* an error above the count */
	CHECK(load(&s, &again) == STATUS_INVARIANT);

	/* The largest total that is still a sum needs no flag, and none is taken. */
	const uint64_t largest[] = {most, most, 1};
	again = cms_of(50, 3, 0);
	cms_add(again, hash, largest, 3);
	CHECK(cms_total(again) == UINT64_MAX && !cms_saturated(again));
	buffer_free(&s.payload);
	s = save(again);
	cms_free(again);
	CHECK(load(&s, &again) == OK && !cms_saturated(again));
	buffer_free(&s.payload);
	cms_free(again);
	cms_free(direct);
	cms_free(fed);
	spacesaving_free(table);
}

static void
facts_are_told(void)
{
	struct cms *c = cms_from(0, 1000, BUDGET, false, 5);
	struct facts f = {0};

	cms_kind.facts(c, &f);
	CHECK(f.n == 11);
	CHECK(strcmp(f.at[0].name, "width") == 0 && f.at[0].count == 272);
	CHECK(strcmp(f.at[4].name, "conservative") == 0 && !f.at[4].flag);
	CHECK(strcmp(f.at[8].name, "total") == 0 && f.at[8].count == 1000);
	CHECK(strcmp(f.at[9].name, "error") == 0 && f.at[9].count == 10);
	cms_kind.free(c);
}

int
main(void)
{
	make_stream();
	RUN(geometry_is_that_of_the_paper);
	RUN(parameters_out_of_range_are_refused);
	RUN(the_example_on_the_first_page_is_right);
	RUN(counters_never_undercount_and_keep_their_bound);
	RUN(deferred_counting_gives_the_same_bytes);
	RUN(complete_candidates_make_exact_answers);
	RUN(merged_parts_keep_all_promises);
	RUN(merging_does_not_depend_on_who_is_first);
	RUN(unlike_sketches_are_refused_or_united);
	RUN(what_is_saved_loads_as_it_was);
	RUN(empty_sketches_load_and_answer);
	RUN(contradictions_are_refused);
	RUN(twins_and_loose_bounds_are_refused);
	RUN(damage_never_does_worse_than_a_status);
	RUN(sums_stop_at_the_largest_number);
	RUN(facts_are_told);
	return check_done();
}
