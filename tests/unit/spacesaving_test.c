/* sketchutils: BSD-2-Clause, see LICENSE */
#include "spacesaving_streams.h"

static void
bounds_hold_for_any_stream_and_budget(void)
{
	static const size_t budgets[] = {0, 200000, 1 << 20, 16 << 20};
	struct stream from = {.seed = 1, .events = check_long() ? 1000000 : 60000};

	for (unsigned shape = 0; shape < SHAPES; shape++)
		for (unsigned weighted = 0; weighted < 2; weighted++)
			for (size_t b = 0; b < 4; b++) {
				struct spacesaving *s;
				from.shape = shape;
				from.skew = 0.5 + 0.25 * (double)(from.seed % 5);
				from.weighted = weighted;
				from.seed++;
				CHECK(spacesaving_new(&s, budgets[b]) == OK);
				feed(s, &from, 1000);
				check_bounds(s);
				check_top(s, 20);
				CHECK(spacesaving_memory(s) <=
				    (b ? budgets[b] : SPACESAVING_MIN));
				CHECK(spacesaving_exact(s) || b < 3);
				spacesaving_free(s);
			}
}

static void
skewed_streams_have_certain_tops(void)
{
	struct stream from = {.shape = ZIPF, .skew = 1, .seed = 5, .events = 200000};
	struct spacesaving *s;

	CHECK(spacesaving_new(&s, 0) == OK);
	feed(s, &from, 256);
	CHECK(!spacesaving_exact(s));
	CHECK(check_top(s, 20) >= 18);
	CHECK(check_top(s, 1) == 1);
	CHECK(check_top(s, 0) == 0);
	spacesaving_free(s);
}

/* 50,000 events over 10,000 keys: the figure in the manual. */
static void
top_five_of_a_zipf_stream_are_exact(void)
{
	struct stream from = {.shape = ZIPF, .skew = 1, .seed = 9, .events = 50000};

	for (unsigned small = 0; small < 2; small++) {
		struct spacesaving *s;
		struct counter *top;
		size_t n;

		CHECK(spacesaving_new(&s, small ? 0 : 64 << 20) == OK);
		memset(truth, 0, sizeof truth);
		zipf_shares(from.skew);
		uint64_t random = from.seed;
		for (size_t i = 0; i < from.events; i++) {
			size_t id;
			while ((id = zipf_id(&random)) >= 10000)
				;
			truth[id]++;
			CHECK(spacesaving_add(s, &item_of[id], &hash_of[id], NULL, 1) == OK);
		}
		CHECK(spacesaving_exact(s) == !small);
		check_bounds(s);
		CHECK_EQ(check_top(s, 5), 5);
		CHECK(spacesaving_top(s, 5, &top, &n) == OK);
		for (size_t i = 0; i < n; i++)
			CHECK(top[i].low == truth[i] && top[i].high == truth[i]);
		free(top);
		spacesaving_free(s);
	}
}

static void
batches_and_machines_make_no_difference(void)
{
	static const size_t most[] = {1, 7, 256, 1000};
	struct stream from = {.shape = FLAT, .seed = 3, .events = 150000};

	for (size_t i = 0; i < 4; i++) {
		struct spacesaving *s;
		CHECK(spacesaving_new(&s, 300000) == OK);
		feed(s, &from, most[i]);
		CHECK_EQ(fingerprint(s), UINT64_C(13069114005457652502));
		spacesaving_free(s);
	}
}

static void
exact_adding_stops_at_the_budget(void)
{
	struct spacesaving *s;
	size_t done, n = 0;
	uint64_t low, high;

	CHECK(spacesaving_new(&s, 0) == OK);
	for (;; n++) {
		uint64_t weight = n;
		CHECK(spacesaving_add_exact(s, &item_of[n], &hash_of[n], &weight, 1, &done) == OK);
		if (done == 0)
			break;
	}
	CHECK_IN(n, 900, 1400);
	CHECK(spacesaving_exact(s));
	CHECK_EQ(spacesaving_distinct(s), n);
	CHECK_EQ(spacesaving_total(s), n * (n - 1) / 2);
	/* One that is known still has its place. */
	CHECK(spacesaving_add_exact(s, &item_of[5], &hash_of[5], NULL, 1, &done) == OK);
	CHECK_EQ(done, 1);
	spacesaving_bounds(s, item_of[5], hash_of[5], &low, &high);
	CHECK(low == 6 && high == 6);
	spacesaving_free(s);
}

static void
add_one(struct spacesaving *s, struct slice item, uint64_t weight)
{
	uint64_t hash = hash_bytes(item.at, item.len, 0);

	CHECK(spacesaving_add(s, &item, &hash, &weight, 1) == OK);
}

static void
items_of_any_length_are_counted(void)
{
	enum { LONG = 3 << 20 };
	unsigned char *bytes = calloc(1, LONG);
	static const size_t lengths[] = {0, 1, 4, 5, 1000, 1200, 70000, LONG};
	uint64_t low, high;
	struct spacesaving *s;

	for (unsigned large = 0; large < 2; large++) {
		CHECK(spacesaving_new(&s, large ? 8 << 20 : 0) == OK);
		for (unsigned round = 1; round <= 100; round++)
			for (size_t i = 0; i < 8; i++)
				add_one(s, (struct slice){bytes, lengths[i]}, i + 1);
		CHECK(spacesaving_exact(s) == large);
		for (size_t i = 0; i < 8; i++) {
			struct slice item = {bytes, lengths[i]};
			spacesaving_bounds(s, item, hash_bytes(bytes, lengths[i], 0), &low, &high);
			CHECK(low <= 100 * (i + 1) && 100 * (i + 1) <= high);
			CHECK(high - low <= 100 * 8 && (!large || low == high));
			CHECK(large || lengths[i] > 1200 || low > 0);
			CHECK(low > 0 || high <= spacesaving_missing(s));
		}
		spacesaving_free(s);
	}
	free(bytes);
}

/* Long items among many short ones cost their own length, not more. */
static void
long_items_do_not_crowd_out_short_ones(void)
{
	static unsigned char bytes[500000];
	struct spacesaving *s;
	uint64_t low, high;

	CHECK(spacesaving_new(&s, 2 << 20) == OK);
	add_one(s, (struct slice){bytes, sizeof bytes}, 1);
	add_one(s, (struct slice){bytes, sizeof bytes - 1}, 1);
	for (unsigned round = 0; round < 3; round++)
		for (size_t id = 0; id < 12000; id++)
			add_one(s, item_of[id], 1);
	CHECK(spacesaving_exact(s));
	for (size_t id = 0; id < IDS; id++)
		add_one(s, item_of[id], 1);

	CHECK(!spacesaving_exact(s));
	CHECK_IN(spacesaving_distinct(s), 6000, 18000);
	size_t sure = 0;
	for (size_t id = 0; id < 12000; id++) {
		spacesaving_bounds(s, item_of[id], hash_of[id], &low, &high);
		sure += low == 4 && high == 4;
	}
	CHECK_IN(sure, 3000, 12000);
	spacesaving_free(s);
}

static void
sums_stop_at_the_largest_number(void)
{
	const uint64_t most = INT64_MAX;
	uint64_t low, high;

	for (unsigned crowd = 0; crowd < 2; crowd++) {
		struct spacesaving *s;
		CHECK(spacesaving_new(&s, 0) == OK);
		for (size_t id = 0; id < crowd * 5000; id++)
			add_one(s, item_of[id], 3);
		struct slice heavy = slice_of("heavy"), other = slice_of("other");
		for (unsigned i = 0; i < 2; i++)
			add_one(s, heavy, most);
		CHECK(spacesaving_saturated(s) == crowd);
		add_one(s, heavy, 2);
		CHECK(spacesaving_saturated(s));
		CHECK_EQ(spacesaving_total(s), UINT64_MAX);
		add_one(s, other, most);
		add_one(s, heavy, most);

		spacesaving_bounds(s, heavy, hash_bytes("heavy", 5, 0), &low, &high);
		CHECK(high == UINT64_MAX && low >= UINT64_MAX - 6);
		spacesaving_bounds(s, other, hash_bytes("other", 5, 0), &low, &high);
		CHECK(low <= most && most <= high);
		for (size_t id = 0; id < crowd * 5000; id++) {
			spacesaving_bounds(s, item_of[id], hash_of[id], &low, &high);
			CHECK(low <= 3 && 3 <= high);
		}
		spacesaving_free(s);
	}
}

/* Once the filter itself is full, nothing enters any more, and no bound breaks. */
static void
heavy_weights_fill_the_filter(void)
{
	struct spacesaving *s;
	uint64_t low, high;

	CHECK(spacesaving_new(&s, 0) == OK);
	for (unsigned round = 0; round < 3; round++)
		for (size_t id = 0; id < 20000; id++)
			add_one(s, item_of[id], INT64_MAX);
	CHECK_EQ(spacesaving_missing(s), UINT64_MAX);
	for (size_t id = 0; id < 20000; id++) {
		spacesaving_bounds(s, item_of[id], hash_of[id], &low, &high);
		CHECK_EQ(high, UINT64_MAX);
	}
	spacesaving_free(s);
}

static void
nothing_added_is_an_exact_nothing(void)
{
	struct spacesaving *s;
	struct counter *top;
	size_t n = 1;
	uint64_t low, high;

	CHECK(spacesaving_new(&s, SIZE_MAX) == OK);
	CHECK(spacesaving_add(s, NULL, NULL, NULL, 0) == OK);
	CHECK(spacesaving_exact(s) && spacesaving_distinct(s) == 0);
	CHECK(spacesaving_top(s, 10, &top, &n) == OK && n == 0);
	free(top);
	spacesaving_bounds(s, slice_of("x"), 1, &low, &high);
	CHECK(low == 0 && high == 0);
	CHECK(spacesaving_memory(s) <= 4096);
	spacesaving_free(s);
	spacesaving_free(NULL);
}

int
main(void)
{
	make_items();
	RUN(bounds_hold_for_any_stream_and_budget);
	RUN(skewed_streams_have_certain_tops);
	RUN(top_five_of_a_zipf_stream_are_exact);
	RUN(batches_and_machines_make_no_difference);
	RUN(exact_adding_stops_at_the_budget);
	RUN(items_of_any_length_are_counted);
	RUN(long_items_do_not_crowd_out_short_ones);
	RUN(sums_stop_at_the_largest_number);
	RUN(heavy_weights_fill_the_filter);
	RUN(nothing_added_is_an_exact_nothing);
	return check_done();
}
