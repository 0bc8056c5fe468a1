/* sketchutils: BSD-2-Clause, see LICENSE */
#include "cms_streams.h"
#include "sketch/distinct/hll.h"
#include "sketch/kinds.h"

static struct cms *
conservative_of(unsigned candidates)
{
	struct cms *c = cms_of(272, 5, candidates);

	cms_conserve(c);
	return c;
}

static struct cms *
conservative_from(size_t from, size_t to, size_t budget, bool weighted, unsigned candidates)
{
	return cms_fed(conservative_of(candidates), from, to, budget, weighted);
}

/* By how much all estimates are too high, together. */
static uint64_t
excess_of(const struct cms *c)
{
	uint64_t sum = 0;

	for (size_t id = 0; id < IDS; id++) {
		CHECK(cms_estimate(c, hash_of[id]) >= truth[id]);
		sum += cms_estimate(c, hash_of[id]) - truth[id];
	}
	return sum;
}

/* The rule in its plainest form: d numbers, the smallest of them, and no more. */
static void
a_counter_is_raised_no_more_than_needed(void)
{
	static uint64_t cell[5][272];
	struct cms *c = conservative_of(0);

	for (size_t i = 0; i < 100000; i++) {
		uint64_t hash = hash_of[stream[i]], least = UINT64_MAX;
		cms_add(c, &hash, &weights[i], 1);
		for (unsigned row = 0; row < 5; row++) {
			uint64_t v = cell[row][hash_place(hash_step(hash, row + 1), 272)];
			least = least < v ? least : v;
		}
		for (unsigned row = 0; row < 5; row++) {
			uint64_t *v = &cell[row][hash_place(hash_step(hash, row + 1), 272)];
			if (*v < least + weights[i])
				*v = least + weights[i];
		}
	}
	struct saved s = save(c);
	for (size_t i = 0; i < 5 * 272; i++)
		CHECK_EQ(get_le64(s.payload.at + 8 * i), cell[i / 272][i % 272]);
	CHECK(s.head.flags == FLAG_CONSERVATIVE);
	buffer_free(&s.payload);
	cms_free(c);
}

static void
estimates_are_never_too_low_and_closer_than_plain_ones(void)
{
	for (unsigned weighted = 0; weighted < 2; weighted++) {
		memset(truth, 0, sizeof truth);
		struct cms *plain = cms_from(0, 100000, BUDGET, weighted, 100);
		memset(truth, 0, sizeof truth);
		struct cms *c = conservative_from(0, 100000, BUDGET, weighted, 100);

		CHECK(check_bounds(c) >= 8);
		for (size_t id = 0; id < IDS; id++)
			CHECK(cms_estimate(c, hash_of[id]) <= cms_estimate(plain, hash_of[id]));
		CHECK(excess_of(c) < excess_of(plain) * 7 / 10);
		cms_free(plain);
		cms_free(c);
	}
}

/* The counters follow from the items and their order: not from how the items
 * are cut into batches, nor from how many of them the table could count. */
static void
neither_batches_nor_the_table_matter(void)
{
	struct cms *c = conservative_from(0, 100000, BUDGET, true, 0);
	struct cms *roomy = conservative_from(0, 100000, BUDGET * 100, true, 0);
	struct cms *single = conservative_of(0);

	for (size_t i = 0; i < 100000; i++)
		cms_add(single, &hash_of[stream[i]], &weights[i], 1);
	CHECK(same_bytes(c, roomy));
	CHECK(same_bytes(c, single));
	cms_free(c);
	cms_free(roomy);
	cms_free(single);
}

/* Parts, conservative and plain ones, in any tree: an upper bound still, and no
 * higher than plain counters of the whole; and flagged. */
static void
merged_parts_keep_their_bounds(void)
{
	for (unsigned plain = 0; plain < 8; plain++) {
		struct cms *part[8], *whole;
		uint64_t random = plain;
		size_t n = 8;

		memset(truth, 0, sizeof truth);
		for (size_t i = 0; i < n; i++) {
			part[i] = i < plain ? cms_of(272, 5, 64) : conservative_of(64);
			cms_fed(part[i], i * 12500, (i + 1) * 12500, BUDGET, true);
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
		CHECK(cms_parameters(part[0]).conservative);
		CHECK(check_bounds(part[0]) >= 1);
		memset(truth, 0, sizeof truth);
		whole = cms_from(0, 100000, BUDGET, true, 0);
		for (size_t id = 0; id < IDS; id++)
			CHECK(cms_estimate(part[0], hash_of[id]) <=
			    cms_estimate(whole, hash_of[id]));
		cms_free(whole);
		cms_free(part[0]);
	}
}

static void
what_is_saved_loads_as_it_was(void)
{
	memset(truth, 0, sizeof truth);
	struct cms *c = conservative_from(0, 50000, BUDGET, true, 300), *again = NULL;
	struct saved s = save(c);

	/* On machines of either byte order. */
	CHECK_EQ(hash_bytes(s.payload.at, s.payload.len, 0), UINT64_C(1193946653400851396));
	CHECK(load(&s, &again) == OK);
	CHECK(same_bytes(c, again));
	CHECK(cms_parameters(again).conservative);
	CHECK(check_bounds(again) >= 8);
	cms_free(again);

	/* Without the flag its rows would be too light; one too heavy is none. */
	s.head.flags = 0;
	CHECK(load(&s, &again) == STATUS_INVARIANT);
	s.head.flags = FLAG_CONSERVATIVE;
	put_le64(s.payload.at, cms_total(c));
	CHECK(load(&s, &again) == STATUS_INVARIANT);
	buffer_free(&s.payload);
	cms_free(c);
}

/* A flag that must be understood has no meaning for other kinds. */
static void
the_flag_belongs_to_this_kind(void)
{
	struct cms *c = conservative_of(0);
	struct saved s = save(c);
	struct record head = {.kind = KIND_HLL, .version = 1, .hash = HASH_XXH3, .param = {14}};

	CHECK(kind_check(&s.head) == OK);
	CHECK(kind_check(&head) == OK);
	head.flags = FLAG_CONSERVATIVE;
	CHECK(kind_check(&head) == STATUS_UNSUPPORTED);
	buffer_free(&s.payload);
	cms_free(c);
}

static void
sums_stop_at_the_largest_number(void)
{
	const uint64_t most = INT64_MAX, weight[] = {most, 5, most, 3, most};
	struct cms *c = conservative_of(0);

	for (unsigned i = 0; i < 5; i++) {
		cms_add(c, &hash_of[i % 2], &weight[i], 1);
		/* One of both alone has not passed it before the last. */
		CHECK_EQ(cms_estimate(c, hash_of[0]), i < 2 ? most : i < 4 ? 2 * most : UINT64_MAX);
		CHECK_EQ(cms_saturated(c), i >= 2);
	}
	CHECK_EQ(cms_estimate(c, hash_of[1]), 8);
	CHECK_EQ(cms_total(c), UINT64_MAX);
	cms_free(c);
}

int
main(void)
{
	make_stream();
	RUN(a_counter_is_raised_no_more_than_needed);
	RUN(estimates_are_never_too_low_and_closer_than_plain_ones);
	RUN(neither_batches_nor_the_table_matter);
	RUN(merged_parts_keep_their_bounds);
	RUN(what_is_saved_loads_as_it_was);
	RUN(the_flag_belongs_to_this_kind);
	RUN(sums_stop_at_the_largest_number);
	return check_done();
}
