/* sketchutils: BSD-2-Clause, see LICENSE */

/* The lines of each item, counted beside its weight. */
#include "spacesaving_streams.h"

#define PARTS 8

static struct spacesaving *
table_of(uint64_t budget)
{
	struct spacesaving *s;

	CHECK(spacesaving_new(&s, budget) == OK);
	spacesaving_want_hits(s);
	return s;
}

static void
forget(void)
{
	memset(truth, 0, sizeof truth);
	memset(true_hits, 0, sizeof true_hits);
}

static void
check_hits(const struct spacesaving *s)
{
	uint64_t low, high, weight_low, weight_high, lines = 0;

	check_bounds(s);
	for (size_t id = 0; id < IDS + ABSENT; id++) {
		uint64_t hits = id < IDS ? true_hits[id] : 0;
		spacesaving_hits(s, item_of[id], hash_of[id], &low, &high);
		CHECK(low <= hits && hits <= high);
		if (spacesaving_exact(s))
			CHECK(low == hits && high == hits);
		/* What has a counter has at least the line that it entered by. */
		spacesaving_bounds(s, item_of[id], hash_of[id], &weight_low, &weight_high);
		CHECK(weight_low == 0 || low > 0);
		lines += hits;
	}
	CHECK_EQ(spacesaving_lines(s), lines);
}

static void
hits_have_bounds_for_any_stream_and_budget(void)
{
	static const size_t budgets[] = {0, 200000, 1 << 20, 16 << 20};
	struct stream from = {.seed = 1, .weighted = true, .events = check_long() ? 1000000 : 50000};

	for (unsigned shape = 0; shape < SHAPES; shape++)
		for (size_t b = 0; b < 4; b++) {
			struct spacesaving *s = table_of(budgets[b]);
			from.shape = shape;
			from.skew = 0.5 + 0.5 * (double)(from.seed % 3);
			from.seed++;
			feed(s, &from, 1000);
			check_hits(s);
			check_top(s, 20);
			CHECK(spacesaving_memory(s) <= (b ? budgets[b] : SPACESAVING_MIN));
			CHECK(spacesaving_exact(s) || b < 3);
			spacesaving_free(s);
		}
}

/* With a weight of 1 an item's hits are its weight, to the last bit of the bounds. */
static void
without_weights_both_are_the_same(void)
{
	struct stream from = {.shape = ZIPF, .skew = 1, .seed = 5, .events = 100000};
	struct spacesaving *s = table_of(0);
	uint64_t low, high, hits_low, hits_high;

	feed(s, &from, 300);
	CHECK(!spacesaving_exact(s));
	for (size_t id = 0; id < IDS; id++) {
		spacesaving_bounds(s, item_of[id], hash_of[id], &low, &high);
		spacesaving_hits(s, item_of[id], hash_of[id], &hits_low, &hits_high);
		CHECK(low == hits_low && high == hits_high);
	}
	spacesaving_free(s);
}

/* The bounds of what is heavy are close, though most of the stream has no counter. */
static void
hits_of_the_heaviest_are_close(void)
{
	struct stream from = {
		.shape = ZIPF, .skew = 1, .seed = 6, .weighted = true, .events = 200000,
	};
	struct spacesaving *s = table_of(0);
	uint64_t low, high;

	feed(s, &from, 256);
	CHECK(!spacesaving_exact(s));
	for (size_t id = 0; id < 20; id++) {
		spacesaving_hits(s, item_of[id], hash_of[id], &low, &high);
		CHECK_IN((double)(high - low), 0, 60);
		CHECK_IN((double)low, (double)true_hits[id] - 60, (double)true_hits[id]);
	}
	spacesaving_free(s);
}

static void
bounds_hold_for_any_tree_of_unions(void)
{
	static const uint64_t budgets[] = {0, 200000, 1 << 20, 100000};
	unsigned exact = 0;

	for (uint64_t seed = 1; seed <= (check_long() ? 60 : 8); seed++) {
		struct spacesaving *part[PARTS];
		uint64_t random = seed;
		size_t parts = 2 + seed % (PARTS - 1);
		bool large = seed % 4 == 0;

		forget();
		for (size_t i = 0; i < parts; i++) {
			struct stream from = {
				.shape = check_random(&random) % SHAPES,
				.skew = 0.5 * (double)(1 + check_random(&random) % 3),
				.weighted = true,
				.seed = check_random(&random),
				.events = check_random(&random) % 12000,
			};
			part[i] = table_of(large ? 16 << 20 : budgets[check_random(&random) % 4]);
			feed_more(part[i], &from, 1000);
		}
		for (; parts > 1; parts--) {
			size_t into = check_random(&random) % (parts - 1);
			CHECK(spacesaving_merge(part[into], part[parts - 1]) == OK);
			spacesaving_free(part[parts - 1]);
		}
		check_hits(part[0]);
		check_top(part[0], 20);
		exact += spacesaving_exact(part[0]);
		CHECK(spacesaving_exact(part[0]) || !large);
		spacesaving_free(part[0]);
	}
	CHECK(exact >= 2);
}

/* Lines of no weight never get a counter once there is a filter, but are counted. */
static void
lines_of_no_weight_are_lines(void)
{
	struct spacesaving *s = table_of(0);
	uint64_t low, high, none = 0;

	for (size_t id = 0; id < 5000; id++)
		CHECK(spacesaving_add(s, &item_of[id], &hash_of[id], NULL, 1) == OK);
	CHECK(!spacesaving_exact(s));
	for (unsigned i = 0; i < 70; i++)
		CHECK(spacesaving_add(s, &item_of[9000], &hash_of[9000], &none, 1) == OK);
	spacesaving_hits(s, item_of[9000], hash_of[9000], &low, &high);
	CHECK(low == 0 && high >= 70);
	spacesaving_free(s);
}

int
main(void)
{
	make_items();
	RUN(hits_have_bounds_for_any_stream_and_budget);
	RUN(without_weights_both_are_the_same);
	RUN(hits_of_the_heaviest_are_close);
	RUN(bounds_hold_for_any_tree_of_unions);
	RUN(lines_of_no_weight_are_lines);
	return check_done();
}
