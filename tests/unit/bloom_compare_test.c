/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sketch/member/bloom.h"
#include "sketch/member/counting.h"
#include "check.h"

#define ITEMS_MAX 200000

static uint64_t hash[ITEMS_MAX];

static void
draw(size_t n, uint64_t seed)
{
	uint64_t state = seed;

	for (size_t i = 0; i < n; i++)
		hash[i] = check_random(&state);
}

static struct bloom *
filter_of(const struct bloom_shape *shape)
{
	struct bloom *b = NULL;

	CHECK(bloom_new(&b, shape) == OK);
	return b;
}

/* Filters of the items from..from + a and of the last b of the first u. */
struct pair {
	struct bloom *a, *b;
};

static struct pair
pair_of(const struct bloom_shape *shape, size_t a, size_t b, size_t u)
{
	struct pair p = {filter_of(shape), filter_of(shape)};

	bloom_add(p.a, hash, a);
	bloom_add(p.b, hash + (u - b), b);
	return p;
}

static void
pair_free(struct pair p)
{
	bloom_free(p.a);
	bloom_free(p.b);
}

enum { A, B, UNION, INTERSECTION, ONLY_A, ONLY_B, JACCARD, VALUES };

struct tally {
	unsigned within[VALUES];     /* intervals that hold the truth */
	double sum[VALUES], squares[VALUES];    /* of the error, in items */
	double width[VALUES];        /* of the interval, half, mean */
};

static void
count_one(struct tally *t, unsigned value, struct estimate e, double truth)
{
	double error = e.value - truth;

	CHECK(e.low >= 0 && e.low <= e.value && e.value <= e.high);
	t->within[value] += e.low <= truth && truth <= e.high;
	t->sum[value] += error;
	t->squares[value] += error * error;
	t->width[value] += (e.high - e.low) / 2;
}

static void
count(struct tally *t, const struct comparison *c, double a, double b, double u)
{
	count_one(t, A, c->a, a);
	count_one(t, B, c->b, b);
	count_one(t, UNION, c->either, u);
	count_one(t, INTERSECTION, c->both, a + b - u);
	count_one(t, ONLY_A, c->only_a, u - b);
	count_one(t, ONLY_B, c->only_b, u - a);
	count_one(t, JACCARD, c->jaccard, (a + b - u) / u);
}

/* One of what the filters are sized for, how full they are, what they share. */
struct case_of {
	double load;                 /* of a, as a share of the capacity */
	double size;                 /* of b, as a share of a */
	double share;                /* of b that is in a too */
};

static const struct case_of cases[] = {
	{0.05, 1, 0.01}, {0.05, 1, 0.5}, {0.05, 0.1, 0.95}, {0.4, 1, 0.01}, {0.4, 1, 0.5},
	{0.4, 0.1, 0.95}, {1, 1, 0.01}, {1, 1, 0.5}, {1, 0.1, 0.95}, {1, 1, 0.99}, {2, 1, 0.5},
};
#define CASES (sizeof cases / sizeof *cases)

/* Of all intervals that are wide enough for whole items not to matter. */
static unsigned wide, wide_within;

static void
judge(const struct tally *t, unsigned value, unsigned rounds, double truth)
{
	double mean = t->sum[value] / rounds;
	double sd = sqrt(t->squares[value] / rounds), claimed = t->width[value] / rounds / 1.96;

	/* 95 %, less five standard deviations of such a count. */
	CHECK_IN(t->within[value], rounds * (0.95 - 5 * sqrt(0.0475 / rounds)), rounds);
	/* An intersection that is not seen has but a high bound. */
	if (value == JACCARD || claimed < 8 || truth < 3 * claimed)
		return;
	CHECK_IN(mean, -5 * claimed / sqrt(rounds), 5 * claimed / sqrt(rounds));
	CHECK_IN(sd, claimed * (1 - 4.5 / sqrt(2 * rounds)), claimed * (1 + 4.5 / sqrt(2 * rounds)));
	wide += rounds;
	wide_within += t->within[value];
}

static void
cover(enum bloom_type type, double fpp)
{
	uint64_t capacity = check_long() ? 20000 : 3000;
	unsigned rounds = check_long() ? 400 : 120;
	struct bloom_shape shape;

	CHECK(bloom_shape_for(&shape, type, capacity, fpp));
	for (unsigned i = 0; i < CASES; i++) {
		size_t a = (size_t)((double)capacity * cases[i].load);
		size_t b = (size_t)((double)a * cases[i].size);
		size_t u = a + b - (size_t)((double)b * cases[i].share);
		struct tally t = {0};

		for (unsigned round = 0; round < rounds; round++) {
			struct comparison c;
			struct mismatch why;
			draw(u, round + 1000 * i);
			struct pair p = pair_of(&shape, a, b, u);
			CHECK(bloom_compare(p.a, p.b, &c, &why) == OK);
			count(&t, &c, (double)a, (double)b, (double)u);
			pair_free(p);
		}
		double truth[VALUES] = {
			[A] = (double)a, [B] = (double)b, [UNION] = (double)u,
			[INTERSECTION] = (double)(a + b - u), [ONLY_A] = (double)(u - b),
			[ONLY_B] = (double)(u - a),
		};
		for (unsigned v = 0; v < VALUES; v++)
			judge(&t, v, rounds, truth[v]);
	}
}

static void
intervals_hold_the_truth_in_95_of_100_cases(void)
{
	static const double fpp[] = {0.1, 0.01, 1e-4, 1e-6};

	for (int type = BLOOM_BLOCK; type <= BLOOM_CLASSIC; type++)
		for (unsigned i = 0; i < sizeof fpp / sizeof *fpp; i++)
			cover(type, fpp[i]);
	CHECK(wide > 10000);
	CHECK_IN(wide_within, 0.94 * wide, 0.965 * wide);
}

static void
equal_and_empty_sets_are_known_for_certain(void)
{
	struct comparison c;
	struct mismatch why;

	for (int type = BLOOM_BLOCK; type <= BLOOM_CLASSIC; type++) {
		struct bloom_shape shape;
		CHECK(bloom_shape_for(&shape, type, 10000, 0.01));
		draw(10000, 5);
		struct pair p = pair_of(&shape, 10000, 10000, 10000);
		CHECK(bloom_compare(p.a, p.b, &c, &why) == OK);
		CHECK(c.jaccard.value == 1 && c.jaccard.low == 1 && c.jaccard.high == 1);
		CHECK(c.only_a.high == 0 && c.only_b.high == 0);
		CHECK_IN(c.both.value, 9900, 10100);
		pair_free(p);

		p = pair_of(&shape, 0, 0, 0);
		CHECK(bloom_compare(p.a, p.b, &c, &why) == OK);
		CHECK(c.either.high == 0 && c.both.high == 0 && c.jaccard.high == 0);
		pair_free(p);
	}
}

/* What is not there is not negative, and its low bound is 0. */
static void
sets_that_share_nothing_have_a_high_bound_alone(void)
{
	struct bloom_shape shape;
	unsigned zero = 0;

	CHECK(bloom_shape_for(&shape, BLOOM_BLOCK, 20000, 0.01));
	for (unsigned round = 0; round < 20; round++) {
		struct comparison c;
		struct mismatch why;
		draw(40000, 100 + round);
		struct pair p = pair_of(&shape, 20000, 20000, 40000);
		CHECK(bloom_compare(p.a, p.b, &c, &why) == OK);
		CHECK(c.both.low <= 80 && c.both.value >= 0);
		CHECK_IN(c.both.high, 1, 400);
		zero += c.both.value == 0;
		pair_free(p);
	}
	CHECK_IN(zero, 3, 17);
}

/* All numbers but those of samples, behind which there is padding. */
static bool
alike(const struct comparison *c, const struct comparison *d)
{
	return memcmp(c, d, offsetof(struct comparison, sampled)) == 0;
}

static void
unlike_sizes_are_compared_as_if_built_alike(void)
{
	struct bloom_shape large = {BLOOM_BLOCK, 4096, 1, 100000, 0.01}, small = large;
	struct comparison c, wanted;
	struct mismatch why;

	small.size = 1024;
	small.capacity = 25000;
	draw(30000, 6);
	struct bloom *a = filter_of(&large), *same = filter_of(&small), *b = filter_of(&small);
	bloom_add(a, hash, 20000);
	bloom_add(same, hash, 20000);
	bloom_add(b, hash + 10000, 20000);
	CHECK(bloom_compare(a, b, &c, &why) == OK);
	CHECK(bloom_compare(same, b, &wanted, &why) == OK);
	CHECK(alike(&c, &wanted));
	bloom_free(same);
	bloom_free(b);

	/* One block is all they have in common. */
	small.size = 1023;
	b = filter_of(&small);
	bloom_add(b, hash, 20000);
	CHECK(bloom_compare(a, b, &c, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "sizes 4096 and 1023, which have no more than 1 in common") == 0);
	bloom_free(b);
	small.probes = 2;
	b = filter_of(&small);
	CHECK(bloom_compare(a, b, &c, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "probes 1 and 2") == 0);
	bloom_free(b);
	bloom_free(a);
}

static void
a_full_filter_tells_nothing(void)
{
	struct bloom_shape shape = {BLOOM_CLASSIC, 1000, 3, 100, 0.01};
	struct comparison c;
	struct mismatch why;

	draw(20000, 7);
	struct pair p = pair_of(&shape, 20000, 5, 20000);
	CHECK(bloom_compare(p.a, p.b, &c, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "every bit of their union is set") == 0);
	pair_free(p);
}

/* Copies make no difference: the counters are asked whether they are 0. */
static void
counting_filters_are_compared_as_classic_ones(void)
{
	struct bloom_shape shape;
	struct counting *x = NULL, *y = NULL;
	struct comparison c, wanted;
	struct mismatch why;

	for (uint64_t capacity = 1000; capacity < 1016; capacity++) {
		CHECK(bloom_shape_for(&shape, BLOOM_CLASSIC, capacity, 0.01));
		draw(1000, capacity);
		struct pair p = pair_of(&shape, 700, 600, 1000);
		CHECK(bloom_compare(p.a, p.b, &wanted, &why) == OK);
		CHECK(counting_new(&x, &shape) == OK && counting_new(&y, &shape) == OK);
		counting_add(x, hash, 700);
		counting_add(x, hash, 300);
		counting_add(y, hash + 400, 600);
		CHECK(counting_compare(x, y, &c, &why) == OK);
		CHECK(alike(&c, &wanted));
		counting_free(x);
		counting_free(y);
		pair_free(p);
	}
}

int
main(void)
{
	RUN(intervals_hold_the_truth_in_95_of_100_cases);
	RUN(equal_and_empty_sets_are_known_for_certain);
	RUN(sets_that_share_nothing_have_a_high_bound_alone);
	RUN(unlike_sizes_are_compared_as_if_built_alike);
	RUN(a_full_filter_tells_nothing);
	RUN(counting_filters_are_compared_as_classic_ones);
	return check_done();
}
