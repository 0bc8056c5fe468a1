/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "sketch/distinct/hll.h"
#include "check.h"

/*
 * Does the estimate promise the truth on average, does it spread as much as
 * stated and no more, and does the interval hold the truth 95 times of 100?
 * Every draw is from a fixed seed.
 */

static void
add_random(struct hll *s, uint64_t *seed, size_t n)
{
	uint64_t hash[256];

	while (n > 0) {
		size_t some = n < 256 ? n : 256;

		for (size_t i = 0; i < some; i++)
			hash[i] = check_random(seed);
		CHECK_EQ(hll_add(s, hash, some), OK);
		n -= some;
	}
}

/* Registers as n items would leave them, for n far above m: each by itself
 * from P(rank <= k) = exp(-n / (m 2^k)). No rank is above last. */
static void
draw_capped(struct histogram *h, unsigned precision, unsigned last, double n, uint64_t *seed)
{
	size_t m = (size_t)1 << precision;
	unsigned start = 0;
	double at_most[REGISTERS_RANK_MAX + 1];

	for (unsigned k = 0; k < last; k++) {
		at_most[k] = exp(-n / ((double)m * exp2(k)));
		if (at_most[k] < 0.5)
			start = k;
	}
	at_most[last] = 1;
	memset(h, 0, sizeof(*h));
	h->precision = precision;
	h->last = last;
	for (size_t i = 0; i < m; i++) {
		double u = ((double)(check_random(seed) >> 11) + 0.5) / 9007199254740992.0;
		unsigned k = start;

		while (k > 0 && u <= at_most[k - 1])
			k--;
		while (u > at_most[k])
			k++;
		h->count[k]++;
	}
}

static void
draw_histogram(struct histogram *h, unsigned precision, double n, uint64_t *seed)
{
	draw_capped(h, precision, registers_rank_max(precision), n, seed);
}

/* Means and spreads of relative errors at one number of items. */
struct errors {
	double n;
	double sum, squares;
};

#define POINTS 40

static struct errors point[POINTS];
static size_t points;

static struct errors *
errors_at(double n)
{
	for (size_t i = 0; i < points; i++)
		if (point[i].n == n)
			return &point[i];
	point[points].n = n;
	point[points].sum = point[points].squares = 0;
	return &point[points++];
}

/* Note one estimate; return its relative error. */
static double
note_error(double n, double estimate)
{
	struct errors *e = errors_at(n);

	if (n == 0) {
		CHECK(estimate == 0);
		return 0;
	}
	double error = estimate / n - 1;
	e->sum += error;
	e->squares += error * error;
	return error;
}

/* All points of one precision with one seed; returns the mean error. */
static double
one_seed(unsigned precision, uint64_t seed)
{
	static const size_t few[] = {0, 1, 2, 10, 100, 1000, 10000, 100000};
	/* In eighths of m: where one form hands over to the other, and densely
	 * around 2.5 m, where the classic estimator changes its formula. */
	static const size_t eighths[] = {2, 4, 8, 12, 16, 18, 19, 20, 21, 22, 24, 28, 32};
	size_t m = (size_t)1 << precision, count = 0, added = 0, f = 0, e = 0;
	struct hll *s = NULL;
	double sum = 0;

	CHECK_EQ(hll_new(&s, precision), OK);
	while (f < 8 || e < 13) {
		size_t n = e == 13 || (f < 8 && few[f] < m / 8 * eighths[e]) ?
		    few[f++] : m / 8 * eighths[e++];

		add_random(s, &seed, n - added);
		added = n;
		sum += note_error((double)n, hll_estimate(s));
		count++;
	}
	hll_free(s);
	for (double n = 1e6; n <= 1e12; n *= 10) {
		struct histogram h;

		draw_histogram(&h, precision, n, &seed);
		sum += note_error(n, histogram_estimate(&h));
		count++;
	}
	return sum / (double)count;
}

static void
check_precision(unsigned precision, unsigned seeds)
{
	double m = (double)((size_t)1 << precision), sum = 0, squares = 0;

	/* How far a spread of so many draws strays by itself. */
	double chance = 4.5 / sqrt(2 * seeds);

	points = 0;
	for (unsigned i = 0; i < seeds; i++) {
		double mean = one_seed(precision, (uint64_t)precision << 32 | i);

		sum += mean;
		squares += mean * mean;
	}
	for (size_t i = 0; i < points; i++) {
		const struct errors *e = &point[i];
		double spread = sqrt(e->squares / seeds), n = e->n;

		if (n == 0)
			continue;
		/* Tokens hardly ever collide: what they might differ by is then
		 * better known than seen. */
		double least = sqrt(n / (6.0 * (1 << 26))) / sqrt(n);
		double error = fmax(spread, least) / sqrt(seeds);
		CHECK_IN(e->sum / seeds, -4.5 * error, 4.5 * error);
		if (n >= 10 * m)
			CHECK_IN(spread * sqrt(m) / 1.04, 1 - fmax(0.1, chance),
			    1 + fmax(0.1, chance));
		else
			CHECK(spread * sqrt(m) < 1.04 * (1 + chance));
	}
	double pooled = 3 * sqrt(squares / seeds) / sqrt(seeds);
	CHECK_IN(sum / seeds, -pooled, pooled);
}

static void
the_estimate_has_no_bias(void)
{
	for (unsigned p = 10; p <= 16; p += 2)
		check_precision(p, check_long() ? 1000 : p == 16 ? 30 : 60);
}

static void
small_precisions_have_no_bias_either(void)
{
	for (unsigned p = 4; p <= 8; p++) {
		unsigned seeds = check_times(400, 1000, 6000);
		struct histogram h;
		uint64_t seed = p;
		double sum = 0, squares = 0;

		for (unsigned i = 0; i < seeds; i++) {
			draw_histogram(&h, p, 1e7, &seed);
			double error = histogram_estimate(&h) / 1e7 - 1;
			sum += error;
			squares += error * error;
		}
		/* What is left of the bias is of the order of 1/m^2. */
		double error = 4.5 * sqrt(squares) / seeds + exp2(-2.0 * p);
		CHECK_IN(sum / seeds, -error, error);
	}
}

/* Where many registers have the last rank, as from 2^60 items on, or where a register
 * has few bits. */
static void
full_registers_have_no_bias_either(void)
{
	static const struct { unsigned last; double full; } row[] = {
		{6, 0.1}, {6, 0.5}, {6, 0.9}, {15, 0.5}, {51, 0.75},
	};
	const unsigned p = 10, seeds = 300;

	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		double n = -log(1 - row[k].full) * exp2(p + row[k].last - 1.0);
		double sum = 0, squares = 0;
		uint64_t seed = k;

		for (unsigned i = 0; i < seeds; i++) {
			struct histogram h;

			draw_capped(&h, p, row[k].last, n, &seed);
			double error = histogram_estimate(&h) / n - 1;
			sum += error;
			squares += error * error;
		}
		double error = 4.5 * sqrt(squares) / seeds + 1e-4;
		CHECK_IN(sum / seeds, -error, error);
	}
}

/* 8 of 16 registers with one item each may be all there are, and so may 10, with a
 * probability of 2.6 per cent; 11 are more likely the work of 12 or more. */
static void
few_registers_may_be_all_there_are(void)
{
	for (unsigned used = 1; used <= 12; used++) {
		struct histogram h = {.precision = 4, .last = registers_rank_max(4)};
		double low, high;

		h.count[0] = 16 - used;
		h.count[1] = used / 2;
		h.count[3] = used - used / 2;
		histogram_interval(&h, &low, &high);
		CHECK_IN(low, used <= 10 ? used : used + 1, used <= 10 ? used : used + 3);
		CHECK(high > used);
	}
}

/* How often of so many times the interval holds n, in whole items as programs
 * print it, and how wide that is on average. */
static double
coverage(unsigned precision, double n, unsigned times, uint64_t *seed, double *width)
{
	unsigned held = 0;
	double sum = 0;

	for (unsigned i = 0; i < times; i++) {
		double low, high;

		if (n > 100 * (double)((size_t)1 << precision)) {
			struct histogram h;

			draw_histogram(&h, precision, n, seed);
			histogram_interval(&h, &low, &high);
		} else {
			struct hll *s = NULL;

			CHECK_EQ(hll_new(&s, precision), OK);
			add_random(s, seed, (size_t)n);
			hll_interval(s, &low, &high);
			hll_free(s);
		}
		CHECK(low <= high);
		low = floor(low);
		high = ceil(high);
		held += low <= n && n <= high;
		sum += high - low;
	}
	*width = sum / times;
	return held / (double)times;
}

/*
 * From m / 10 to 100 m and beyond. As long as the tokens are kept, it holds the
 * truth at least as often; so it does where it is a few whole items wide. It is
 * never wider than 1.96 standard errors to each side, give or take what is
 * lopsided about few registers.
 */
static void
check_coverage(unsigned precision, double n, unsigned times, uint64_t *seed)
{
	double m = exp2(precision), noise = 4 * sqrt(0.05 * 0.95 / times), width;
	double held = coverage(precision, n, times, seed, &width);

	CHECK_IN(held, 0.94 - noise, width < 20 || n < 2 * m ? 1 : 0.975 + noise);
	CHECK_IN(width, 0, 2 * 1.96 * 1.04 / sqrt(m) * n * (1 + 3 / m + 4 / sqrt(m) / sqrt(times)) + 3);
	if (n > 10 * m)
		CHECK_IN(width, 2 * 1.96 * 0.99 / sqrt(m) * n * (1 - 4 / sqrt(m) / sqrt(times)), HUGE_VAL);
}

static void
intervals_hold_the_truth_95_times_of_100(void)
{
	static const struct { unsigned precision, times, times_long; } row[] = {
		{4, 500, 6000}, {5, 500, 6000}, {6, 500, 6000}, {8, 300, 3000}, {10, 100, 1500},
		{14, 20, 400},
	};
	static const double multiples[] = {0.1, 0.2, 0.5, 1, 2.5, 6, 20, 100, 1e4, 1e12};

	for (size_t k = 0; k < sizeof(row) / sizeof(*row); k++) {
		unsigned p = row[k].precision, times = check_long() ? row[k].times_long : row[k].times;
		uint64_t seed = p;

		for (size_t i = 0; i < sizeof(multiples) / sizeof(*multiples); i++)
			check_coverage(p, ceil(multiples[i] * exp2(p)), times, &seed);
		/* Tokens, the last of them, and the first registers. */
		double limit = (double)hll_token_limit(p), width;
		CHECK_IN(coverage(p, 100, 100, &seed, &width), 0.95, 1);
		CHECK_IN(width, 0, 0.5);
		check_coverage(p, limit, times, &seed);
		check_coverage(p, limit + 1, times, &seed);
	}
	uint64_t seed = 1;
	double width;
	CHECK_IN(coverage(18, 32000, check_long() ? 1000 : 50, &seed, &width), 0.95, 1);
}

static void
packing_goes_there_and_back(void)
{
	static unsigned char r[1 << 18], again[1 << 18], packed[3 << 16];
	uint64_t seed = 1;

	for (unsigned p = 4; p <= 18; p++) {
		size_t m = (size_t)1 << p, wrong = 0;

		for (size_t i = 0; i < m; i++)
			r[i] = check_random(&seed) & 63;
		registers_pack(packed, r, p);
		for (size_t bit = 0; bit < 6 * m; bit++)
			wrong += (packed[bit / 8] >> bit % 8 & 1) != (r[bit / 6] >> bit % 6 & 1);
		CHECK_EQ(wrong, 0);
		registers_unpack(again, packed, p);
		CHECK(memcmp(r, again, m) == 0);
		CHECK_EQ(registers_packed_size(p), 6 * m / 8);
	}
}

/* Each place once, so that no lane is left out. */
static void
the_largest_is_found_and_the_larger_kept(void)
{
	unsigned char r[256] = {0}, into[256];

	for (size_t i = 0; i < 256; i++) {
		size_t m = i < 16 ? 16 : 256;
		unsigned p = i < 16 ? 4 : 8;
		memset(into, 3, sizeof into);
		r[i] = 63;
		CHECK_EQ(registers_largest(r, p), 63);
		registers_merge(into, p, r, p);
		for (size_t j = 0; j < m; j++)
			CHECK_EQ(into[j], j == i ? 63 : 3);
		r[i] = 0;
		CHECK_EQ(registers_largest(r, p), 0);
	}
}

static void
tokens_and_registers_agree(void)
{
	uint64_t seed = 1;

	for (unsigned i = 0; i < 20000; i++) {
		/* Long runs of zeros are rare: make them, anywhere. */
		uint64_t h = check_random(&seed);
		unsigned from = (unsigned)(check_random(&seed) % 65);
		if (from < 64)
			h &= ~(UINT64_MAX >> from) | UINT64_MAX >> 1 >> (check_random(&seed) % 64);
		uint32_t token = token_of(h);

		CHECK(token_valid(token));
		for (unsigned p = 4; p <= 18; p++) {
			unsigned zeros = 0;
			while (zeros < 64 - p && !(h << p << zeros >> 63))
				zeros++;
			CHECK_EQ(registers_rank(h, p), zeros + 1);
			CHECK_EQ(token_register_rank(token, p), zeros + 1);
			CHECK_EQ(token_register(token, p), registers_index(h, p));
		}
	}
}

int
main(void)
{
	RUN(tokens_and_registers_agree);
	RUN(the_largest_is_found_and_the_larger_kept);
	RUN(packing_goes_there_and_back);
	RUN(the_estimate_has_no_bias);
	RUN(small_precisions_have_no_bias_either);
	RUN(full_registers_have_no_bias_either);
	RUN(few_registers_may_be_all_there_are);
	RUN(intervals_hold_the_truth_95_times_of_100);
	return check_done();
}
