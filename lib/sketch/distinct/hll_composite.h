/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_COMPOSITE_H
#define SKETCH_HLL_COMPOSITE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The estimators of Apache DataSketches, as its libraries compute them: the same
 * numbers to the last digit or two, so that a sketch answers alike on both sides.
 */
#define COMPOSITE_RANKS 64           /* ranks 0..63 */

/* The registers as they lie in 2^lgk, 4..21: count[r] of them hold rank r. */
struct composite {
	unsigned lgk;
	uint32_t count[COMPOSITE_RANKS];
};

/* The sum of 2^-rank over the ranks below 32, and over the others. Both are exact,
 * since a double has room for all of their bits. */
double composite_sum_low(const struct composite *);
double composite_sum_high(const struct composite *);

/* Distinct items: the raw estimate of HyperLogLog, corrected by what it came to
 * in simulations, or by linear counting while that errs less. Finite. */
double composite_estimate(const struct composite *);

/* Distinct items among which there are so many distinct coupons, at most
 * 600,000: a little more than that, as few of 2^26 places of coupons are met
 * twice. */
double composite_coupons(double coupons);

/* How far an answer lies from the truth: its 95 % interval, two standard
 * deviations to each side, is answer / (1 + low) to answer / (1 + high), high
 * being below 0. in_order: the answer is that of HIP. */
struct composite_error {
	double low;
	double high;
};

struct composite_error composite_error(unsigned lgk, bool in_order);

/* The same of composite_coupons(), whatever the coupons are. */
struct composite_error composite_coupons_error(void);

#endif
