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
