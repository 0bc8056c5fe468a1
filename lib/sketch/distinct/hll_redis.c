/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>

#include "sketch/distinct/hll_redis.h"

/*
 * PFCOUNT since Redis 5 is Ertl's improved raw estimator ("New cardinality
 * estimation algorithms for HyperLogLog sketches", arXiv:1702.01284, section
 * 2.4), rounded to a whole number, halves upwards. Ours corrects a bias of
 * 1/m besides, which is 0.007 % at this precision; Redis does not, so neither
 * is it done here.
 *
 * Error. One standard error is 1.04 / sqrt(16384) = 0.81 %, for any number of
 * items up to 2^60. The interval is that of the likelihood, see registers.c.
 *
 * Memory. 16 KiB, and less for few items: see hll_low.h.
 *
 * Example. The hash of "1" has the low 14 bits 7527, and behind them a 1: it
 * raises register 7527 to 1. "2" raises register 15371 to 4; the empty item,
 * which counts as any other, register 5938 to 2.
 */

enum status
hll_redis_new(struct hll_low **out)
{
	struct hll_low *l = malloc(sizeof *l);

	if (!l)
		return STATUS_MEMORY;
	hll_low_init(l, HLL_REDIS_PRECISION, HLL_REDIS_RANK_MAX, HLL_REDIS_RANK_MAX);
	*out = l;
	return OK;
}

void
hll_redis_free(struct hll_low *l)
{
	if (!l)
		return;
	hll_low_clear(l);
	free(l);
}

static double
count_of(const struct histogram *h)
{
	const double half_by_ln2 = 0.721347520444481703680;
	double m = 1 << HLL_REDIS_PRECISION;

	/* Only registers that are all full make the divisor 0. */
	return fmin(round(half_by_ln2 * m * m / histogram_indicator(h)), REGISTERS_MOST);
}

double
hll_redis_estimate(const struct hll_low *l)
{
	struct histogram h;

	hll_low_histogram(l, &h);
	return count_of(&h);
}

void
hll_redis_interval(const struct hll_low *l, double *low, double *high)
{
	struct histogram h;

	hll_low_histogram(l, &h);
	histogram_interval(&h, low, high);
	*low = fmin(*low, count_of(&h));
	*high = fmax(*high, count_of(&h));
}
