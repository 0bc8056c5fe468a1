/* sketchutils: BSD-2-Clause, see LICENSE */

/* The block of a Bloom filter: the fast forms beside the plain one. */
#include "sketch/member/bloom_block.h"
#include "check.h"

#define BLOCKS 300
#define BYTES (BLOCKS * BLOOM_BLOCK_BYTES)
#define VALUES 4096

static unsigned char one[BYTES + 1], other[BYTES + 1];
static uint64_t at[VALUES], value[VALUES];
static bool hit[VALUES], same[VALUES];

static void
draw(uint64_t seed)
{
	for (unsigned i = 0; i < VALUES; i++) {
		value[i] = check_random(&seed);
		at[i] = check_random(&seed) % BLOCKS * BLOOM_BLOCK_BYTES;
	}
}

/* Parquet's specification: word w of a block, low half x of the hash. */
static void
masks_are_those_of_parquet(void)
{
	static const unsigned bit[8] = {20, 9, 10, 7, 9, 31, 28, 27};
	static const unsigned empty[8] = {29, 0, 25, 28, 14, 22, 29, 30};
	const struct bloom_kernel *kernel;

	for (size_t k = 0; (kernel = bloom_block_kernel(k)) != NULL; k++) {
		unsigned char block[2][BLOOM_BLOCK_BYTES] = {{0}};
		uint64_t hash[2] = {0x26c7827d889f6da3, 0xef46db3751d8e999};

		kernel->set(block[0], (uint64_t[]){0, 32}, hash, 2);
		for (unsigned i = 0; i < 8 * BLOOM_BLOCK_BYTES; i++) {
			CHECK_EQ(block[0][i / 8] >> i % 8 & 1, i % 32 == bit[i / 32]);
			CHECK_EQ(block[1][i / 8] >> i % 8 & 1, i % 32 == empty[i / 32]);
		}
	}
}

/* Also at an odd address, as a loaded record may have. */
static void
all_kernels_do_the_same(void)
{
	const struct bloom_kernel *plain = NULL;
	const struct bloom_kernel *kernel;

	for (size_t k = 0; (kernel = bloom_block_kernel(k)) != NULL; k++)
		plain = kernel;
	CHECK(strcmp(plain->name, "plain") == 0);
	for (size_t k = 0; (kernel = bloom_block_kernel(k)) != NULL; k++)
		for (unsigned round = 0; round < 20; round++) {
			unsigned n = round * 40;

			memset(one, 0, sizeof one);
			memset(other, 0, sizeof other);
			draw(2 * round);
			plain->set(one + round % 2, at, value, n);
			kernel->set(other + round % 2, at, value, n);
			CHECK(memcmp(one, other, sizeof one) == 0);

			kernel->test(one + round % 2, at, value, n, hit);
			for (unsigned i = 0; i < n; i++)
				CHECK(hit[i]);
			draw(2 * round + 1);
			plain->test(one + round % 2, at, value, VALUES, hit);
			kernel->test(one + round % 2, at, value, VALUES, same);
			CHECK(memcmp(hit, same, sizeof hit) == 0);
		}
}

static void
the_count_is_that_of_single_bits(void)
{
	for (unsigned n = 0; n < 4000; n += 500) {
		uint64_t ones = 0;
		double pass = 0;

		memset(one, n == 0 ? 0xff : 0, sizeof one);
		draw(n);
		bloom_block_kernel(0)->set(one, at, value, n);
		for (unsigned b = 0; b < BLOCKS; b++) {
			double product = 1;
			for (unsigned w = 0; w < BLOOM_BLOCK_WORDS; w++) {
				unsigned set = 0;
				for (unsigned i = 0; i < 32; i++)
					set += one[b * 32 + w * 4 + i / 8] >> i % 8 & 1;
				ones += set;
				product *= set / 32.0;
			}
			pass += product / BLOCKS;
		}
		struct bloom_count count = bloom_block_count(one, BLOCKS);
		CHECK_EQ(count.ones, ones);
		CHECK_IN(count.pass, pass * (1 - 1e-12), pass * (1 + 1e-12));
	}
}

static void
folding_unites_neighbours_also_in_place(void)
{
	for (unsigned factor = 1; factor <= BLOCKS; factor++) {
		if (BLOCKS % factor != 0)
			continue;
		memset(one, 0, sizeof one);
		memset(other, 0, sizeof other);
		draw(factor);
		bloom_block_kernel(0)->set(one, at, value, 1000);
		for (unsigned i = 0; i < BYTES; i++)
			other[i / 32 / factor * 32 + i % 32] |= one[i];
		bloom_block_fold(one, one, BLOCKS / factor, factor);
		CHECK(memcmp(one, other, BYTES / factor) == 0);
	}
}

int
main(void)
{
	RUN(masks_are_those_of_parquet);
	RUN(all_kernels_do_the_same);
	RUN(the_count_is_that_of_single_bits);
	RUN(folding_unites_neighbours_also_in_place);
	return check_done();
}
