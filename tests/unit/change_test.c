/* sketchutils: BSD-2-Clause, see LICENSE */
#include "cms_streams.h"
#include "sketch/frequency/change.h"

static uint64_t truth_before[IDS];

static size_t
id_of(struct slice item)
{
	for (size_t id = 0; id < IDS; id++)
		if (slice_equal(item_of[id], item))
			return id;
	CHECK(false);
	return 0;
}

/* a - b is in low..high? */
static bool
within(struct difference low, uint64_t a, uint64_t b, struct difference high)
{
	long double d = (long double)a - (long double)b;
	long double least = low.minus ? -(long double)low.by : (long double)low.by;
	long double most = high.minus ? -(long double)high.by : (long double)high.by;

	return least <= d && d <= most;
}

/* Of sketches by a table of this budget, with so many candidates. Returns how
 * many changes are certain. */
static size_t
check_changes(size_t budget, unsigned before_list, unsigned after_list, bool conservative)
{
	const struct frequency *of = frequency_find(KIND_CMS);
	struct cms *before = cms_of(272, 5, before_list), *after = cms_of(272, 5, after_list);
	struct change *changes;
	size_t n, certain = 0;

	if (conservative)
		cms_conserve(after);
	memset(truth, 0, sizeof truth);
	cms_fed(before, 0, 40000, budget, true);
	memcpy(truth_before, truth, sizeof truth);
	memset(truth, 0, sizeof truth);
	cms_fed(after, 40000, 100000, budget, true);

	CHECK(changes_of(of, before, after, &changes, &n) == OK);
	CHECK(n >= cms_candidates(before) && n >= cms_candidates(after));
	CHECK(n <= cms_candidates(before) + cms_candidates(after));
	for (size_t i = 0; i < n; i++) {
		const struct change *c = &changes[i];
		size_t id = id_of(c->item);
		CHECK(i == 0 || slice_compare(changes[i - 1].item, c->item) < 0);
		CHECK(within(change_low(c), truth[id], truth_before[id], change_high(c)));
		CHECK(within(change_low(c), c->after.high, c->before.high, change_high(c)));
		uint64_t sure = change_surely(c);
		struct difference d = difference_of(truth[id], truth_before[id]);
		CHECK(d.by >= sure);
		CHECK((sure > 0) == change_certain(c));
		if (change_certain(c))
			CHECK(d.by > 0 && d.minus == change_likely(c).minus);
		certain += change_certain(c);
	}
	free(changes);
	cms_free(before);
	cms_free(after);
	return certain;
}

static void
bounds_of_changes_are_certain(void)
{
	CHECK(check_changes(BUDGET, 30, 30, false) > 10);
	CHECK(check_changes(BUDGET * 100, 200, 30, true) > 10);
	/* Where one side lists nothing, its counters know. */
	check_changes(BUDGET, 0, 200, false);
	check_changes(BUDGET, 200, 0, true);
	CHECK_EQ(check_changes(BUDGET, 0, 0, false), 0);
}

static void
differences_have_a_sign_and_64_bits(void)
{
	struct difference d = difference_of(0, UINT64_MAX);
	struct change c = {.before = {3, 5}, .after = {5, 9}};

	CHECK(d.minus && d.by == UINT64_MAX);
	d = difference_of(UINT64_MAX, 0);
	CHECK(!d.minus && d.by == UINT64_MAX);
	d = difference_of(7, 7);
	CHECK(!d.minus && d.by == 0);

	/* It may be that nothing changed. */
	CHECK(!change_certain(&c) && change_surely(&c) == 0);
	CHECK_EQ(change_likely(&c).by, 4);
	CHECK_EQ(change_low(&c).by, 0);
	CHECK_EQ(change_high(&c).by, 6);
	c.after.low = 6;
	CHECK(change_certain(&c) && change_surely(&c) == 1);
	c = (struct change){.before = {5, 9}, .after = {1, 4}};
	CHECK(change_certain(&c) && change_surely(&c) == 1);
	CHECK(change_low(&c).minus && change_low(&c).by == 8);
	CHECK(change_high(&c).minus && change_high(&c).by == 1);
}

int
main(void)
{
	make_stream();
	RUN(bounds_of_changes_are_certain);
	RUN(differences_have_a_sign_and_64_bits);
	return check_done();
}
