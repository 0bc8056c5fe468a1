/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/record.h"
#include "sketch/frequency/heavy.h"

#include "spacesaving_streams.h"

#define PARTS 10

/* What a table that saw the stream leaves to a sketch of this capacity. */
static struct heavy *
heavy_of(const struct stream *from, uint64_t budget, unsigned capacity)
{
	struct spacesaving *table;
	struct heavy *h;

	CHECK(spacesaving_new(&table, budget) == OK);
	CHECK(heavy_new(&h, capacity) == OK);
	feed_more(table, from, 1000);
	CHECK(heavy_take(h, table) == OK);
	CHECK_EQ(heavy_total(h), spacesaving_total(table));
	spacesaving_free(table);
	return h;
}

/* Saved and loaded again: nothing is lost, and the bytes are the same. */
static struct heavy *
reload(struct heavy *h)
{
	struct record head = {.hash = 1};
	struct buffer payload = {0}, again = {0};
	void *copy;

	CHECK(heavy_kind.save(h, &head, &payload) == OK);
	CHECK(heavy_kind.check(&head) == OK);
	CHECK(buffer_append(&again, payload.at, payload.len) == OK);
	CHECK(heavy_kind.load(&copy, &head, &again) == OK);
	heavy_free(h);
	again.len = 0;
	CHECK(heavy_kind.save(copy, &head, &again) == OK);
	CHECK(again.len == payload.len &&
	    (again.len == 0 || memcmp(again.at, payload.at, again.len) == 0));
	buffer_free(&payload);
	buffer_free(&again);
	return copy;
}

static void
check_heavy(const struct heavy *h)
{
	uint64_t total = 0, low, high, excess = heavy_excess(h);
	size_t listed = 0, seen = 0;

	for (size_t id = 0; id < IDS + ABSENT; id++) {
		uint64_t count = id < IDS ? truth[id] : 0;
		heavy_bounds(h, item_of[id], hash_of[id], &low, &high);
		CHECK(low <= count && count <= high);
		CHECK(high - count <= excess);
		CHECK(!heavy_exact(h) || (low == count && high == count));
		total += count;
		seen += count > 0;
	}
	CHECK_EQ(heavy_total(h), total);

	struct counter c, before = {0};
	for (size_t at = 0; heavy_each(h, &at, &c); listed++) {
		CHECK(listed == 0 || slice_compare(before.item, c.item) < 0);
		before = c;
	}
	CHECK_EQ(listed, heavy_listed(h));
	CHECK(listed <= heavy_capacity(h));
	CHECK(!heavy_exact(h) || listed >= seen);
}

static bool
next_item(const void *source, size_t *at, struct counter *c)
{
	return heavy_each(source, at, c);
}

/* What is called certain is among the true top 20; returns how many are. */
static size_t
check_certain(const struct heavy *h)
{
	static size_t order[IDS];
	struct counter *top;
	size_t n, certain = 0;

	for (size_t i = 0; i < IDS; i++)
		order[i] = i;
	qsort(order, IDS, sizeof *order, exact_order);
	CHECK(top_of(h, next_item, 20, heavy_missing(h), &top, &n) == OK);
	for (size_t i = 0; i < n; i++) {
		bool found = false;
		for (size_t j = 0; j < 20 && !found; j++)
			found = slice_equal(top[i].item, item_of[order[j]]);
		CHECK(!top[i].certain || found);
		certain += top[i].certain;
	}
	free(top);
	return certain;
}

static void
bounds_hold_for_any_tree_of_unions_and_files(void)
{
	static const unsigned capacities[] = {1, 50, 700, HEAVY_MAX};
	static const uint64_t budgets[] = {0, 200000, 16 << 20};
	unsigned exact = 0;

	for (uint64_t seed = 1; seed <= (check_long() ? 60 : 9); seed++) {
		struct heavy *part[PARTS];
		uint64_t random = seed;
		size_t parts = 2 + seed % (PARTS - 1);

		memset(truth, 0, sizeof truth);
		for (size_t i = 0; i < parts; i++) {
			struct stream from = {
				.shape = check_random(&random) % SHAPES,
				.skew = 0.5 * (double)(1 + check_random(&random) % 3),
				.weighted = check_random(&random) % 2,
				.seed = check_random(&random),
				.events = check_random(&random) % (check_long() ? 60000 : 9000),
			};
			part[i] = seed % 3 == 0 ? heavy_of(&from, 64 << 20, HEAVY_MAX) :
			    heavy_of(&from, budgets[check_random(&random) % 3],
			        capacities[check_random(&random) % 4]);
		}
		while (parts > 1) {
			size_t into = check_random(&random) % parts;
			size_t from = check_random(&random) % parts;
			if (into == from)
				continue;
			if (check_random(&random) % 2)
				part[from] = reload(part[from]);
			CHECK(heavy_merge(part[into], part[from]) == OK);
			heavy_free(part[from]);
			part[from] = part[--parts];
		}
		part[0] = reload(part[0]);
		check_heavy(part[0]);
		check_certain(part[0]);
		exact += heavy_exact(part[0]);
		CHECK(seed % 3 != 0 || heavy_exact(part[0]));
		heavy_free(part[0]);
	}
	CHECK_IN(exact, 3, check_long() ? 30 : 6);
}

static void
which_one_is_into_makes_no_difference(void)
{
	struct stream a = {.shape = ZIPF, .skew = 1, .seed = 3, .events = 20000}, b = a;
	struct heavy *h[2][2];
	uint64_t low[2], high[2];

	memset(truth, 0, sizeof truth);
	b.seed = 4;
	for (unsigned i = 0; i < 2; i++) {
		h[i][0] = heavy_of(&a, 0, 100);
		h[i][1] = heavy_of(&b, 0, 200);
		CHECK(heavy_merge(h[i][i], h[i][!i]) == OK);
		CHECK_EQ(heavy_capacity(h[i][i]), 200);
		heavy_free(h[i][!i]);
	}
	for (size_t id = 0; id < IDS; id++) {
		for (unsigned i = 0; i < 2; i++)
			heavy_bounds(h[i][i], item_of[id], hash_of[id], &low[i], &high[i]);
		CHECK(low[0] == low[1] && high[0] == high[1]);
	}
	CHECK_EQ(heavy_missing(h[0][0]), heavy_missing(h[1][1]));
	heavy_free(h[0][0]);
	heavy_free(h[1][1]);
}

static void
a_week_of_a_skewed_stream_has_a_certain_top(void)
{
	struct stream from = {.shape = ZIPF, .skew = 1, .events = 30000};
	struct heavy *all;

	memset(truth, 0, sizeof truth);
	CHECK(heavy_new(&all, 1000) == OK);
	for (from.seed = 1; from.seed <= 7; from.seed++) {
		struct heavy *day = heavy_of(&from, 1 << 20, 1000);
		CHECK(heavy_merge(all, day) == OK);
		heavy_free(day);
	}
	check_heavy(all);
	CHECK(!heavy_exact(all));
	CHECK(check_certain(all) >= 18);
	heavy_free(all);
}

/* Exact is more than a bound of 0 for all others. */
static void
an_item_of_no_weight_left_out_is_not_exact(void)
{
	struct spacesaving *table;
	struct heavy *h, *other;
	uint64_t weight[3] = {5, 0, 0};

	CHECK(spacesaving_new(&table, 0) == OK);
	CHECK(spacesaving_add(table, item_of, hash_of, weight, 3) == OK);
	CHECK(heavy_new(&h, 2) == OK);
	CHECK(heavy_exact(h));
	CHECK(heavy_take(h, table) == OK);
	CHECK(!heavy_exact(h) && heavy_missing(h) == 0);
	CHECK(heavy_new(&other, 3) == OK);
	CHECK(heavy_take(other, table) == OK);
	CHECK(heavy_exact(other));
	CHECK(heavy_merge(other, h) == OK);
	CHECK(!heavy_exact(other));
	spacesaving_free(table);
	heavy_free(h);
	heavy_free(other);
	CHECK(heavy_new(&h, 0) == STATUS_PARAMETER);
	CHECK(heavy_new(&h, HEAVY_MAX + 1) == STATUS_PARAMETER);
}

static enum status
load(const struct record *head, const struct buffer *payload)
{
	struct buffer copy = {0};
	void *h;

	enum status st = heavy_kind.check(head);
	if (st != OK)
		return st;
	CHECK(buffer_append(&copy, payload->at, payload->len) == OK);
	st = heavy_kind.load(&h, head, &copy);
	if (st == OK)
		heavy_free(h);
	buffer_free(&copy);
	return st;
}

/* Three items of a byte each: 5 a, 2 b, 1 c, exactly. */
static void
contradictions_are_refused(void)
{
	static const uint64_t weight[] = {5, 2, 1};
	const struct slice item[] = {slice_of("a"), slice_of("b"), slice_of("c")};
	uint64_t hash[3];
	struct spacesaving *table = NULL;
	struct heavy *h = NULL;
	struct record head = {.kind = KIND_SPACESAVING, .hash = HASH_XXH3};
	struct buffer payload = {0};

	for (size_t i = 0; i < 3; i++)
		hash[i] = hash_bytes(item[i].at, 1, 0);
	CHECK(spacesaving_new(&table, 0) == OK && heavy_new(&h, 4) == OK);
	CHECK(spacesaving_add(table, item, hash, weight, 3) == OK && heavy_take(h, table) == OK);
	CHECK(heavy_kind.save(h, &head, &payload) == OK);
	heavy_free(h);
	spacesaving_free(table);
	CHECK(load(&head, &payload) == OK);
	CHECK_EQ(payload.len, 3 * 21);

	const struct {
		unsigned param;
		uint64_t value;
		enum status status;
	} field[] = {
		{0, 0, STATUS_PARAMETER}, {0, HEAVY_MAX + 1, STATUS_PARAMETER},
		{0, 2, STATUS_PARAMETER},                /* fewer than are there */
		{1, 2, STATUS_INVARIANT}, {1, 4, STATUS_SIZE},
		{2, 1, STATUS_PARAMETER},                /* exact, and yet some are missing */
		{3, 4, STATUS_INVARIANT},                /* one has more than all */
		{3, 7, STATUS_INVARIANT}, {3, 9, STATUS_INVARIANT},
		{4, 2, STATUS_PARAMETER}, {5, 1, STATUS_PARAMETER}, {7, 1, STATUS_PARAMETER},
	};
	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		struct record bad = head;
		bad.param[field[i].param] = field[i].value;
		CHECK(load(&bad, &payload) == field[i].status);
	}
	struct record bad = head;
	bad.size = 3 * 20 - 1;
	CHECK(load(&bad, &payload) == STATUS_SIZE);
	bad = head;
	bad.flags |= FLAG_SATURATED;                     /* of a total that is not */
	CHECK(load(&bad, &payload) == STATUS_INVARIANT);

	put_le64(payload.at + 8, 1);                     /* exact, and yet not certain */
	CHECK(load(&head, &payload) == STATUS_INVARIANT);
	bad = head;
	bad.param[4] = 0;
	CHECK(load(&bad, &payload) == OK);
	put_le64(payload.at + 8, 6);                     /* an error above the count */
	CHECK(load(&bad, &payload) == STATUS_INVARIANT);
	put_le64(payload.at + 8, 0);
	put_le32(payload.at + 16, 100);                  /* an item past the end */
	CHECK(load(&head, &payload) == STATUS_INVARIANT);
	put_le32(payload.at + 16, 1);

	/* Two counts whose sum has more than 64 bits, in a total that does not say so. */
	put_le64(payload.at, UINT64_MAX);
	put_le64(payload.at + 21, UINT64_MAX);
	head.param[3] = UINT64_MAX;
	CHECK(load(&head, &payload) == STATUS_INVARIANT);
	head.flags |= FLAG_SATURATED;
	CHECK(load(&head, &payload) == OK);
	buffer_free(&payload);
}

int
main(void)
{
	make_items();
	RUN(bounds_hold_for_any_tree_of_unions_and_files);
	RUN(which_one_is_into_makes_no_difference);
	RUN(a_week_of_a_skewed_stream_has_a_certain_top);
	RUN(an_item_of_no_weight_left_out_is_not_exact);
	RUN(contradictions_are_refused);
	return check_done();
}
