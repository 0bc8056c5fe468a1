/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "sketch/distinct/hll_pairs.h"
#include "check.h"

/*
 * The likelihood in five histograms against that of each pair of registers by
 * itself, straight from the distribution function; slopes and curvatures
 * against differences.
 */

#define PRECISION 6
#define REGISTERS (1 << PRECISION)

static double
at_most(double rate, int k, int last)
{
	return k < 0 ? 0 : k >= last ? 1 : exp(-rate / REGISTERS / exp2(k));
}

/* The chance of two ranks up to these. */
static double
both_at_most(const double rate[], int i, int j, int last)
{
	return at_most(rate[PAIRS_ONLY_A], i, last) * at_most(rate[PAIRS_ONLY_B], j, last) *
	    at_most(rate[PAIRS_BOTH], i < j ? i : j, last);
}

static double
log_likelihood(const unsigned char *a, const unsigned char *b, const double rate[], int last)
{
	double log_sum = 0;

	for (size_t r = 0; r < REGISTERS; r++) {
		int i = a[r] < last ? a[r] : last, j = b[r] < last ? b[r] : last;

		log_sum += log(both_at_most(rate, i, j, last) - both_at_most(rate, i - 1, j, last) -
		    both_at_most(rate, i, j - 1, last) + both_at_most(rate, i - 1, j - 1, last));
	}
	return log_sum;
}

/* Registers of A and B that share a part of their items. */
static void
fill(unsigned char *a, unsigned char *b, uint64_t *seed)
{
	memset(a, 0, REGISTERS);
	memset(b, 0, REGISTERS);
	for (unsigned i = 0; i < 300; i++) {
		uint64_t h = check_random(seed);

		if (i % 3 != 1)
			registers_add(a, h, PRECISION);
		if (i % 3 != 0)
			registers_add(b, h, PRECISION);
	}
}

static bool
near(double x, double y, double scale)
{
	return fabs(x - y) <= 1e-5 * fabs(y) + 1e-7 * scale;
}

static void
five_histograms_tell_all(void)
{
	static const int lasts[] = {1, 2, 4, 31, 59};
	static const double rates[][PAIRS_PARTS] = {
		{100, 100, 100}, {3, 500, 20}, {1e-3, 80, 150}, {90, 1, 1e-3}, {2000, 3000, 9000},
	};
	unsigned char a[REGISTERS], b[REGISTERS];
	uint64_t seed = 1;

	fill(a, b, &seed);
	for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++)
		for (size_t j = 0; j < sizeof rates / sizeof *rates; j++) {
			struct pairs_likelihood l;
			struct pairs p;

			pairs_count(&p, a, b, PRECISION, (unsigned)lasts[i]);
			pairs_likelihood(&p, rates[j], &l);
			CHECK(near(l.log, log_likelihood(a, b, rates[j], lasts[i]), 1));
		}
}

static void
slopes_and_curvatures_are_right(void)
{
	unsigned char a[REGISTERS], b[REGISTERS];
	uint64_t seed = 2;

	for (unsigned round = 0; round < 20; round++) {
		struct pairs_likelihood l, more, less;
		struct pairs p;
		double rate[PAIRS_PARTS] = {60.0 + round, 150.0 - 5 * round, 20.0 + 9 * round};

		fill(a, b, &seed);
		pairs_count(&p, a, b, PRECISION, round % 2 ? 5 : 59);
		pairs_likelihood(&p, rate, &l);
		for (unsigned i = 0; i < PAIRS_PARTS; i++) {
			double step = 1e-3, up[PAIRS_PARTS], down[PAIRS_PARTS];

			memcpy(up, rate, sizeof up);
			memcpy(down, rate, sizeof down);
			up[i] += step;
			down[i] -= step;
			pairs_likelihood(&p, up, &more);
			pairs_likelihood(&p, down, &less);
			CHECK(near((more.log - less.log) / (2 * step), l.slope[i], 1));
			for (unsigned j = 0; j < PAIRS_PARTS; j++)
				CHECK(near((more.slope[j] - less.slope[j]) / (2 * step), l.curve[i][j],
				    1e-2));
		}
	}
}

static void
histograms_are_those_of_the_sets(void)
{
	unsigned char of[3][REGISTERS];
	uint64_t seed = 3;
	struct pairs p;

	fill(of[PAIRS_A], of[PAIRS_B], &seed);
	memcpy(of[PAIRS_UNION], of[PAIRS_A], REGISTERS);
	registers_merge(of[PAIRS_UNION], PRECISION, of[PAIRS_B], PRECISION);
	pairs_count(&p, of[PAIRS_A], of[PAIRS_B], PRECISION, registers_rank_max(PRECISION));
	for (enum pairs_set set = PAIRS_A; set <= PAIRS_UNION; set++) {
		struct histogram got, wanted;

		pairs_histogram(&p, set, &got);
		registers_histogram(&wanted, of[set], PRECISION);
		CHECK_EQ(got.precision, wanted.precision);
		CHECK_EQ(got.last, wanted.last);
		CHECK(memcmp(got.count, wanted.count, sizeof got.count) == 0);
	}
}

int
main(void)
{
	RUN(five_histograms_tell_all);
	RUN(slopes_and_curvatures_are_right);
	RUN(histograms_are_those_of_the_sets);
	return check_done();
}
