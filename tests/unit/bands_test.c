/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "base/hash.h"
#include "sketch/nearness/bands.h"
#include "sketch/nearness/minslots.h"
#include "check.h"

/*
 * Slots agree as often as sets are alike, and bands find what they promise to, for
 * sets of any size and thresholds of all kinds.
 */

#define MOST 6000

static uint64_t one[MOST], other[MOST];

/* Two sets of which shared elements out of n in all are in both, the rest by turns in
 * one or the other. Their sizes go to sizes. */
static void
draw(uint64_t *seed, size_t n, size_t shared, size_t sizes[2])
{
	sizes[0] = sizes[1] = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t h = check_random(seed);

		if (i < shared || i % 2 == 0)
			one[sizes[0]++] = h;
		if (i < shared || i % 2 != 0)
			other[sizes[1]++] = h;
	}
}

static void
slots_are_known(void)
{
	static const uint64_t set[] = {1, 2, 3};
	uint64_t slot[16], reverse[16];
	static const uint64_t repeated[] = {3, 1, 2, 1, 3};

	minslots_of(set, 3, slot, 16);
	minslots_of(repeated, 5, reverse, 16);
	CHECK(memcmp(slot, reverse, sizeof slot) == 0);
	/* The same on every machine. */
	uint64_t sum = 0;
	for (unsigned i = 0; i < 16; i++)
		sum = hash_step(sum ^ slot[i], 1);
	CHECK_EQ(sum, UINT64_C(10966762492009800351));
	/* One element has a round of its own for some slots. */
	minslots_of(set, 1, slot, 16);
	for (unsigned i = 0; i < 16; i++)
		CHECK(slot[i] >> 48 >= 1 && slot[i] >> 48 <= 32);
}

static void
slots_agree_as_sets_do(void)
{
	static const size_t count[] = {1, 2, 5, 20, 60, 128, 400, 3000};
	static const unsigned slots[] = {1, 12, 126};
	unsigned times = check_long() ? 2000 : 150;
	uint64_t seed = 1, a[MINSLOTS_MAX], b[MINSLOTS_MAX];

	for (size_t c = 0; c < sizeof count / sizeof *count; c++)
		for (size_t s = 0; s < sizeof slots / sizeof *slots; s++)
			for (unsigned percent = 0; percent <= 100; percent += 25) {
				size_t n = count[c], shared = n * percent / 100, sizes[2];
				double j = (double)shared / (double)n, sum = 0, squares = 0;

				if (n == 1 && shared == 0)
					continue;
				for (unsigned i = 0; i < times / (1 + n / 500); i++) {
					unsigned same = 0;
					draw(&seed, n, shared, sizes);
					minslots_of(one, sizes[0], a, slots[s]);
					minslots_of(other, sizes[1], b, slots[s]);
					for (unsigned k = 0; k < slots[s]; k++)
						same += a[k] == b[k];
					double off = (double)same / slots[s] - j;
					sum += off;
					squares += off * off;
				}
				double runs = times / (1 + n / 500), sd = sqrt(j * (1 - j) / slots[s]);
				CHECK_IN(sum / runs, -4 * sd / sqrt(runs), 4 * sd / sqrt(runs));
				CHECK_IN(sqrt(squares / runs), 0, sd * (1 + 3 / sqrt(2 * runs)));
			}
}

static void
bands_follow_from_a_similarity(void)
{
	static const struct {
		unsigned percent, bands, rows;
	} want[] = {
		{10, 128, 1}, {30, 64, 2}, {50, 42, 3}, {70, 25, 5}, {80, 18, 7}, {90, 10, 12},
		{95, 8, 16}, {100, 8, 16},
	};

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct near_rule rule = {0};

		bands_choose(&rule, want[i].percent / 100.0);
		CHECK_EQ(rule.bands, want[i].bands);
		CHECK_EQ(rule.rows, want[i].rows);
		CHECK(minhash_nearness.valid(&rule));
		CHECK_IN(bands_recall(&rule, want[i].percent / 100.0), BANDS_RECALL, 1);
		CHECK_EQ(minhash_nearness.words(&rule), rule.bands);
	}
	for (unsigned millionths = 100000; millionths <= 1000000; millionths += 1237) {
		struct near_rule rule = {0};
		bands_choose(&rule, millionths / 1e6);
		CHECK_IN(bands_recall(&rule, millionths / 1e6), BANDS_RECALL, 1);
	}
	CHECK(!minhash_nearness.valid(&(struct near_rule){.bands = 0, .rows = 1}));
	CHECK(!minhash_nearness.valid(&(struct near_rule){.bands = 1, .rows = 0}));
	CHECK(!minhash_nearness.valid(&(struct near_rule){.bands = 8, .rows = 17}));
	CHECK(!minhash_nearness.valid(&(struct near_rule){.bands = 43, .rows = 3}));
}

/* What is found of pairs with a similarity, and what was predicted. */
static void
the_prediction_holds(void)
{
	static const unsigned percent[] = {50, 70, 80, 90};
	static const size_t count[] = {10, 40, 300, 2000};
	unsigned times = check_long() ? 4000 : 300;
	uint64_t seed = 7, a[NEAR_WORDS_MAX], b[NEAR_WORDS_MAX];

	for (size_t p = 0; p < sizeof percent / sizeof *percent; p++)
		for (size_t c = 0; c < sizeof count / sizeof *count; c++)
			for (int more = -10; more <= 5; more += 5) {
				size_t n = count[c], shared = n * (size_t)((int)percent[p] + more) / 100;
				double j = (double)shared / (double)n;
				struct near_rule rule = {0};
				unsigned runs = times / (1 + (unsigned)n / 300), found = 0;

				bands_choose(&rule, percent[p] / 100.0);
				for (unsigned i = 0; i < runs; i++) {
					size_t sizes[2];
					bool alike = false;

					draw(&seed, n, shared, sizes);
					minhash_nearness.sign(&rule, one, sizes[0], a);
					minhash_nearness.sign(&rule, other, sizes[1], b);
					for (unsigned k = 0; k < rule.bands; k++)
						alike |= a[k] == b[k];
					found += alike;
				}
				double want = bands_recall(&rule, j), share = (double)found / runs;
				double chance = 3.5 * sqrt(want * (1 - want) / runs) + 1.0 / runs;
				CHECK_IN(share, want - 0.02 - chance, want + 0.02 + chance);
				double above = j - percent[p] / 100.0 + 1e-9;
				if (above >= 0)
					CHECK_IN(share, (above >= 0.05 ? 0.99 : 0.95) - chance, 1);
			}
}

static struct hits
found_by(void *finder, const uint64_t *signature, size_t most, bool *cut)
{
	struct hits hits = {.most = most};

	CHECK_EQ(minhash_nearness.find(finder, signature, &hits, cut), OK);
	return hits;
}

/* Beside all signatures in a list. */
static void
an_index_finds_what_agrees(void)
{
	const struct near_rule rule = {.bands = 5, .rows = 2};
	static uint64_t list[2000][5];
	const size_t n = sizeof list / sizeof *list;
	uint64_t seed = 3;
	void *finder;
	bool cut;

	CHECK_EQ(minhash_nearness.open(&finder, &rule), OK);
	for (size_t i = 0; i < n; i++) {
		/* Of few values, so many agree somewhere. */
		for (unsigned b = 0; b < 5; b++) {
			uint64_t value = check_random(&seed) % 300 + 300 * b;
			list[i][b] = check_random(&value);
		}
		minhash_nearness.expect(finder, list[i]);
		struct hits hits = found_by(finder, list[i], n, &cut);
		size_t want = 0, at = 0;

		CHECK(!cut);
		for (unsigned distance = 0; distance < 5; distance++)
			for (size_t k = 0; k < i; k++) {
				unsigned same = 0;
				for (unsigned b = 0; b < 5; b++)
					same += list[i][b] == list[k][b];
				if (same != 5 - distance)
					continue;
				want++;
				CHECK(at < hits.n && hits.at[at].number == 3 * k + 1 &&
				    hits.at[at].distance == distance);
				at++;
			}
		CHECK_EQ(hits.n, want);
		hits_free(&hits);
		CHECK_EQ(minhash_nearness.reserve(finder, UINT64_MAX), OK);
		minhash_nearness.add(finder, list[i], (uint32_t)(3 * i + 1));
	}
	minhash_nearness.close(finder);
}

/* However many agree, a search looks at so many of them, the last that came. */
static void
a_search_is_cut(void)
{
	const struct near_rule rule = {.bands = 3, .rows = 1};
	uint64_t signature[3] = {1, 2, 3};
	void *finder;
	bool cut;

	CHECK_EQ(minhash_nearness.open(&finder, &rule), OK);
	for (uint32_t i = 0; i < 5000; i++) {
		CHECK_EQ(minhash_nearness.reserve(finder, UINT64_MAX), OK);
		minhash_nearness.add(finder, signature, i);
	}
	struct hits hits = found_by(finder, signature, 100, &cut);
	CHECK(cut && hits.n == 100 && hits.at[0].number == 4900);
	CHECK_IN((double)minhash_nearness.work(finder), 100, 400);
	hits_free(&hits);
	hits = found_by(finder, signature, 5000, &cut);
	CHECK_EQ(minhash_nearness.largest(finder), 5000);
	CHECK(!cut && hits.n == 5000 && hits.at[0].distance == 0 && hits.at[0].number == 0);
	hits_free(&hits);
	minhash_nearness.close(finder);
}

static void
memory_is_kept_below_a_ceiling(void)
{
	const struct near_rule rule = {.bands = 18, .rows = 7};
	uint64_t signature[18] = {0}, most = 1 << 20, seed = 1;
	uint32_t n = 0;
	void *finder;

	CHECK_EQ(minhash_nearness.open(&finder, &rule), OK);
	while (minhash_nearness.reserve(finder, most) == OK) {
		signature[0] = check_random(&seed);
		minhash_nearness.add(finder, signature, n++);
		CHECK(minhash_nearness.memory(finder) <= most);
	}
	/* 12 bytes a band and 12, and 4 to 8 a band for heads. */
	CHECK_IN((double)most / n, 18 * 16, 18 * 20 + 24);
	minhash_nearness.close(finder);
}

int
main(void)
{
	RUN(slots_are_known);
	RUN(slots_agree_as_sets_do);
	RUN(bands_follow_from_a_similarity);
	RUN(the_prediction_holds);
	RUN(an_index_finds_what_agrees);
	RUN(a_search_is_cut);
	RUN(memory_is_kept_below_a_ceiling);
	return check_done();
}
