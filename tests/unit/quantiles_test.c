/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Ranks beside whole-number arithmetic, and the confidence of percentiles beside
 * the binomial law summed up in full, and beside what really happens.
 */
#include <math.h>

#include "sketch/quantiles/quantiles.h"
#include "check.h"

__extension__ typedef unsigned __int128 wide;

/* digits / unit of n, rounded up. */
static uint64_t
rank_of(uint64_t digits, uint64_t unit, uint64_t n)
{
	uint64_t rank = (uint64_t)(((wide)digits * n + unit - 1) / unit);

	return rank > 0 ? rank : 1;
}

static void
ranks_are_those_of_the_decimal(void)
{
	/* The double next to 0.1 is above it, and 0.1 * 10 rounds to 1; that next to
	 * 0.29 is below it, and 0.29 * 100 rounds to less than 29. */
	CHECK_EQ(quantiles_rank(0.1, 10), 1);
	CHECK_EQ(quantiles_rank(0.29, 100), 29);
	CHECK_EQ(quantiles_rank(0.57, 100), 57);
	CHECK_EQ(quantiles_rank(0.7, 10), 7);
	CHECK_EQ(quantiles_rank(0.999, 1000), 999);
	CHECK_EQ(quantiles_rank(0.999, 1001), 1000);
	CHECK_EQ(quantiles_rank(0.5, 1), 1);
	CHECK_EQ(quantiles_rank(0.5, 2), 1);
	CHECK_EQ(quantiles_rank(0.5, 3), 2);
	CHECK_EQ(quantiles_rank(0, 5), 1);
	CHECK_EQ(quantiles_rank(1, 5), 5);
	CHECK_EQ(quantiles_rank(1, UINT64_MAX), UINT64_MAX);
	CHECK_EQ(quantiles_rank(0.5, UINT64_MAX), (uint64_t)1 << 63);
	CHECK_EQ(quantiles_rank(0.9, UINT64_MAX), rank_of(9, 10, UINT64_MAX));
	CHECK_EQ(quantiles_rank(1e-15, UINT64_MAX), 18447);
	CHECK_EQ(quantiles_rank(5e-324, UINT64_MAX), 1);
	CHECK_EQ(quantiles_rank(1e-300, 1000), 1);

	/* All with three places, and some with more. */
	for (uint64_t d = 1; d <= 1000; d++)
		for (uint64_t n = 1; n <= 100000; n = n * 10 / (n < 10 ? 9 : 7) + 1)
			CHECK_EQ(quantiles_rank((double)d / 1000, n), rank_of(d, 1000, n));
	uint64_t state = 1;
	for (int i = 0; i < 100000; i++) {
		uint64_t unit = 1, n = check_random(&state) >> check_random(&state) % 64;
		for (uint64_t k = check_random(&state) % 16; k > 0; k--)
			unit *= 10;
		uint64_t d = check_random(&state) % unit;
		CHECK_EQ(quantiles_rank((double)d / (double)unit, n + 1), rank_of(d, unit, n + 1));
	}
}

/* What is no such decimal is what its bits say. */
static void
ranks_of_other_doubles_are_exact(void)
{
	uint64_t state = 2;

	for (int i = 0; i < 100000; i++) {
		uint64_t mantissa = check_random(&state) >> 11 | 1, n = check_random(&state) >> 1 | 1;
		double q = (double)mantissa * 0x1p-53;
		wide product = (wide)mantissa * n;
		/* Some are; these are rounded by less than one rank. */
		uint64_t want = (uint64_t)((product + (((wide)1 << 53) - 1)) >> 53);
		if (n < 1000000)
			CHECK(quantiles_rank(q, n) - want + 1 <= 2);
		else if (floor(q * 1e15 + 0.5) / 1e15 != q)
			CHECK_EQ(quantiles_rank(q, n), want);
	}
	CHECK_EQ(quantiles_rank(0x1p-60, (uint64_t)1 << 61), 2);
	CHECK_EQ(quantiles_rank(0x1p-60, ((uint64_t)1 << 61) + 1), 3);
}

static void
few_beyond_are_few_on_either_side(void)
{
	CHECK(quantiles_few(0.5, 0));
	CHECK(quantiles_few(0.5, 1));
	CHECK(quantiles_few(0.5, 20));
	CHECK(!quantiles_few(0.5, 21));
	CHECK(quantiles_few(0.99, 999));
	CHECK(!quantiles_few(0.99, 1000));
	CHECK(quantiles_few(0.01, 1000));
	CHECK(!quantiles_few(0.01, 1001));
	CHECK(quantiles_few(0, 1000000) && quantiles_few(1, 1000000));
	CHECK(quantiles_few(0.999, 9999) && !quantiles_few(0.999, 10000));
}

/* P(X < k) for X of the law B(n, q). */
static double
chance_below(double q, uint64_t n, uint64_t k)
{
	double sum = 0;

	for (uint64_t i = 0; i < k; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
		    (double)i * log(q) + (double)(n - i) * log1p(-q));
	return sum;
}

static const double shares[] = {0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999};

static void
confidence_is_what_the_law_says(void)
{
	const uint64_t sizes[] = {1, 2, 5, 10, 59, 100, 473, 1000, 3000};
	uint64_t low, high;

	for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			double q = shares[s];
			uint64_t n = sizes[i];
			quantiles_confidence(q, n, &low, &high);
			CHECK(low <= n && high <= n + 1 && low < high);
			/* l is the largest with P(X < l) <= 2.5 %, u the least with P(X >= u). */
			CHECK(chance_below(q, n, low) <= 0.025 + 1e-9);
			CHECK(low == n || chance_below(q, n, low + 1) > 0.025 - 1e-9);
			CHECK(1 - chance_below(q, n, high) <= 0.025 + 1e-9);
			CHECK(1 - chance_below(q, n, high - 1) > 0.025 - 1e-9);
		}
	/* Of ten samples, nothing is beyond the 99th percentile for sure. */
	quantiles_confidence(0.99, 10, &low, &high);
	CHECK_EQ(high, 11);
	/* The median of 100 lies between the 40th and the 61st, as tables have it. */
	quantiles_confidence(0.5, 100, &low, &high);
	CHECK_EQ(low, 40);
	CHECK_EQ(high, 61);
	quantiles_confidence(0, 100, &low, &high);
	CHECK(low == 0 && high == 1);
	quantiles_confidence(1, 100, &low, &high);
	CHECK(low == 100 && high == 101);
}

/* Where the law gives way to the normal one, they agree. */
static void
confidence_has_no_seam(void)
{
	for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
		double q = shares[s];
		uint64_t n = (uint64_t)(10000 / (q * (1 - q))), low[2], high[2];
		quantiles_confidence(q, n - 2, &low[0], &high[0]);
		quantiles_confidence(q, n + 2, &low[1], &high[1]);
		CHECK(low[1] - low[0] + 2 <= 6);
		CHECK(high[1] - high[0] + 2 <= 6);
	}
	uint64_t low, high;
	quantiles_confidence(0.5, UINT64_MAX, &low, &high);
	CHECK(low < (uint64_t)1 << 63 && high > (uint64_t)1 << 63);
	quantiles_confidence(0.999999, UINT64_MAX - 5, &low, &high);
	CHECK(low < high && high <= UINT64_MAX - 4);
	quantiles_confidence(1e-300, UINT64_MAX, &low, &high);
	CHECK_EQ(low, 0);
	CHECK_EQ(high, 1);
	quantiles_confidence(nextafter(1, 0), UINT64_MAX, &low, &high);
	CHECK(low < high);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Samples of a known distribution: how often does the interval hold the truth? */
static void
intervals_cover_the_truth(void)
{
	enum { N = 500, RUNS = 2000 };
	const double some[] = {0.05, 0.5, 0.9, 0.99};
	unsigned held[4] = {0};
	uint64_t state = 3;
	double value[N];

	for (int run = 0; run < RUNS; run++) {
		for (int i = 0; i < N; i++)
			value[i] = (double)(check_random(&state) >> 11) * 0x1p-53;
		qsort(value, N, sizeof *value, by_value);
		for (int s = 0; s < 4; s++) {
			uint64_t low, high;
			quantiles_confidence(some[s], N, &low, &high);
			held[s] += (low == 0 || value[low - 1] <= some[s]) &&
			    (high == N + 1 || value[high - 1] > some[s]);
		}
	}
	/* At least 95 %; more, because ranks are whole. 4 deviations of chance. */
	for (int s = 0; s < 4; s++)
		CHECK_IN((double)held[s] / RUNS, 0.95 - 0.02, 0.99);
}

int
main(void)
{
	RUN(ranks_are_those_of_the_decimal);
	RUN(ranks_of_other_doubles_are_exact);
	RUN(few_beyond_are_few_on_either_side);
	RUN(confidence_is_what_the_law_says);
	RUN(confidence_has_no_seam);
	RUN(intervals_cover_the_truth);
	return check_done();
}
