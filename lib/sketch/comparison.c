/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "sketch/comparison.h"

#define SIGMAS 1.959963984540054    /* of 95 % */

bool
estimate_is_at_most(const struct estimate *e)
{
	return e->low == 0 && e->high > 0;
}

static struct estimate
around(double value, double variance)
{
	double reach = variance > 0 ? SIGMAS * sqrt(variance) : 0;

	/* What is below 0 is chance: there cannot be less than nothing. */
	if (!(value > 0))
		value = 0;
	return (struct estimate){value, value > reach ? value - reach : 0, value + reach};
}

struct estimate
estimate_items(double value, double variance)
{
	struct estimate e = around(value, variance);

	e.low = floor(e.low);
	e.high = ceil(e.high);
	return e;
}

struct estimate
estimate_share(double value, double variance)
{
	struct estimate e = around(value, variance);

	if (e.high > 1)
		e.high = 1;
	return e;
}

/*
 * The score interval: all values from which the observation is no farther away than
 * so many of the standard deviations that those values imply. Of N items n are found
 * with the variance N share (1 - share), and of a part p of them n p with the variance
 * n p (1 - p) (1 - share), since whom is drawn is not put back.
 */
struct estimate
estimate_sampled(uint64_t found, double share)
{
	double n = (double)found, rest = 1 - share;
	double z = SIGMAS * sqrt(rest), middle = n + z * z / 2, reach = z * sqrt(n + z * z / 4);

	return (struct estimate){
		.value = n / share,
		.low = found > 0 ? floor((middle - reach) / share) : 0,
		.high = ceil((middle + reach) / share),
	};
}

struct estimate
estimate_part(uint64_t found, uint64_t total, double share)
{
	double z = SIGMAS * SIGMAS * (1 - share), n = (double)total;

	if (total == 0)
		return (struct estimate){0, 0, share < 1 ? 1 : 0};
	double p = (double)found / n;
	double middle = (p + z / n / 2) / (1 + z / n);
	double reach = sqrt(z / n * (p * (1 - p) + z / n / 4)) / (1 + z / n);
	return (struct estimate){
		.value = p,
		.low = found > 0 ? fmin(fmax(middle - reach, 0), p) : 0,
		.high = found < total ? fmax(fmin(middle + reach, 1), p) : 1,
	};
}

static struct estimate
exactly(double value)
{
	return estimate_items(value, 0);
}

/* J = I / (a + b - I), whose derivative is (a + b) / (a + b - I)^2. */
struct comparison
comparison_by_common(double a, double b, double both, double variance)
{
	double fewer = a < b ? a : b;
	double most = both < fewer ? both : fewer;
	double either = a + b - most;
	double slope = either > 0 ? (a + b) / (either * either) : 0;
	struct comparison c = {
		.a = exactly(a), .b = exactly(b),
		.either = estimate_items(either, variance),
		.both = estimate_items(most, variance),
		.only_a = estimate_items(a - most, variance),
		.only_b = estimate_items(b - most, variance),
		.jaccard = estimate_share(either > 0 ? most / either : 0,
		    slope * slope * variance),
	};

	if (c.both.high > fewer)
		c.both.high = fewer;
	return c;
}
