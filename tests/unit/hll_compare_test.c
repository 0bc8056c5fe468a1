/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll.h"
#include "sketch/distinct/hll_datasketches.h"
#include "sketch/distinct/hll_postgres.h"
#include "sketch/kinds.h"
#include "sketch/nearness/minhash.h"
#include "check.h"

/*
 * Two sketches of our own kind and of other systems' kinds, as sketch-compare
 * meets them: few items, many, one of each, unlike precisions.
 */

static struct hll *
sketch(unsigned precision, uint64_t from, uint64_t to)
{
	struct hll *s = NULL;

	CHECK_EQ(hll_new(&s, precision), OK);
	for (uint64_t i = from; i < to; i++) {
		uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15), hash = check_random(&seed);
		CHECK_EQ(hll_add(s, &hash, 1), OK);
	}
	return s;
}

static struct comparison
compared(struct hll *a, struct hll *b)
{
	struct comparison c;
	struct mismatch why;

	CHECK_EQ(hll_kind.compare(a, b, &c, &why), OK);
	hll_free(a);
	hll_free(b);
	return c;
}

static bool
is(struct estimate e, double value)
{
	return e.low == value && e.high == value && e.value == value;
}

static bool
rounds_to(struct estimate e, double value)
{
	return e.low == value && fabs(e.value - value) < 0.1 && floor(e.high) == value;
}

static void
few_items_are_exact(void)
{
	for (unsigned pa = 4; pa <= 18; pa += 7) {
		struct comparison c = compared(sketch(pa, 0, 100), sketch(14, 60, 128));

		CHECK(rounds_to(c.a, 100) && rounds_to(c.b, 68) && rounds_to(c.either, 128));
		CHECK(rounds_to(c.both, 40) && rounds_to(c.only_a, 60) && rounds_to(c.only_b, 28));
		CHECK_IN(c.jaccard.value, 40 / 128.0, 40 / 128.0);
		c = compared(sketch(pa, 0, 100), sketch(pa, 100, 120));
		CHECK(is(c.both, 0) && is(c.jaccard, 0));
		c = compared(sketch(pa, 0, 0), sketch(pa, 0, 0));
		CHECK(is(c.a, 0) && is(c.either, 0) && is(c.jaccard, 0));
		c = compared(sketch(pa, 0, 0), sketch(pa, 0, 100));
		CHECK(is(c.a, 0) && rounds_to(c.only_b, 100) && is(c.both, 0));
	}
}

/* 30,000 tokens hide a few items, and bounds say how many. */
static void
many_tokens_are_nearly_exact(void)
{
	unsigned held = 0, times = check_long() ? 40 : 6;

	for (unsigned i = 0; i < times; i++) {
		uint64_t from = i * UINT64_C(1000000);
		struct comparison c = compared(sketch(18, from, from + 30000),
		    sketch(18, from + 20000, from + 50000));

		CHECK(!estimate_is_at_most(&c.both));
		CHECK_IN(c.both.high - c.both.low, 2, 40);
		CHECK_IN(c.both.value, 9980, 10020);
		held += c.both.low <= 10000 && 10000 <= c.both.high &&
		    c.only_a.low <= 20000 && 20000 <= c.only_a.high;
	}
	CHECK_IN(held, times - 1 - times / 20, times);
}

static void
a_finer_sketch_is_folded(void)
{
	struct hll *fine = sketch(16, 0, 60000), *folded = sketch(16, 0, 60000);

	CHECK_EQ(hll_fold(folded, 11), OK);
	struct comparison c = compared(fine, sketch(11, 30000, 90000));
	struct comparison d = compared(folded, sketch(11, 30000, 90000));
	CHECK(c.both.value == d.both.value && c.both.low == d.both.low);
	CHECK(c.jaccard.high == d.jaccard.high && c.a.value == d.a.value);
	CHECK_IN(c.both.low, 20000, 30000);
	CHECK_IN(c.both.high, 30000, 40000);
}

/* The one of few items has its own number, not what its registers would tell. */
static void
few_items_beside_many(void)
{
	struct comparison c = compared(sketch(14, 0, 1000), sketch(14, 500, 400000));

	CHECK(rounds_to(c.a, 1000));
	CHECK_IN(c.both.value, 300, 700);
	CHECK(c.both.low < 500 && 500 < c.both.high && c.both.high <= c.a.high);
	CHECK(c.only_a.low < 500 && 500 < c.only_a.high && c.only_a.high <= c.a.high);

	c = compared(sketch(14, 100, 400000), sketch(14, 0, 1000));
	CHECK(rounds_to(c.b, 1000) && c.both.high <= c.b.high);

	c = compared(sketch(14, 0, 0), sketch(14, 0, 400000));
	CHECK(is(c.a, 0) && is(c.both, 0) && is(c.only_a, 0) && is(c.jaccard, 0));
}

/* The hash of an item, in the form that a kind takes. */
static uint64_t
hash_for(const struct distinct *d, uint64_t item)
{
	uint64_t seed = item * UINT64_C(0x9e3779b97f4a7c15), h = check_random(&seed);

	if (d->hash != HASH_MURMUR3_COUPON)
		return h;
	uint64_t rank = (uint64_t)__builtin_clzll(h | 1) + 1;
	return (rank < 63 ? rank : 63) << HLL_DATASKETCHES_PLACE_BITS |
	    (h & ((1u << HLL_DATASKETCHES_PLACE_BITS) - 1));
}

static void *
made(const struct distinct *d, const struct record *settings, uint64_t from, uint64_t to)
{
	void *body = NULL;

	CHECK_EQ(d->make(&body, settings), OK);
	for (uint64_t i = from; i < to; i++) {
		uint64_t hash = hash_for(d, i);
		CHECK_EQ(d->add(body, &hash, 1), OK);
	}
	return body;
}

/* Every number within three halves of its interval, or exact. */
static void
holds(const struct comparison *c, double a, double b, double both)
{
	const struct estimate *e[] = {&c->a, &c->b, &c->either, &c->both, &c->only_a, &c->only_b};
	const double truth[] = {a, b, a + b - both, both, a - both, b - both};

	for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
		double reach = 1.5 * (e[i]->high - e[i]->low) + 0.1;
		CHECK_IN(e[i]->value, truth[i] - reach, truth[i] + reach);
		CHECK(e[i]->low <= e[i]->value && e[i]->value <= e[i]->high);
	}
	CHECK_IN(c->both.high - c->both.low, 0, 0.3 * (a + b) / 8);
}

/* Few items, many, few beside many; one set without items. */
static void
every_kind_that_counts_compares(void)
{
	static const struct { uint64_t a_to, b_from, b_to; } row[] = {
		{100, 50, 130}, {40000, 20000, 70000}, {100, 0, 40000}, {40000, 39900, 40000},
		{0, 0, 40000}, {0, 0, 0},
	};
	const struct distinct *d;

	for (size_t k = 0; (d = distinct_row(k)); k++) {
		const struct kind *kind = kind_find(d->kind);
		struct record settings = {.kind = d->kind};

		settings.param[0] = d->kind == KIND_HLL ? 14 : 12;
		if (d->kind == KIND_MINHASH)
			settings.param[MINHASH_PARAM_SIZE] = 4096;
		if (d->kind == KIND_HLL_POSTGRES)
			hll_postgres_put(&(struct hll_postgres_shape){11, 5, HLL_POSTGRES_AUTO, true},
			    &settings);
		for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
			void *a = made(d, &settings, 0, row[i].a_to);
			void *b = made(d, &settings, row[i].b_from, row[i].b_to);
			uint64_t both = row[i].a_to > row[i].b_from ?
			    (row[i].a_to < row[i].b_to ? row[i].a_to : row[i].b_to) - row[i].b_from : 0;
			struct comparison c;
			struct mismatch why;

			CHECK_EQ(kind->compare(a, b, &c, &why), OK);
			holds(&c, (double)row[i].a_to, (double)(row[i].b_to - row[i].b_from),
			    (double)both);
			kind->free(a);
			kind->free(b);
		}
	}
}

static void
postgres_folds_but_not_its_width(void)
{
	const struct hll_postgres_shape shape[] = {
		{12, 5, HLL_POSTGRES_AUTO, true}, {11, 5, 0, false}, {11, 4, HLL_POSTGRES_AUTO, true},
	};
	const struct distinct *d = distinct_find(KIND_HLL_POSTGRES);
	struct comparison c, folded;
	struct mismatch why;
	void *s[3];

	for (size_t i = 0; i < 3; i++) {
		struct record settings = {.kind = KIND_HLL_POSTGRES};

		hll_postgres_put(&shape[i], &settings);
		s[i] = made(d, &settings, 0, 30000 + 1000 * i);
	}
	CHECK_EQ(hll_postgres_compare(s[0], s[1], &c, &why), OK);
	CHECK_EQ(hll_postgres_fold(s[0], 11), OK);
	CHECK_EQ(hll_postgres_compare(s[0], s[1], &folded, &why), OK);
	CHECK(c.both.value == folded.both.value && c.both.high == folded.both.high);
	CHECK_EQ(hll_postgres_compare(s[0], s[2], &c, &why), STATUS_MISMATCH);
	CHECK(strcmp(why.text, "regwidth 5 and 4") == 0);
	for (size_t i = 0; i < 3; i++)
		hll_postgres_free(s[i]);
}

int
main(void)
{
	RUN(every_kind_that_counts_compares);
	RUN(postgres_folds_but_not_its_width);
	RUN(few_items_are_exact);
	RUN(many_tokens_are_nearly_exact);
	RUN(a_finer_sketch_is_folded);
	RUN(few_items_beside_many);
	return check_done();
}
