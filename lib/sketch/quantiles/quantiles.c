/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "sketch/quantiles/quantiles.h"

__extension__ typedef unsigned __int128 wide;

#define DECIMALS_MAX 15

/* The decimal fraction that q is nearest to, if it has at most 15 places:
 * whoever wrote 0.1 meant a tenth, which no double is. */
static bool
as_decimal(double q, uint64_t *digits, uint64_t *unit)
{
	*unit = 1;
	for (int places = 0; places <= DECIMALS_MAX; places++, *unit *= 10) {
		double number = floor(q * (double)*unit + 0.5);
		if (number / (double)*unit == q) {
			*digits = (uint64_t)number;
			return true;
		}
	}
	return false;
}

static uint64_t
ceil_share(double q, uint64_t n)
{
	uint64_t digits, unit;
	int exponent;

	if (as_decimal(q, &digits, &unit)) {
		wide product = (wide)digits * n;
		return (uint64_t)((product + unit - 1) / unit);
	}
	/* q = mantissa / 2^shift, to the last bit. */
	double mantissa = ldexp(frexp(q, &exponent), 53);
	int shift = 53 - exponent;
	wide product = (wide)mantissa * n;
	if (shift > 120)
		return 1;
	return (uint64_t)((product + (((wide)1 << shift) - 1)) >> shift);
}

uint64_t
quantiles_rank(double q, uint64_t n)
{
	uint64_t rank = q > 0 ? ceil_share(q, n) : 1;

	return rank < 1 ? 1 : rank > n ? n : rank;
}

bool
quantiles_few(double q, uint64_t n)
{
	uint64_t rank = quantiles_rank(q, n);

	return n == 0 || rank - 1 < QUANTILES_FEW || n - rank < QUANTILES_FEW;
}

/* What both ends of the interval may miss. */
#define TAIL 0.025
#define TAIL_DEVIATIONS 1.959963984540054

/* Up to this variance the law itself is summed up. */
#define EXACT_VARIANCE 10000

/* A probability so much smaller than the largest adds nothing. */
#define NOTHING 1e-18

/*
 * Let X be how many of the n samples are at or below the true quantile: X has the
 * binomial law B(n, q). The samples of ranks l < u enclose the quantile if l <= X
 * < u, so l is the largest rank with P(X < l) <= 2.5 % and u the smallest one with
 * P(X >= u) <= 2.5 %.
 *
 * The probabilities are told by their ratios, from the mean to both sides, so
 * that none of them is too small for a double.
 */
static void
binomial(double q, uint64_t n, uint64_t *low, uint64_t *high)
{
	const double odds = q / (1 - q);
	uint64_t mean = (uint64_t)((double)n * q), first, last;
	double p = 1, total = 1, tail = 0;

	if (mean > n)
		mean = n;
	for (last = mean; last < n && p > NOTHING; last++) {
		p *= (double)(n - last) / (double)(last + 1) * odds;
		total += p;
	}
	const double at_last = p;
	p = 1;
	for (first = mean; first > 0 && p > NOTHING; first--) {
		p *= (double)first / ((double)(n - first + 1) * odds);
		total += p;
	}

	/* P(X < l) grows with l; below first it is nothing. */
	uint64_t k = first;
	for (; tail + p <= TAIL * total && k < n; k++) {
		tail += p;
		p *= (double)(n - k) / (double)(k + 1) * odds;
	}
	*low = k;
	k = last;
	p = at_last;
	tail = 0;
	for (; tail + p <= TAIL * total && k > 0; k--) {
		tail += p;
		p *= (double)k / ((double)(n - k + 1) * odds);
	}
	*high = k + 1;
}

static void
normal(double q, uint64_t n, uint64_t *low, uint64_t *high)
{
	const double mean = (double)n * q, reach = TAIL_DEVIATIONS * sqrt(mean * (1 - q));

	*low = (uint64_t)(mean - reach + 0.5);
	*high = (uint64_t)ceil(mean + reach + 0.5);
}

void
quantiles_confidence(double q, uint64_t n, uint64_t *low, uint64_t *high)
{
	if (q <= 0) {
		*low = 0;
		*high = 1;
	} else if (q >= 1) {
		*low = n;
		*high = n + 1;
	} else if ((double)n * q * (1 - q) <= EXACT_VARIANCE) {
		binomial(q, n, low, high);
	} else {
		normal(q, n, low, high);
	}
}
