/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * What a Bloom filter's fpp follows from.
 *
 * CLASSIC. With m bits, n items and k bits an item, a bit stays 0 with
 * probability (1 - 1/m)^(kn), so an absent item finds all its k bits set with
 *
 *	fpp = (1 - (1 - 1/m)^(kn))^k		(Bloom, CACM 1970)
 *
 * which is least where half the bits are set: m/n = -ln p / (ln 2)^2 and
 * k = (m/n) ln 2. 10,000 items at 1 % need 95,851 bits and 7 probes.
 *
 * BLOCK. Each of an item's J probes picks one of z blocks and sets one bit in
 * each of its 8 words of 32 (Putze, Sanders, Singler, "Cache-, Hash- and
 * Space-Efficient Bloom Filters", 2007; the block is that of Apache Parquet).
 * Blocks do not fill alike: the probes that fall into one follow a binomial
 * law, and the few crowded blocks give most of the false positives. Formulas
 * that work with the mean load promise 1 % and deliver 1.46 %, so we sum:
 *
 *	X ~ binomial(nJ, 1/z)		probes that fell into a block
 *	f(i)				share of a word's bits set after i probes
 *	G = product of 8 word fills	a block lets an absent probe pass
 *	F = mean of G over the blocks	one probe of an absent item passes
 *	fpp = E[F^J]
 *
 * For J > 1 that is more than E[F]^J: with few blocks the filters of some item
 * sets are bad in all their probes at once. E[F^J] is taken apart by which of
 * the J probes share a block; see pooled(). It treats different blocks as
 * independent, while in truth they compete for the same items. Such counts are
 * negatively associated (Joag-Dev and Proschan, Ann. Stat. 1983), so the sum
 * can only exceed the truth: exact for J = 1, a bound within O(1/z) above.
 *
 * THE SAME EVERYWHERE. Sizes follow from these sums, and a size is part of a
 * file's bytes, while libm's last digits differ between systems. So the sums
 * need no function: they are additions, multiplications and divisions of IEEE
 * doubles in one fixed order. Logarithm and exponential (classic) are series of
 * the same operations.
 */
#include <math.h>
#include <stdbool.h>

#include "sketch/member/bloom_law.h"

#define LN2 0.693147180559945309417

/* Past this many probes a block, (31/32)^i < 1e-55: every bit is set. */
#define LOAD_FULL 4096.0

/* Terms of the binomial sum below this share of its largest are left out. */
#define TERM_MIN 1e-24

/*
 * E[fill^r] for r = 1..4 of a word of 32 bits after some probes, from
 * hit[d], the chance that d given bits are all set. r random bits are d
 * different ones with chance S(r, d) 32 (31) ... / 32^r, S being Stirling's
 * numbers of the second kind.
 */
static void
word_fill(const double hit[5], double fill[5])
{
	fill[1] = hit[1];
	fill[2] = (hit[1] + 31 * hit[2]) / 32;
	fill[3] = (hit[1] + 93 * hit[2] + 930 * hit[3]) / 1024;
	fill[4] = (hit[1] + 217 * hit[2] + 5580 * hit[3] + 26970 * hit[4]) / 32768;
}

static double
eighth_power(double x)
{
	double square = x * x;

	return square * square * (square * square);
}

/* One more probe in a word: it sets one of the d given bits, and the earlier
 * ones need only have set the others, or it sets none of them. */
static void
word_probe(double hit[5])
{
	for (unsigned d = 4; d >= 1; d--)
		hit[d] = d / 32.0 * hit[d - 1] + (1 - d / 32.0) * hit[d];
}

/* What a block's count of probes, X ~ binomial(N, 1/z), says about G. */
struct block_law {
	double mean[5];              /* E[G^r], r = 1..4 */
	double spread;               /* Var G, less what X explains of it linearly */
};

/*
 * The terms start from 1 at the mode and are divided by their sum in the end,
 * which needs neither the power nor the factorials. False if every bit is set
 * anyway.
 */
static bool
block_law(double N, double z, struct block_law *law)
{
	double mode = floor((N + 1) / z);
	double low = mode = mode < N ? mode : N;
	double term = 1;
	double sum = 0, x = 0, xx = 0, xg = 0;
	double g[5] = {0};
	double hit[5] = {1, 0, 0, 0, 0};

	if (mode > LOAD_FULL)
		return false;
	while (low > 0) {
		double next = term * (low * (z - 1) / (N - low + 1));
		if (next < TERM_MIN)
			break;
		term = next;
		low--;
	}
	for (double i = 0; i < low; i++)
		word_probe(hit);
	for (double i = low; ; i++) {
		double fill[5];

		word_fill(hit, fill);
		for (unsigned r = 1; r <= 4; r++)
			g[r] += term * eighth_power(fill[r]);
		sum += term;
		x += term * i;
		xx += term * i * i;
		xg += term * i * eighth_power(fill[1]);
		if (i == N)
			break;
		term *= (N - i) / ((i + 1) * (z - 1));
		if (i > mode && term < TERM_MIN)
			break;
		word_probe(hit);
	}
	for (unsigned r = 1; r <= 4; r++)
		law->mean[r] = g[r] / sum;
	double var_x = xx / sum - x / sum * (x / sum);
	double cov = xg / sum - x / sum * law->mean[1];
	law->spread = law->mean[2] - law->mean[1] * law->mean[1];
	if (var_x > 0)
		law->spread -= cov * cov / var_x;
	return true;
}

/* The chance that j probes into the blocks still unused, spare of z, all
 * pass. The first takes a fresh block, and r-1 of the others share it. */
static double
pooled(unsigned j, double spare, double z, const double mean[5])
{
	double sum = 0;
	double ways = 1;             /* binomial(j-1, r-1) / z^(r-1) */

	if (j == 0)
		return 1;
	if (spare <= 0)
		return 0;
	for (unsigned r = 1; r <= j; r++) {
		sum += ways * mean[r] * pooled(j - r, spare - 1, z, mean);
		ways *= (double)(j - r) / r / z;
	}
	return spare / z * sum;
}

/* The expected fpp, and the standard deviation of single filters from it as
 * a share of it: J times that of F, which is a mean over z blocks whose counts
 * have a fixed sum. */
double
bloom_law_blocks(uint64_t size, unsigned probes, uint64_t n, double *scatter)
{
	struct block_law law;
	double z = (double)size;

	*scatter = 0;
	if (n == 0)
		return 0;
	if (!block_law((double)n * probes, z, &law))
		return 1;
	if (law.spread > 0)
		*scatter = probes * sqrt(law.spread / z) / law.mean[1];
	double fpp = pooled(probes, z, z, law.mean);
	return fpp < 1 ? fpp : 1;
}

/* ln((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 ...) for s up to 1/3 either
 * way: 13 terms pass a double's precision. */
static double
ln_ratio(double s)
{
	double sum = 0;

	for (int i = 25; i >= 1; i -= 2)
		sum = sum * (s * s) + 1.0 / i;
	return 2 * s * sum;
}

/* -ln x for x in 0..1: x = m 2^e, m near 1, s = (m-1)/(m+1). */
double
bloom_law_minus_ln(double x)
{
	int e;
	double m = frexp(x, &e);

	if (m < 0.70710678118654752) {
		m *= 2;
		e--;
	}
	return -(e * LN2 + ln_ratio((m - 1) / (m + 1)));
}

/* 1 - e^-t for t >= 0, by its series for a t halved often enough, and then
 * 1 - e^-2t = u (2 - u) as often. */
static double
one_minus_exp(double t)
{
	unsigned halvings = 0;
	double u = 0;

	if (!(t < 64))
		return 1;
	for (; t > 0.0625; t /= 2)
		halvings++;
	for (unsigned i = 11; i >= 1; i--)
		u = t / i * (1 - u);
	while (halvings-- > 0)
		u *= 2 - u;
	return u;
}

double
bloom_law_bits(uint64_t size, unsigned probes, uint64_t n)
{
	/* One bit: 1/m is 1 and its logarithm would not be finite. */
	if (size == 1)
		return n > 0;
	/* -ln(1 - 1/m), of which nothing cancels. */
	double share = ln_ratio(1 / (2 * (double)size - 1));
	double fill = one_minus_exp((double)n * probes * share);
	double fpp = 1;
	for (unsigned j = 0; j < probes; j++)
		fpp *= fill;
	return fpp;
}
