/* sketchutils: BSD-2-Clause, see LICENSE */

/* Sizes of Bloom filters: the published figures, and the promise itself. */
#include <math.h>

#include "base/bytes.h"
#include "sketch/member/bloom_size.h"
#include "check.h"

static const double wanted[] = {0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
#define WANTED (sizeof wanted / sizeof wanted[0])

static struct bloom_shape
shape_for(enum bloom_type type, uint64_t n, double fpp)
{
	struct bloom_shape shape = {0};

	CHECK(bloom_shape_for(&shape, type, n, fpp));
	CHECK(bloom_shape_valid(&shape));
	CHECK_EQ(shape.capacity, n);
	CHECK(shape.fpp == fpp && shape.type == type);
	return shape;
}

static void
classic_sizes_are_the_published_ones(void)
{
	struct bloom_shape s = shape_for(BLOOM_CLASSIC, 10000, 0.01);

	CHECK_EQ(s.size, 95851);
	CHECK_EQ(s.probes, 7);
	CHECK_EQ(bloom_bytes(&s), 11982);
	CHECK_IN(bloom_expected_fpp(&s, 10000), 0.0099, 0.0101);
	CHECK_IN(bloom_expected_fpp(&s, 20000), 0.15, 0.16);

	s = shape_for(BLOOM_CLASSIC, 1000000000, 0.01);
	CHECK_EQ(s.size, UINT64_C(9585058378));
	CHECK_EQ(s.probes, 7);
	s = shape_for(BLOOM_CLASSIC, 100000000, 0.001);
	CHECK_IN((double)bloom_bytes(&s) / (1 << 20), 171, 172);
	CHECK_EQ(s.probes, 10);
	s = shape_for(BLOOM_CLASSIC, UINT64_C(10000000000), 0.01);
	CHECK_IN(bloom_bytes(&s), 11.9e9, 12.1e9);

	s = (struct bloom_shape){BLOOM_CLASSIC, 10000000, 7, 1000000, 0.01};
	CHECK_IN(bloom_expected_fpp(&s, 1000000), 0.0081, 0.0083);
}

static void
block_sizes_are_the_published_ones(void)
{
	static const double bits[] = {3.25, 6.0, 10.5, 16.9, 21.1, 26.8, 31.6, 37.2, 42.1, 47.6};
	static const unsigned probes[] = {1, 1, 1, 1, 2, 2, 3, 3, 4, 4};

	for (unsigned i = 0; i < WANTED; i++) {
		struct bloom_shape s = shape_for(BLOOM_BLOCK, 1000000000, wanted[i]);

		CHECK_EQ(s.probes, probes[i]);
		CHECK_IN((double)bloom_bytes(&s) * 8 / 1e9, bits[i] - 0.05, bits[i] + 0.05);
	}
	struct bloom_shape s = shape_for(BLOOM_BLOCK, 10000000, 0.01);
	CHECK_EQ(s.size, 411328);
	CHECK_IN(bloom_expected_fpp(&s, 20000000), 0.15, 0.16);
	CHECK_IN(bloom_expected_fpp(&s, 40000000), 0.67, 0.69);
}

/* The sizes are part of a file's bytes, so no compiler may change one. */
static void
sizes_are_the_same_everywhere(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < WANTED; i++)
		for (uint64_t n = 1; n < UINT64_C(1) << 40; n = n * 3 + n % 7)
			for (int type = BLOOM_BLOCK; type <= BLOOM_CLASSIC; type++) {
				struct bloom_shape s = shape_for(type, n, wanted[i]);
				sum = (sum ^ s.size) * UINT64_C(0x9e3779b97f4a7c15) + s.probes;
			}
	CHECK_EQ(sum, UINT64_C(92876554911094581));
}

/* Small ones have something in hand, since single filters scatter. */
static void
a_block_filter_is_the_smallest_foldable_one_that_keeps_its_promise(void)
{
	static const uint64_t count[] = {1, 2, 10, 100, 1000, 109397, 1000000, 10000000};

	for (unsigned i = 0; i < WANTED; i++)
		for (unsigned k = 0; k < sizeof count / sizeof count[0]; k++) {
			struct bloom_shape s = shape_for(BLOOM_BLOCK, count[k], wanted[i]);

			CHECK(bloom_expected_fpp(&s, count[k]) <= wanted[i]);
			CHECK(bloom_room(&s, wanted[i]) >= count[k]);
			CHECK(s.size < 4096 || s.size % 64 == 0);
			s.size -= s.size > 4096 ? 64 : 1;
			if (count[k] >= 100000)
				CHECK(bloom_expected_fpp(&s, count[k]) > wanted[i]);
		}
}

/* More blocks never hurt and more items never help, or bisection would err. */
static void
the_expected_fpp_is_monotone(void)
{
	for (unsigned probes = 1; probes <= BLOOM_BLOCK_PROBES_MAX; probes++)
		for (uint64_t n = 1; n < 60; n++) {
			struct bloom_shape s = {BLOOM_BLOCK, 1, probes, n, 0.01};
			double before = 1;

			for (s.size = 1; s.size < 40; s.size++) {
				double fpp = bloom_expected_fpp(&s, n);

				/* Far below every fpp one may ask for it may rise. */
				CHECK(fpp <= before || fpp < BLOOM_FPP_MIN / 10);
				CHECK(fpp <= bloom_expected_fpp(&s, n + 1));
				before = fpp;
			}
		}
}

/* Binomial counts, by the plain formula with the functions of libm. */
static void
one_probe_agrees_with_the_textbook_sum(void)
{
	static const uint64_t blocks[] = {1, 2, 3, 24, 1000};
	static const uint64_t items[] = {1, 7, 40, 500, 20000};

	for (unsigned k = 0; k < 25; k++) {
		struct bloom_shape s = {BLOOM_BLOCK, blocks[k / 5], 1, 1, 0.01};
		double n = (double)items[k % 5];
		double z = (double)s.size;
		double sum = 0;

		for (double i = 0; i <= n; i++) {
			double log_share = z == 1 ? (i == n ? 0 : -INFINITY) :
			    lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) -
			    i * log(z) + (n - i) * log1p(-1 / z);
			sum += exp(log_share) * pow(1 - pow(31.0 / 32, i), 8);
		}
		CHECK_IN(bloom_expected_fpp(&s, items[k % 5]), sum * (1 - 1e-8), sum * (1 + 1e-8));
	}
}

/* What a word of 32 bits holds after so many draws, and how likely it then has all
 * bits of an item that has so many in it. */
static double
word_has(unsigned draws, unsigned probes)
{
	double ones[33] = {1}, has = 0;

	for (unsigned i = 0; i < draws; i++)
		for (unsigned o = 33; o-- > 0;)
			ones[o] = ones[o] * o / 32.0 + (o > 0 ? ones[o - 1] * (33 - o) / 32.0 : 0);
	for (unsigned o = 0; o <= 32; o++)
		has += ones[o] * pow(o / 32.0, probes);
	return has;
}

/* In a filter of one block all probes of an item meet. */
static void
several_probes_in_one_block_agree_with_the_draws(void)
{
	static const uint64_t items[] = {1, 3, 8, 20, 60, 200};

	for (unsigned probes = 1; probes <= 4; probes++)
		for (unsigned k = 0; k < 6; k++) {
			struct bloom_shape s = {BLOOM_BLOCK, 1, probes, 1, 0.01};
			double truth = pow(word_has((unsigned)items[k] * probes, probes), 8);

			CHECK_IN(bloom_expected_fpp(&s, items[k]), truth * (1 - 1e-9),
			    truth * (1 + 1e-9));
		}
}

/* A bit that n k probes have missed, of m, is one with the probability (1 - 1/m)^(n k). */
static void
bits_agree_with_the_textbook(void)
{
	for (uint64_t m = 2; m < 3000; m = m * 3 / 2 + 1)
		for (unsigned k = 1; k <= 5; k++)
			for (uint64_t n = 1; n < m; n = n * 3 + 1) {
				struct bloom_shape s = {BLOOM_CLASSIC, m, k, 1, 0.01};
				double missed = pow(1 - 1 / (double)m, (double)(n * k));
				double truth = pow(1 - missed, k);

				CHECK_IN(bloom_expected_fpp(&s, n), truth * (1 - 1e-9),
				    truth * (1 + 1e-9));
			}
}

static void
extremes_are_sized_or_refused(void)
{
	struct bloom_shape s = {BLOOM_BLOCK, 77, 1, 1, 0.01};

	CHECK(!bloom_shape_for(&s, BLOOM_BLOCK, 10, 0));
	CHECK(!bloom_shape_for(&s, BLOOM_BLOCK, 10, 9e-10));
	CHECK(!bloom_shape_for(&s, BLOOM_BLOCK, 10, 0.51));
	CHECK(!bloom_shape_for(&s, BLOOM_CLASSIC, 10, (double)NAN));
	CHECK(!bloom_shape_for(&s, BLOOM_BLOCK, UINT64_MAX, 0.01));
	CHECK(!bloom_shape_for(&s, BLOOM_CLASSIC, UINT64_MAX, 0.5));
	CHECK(!bloom_shape_for(&s, BLOOM_BLOCK, UINT64_C(1) << 48, 0.01));
	CHECK_EQ(s.size, 77);

	for (unsigned i = 0; i < WANTED; i++) {
		CHECK_EQ(shape_for(BLOOM_BLOCK, 0, wanted[i]).size,
		    shape_for(BLOOM_BLOCK, 1, wanted[i]).size);
		CHECK_EQ(shape_for(BLOOM_CLASSIC, 0, wanted[i]).size,
		    shape_for(BLOOM_CLASSIC, 1, wanted[i]).size);
		shape_for(BLOOM_BLOCK, UINT64_C(5000000000000), wanted[i]);
	}
	CHECK(bloom_shape_for(&s, BLOOM_BLOCK, UINT64_C(1) << 44, 0.01));
	CHECK(bloom_expected_fpp(&s, 0) == 0);
	CHECK(bloom_expected_fpp(&s, UINT64_MAX) == 1);
	s = (struct bloom_shape){BLOOM_CLASSIC, 1, 1, 1, 0.5};
	CHECK(bloom_expected_fpp(&s, 0) == 0);
	CHECK(bloom_expected_fpp(&s, 3) == 1);
	CHECK_EQ(bloom_room(&s, 0.5), 0);
	s.size = BLOOM_BITS_MAX;
	CHECK(bloom_room(&s, 0.5) > UINT64_C(1) << 47);
}

/* Of what stays unfound, so for a few more of what comes; and strict ones. */
static void
stages_are_sized_for_what_is_put_in(void)
{
	struct bloom_shape s = {0}, block;

	for (double fpp = 0.5; fpp >= 1e-18; fpp /= 7) {
		static const uint64_t count[] = {1, 100, 50000, UINT64_C(1) << 33};

		for (unsigned k = 0; k < 4; k++) {
			uint64_t unasked = count[k] + (uint64_t)((double)count[k] * fpp / 4);

			CHECK(bloom_shape_for_stage(&s, count[k], fpp));
			CHECK(s.type == BLOOM_BLOCK && s.capacity == count[k] && s.fpp == fpp);
			CHECK_EQ(s.probes, fpp >= 1e-3 ? 1 : fpp >= 1e-5 ? 2 : fpp >= 1e-7 ? 3 : 4);
			CHECK(bloom_expected_fpp(&s, unasked) <= fpp);
			CHECK(bloom_stage_valid(&s));
			CHECK(bloom_shape_valid(&s) == (fpp >= BLOOM_FPP_MIN));
			bool plain = bloom_shape_for(&block, BLOOM_BLOCK, unasked, fpp);
			CHECK(plain == (fpp >= BLOOM_FPP_MIN));
			CHECK(!plain || block.size == s.size);
		}
	}
	CHECK(!bloom_shape_for_stage(&s, 10, 0.9e-18));
	CHECK(!bloom_shape_for_stage(&s, 10, 0.6));
	CHECK(!bloom_shape_for_stage(&s, 10, NAN));
	CHECK(!bloom_shape_for_stage(&s, UINT64_MAX, 0.01));
	CHECK(bloom_shape_for(&s, BLOOM_CLASSIC, 10, 0.1) && !bloom_stage_valid(&s));
}

static void
folding_keeps_the_bits_an_item(void)
{
	struct bloom_shape s = {BLOOM_CLASSIC, 1200, 3, 100, 0.01};
	struct bloom_shape t = bloom_shape_folded(&s, 400);

	CHECK(t.size == 400 && t.capacity == 33 && t.probes == 3 && t.fpp == 0.01);
	s.size = BLOOM_BITS_MAX;
	s.capacity = UINT64_MAX;
	CHECK_EQ(bloom_shape_folded(&s, s.size / 2).capacity, UINT64_MAX / 2);
	CHECK_EQ(common_divisor(1200, 500), 100);
	CHECK_EQ(common_divisor(7, 13), 1);
	CHECK_EQ(common_divisor(64, 64), 64);
	s = (struct bloom_shape){BLOOM_CLASSIC, 9, 3, 100, 0.01};
	t = (struct bloom_shape){BLOOM_CLASSIC, 9, 3, 90, 0.02};
	bloom_shape_unite(&s, &t);
	CHECK(s.capacity == 100 && s.fpp == 0.02);
}

int
main(void)
{
	RUN(classic_sizes_are_the_published_ones);
	RUN(block_sizes_are_the_published_ones);
	RUN(sizes_are_the_same_everywhere);
	RUN(a_block_filter_is_the_smallest_foldable_one_that_keeps_its_promise);
	RUN(the_expected_fpp_is_monotone);
	RUN(one_probe_agrees_with_the_textbook_sum);
	RUN(several_probes_in_one_block_agree_with_the_draws);
	RUN(bits_agree_with_the_textbook);
	RUN(extremes_are_sized_or_refused);
	RUN(stages_are_sized_for_what_is_put_in);
	RUN(folding_keeps_the_bits_an_item);
	return check_done();
}
