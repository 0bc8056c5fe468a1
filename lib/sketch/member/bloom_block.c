/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The block of a block Bloom filter. bloom.c tells the whole story.
 *
 * The mask of a value takes its low 32 bits x, as in Apache Parquet, whose
 * salts these are: word w gets bit (x * salt[w] mod 2^32) >> 27.
 */
#include <string.h>

#include "sketch/member/bloom_block.h"

static const uint32_t salt[BLOOM_BLOCK_WORDS] = {
	0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
	0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
};

/* In plain C by bytes: bit b of a little-endian word is bit b % 8 of its
 * byte b / 8, whatever order this machine's own words have. */
static void
plain_set(unsigned char *bits, const uint64_t *at, const uint64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char *block = bits + at[i];
		uint32_t x = (uint32_t)value[i];

		for (unsigned w = 0; w < BLOOM_BLOCK_WORDS; w++) {
			uint32_t b = x * salt[w] >> 27;
			block[4 * w + (b >> 3)] |= (unsigned char)(1u << (b & 7));
		}
	}
}

static void
plain_test(const unsigned char *bits, const uint64_t *at, const uint64_t *value,
    size_t n, bool *hit)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned char *block = bits + at[i];
		uint32_t x = (uint32_t)value[i];
		unsigned all = 1;

		for (unsigned w = 0; w < BLOOM_BLOCK_WORDS; w++) {
			uint32_t b = x * salt[w] >> 27;
			all &= (unsigned)block[4 * w + (b >> 3)] >> (b & 7);
		}
		hit[i] = all & 1;
	}
}

#ifdef __x86_64__
#include <immintrin.h>

/* All eight words at once: a multiplication, and a shift by the product. */
__attribute__((target("avx2")))
static inline __m256i
avx2_mask(uint64_t value)
{
	__m256i x = _mm256_set1_epi32((int)(uint32_t)value);
	__m256i salts = _mm256_loadu_si256((const __m256i *)salt);
	__m256i bit = _mm256_srli_epi32(_mm256_mullo_epi32(x, salts), 27);

	return _mm256_sllv_epi32(_mm256_set1_epi32(1), bit);
}

__attribute__((target("avx2")))
static void
avx2_set(unsigned char *bits, const uint64_t *at, const uint64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		__m256i *block = (__m256i *)(void *)(bits + at[i]);
		_mm256_storeu_si256(block,
		    _mm256_or_si256(_mm256_loadu_si256(block), avx2_mask(value[i])));
	}
}

__attribute__((target("avx2")))
static void
avx2_test(const unsigned char *bits, const uint64_t *at, const uint64_t *value,
    size_t n, bool *hit)
{
	for (size_t i = 0; i < n; i++) {
		const __m256i *block = (const __m256i *)(const void *)(bits + at[i]);
		hit[i] = _mm256_testc_si256(_mm256_loadu_si256(block), avx2_mask(value[i]));
	}
}

static bool
avx2_runs(void)
{
	return __builtin_cpu_supports("avx2");
}

static const struct bloom_kernel fast = {"avx2", avx2_set, avx2_test};
#define FAST_RUNS avx2_runs()
#else
static const struct bloom_kernel fast;
#define FAST_RUNS false
#endif

static const struct bloom_kernel plain = {"plain", plain_set, plain_test};

const struct bloom_kernel *
bloom_block_kernel(size_t i)
{
	if (i == 0 && FAST_RUNS)
		return &fast;
	return i <= FAST_RUNS ? &plain : NULL;
}

/* Bits set in each of a block's words, without the instruction that not every
 * machine has; a compiler does the eight at once. */
static void
block_ones(const unsigned char *block, uint32_t ones[BLOOM_BLOCK_WORDS])
{
	memcpy(ones, block, BLOOM_BLOCK_BYTES);
	for (unsigned w = 0; w < BLOOM_BLOCK_WORDS; w++) {
		uint32_t v = ones[w];

		v -= v >> 1 & 0x55555555;
		v = (v & 0x33333333) + (v >> 2 & 0x33333333);
		v = (v + (v >> 4)) & 0x0f0f0f0f;
		v += v >> 8;
		v += v >> 16;
		ones[w] = v & 0x3f;
	}
}

/* The mean over blocks of the product of the eight word fills: fills are
 * 0..32 thirty-seconds, so the products are integers up to 2^40. */
struct bloom_count
bloom_block_count(const unsigned char *bits, uint64_t size)
{
	__extension__ unsigned __int128 sum = 0;
	struct bloom_count count = {0};

	for (uint64_t i = 0; i < size; i++) {
		uint32_t ones[BLOOM_BLOCK_WORDS];
		uint64_t product = 1;

		block_ones(bits + i * BLOOM_BLOCK_BYTES, ones);
		for (unsigned w = 0; w < BLOOM_BLOCK_WORDS; w++) {
			count.ones += ones[w];
			product *= ones[w];
		}
		sum += product;
	}
	count.pass = (double)sum / 1099511627776.0 / (double)size;
	return count;
}

/* Block i is written after its last reader, since it comes from i * factor on. */
void
bloom_block_fold(unsigned char *to, const unsigned char *from, uint64_t size,
    uint64_t factor)
{
	for (uint64_t i = 0; i < size; i++) {
		unsigned char all[BLOOM_BLOCK_BYTES] = {0};

		for (uint64_t f = 0; f < factor; f++, from += BLOOM_BLOCK_BYTES)
			for (unsigned b = 0; b < BLOOM_BLOCK_BYTES; b++)
				all[b] |= from[b];
		memcpy(to + i * BLOOM_BLOCK_BYTES, all, sizeof all);
	}
}
