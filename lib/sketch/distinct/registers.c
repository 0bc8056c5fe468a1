/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <string.h>

#include "sketch/distinct/registers.h"

/*
 * The estimate. After n items a register of m holds at most k with
 * probability (1 - 1/(m 2^k))^n, or exp(-n / (m 2^k)) to an accuracy that
 * nobody can measure. Flajolet's raw estimate is the harmonic mean of 2^rank;
 * it fails when registers are still 0 or already at their largest rank. Otmar
 * Ertl ("New cardinality estimation algorithms for HyperLogLog sketches",
 * arXiv:1702.01284, section 4) replaced these two ends of the sum by their
 * expectation, sigma and tau, and so needs no thresholds and no tables. What
 * remains is a bias of (3 ln 2 - 1) / m, which is divided out.
 *
 * The interval. The registers' likelihood for an expected number z of items
 * (a Poisson number of them, which makes registers independent) is, with
 * t_k = z / (m 2^k), c_k registers of rank k and the last two ranks q and
 * q + 1 sharing t_q,
 *
 *	log L(z) = sum over k <= q of -c_k t_k
 *	         + sum over k >= 1 of  c_k log(1 - exp(-t_k)).
 *
 * But n is a number and not a random one, which matters below 5 m or so:
 * Poisson intervals are four times too wide at m / 8. The likelihood of n is
 * the coefficient n! [z^n] of exp(z) L(z), and the saddle point method gives
 * it at the z where z (log exp(z) L(z))' = n. So z serves as the parameter,
 *
 *	n(z)     = z + d,  d = z (log L)' = sum of -c_k t_k
 *	                                  + sum of c_k t_k / (exp(t_k) - 1),
 *	log P(n) = log L(z) + n log(n / z) - n + z,
 *
 * and no equation needs to be solved for it. log P rises until d = 0 and
 * falls from there, because its derivative is n'(z) log(n / z). The interval
 * holds every n with 2 (max log P - log P(n)) <= 3.841, the 95 % point of
 * chi-squared with one degree of freedom. It is lopsided as it should be for
 * few registers, and never reaches below the number of registers in use.
 */
#define HALF_CHI_SQUARED 1.9207294103470626

/* Sixteen at a time, so that compilers use one instruction for them. */
#define LANES ((size_t)1 << REGISTERS_PRECISION_MIN)

static void
raise_all(unsigned char *restrict into, const unsigned char *restrict from, size_t m)
{
	for (size_t i = 0; i < m; i += LANES)
		for (size_t j = i; j < i + LANES; j++)
			into[j] = into[j] > from[j] ? into[j] : from[j];
}

unsigned
registers_largest(const unsigned char *r, unsigned precision)
{
	size_t m = (size_t)1 << precision;
	unsigned char lane[LANES] = {0}, largest = 0;

	for (size_t i = 0; i < m; i += LANES)
		raise_all(lane, r + i, LANES);
	for (size_t j = 0; j < LANES; j++)
		largest = largest > lane[j] ? largest : lane[j];
	return largest;
}

void
registers_merge(unsigned char *into, unsigned into_precision,
    const unsigned char *from, unsigned from_precision)
{
	size_t m = (size_t)1 << from_precision;
	unsigned drop = from_precision - into_precision;

	if (drop == 0) {
		raise_all(into, from, m);
		return;
	}
	/* The index bits that are dropped become the first bits of the rest: if
	 * one of them is set, it alone decides the rank. */
	for (size_t i = 0; i < m; i++) {
		unsigned dropped = (unsigned)(i & ((1u << drop) - 1));

		if (from[i] == 0)
			continue;
		unsigned rank = dropped != 0 ?
		    (unsigned)__builtin_clz(dropped) + 1 - (32 - drop) : from[i] + drop;
		registers_raise(&into[i >> drop], rank);
	}
}

void
registers_histogram(struct histogram *h, const unsigned char *r, unsigned precision)
{
	/* Neighbours are often equal, and a counter that was just written is
	 * slow to read: four sets of counters take turns. */
	uint32_t count[4][64] = {{0}};
	size_t m = (size_t)1 << precision;

	for (size_t i = 0; i < m; i += 4) {
		count[0][r[i] & 63]++;
		count[1][r[i + 1] & 63]++;
		count[2][r[i + 2] & 63]++;
		count[3][r[i + 3] & 63]++;
	}
	h->precision = precision;
	h->last = registers_rank_max(precision);
	for (size_t k = 0; k <= REGISTERS_RANK_MAX; k++)
		h->count[k] = count[0][k] + count[1][k] + count[2][k] + count[3][k];
}

/* x + sum over k >= 1 of x^(2^k) 2^(k-1), for 0 <= x < 1. */
static double
sigma(double x)
{
	double sum = x, weight = 1, before;

	do {
		x *= x;
		before = sum;
		sum += x * weight;
		weight += weight;
	} while (sum != before);
	return sum;
}

/* (1 - x - sum over k >= 1 of (1 - x^(2^-k))^2 2^-k) / 3, for 0 <= x <= 1. */
static double
tau(double x)
{
	if (x == 0 || x == 1)
		return 0;

	double sum = 1 - x, weight = 1, before;
	do {
		x = sqrt(x);
		before = sum;
		weight *= 0.5;
		sum -= (1 - x) * (1 - x) * weight;
	} while (sum != before);
	return sum / 3;
}

double
histogram_indicator(const struct histogram *h)
{
	double m = (double)((size_t)1 << h->precision);

	if (h->count[0] == m)
		return INFINITY;
	double z = m * tau(1 - h->count[h->last] / m);
	for (unsigned k = h->last - 1; k >= 1; k--)
		z = 0.5 * (z + h->count[k]);
	return z + m * sigma(h->count[0] / m);
}

double
histogram_estimate(const struct histogram *h)
{
	const double ln2 = 0.69314718055994530942;
	double m = (double)((size_t)1 << h->precision);
	double z = histogram_indicator(h);

	if (z == 0)
		return REGISTERS_MOST;

	double n = m * m / (2 * ln2 * z) / (1 + (3 * ln2 - 1) / m);
	return n < REGISTERS_MOST ? n : REGISTERS_MOST;
}

/* The likelihood at z: log P, and n(z) - z. */
struct likelihood {
	double z;
	double log;
	double excess;
};

static struct likelihood
likelihood_at(const struct histogram *h, double z)
{
	double t = z / (double)((size_t)1 << h->precision);
	struct likelihood l = {z, -t * h->count[0], -t * h->count[0]};

	for (unsigned k = 1; k <= h->last; k++) {
		if (k < h->last)
			t *= 0.5;
		if (h->count[k] == 0)
			continue;
		double below = k < h->last ? t : 0;
		l.log += h->count[k] * (log(-expm1(-t)) - below);
		l.excess += h->count[k] * (t / expm1(t) - below);
	}

	/* n log(n / z) - n + z without the cancellation: z times
	 * (1 + u) log(1 + u) - u, by its series where u is small. */
	double u = l.excess / z;
	if (u <= -1)
		l.log += z;
	else if (fabs(u) < 1e-3)
		l.log += z * u * u * (1.0 / 2 - u * (1.0 / 6 - u * (1.0 / 12 - u / 20)));
	else
		l.log += z * ((1 + u) * log1p(u) - u);
	return l;
}

/* The most likely z: where the excess, which falls as z grows, is 0. */
static struct likelihood
most_likely(const struct histogram *h)
{
	double low = histogram_estimate(h), high = low;

	while (low > 1e-3 && likelihood_at(h, low).excess < 0)
		low *= 0.5;
	while (high < REGISTERS_MOST && likelihood_at(h, high).excess > 0)
		high = fmin(high * 2, REGISTERS_MOST);
	for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
		double mid = low + (high - low) / 2;

		if (likelihood_at(h, mid).excess > 0)
			low = mid;
		else
			high = mid;
	}
	return likelihood_at(h, low + (high - low) / 2);
}

/* The n where the likelihood has fallen to a level, from a place inside to
 * one outside the interval. */
static double
crossing(const struct histogram *h, double inside, double outside, double level)
{
	struct likelihood at = likelihood_at(h, inside);

	for (int i = 0; i < 60 && fabs(outside - inside) > 1e-7 * inside; i++) {
		struct likelihood mid = likelihood_at(h, inside + (outside - inside) / 2);

		if (mid.log < level) {
			outside = mid.z;
		} else {
			inside = mid.z;
			at = mid;
		}
	}
	return at.z + at.excess;
}

/* May every item have a register of its own? If the probability of that is
 * 2.5 % or more, the number of registers in use is in the interval: likelihoods
 * are for larger numbers, and would leave it out too soon. */
static bool
may_be_alone(double used, double m)
{
	return lgamma(m + 1) - lgamma(m - used + 1) - used * log(m) >= log(0.025);
}

void
histogram_interval(const struct histogram *h, double *low, double *high)
{
	size_t m = (size_t)1 << h->precision;

	*low = *high = 0;
	if (h->count[0] == m)
		return;

	struct likelihood best = most_likely(h);
	double level = best.log - HALF_CHI_SQUARED;
	double outside = best.z / 2;
	/* Near z = 0 n is the number of registers in use; it may be likely. If all
	 * registers are full, the way down is long. */
	while (outside > 1e-6 && likelihood_at(h, outside).log >= level)
		outside /= 2;
	*low = crossing(h, 2 * outside, outside, level);

	outside = fmin(best.z * 2, REGISTERS_MOST);
	while (outside < REGISTERS_MOST && likelihood_at(h, outside).log >= level)
		outside = fmin(outside * 2, REGISTERS_MOST);
	*high = crossing(h, best.z, outside, level);

	double used = (double)(m - h->count[0]);
	*low = may_be_alone(used, (double)m) ? used : fmax(*low, used);
	*high = fmin(fmax(*high, *low), REGISTERS_MOST);
}

size_t
registers_packed_size(unsigned precision)
{
	return ((size_t)1 << precision) / 4 * 3;
}

void
registers_pack(unsigned char *packed, const unsigned char *r, unsigned precision)
{
	size_t m = (size_t)1 << precision;

	for (size_t i = 0; i < m; i += 4, packed += 3) {
		packed[0] = (unsigned char)(r[i] | r[i + 1] << 6);
		packed[1] = (unsigned char)(r[i + 1] >> 2 | r[i + 2] << 4);
		packed[2] = (unsigned char)(r[i + 2] >> 4 | r[i + 3] << 2);
	}
}

void
registers_unpack(unsigned char *r, const unsigned char *packed, unsigned precision)
{
	size_t m = (size_t)1 << precision;

	for (size_t i = 0; i < m; i += 4, packed += 3) {
		r[i] = packed[0] & 63;
		r[i + 1] = (unsigned char)((packed[0] >> 6 | packed[1] << 2) & 63);
		r[i + 2] = (unsigned char)((packed[1] >> 4 | packed[2] << 4) & 63);
		r[i + 3] = packed[2] >> 2;
	}
}
