/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/simhash.h"

#include <math.h>
#include <string.h>

/*
 * SimHash (Charikar, STOC 2002; near-duplicate web pages: Manku, Jain, Das
 * Sarma, WWW 2007).
 *
 * Every feature votes with its hash: bit j of the signature is 1 if more of
 * the features have bit j set than not. Each bit is a random plane through
 * the origin of feature space, and tells on which side the document lies. Two
 * documents at an angle t are parted by a plane with probability t / pi, so
 *
 *	distance ~ Binomial(64, t / pi),   cos t = cosine of the feature counts.
 *
 * A feature that occurs three times votes three times. If a share p of the
 * words is replaced, a run of n words survives with (1 - p)^n, and that is the
 * cosine: the mean distance is 64 / pi * acos((1 - p)^n). For documents of 50
 * words and more this holds within 0.8 bits.
 *
 *	edits  word:2                      word:3
 *	       mean  found within K =      mean  found within K =
 *	       bits   3    6    8   10     bits   3    6    8   10
 *	  1 %   4.1  .41  .89  .98 1.00     5.0  .26  .77  .94  .99
 *	  2 %   5.8  .16  .65  .88  .97     7.0  .07  .44  .73  .91
 *	  5 %   9.1  .01  .18  .44  .71    11.0  .00  .06  .21  .45
 *	 10 %  12.8  .00  .02  .09  .24    15.4  .00  .00  .02  .07
 *
 *	unrelated pairs within K:   3  2.4e-15   6  4.5e-12   8  2.8e-10
 *	                           10  1.0e-8   12  2.3e-7   16  3.9e-5
 *
 * A million documents make 5e11 pairs, so from K = 8 on chance alone brings
 * strangers together: what is found has to be verified (nearindex.h). With
 * fewer than some 25 features one changed word costs more bits than any K
 * that is of use; with fewer than 4 there is no signature worth comparing.
 *
 * Ties. If the number of votes is even, a bit can have as many for as
 * against. To call that 0 draws short unrelated documents together (a mean
 * distance of 29.6 instead of 32.0 at 8 features), and any fixed pattern does
 * the same. So the smallest feature hash votes once more, which is the same
 * whatever the order, and no tie is left.
 *
 * Counting. 64 counters, and one addition to each per feature, is where the
 * time goes in a plain loop. Turn it round: plane i holds bit i of all 64
 * counters, and a carry-save adder takes three words of equal weight to a sum
 * and a carry of twice the weight, with five operations for all 64. Sixteen
 * features meet in a tree of 15 adders, and only what leaves the tree ripples
 * through the higher planes (Harley and Seal's method; Mula, Kurz, Lemire,
 * "Faster population counts", 2018). O. Ertl's FastSimHash in hash4j has a
 * like idea with counters of a byte. The votes are compared with half of all
 * in the same way, plane by plane from the top.
 *
 * Example, with 4 bits: features 1100, 1010, 1001 have the counts 3 1 1 1 of
 * 3 votes: the signature is 1000.
 */

#define PLANES 64

/* Add two words to a plane, return the carry. */
static inline uint64_t
add(uint64_t *plane, uint64_t a, uint64_t b)
{
	uint64_t half = *plane ^ a, carry = (*plane & a) | (half & b);

	*plane = half ^ b;
	return carry;
}

/* Add four features to planes 0 and 1, return what has weight 4. */
static inline uint64_t
add_four(uint64_t *plane, const uint64_t *f)
{
	uint64_t a = add(&plane[0], f[0], f[1]);
	uint64_t b = add(&plane[0], f[2], f[3]);

	return add(&plane[1], a, b);
}

static inline uint64_t
add_eight(uint64_t *plane, const uint64_t *f)
{
	uint64_t a = add_four(plane, f);
	uint64_t b = add_four(plane, f + 4);

	return add(&plane[2], a, b);
}

static inline void
ripple(uint64_t *plane, uint64_t carry)
{
	while (carry != 0) {
		uint64_t sum = *plane ^ carry;

		carry &= *plane;
		*plane++ = sum;
	}
}

/* Bit j of plane i is bit i of the number of features with bit j set. */
static void
count(uint64_t *plane, const uint64_t *f, size_t n)
{
	uint64_t low[4] = {0};
	size_t i = 0;

	for (; i + 16 <= n; i += 16) {
		uint64_t a = add_eight(low, f + i);
		uint64_t b = add_eight(low, f + i + 8);

		ripple(plane + 4, add(&low[3], a, b));
	}
	memcpy(plane, low, sizeof(low));
	for (; i < n; i++)
		ripple(plane, f[i]);
}

/* The bits whose count is above so much. */
static uint64_t
above(const uint64_t *plane, uint64_t much)
{
	uint64_t greater = 0, equal = ~UINT64_C(0);
	unsigned i = PLANES;

	while (i > 0 && plane[i - 1] == 0 && much >> (i - 1) == 0)
		i--;
	while (i-- > 0) {
		uint64_t bit = 0 - (much >> i & 1);

		greater |= equal & plane[i] & ~bit;
		equal &= ~(plane[i] ^ bit);
	}
	return greater;
}

uint64_t
simhash_sign(const uint64_t *f, size_t n)
{
	uint64_t plane[PLANES] = {0};

	count(plane, f, n);
	if (n % 2 == 0) {
		uint64_t least = f[0];

		for (size_t i = 1; i < n; i++)
			least = f[i] < least ? f[i] : least;
		ripple(plane, least);
		n++;
	}
	return above(plane, n / 2);
}

unsigned
simhash_distance(uint64_t a, uint64_t b)
{
	return (unsigned)__builtin_popcountll(a ^ b);
}

/* P(X <= k) for X ~ Binomial(64, q), q < 1. */
static double
within(double q, unsigned k)
{
	double term = pow(1 - q, SIMHASH_BITS), sum = term;

	for (unsigned i = 0; i < k && i < SIMHASH_BITS; i++) {
		term *= q / (1 - q) * (SIMHASH_BITS - i) / (i + 1);
		sum += term;
	}
	return sum < 1 ? sum : 1;
}

/* The chance that one bit differs. */
static double
parted(double edits, unsigned n)
{
	return acos(pow(1 - edits, n)) / acos(-1);
}

double
simhash_expected(double edits, unsigned n)
{
	return SIMHASH_BITS * parted(edits, n);
}

double
simhash_recall(double edits, unsigned n, unsigned distance)
{
	return within(parted(edits, n), distance);
}

unsigned
simhash_distance_for(double edits, unsigned n, double recall)
{
	unsigned k = 0;

	while (k < SIMHASH_BITS && simhash_recall(edits, n, k) < recall)
		k++;
	return k;
}

double
simhash_chance(unsigned distance)
{
	return within(0.5, distance);
}

double
simhash_similarity_for(unsigned distance)
{
	double low = 0, high = 0.5;

	/* The chance falls as q grows; 40 halvings are enough for a double's
	 * use here. From q = 1/2 on two documents have nothing in common. */
	for (int i = 0; i < 40; i++) {
		double q = (low + high) / 2;

		if (within(q, distance) > 0.01)
			low = q;
		else
			high = q;
	}
	double cosine = cos(acos(-1) * low);

	return cosine / (2 - cosine);
}

double
simhash_similarity_for_edits(double edits, unsigned n)
{
	double kept = edits < 2.0 / 3 ? pow(1 - 1.5 * edits, n) : 0;

	return kept / (2 - kept);
}
