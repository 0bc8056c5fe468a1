/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The size of a Bloom filter.
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
 * Filters of the same size scatter around E[F^J], the small ones widely: for
 * 1,000 items at 0.1 % by 14 %. Who holds one has no use for a mean, so a size
 * must keep the mean within p and also the mean plus three standard deviations
 * within 1.1 p. Above some 20,000 items the second follows from the first.
 *
 * J grows as p falls, since one block alone gets costly. Bits an item, large n:
 *
 *	      p    J   block   classic
 *	   10 %    1     6.0       4.8
 *	    1 %    1    10.5       9.6
 *	  0.1 %    1    16.9      14.4
 *	   1e-4    2    21.1      19.2
 *	   1e-6    3    31.6      28.8
 *	   1e-8    4    42.1      38.3
 *
 * SIZES THAT FOLD. A filter folds by any divisor of its size, and a number of
 * blocks as it comes may be a prime. So from 4,096 blocks on it is rounded up
 * to a multiple of 64. That costs at most 1.6 %. A classic filter keeps the
 * m that everybody's formula gives, and folds by what divisors that has.
 *
 * THE SAME SIZE EVERYWHERE. The size is part of a file's bytes, and libm's
 * last digits differ between systems. So the sums need no function: they are
 * additions, multiplications and divisions of IEEE doubles in one fixed
 * order. Logarithm and exponential (classic) are series of the same
 * operations. For the size, bits an item are rounded up to a multiple of
 * 2^-40, from where on all is integer arithmetic; the capacity of a folded
 * filter, which is stored too, is found by bisection over the expected fpp.
 */
#include <math.h>

#include "base/bytes.h"
#include "sketch/bloom_size.h"

__extension__ typedef unsigned __int128 wide;

#define FIXED 40                                    /* fraction bits of bits an item */
#define LN2 0.693147180559945309417
#define LN2_FIXED UINT64_C(762123384786)            /* ln 2 * 2^40 */

/* Past this many probes a block, (31/32)^i < 1e-55: every bit is set. */
#define LOAD_FULL 4096.0

/* Terms of the binomial sum below this share of its largest are left out. */
#define TERM_MIN 1e-24

/* From this many blocks on, sizes are multiples of so many, which costs at
 * most 1.6 %: then a filter folds to a half, a quarter ... a sixty-fourth. */
#define FOLDABLE_FROM 4096
#define FOLDABLE 64

/* A single filter stays below this many times the wanted fpp ... */
#define SLACK 1.1
/* ... unless it is worse than its like by more than this many sigmas. */
#define SIGMAS 3

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
static double
block_fpp(uint64_t size, unsigned probes, uint64_t n, double *scatter)
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
static double
minus_ln(double x)
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

static double
classic_fpp(uint64_t size, unsigned probes, uint64_t n)
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

double
bloom_expected_fpp(const struct bloom_shape *shape, uint64_t n)
{
	double scatter;

	return bloom_is_blocks(shape->type)
	    ? block_fpp(shape->size, shape->probes, n, &scatter)
	    : classic_fpp(shape->size, shape->probes, n);
}

static unsigned
block_probes(double fpp)
{
	return fpp >= 1e-3 ? 1 : fpp >= 1e-5 ? 2 : fpp >= 1e-7 ? 3 : 4;
}

static bool
blocks_suffice(uint64_t size, unsigned probes, uint64_t n, double fpp)
{
	double scatter;
	double expected = block_fpp(size, probes, n, &scatter);

	return expected <= fpp && expected * (1 + SIGMAS * scatter) <= SLACK * fpp;
}

/* The fewest blocks that keep the promise, or 0 if BLOOM_BLOCKS_MAX do not. */
static uint64_t
block_size(uint64_t n, unsigned probes, double fpp)
{
	uint64_t few = 0;            /* too few */
	uint64_t enough = 1;

	while (!blocks_suffice(enough, probes, n, fpp)) {
		if (enough == BLOOM_BLOCKS_MAX)
			return 0;
		few = enough;
		enough *= 2;
	}
	while (enough - few > 1) {
		uint64_t middle = few + (enough - few) / 2;
		if (blocks_suffice(middle, probes, n, fpp))
			enough = middle;
		else
			few = middle;
	}
	return enough;
}

static uint64_t
foldable(uint64_t size)
{
	return size < FOLDABLE_FROM ? size : (size + FOLDABLE - 1) / FOLDABLE * FOLDABLE;
}

/* m = ceil(-n ln p / (ln 2)^2), or 0 if that is past BLOOM_BITS_MAX. */
static uint64_t
classic_size(uint64_t n, double fpp)
{
	double each = minus_ln(fpp) / (LN2 * LN2);
	uint64_t fixed = (uint64_t)ceil(ldexp(each, FIXED));
	wide bits = ((wide)n * fixed + (((wide)1 << FIXED) - 1)) >> FIXED;

	return bits <= BLOOM_BITS_MAX ? (uint64_t)bits : 0;
}

/* k = (m/n) ln 2, rounded, at least 1. */
static unsigned
classic_probes(uint64_t size, uint64_t n)
{
	wide fixed = (wide)size * LN2_FIXED / n;
	uint64_t k = (uint64_t)((fixed + ((wide)1 << (FIXED - 1))) >> FIXED);

	return k < 1 ? 1 : (unsigned)k;
}

static bool
block_shape_for(struct bloom_shape *shape, uint64_t capacity, double fpp)
{
	struct bloom_shape s = {.type = BLOOM_BLOCK, .capacity = capacity, .fpp = fpp};

	s.probes = block_probes(fpp);
	s.size = foldable(block_size(capacity > 0 ? capacity : 1, s.probes, fpp));
	if (s.size == 0)
		return false;
	*shape = s;
	return true;
}

static bool
classic_shape_for(struct bloom_shape *shape, uint64_t capacity, double fpp)
{
	struct bloom_shape s = {.type = BLOOM_CLASSIC, .capacity = capacity, .fpp = fpp};
	uint64_t n = capacity > 0 ? capacity : 1;

	s.size = classic_size(n, fpp);
	if (s.size == 0)
		return false;
	s.probes = classic_probes(s.size, n);
	*shape = s;
	return true;
}

static bool
parquet_shape_for(struct bloom_shape *shape, uint64_t capacity, double fpp)
{
	uint64_t least = block_size(capacity > 0 ? capacity : 1, 1, fpp);
	uint64_t size = 1;

	while (size < least)
		size *= 2;
	if (least == 0 || size > BLOOM_PARQUET_BLOCKS_MAX)
		return false;
	*shape = (struct bloom_shape){
		.type = BLOOM_PARQUET, .size = size, .probes = 1, .capacity = capacity, .fpp = fpp,
	};
	return true;
}

bool
bloom_dcso_suits(uint64_t m, unsigned k)
{
	uint64_t q = m >> __builtin_ctzll(m);

	return q == m || q >= UINT64_C(4) * k * k;
}

/* In DCSO's own order of operations, so that its rounding comes out. */
static bool
dcso_shape_for(struct bloom_shape *shape, uint64_t capacity, double fpp)
{
	struct bloom_shape s = {
		.type = BLOOM_DCSO, .capacity = capacity > 0 ? capacity : 1, .fpp = fpp,
	};

	for (;; s.capacity++) {
		double n = (double)s.capacity;
		double bits = floor(n * minus_ln(fpp) / (LN2 * LN2));

		if (bits < 1 || bits > (double)BLOOM_BITS_MAX)
			return false;
		s.size = (uint64_t)bits;
		s.probes = (unsigned)ceil(LN2 * bits / n);
		if (bloom_dcso_suits(s.size, s.probes))
			break;
	}
	*shape = s;
	return true;
}

/* Written so that a NaN fails. */
static bool
fpp_within(double fpp, double min)
{
	return fpp >= min && fpp <= BLOOM_FPP_MAX;
}

bool
bloom_shape_for(struct bloom_shape *shape, enum bloom_type type, uint64_t capacity, double fpp)
{
	if (!fpp_within(fpp, BLOOM_FPP_MIN))
		return false;
	switch (type) {
	case BLOOM_BLOCK:
		return block_shape_for(shape, capacity, fpp);
	case BLOOM_CLASSIC:
		return classic_shape_for(shape, capacity, fpp);
	case BLOOM_PARQUET:
		return parquet_shape_for(shape, capacity, fpp);
	case BLOOM_DCSO:
		return dcso_shape_for(shape, capacity, fpp);
	}
	return false;
}

/*
 * An item that is not found sets at least one bit, while of those that come
 * unasked a few set none. So n of them fill the stage as n + e do, where e is
 * the sum of the fpps on the way, n times their mean. That is less than a
 * quarter of the last one: 0.23 of it up to an fpp of 0.25, and the lower the
 * fpp the less.
 */
bool
bloom_shape_for_stage(struct bloom_shape *shape, uint64_t capacity, double fpp)
{
	struct bloom_shape s;

	if (!fpp_within(fpp, BLOOM_STAGE_FPP_MIN))
		return false;
	uint64_t unasked = add_saturated(capacity, (uint64_t)((double)capacity * (fpp / 4)));
	if (!block_shape_for(&s, unasked, fpp))
		return false;
	s.capacity = capacity;
	*shape = s;
	return true;
}

static bool
size_valid(const struct bloom_shape *s)
{
	static const struct {
		uint64_t size;
		unsigned probes;
	} max[] = {
		[BLOOM_BLOCK] = {BLOOM_BLOCKS_MAX, BLOOM_BLOCK_PROBES_MAX},
		[BLOOM_CLASSIC] = {BLOOM_BITS_MAX, BLOOM_CLASSIC_PROBES_MAX},
		[BLOOM_PARQUET] = {BLOOM_PARQUET_BLOCKS_MAX, 1},
		[BLOOM_DCSO] = {BLOOM_BITS_MAX, BLOOM_DCSO_PROBES_MAX},
	};

	return s->size >= 1 && s->size <= max[s->type].size &&
	    s->probes >= 1 && s->probes <= max[s->type].probes;
}

bool
bloom_shape_valid(const struct bloom_shape *s)
{
	/* Whoever made a file of DCSO's had the choice of any. */
	return size_valid(s) && (s->type == BLOOM_DCSO ? s->fpp > 0 && s->fpp < 1 :
	    fpp_within(s->fpp, BLOOM_FPP_MIN));
}

bool
bloom_stage_valid(const struct bloom_shape *s)
{
	return s->type == BLOOM_BLOCK && size_valid(s) && fpp_within(s->fpp, BLOOM_STAGE_FPP_MIN);
}

struct bloom_shape
bloom_shape_folded(const struct bloom_shape *shape, uint64_t size)
{
	struct bloom_shape smaller = *shape;

	smaller.size = size;
	smaller.capacity = (uint64_t)((wide)shape->capacity * size / shape->size);
	return smaller;
}

uint64_t
bloom_common_size(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

void
bloom_shape_unite(struct bloom_shape *into, const struct bloom_shape *from)
{
	if (into->capacity < from->capacity)
		into->capacity = from->capacity;
	if (into->fpp < from->fpp)
		into->fpp = from->fpp;
}

uint64_t
bloom_bytes(const struct bloom_shape *shape)
{
	if (bloom_is_blocks(shape->type))
		return shape->size * BLOOM_BLOCK_BYTES;
	if (shape->type == BLOOM_DCSO)
		return (shape->size + 63) / 64 * 8;
	return shape->size / 8 + (shape->size % 8 != 0);
}

uint64_t
bloom_room(const struct bloom_shape *shape, double fpp)
{
	uint64_t fits = 0;
	uint64_t over = 1;

	while (bloom_expected_fpp(shape, over) <= fpp) {
		fits = over;
		if (over > UINT64_MAX / 2)
			return fits;
		over *= 2;
	}
	while (over - fits > 1) {
		uint64_t middle = fits + (over - fits) / 2;
		if (bloom_expected_fpp(shape, middle) <= fpp)
			fits = middle;
		else
			over = middle;
	}
	return fits;
}
