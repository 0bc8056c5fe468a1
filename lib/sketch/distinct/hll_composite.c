/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stddef.h>

#include "sketch/distinct/hll_composite.h"
#include "sketch/distinct/hll_composite_table.h"

/*
 * What is here follows datasketches-cpp, so that the answers are the same; of
 * the estimators themselves see Lang, "Back to the future: an even more nearly
 * optimal cardinality estimation algorithm" (2017). The constants are theirs.
 */

/* Ranks from here on are summed apart. */
#define HIGH 32

static double
sum(const struct composite *c, unsigned from, unsigned to)
{
	double sum = 0;

	for (unsigned rank = from; rank < to; rank++)
		sum += ldexp(c->count[rank], -(int)rank);
	return sum;
}

double
composite_sum_low(const struct composite *c)
{
	return sum(c, 0, HIGH);
}

double
composite_sum_high(const struct composite *c)
{
	return sum(c, HIGH, COMPOSITE_RANKS);
}

/* Flajolet and others' estimate, without any correction. */
static double
raw_estimate(const struct composite *c)
{
	double k = ldexp(1, (int)c->lgk), alpha = 0.7213 / (1 + 1.079 / k);

	if (c->lgk <= 6)
		alpha = c->lgk == 4 ? 0.673 : c->lgk == 5 ? 0.697 : 0.709;
	return alpha * k * k / (composite_sum_low(c) + composite_sum_high(c));
}

/* The cubic through four points, at x. */
static double
cubic(const double *px, const double *py, double x)
{
	double y = 0;

	for (size_t i = 0; i < 4; i++) {
		double above = 1, below = 1;

		for (size_t j = 0; j < 4; j++) {
			if (j == i)
				continue;
			above *= x - px[j];
			below *= px[i] - px[j];
		}
		y += py[i] * above / below;
	}
	return y;
}

/* Of the four points around x the first; x lies between the first and the last
 * of n ascending ones. */
static size_t
four_around(const double *px, size_t n, double x)
{
	size_t low = 0, high = n - 1;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (px[middle] <= x)
			low = middle;
		else
			high = middle;
	}
	return low == 0 ? 0 : low == n - 2 ? low - 2 : low - 1;
}

/* How many items give this raw estimate on average. */
static double
corrected(unsigned lgk, double raw)
{
	const double *px = composite_raw[lgk - 4];
	double stride = composite_stride[lgk - 4], py[4];
	size_t last = COMPOSITE_POINTS - 1;

	if (raw < px[0])
		return 0;
	if (raw > px[last])
		return raw * (stride * (double)last / px[last]);
	size_t at = four_around(px, COMPOSITE_POINTS, raw);
	for (size_t i = 0; i < 4; i++)
		py[i] = stride * (double)(at + i);
	return cubic(px + at, py, raw);
}

/* 1 + 1/2 + ... + 1/n, from 25 on by its asymptotic series. */
static double
harmonic(double n)
{
	static const double term[] = {-1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240};
	double power = 1 / (n * n), h = 0;

	if (n < 25) {
		for (; n > 0; n--)
			h += 1 / n;
		return h;
	}
	h = log(n) + 0.577215664901532860606512090082 + 1 / (2 * n);
	for (size_t i = 0; i < sizeof term / sizeof *term; i++, power /= n * n)
		h += power * term[i];
	return h;
}

/* How many items leave so many registers at 0: that of who collects coupons. */
static double
linear_count(const struct composite *c)
{
	double k = ldexp(1, (int)c->lgk);

	if (c->count[0] == 0)
		return k * log(k / 0.5);
	return k * (harmonic(k) - harmonic(c->count[0]));
}

double
composite_estimate(const struct composite *c)
{
	double k = ldexp(1, (int)c->lgk);
	double by_ranks = corrected(c->lgk, raw_estimate(c));

	/* Up there linear counting may say anything. */
	if (by_ranks > 3 * k)
		return by_ranks;
	/* To choose by the mean of both is less biased than to do so by one. */
	double by_zeros = linear_count(c);
	double crossing = c->lgk == 4 ? 0.718 : c->lgk == 5 ? 0.672 : 0.64;
	return (by_ranks + by_zeros) / 2 > crossing * k ? by_ranks : by_zeros;
}

double
composite_coupons(double coupons)
{
	/* The library's points, as far as a set of coupons goes: n items, of which
	 * so many are distinct coupons, by the formula that the tests know. */
	static const double px[] = {0, 1, 20, 400, 8000, 160000, 300000, 600000};
	static const double py[] = {
		0, 1, 20.0000009437402611, 400.0003963713384110, 8000.1589294602090376,
		160063.6067763759638183, 300223.7071597663452849, 600895.5933856170158833,
	};
	size_t at = four_around(px, sizeof px / sizeof *px, coupons);

	return fmax(cubic(px + at, py + at, coupons), coupons);
}

/* Quantiles of the relative error, measured by the library's authors: of HIP
 * low and high, then of the others. Above 2^12 registers it is nearly normal. */
#define LGK_MEASURED 12

static const double measured[][4] = {
	{0.502865572, -0.355574279, 0.682266712, -0.411905944},
	{0.335426881, -0.262390832, 0.443389054, -0.310275547},
	{0.227683872, -0.191503663, 0.295782195, -0.230142294},
	{0.156781585, -0.138513438, 0.201175925, -0.16834013},
	{0.108783763, -0.099703123, 0.138523393, -0.122045231},
	{0.075727545, -0.07138158, 0.095925072, -0.08784505},
	{0.053145536, -0.050854296, 0.067009668, -0.062897613},
	{0.037266176, -0.036121138, 0.046868565, -0.044875401},
	{0.02613829, -0.025572893, 0.032825719, -0.031827816},
};

struct composite_error
composite_error(unsigned lgk, bool in_order)
{
	double two = 2 * (in_order ? 0.8325546 : 1.03896) / sqrt(ldexp(1, (int)lgk));

	if (lgk > LGK_MEASURED)
		return (struct composite_error){two, -two};
	const double *m = &measured[lgk - 4][in_order ? 0 : 2];
	return (struct composite_error){m[0], m[1]};
}

struct composite_error
composite_coupons_error(void)
{
	double two = 2 * 0.409 / (1 << 13);

	return (struct composite_error){two, -two};
}
