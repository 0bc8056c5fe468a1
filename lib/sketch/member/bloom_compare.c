/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Two Bloom filters compared.
 *
 * THE ESTIMATES. T probes leave a bit 0 with chance q = (1 - 1/P)^T, where P
 * is m for a classic filter and 32 z for a block filter, each probe of which
 * sets a bit in each of eight words. So from the share of zeros in a filter
 * follows its number of items, n = ln(zeros / bits) / (k ln(1 - 1/P)), and the
 * OR of two filters is the filter of the union:
 *
 *	|A and B| = n(A) + n(B) - n(A or B)
 *
 *	S. J. Swamidass, P. Baldi, "Mathematical Correction for Fingerprint
 *	Similarity Measures to Improve Chemical Retrieval", J. Chem. Inf.
 *	Model. 47 (2007)
 *	O. Papapetrou, W. Siberski, W. Nejdl, "Cardinality Estimation and
 *	Dynamic Length Adaptation for Bloom Filters", Distrib. Parallel
 *	Databases 28 (2010)
 *
 * Three numbers are asked (only A, only B, both) and three are seen (the zeros
 * of A, of B, of the OR), each being the expectation at one choice of the
 * others: so this is also the likeliest answer, given what is seen.
 *
 * THE ERRORS. Let S and R be two of A, B and the union, and say each probe
 * falls anywhere by itself. With a Poisson number of probes, two bits are
 * dependent only if they are the same one, or lie in different words of the
 * same block, which a probe hits together. To hold the number of probes fixed
 * takes away what that number explains linearly. Both together, and
 * n = -(P/k) ln(zeros/bits) taken as linear around the expectation, give a
 * covariance in which all but the common items cancels:
 *
 *	Cov(n(S), n(R)) = f(|S and R|)
 *	classic: f(x) = m/k^2 (e^t - 1 - t),                          t = k x/m
 *	block:   f(x) = z/J^2 (4 (e^(u/32) - 1) + 896 (e^(u/1024) - 1) - u), u = J x/z
 *
 * (For the block: 256 bits with themselves and 256 * 224 pairs in different
 * words, over the square of 8 bits a probe; the rest is the fixed number.)
 * As the union contains both, the answers are
 *
 *	Var(union)        = f(U)
 *	Var(only A)       = Var(n(U) - n(B)) = f(U) - f(B)
 *	Var(intersection) = f(U) - f(A) - f(B) + 2 f(I)
 *	Cov(intersection, union) = f(A) + f(B) - f(U)
 *
 * and that of Jaccard's I/U follows from the last two, linear again. 1.96
 * standard deviations to each side are the interval; counts are rounded to
 * whole items outwards, which near an empty filter is wider than need be.
 *
 * WHEN THEY ARE USELESS. f grows like e^t: a million items in a block filter
 * for as many at 1 % (u = 24) have a standard deviation of 270, four million of
 * 1,700. So what is wide is not so much a count as the difference of two large
 * ones: an intersection of less than that is not seen, and its low bound is 0.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sketch/member/bloom.h"
#include "sketch/member/bloom_bits.h"

/* How far the union's bound may be off for unlike sizes to be worth folding. */
#define WORTH 0.1

/* Bits set. */
struct ones {
	uint64_t a, b, either;
};

static inline uint64_t
ones_in(uint64_t v)
{
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return v * UINT64_C(0x0101010101010101) >> 56;
}

static struct ones
count_ones(struct slice a, struct slice b)
{
	struct ones ones = {0};

	for (size_t i = 0; i < a.len; i += 8) {
		size_t n = a.len - i < 8 ? a.len - i : 8;
		uint64_t x = 0, y = 0;
		memcpy(&x, a.at + i, n);
		memcpy(&y, b.at + i, n);
		ones.a += ones_in(x);
		ones.b += ones_in(y);
		ones.either += ones_in(x | y);
	}
	return ones;
}

/* f(x), the covariance of what two filters tell that share x items. */
static double
covariance(const struct bloom_shape *shape, double x)
{
	double size = (double)shape->size, probes = shape->probes;
	double load = probes * x / size;
	double f;

	if (bloom_is_blocks(shape->type))
		f = 4 * expm1(load / 32) + 896 * expm1(load / 1024) - load;
	else
		f = expm1(load) - load;
	return f > 0 ? f * size / (probes * probes) : 0;
}

static void
fill_in(struct comparison *c, const struct bloom_shape *shape, double a, double b, double u)
{
	double i = a + b - u > 0 ? a + b - u : 0;
	double fa = covariance(shape, a), fb = covariance(shape, b);
	double fu = covariance(shape, u), fi = covariance(shape, i);
	double var_i = fu - fa - fb + 2 * fi;
	double j = u > 0 ? i / u : 0;
	double var_j = u > 0 ? (var_i - 2 * j * (fa + fb - fu) + j * j * fu) / (u * u) : 0;

	*c = (struct comparison){
		.a = estimate_items(a, fa), .b = estimate_items(b, fb),
		.either = estimate_items(u, fu), .both = estimate_items(i, var_i),
		.only_a = estimate_items(u - b, fu - fb),
		.only_b = estimate_items(u - a, fu - fa),
		.jaccard = estimate_share(j, var_j),
	};
}

static enum status
compare_alike(const struct bloom *a, const struct bloom *b, struct comparison *c,
    struct mismatch *why)
{
	const struct bloom_shape *shape = bloom_shape(a);
	struct ones ones = count_ones(bloom_payload(a), bloom_payload(b));
	double u = bloom_count_distinct((struct bloom_count){.ones = ones.either}, shape);

	if (!isfinite(u)) {
		snprintf(why->text, sizeof why->text, "every bit of their union is set");
		return STATUS_MISMATCH;
	}
	fill_in(c, shape, bloom_count_distinct((struct bloom_count){.ones = ones.a}, shape),
	    bloom_count_distinct((struct bloom_count){.ones = ones.b}, shape), u);
	return OK;
}

/* Of unlike sizes. */
static enum status
compare_folded(const struct bloom *a, const struct bloom *b, struct comparison *c,
    struct mismatch *why)
{
	uint64_t x = bloom_shape(a)->size, y = bloom_shape(b)->size;
	uint64_t size = common_divisor(x, y);
	struct bloom *small_a = NULL, *small_b = NULL;
	struct comparison found;
	enum status st = bloom_folded(&small_a, a, size);

	if (st == OK)
		st = bloom_folded(&small_b, b, size);
	if (st == OK)
		st = compare_alike(small_a, small_b, &found, why);
	if (st == STATUS_MISMATCH || (st == OK &&
	    found.either.high > (1 + WORTH) * found.either.value + 1)) {
		snprintf(why->text, sizeof why->text,
		    "sizes %llu and %llu, which have no more than %llu in common",
		    (unsigned long long)x, (unsigned long long)y, (unsigned long long)size);
		st = STATUS_MISMATCH;
	}
	if (st == OK)
		*c = found;
	bloom_free(small_a);
	bloom_free(small_b);
	return st;
}

enum status
bloom_compare(const struct bloom *a, const struct bloom *b, struct comparison *c,
    struct mismatch *why)
{
	enum status st = bloom_match(a, b, why);

	if (st != OK)
		return st;
	return bloom_shape(a)->size == bloom_shape(b)->size ?
	    compare_alike(a, b, c, why) : compare_folded(a, b, c, why);
}
