/* sketchutils: BSD-2-Clause, see LICENSE */
#include "spacesaving_streams.h"

#define PARTS 12

static struct spacesaving *
table_of(uint64_t budget)
{
	struct spacesaving *s;

	CHECK(spacesaving_new(&s, budget) == OK);
	return s;
}

static void
merge(struct spacesaving *into, struct spacesaving *from)
{
	CHECK(spacesaving_merge(into, from) == OK);
	spacesaving_free(from);
}

/* Parts of unlike streams and budgets, united in a random tree. */
static struct spacesaving *
random_union(uint64_t seed, size_t parts, bool small)
{
	static const uint64_t budgets[] = {0, 200000, 1 << 20, 100000};
	struct spacesaving *part[PARTS];
	uint64_t random = seed;

	memset(truth, 0, sizeof truth);
	for (size_t i = 0; i < parts; i++) {
		struct stream from = {
			.shape = check_random(&random) % SHAPES,
			.skew = 0.5 * (double)(1 + check_random(&random) % 3),
			.weighted = check_random(&random) % 2,
			.seed = check_random(&random),
			.events = check_random(&random) % (check_long() ? 100000 : 12000),
		};
		part[i] = table_of(small ? budgets[check_random(&random) % 4] : 64 << 20);
		feed_more(part[i], &from, 1000);
	}
	while (parts > 1) {
		size_t into = check_random(&random) % parts, from = check_random(&random) % parts;
		if (into == from)
			continue;
		merge(part[into], part[from]);
		part[from] = part[--parts];
	}
	return part[0];
}

static void
bounds_hold_for_any_tree_of_unions(void)
{
	unsigned approximate = 0;

	for (uint64_t seed = 1; seed <= (check_long() ? 60 : 8); seed++) {
		struct spacesaving *s = random_union(seed, 2 + seed % (PARTS - 1), true);
		check_bounds(s);
		check_top(s, 20);
		approximate += !spacesaving_exact(s);
		spacesaving_free(s);
	}
	CHECK(approximate >= 6);
}

static void
exact_parts_stay_exact_while_they_fit(void)
{
	struct spacesaving *s = random_union(77, PARTS, false);

	CHECK(spacesaving_exact(s));
	check_bounds(s);
	CHECK_EQ(check_top(s, 20), 20);
	spacesaving_free(s);
}

/* The budget is the table's own, whatever it is united with. */
static void
a_union_keeps_within_its_budget(void)
{
	struct stream from = {.shape = FLAT, .seed = 3, .events = 50000};

	for (unsigned exact = 0; exact < 2; exact++) {
		struct spacesaving *into = table_of(100000), *other = table_of(16 << 20);
		feed(other, &from, 256);
		if (!exact) {
			from.seed++;
			feed_more(into, &from, 256);
		}
		CHECK(spacesaving_exact(other) && spacesaving_exact(into) == exact);
		merge(into, other);
		CHECK(!spacesaving_exact(into));
		CHECK(spacesaving_memory(into) <= 100000);
		check_bounds(into);

		/* And it takes more lines. */
		from.seed++;
		feed_more(into, &from, 256);
		check_bounds(into);
		spacesaving_free(into);
	}
}

/* An empty table takes another one over as it is; united with one, nothing
 * changes. */
static void
nothing_adds_nothing(void)
{
	struct stream from = {.shape = ZIPF, .skew = 1, .seed = 4, .events = 60000};
	struct spacesaving *full = table_of(0), *into = table_of(0), *empty = table_of(0);
	uint64_t low, high, into_low, into_high;

	feed(full, &from, 256);
	CHECK(!spacesaving_exact(full));
	CHECK(spacesaving_merge(into, full) == OK);
	CHECK(spacesaving_merge(full, empty) == OK);
	CHECK(!spacesaving_exact(into));
	CHECK_EQ(spacesaving_missing(into), spacesaving_missing(full));
	CHECK_EQ(spacesaving_total(into), from.events);
	for (size_t id = 0; id < IDS + ABSENT; id++) {
		spacesaving_bounds(full, item_of[id], hash_of[id], &low, &high);
		spacesaving_bounds(into, item_of[id], hash_of[id], &into_low, &into_high);
		CHECK(low == into_low && high == into_high);
	}
	check_bounds(full);
	spacesaving_free(full);
	spacesaving_free(into);
	spacesaving_free(empty);
}

/* Four quarters of a stream lose little against the whole of it. */
static void
the_heaviest_stay_certain(void)
{
	struct stream from = {.shape = ZIPF, .skew = 1, .events = 50000};
	struct spacesaving *all = table_of(0);

	memset(truth, 0, sizeof truth);
	for (from.seed = 1; from.seed <= 4; from.seed++) {
		struct spacesaving *part = table_of(0);
		feed_more(part, &from, 256);
		merge(all, part);
	}
	check_bounds(all);
	CHECK(check_top(all, 20) >= 15);
	CHECK_EQ(check_top(all, 5), 5);
	CHECK(spacesaving_missing(all) < 200000 / 500);
	spacesaving_free(all);
}

static void
machines_make_no_difference(void)
{
	struct stream from = {.shape = WAVES, .weighted = true, .seed = 8, .events = 30000};
	struct spacesaving *all = table_of(150000);

	memset(truth, 0, sizeof truth);
	for (unsigned i = 0; i < 3; i++) {
		struct spacesaving *part = table_of(i * 100000);
		from.shape = i % 2 ? FLAT : WAVES;
		from.seed++;
		feed_more(part, &from, 300);
		merge(all, part);
	}
	check_bounds(all);
	CHECK_EQ(fingerprint(all), UINT64_C(17423543890147699028));
	spacesaving_free(all);
}

static void
sums_stop_at_the_largest_number(void)
{
	for (unsigned crowd = 0; crowd < 2; crowd++) {
		struct spacesaving *part[3];
		struct slice heavy = slice_of("heavy");
		uint64_t hash = hash_bytes("heavy", 5, 0), most = INT64_MAX, low, high;

		for (unsigned i = 0; i < 3; i++) {
			part[i] = table_of(0);
			for (size_t id = 0; id < crowd * 5000; id++)
				CHECK(spacesaving_add(part[i], &item_of[id], &hash_of[id], NULL,
				    1) == OK);
			CHECK(spacesaving_add(part[i], &heavy, &hash, &most, 1) == OK);
			CHECK(!spacesaving_saturated(part[i]));
		}
		merge(part[0], part[1]);
		CHECK(spacesaving_saturated(part[0]) == crowd);
		merge(part[0], part[2]);
		CHECK(spacesaving_saturated(part[0]));
		CHECK_EQ(spacesaving_total(part[0]), UINT64_MAX);
		spacesaving_bounds(part[0], heavy, hash, &low, &high);
		CHECK(high == UINT64_MAX && low == UINT64_MAX);
		for (size_t id = 0; id < crowd * 5000; id++) {
			spacesaving_bounds(part[0], item_of[id], hash_of[id], &low, &high);
			CHECK(low <= 3 && 3 <= high);
		}
		spacesaving_free(part[0]);
	}
}

/* Items too long for the smaller table are bounded by its filter. */
static void
long_items_go_to_the_filter(void)
{
	enum { LONG = 100000 };
	static unsigned char bytes[LONG];
	struct spacesaving *into = table_of(0), *large = table_of(4 << 20);
	struct slice item = {bytes, LONG};
	uint64_t hash = hash_bytes(bytes, LONG, 0), weight = 1000, low, high;

	CHECK(spacesaving_add(large, &item, &hash, &weight, 1) == OK);
	CHECK(spacesaving_add(into, item_of, hash_of, NULL, 100) == OK);
	merge(into, large);
	CHECK(!spacesaving_exact(into));
	spacesaving_bounds(into, item, hash, &low, &high);
	CHECK(low == 0 && high == 1000);
	CHECK_EQ(spacesaving_missing(into), 1000);
	spacesaving_bounds(into, item_of[5], hash_of[5], &low, &high);
	CHECK(low == 1 && high == 1);
	spacesaving_free(into);
}

int
main(void)
{
	make_items();
	RUN(bounds_hold_for_any_tree_of_unions);
	RUN(exact_parts_stay_exact_while_they_fit);
	RUN(a_union_keeps_within_its_budget);
	RUN(nothing_adds_nothing);
	RUN(the_heaviest_stay_certain);
	RUN(machines_make_no_difference);
	RUN(sums_stop_at_the_largest_number);
	RUN(long_items_go_to_the_filter);
	return check_done();
}
