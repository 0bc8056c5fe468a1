/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_SCAN_MASK_H
#define BASE_SCAN_MASK_H

#include <stdint.h>

#include "base/bytes.h"

/*
 * One bit for each of 64 bytes: is it this one? Bit i belongs to p[i]. The
 * forms below differ in speed alone; SCAN_PORTABLE asks for the last one.
 */

#if defined(__AVX2__) && !defined(SCAN_PORTABLE)
#include <immintrin.h>

static inline uint64_t
mask_of(const unsigned char *p, unsigned char c)
{
	__m256i want = _mm256_set1_epi8((char)c);
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
	uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, want));
	uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, want));

	return (uint64_t)high << 32 | low;
}

#elif defined(__SSE2__) && !defined(SCAN_PORTABLE)
#include <emmintrin.h>

static inline uint64_t
mask_of(const unsigned char *p, unsigned char c)
{
	__m128i want = _mm_set1_epi8((char)c);
	uint64_t mask = 0;

	for (unsigned i = 0; i < 4; i++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
		uint64_t m = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, want));
		mask |= m << (16 * i);
	}
	return mask;
}

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(SCAN_PORTABLE) && \
    defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>

/* No movemask here: give byte i of each group of 8 the weight 1 << i and add
 * neighbours three times. */
static inline uint64_t
mask_of(const unsigned char *p, unsigned char c)
{
	static const unsigned char weight[16] = {
		1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128
	};
	uint8x16_t want = vdupq_n_u8(c), w = vld1q_u8(weight);
	uint8x16_t m0 = vandq_u8(vceqq_u8(vld1q_u8(p), want), w);
	uint8x16_t m1 = vandq_u8(vceqq_u8(vld1q_u8(p + 16), want), w);
	uint8x16_t m2 = vandq_u8(vceqq_u8(vld1q_u8(p + 32), want), w);
	uint8x16_t m3 = vandq_u8(vceqq_u8(vld1q_u8(p + 48), want), w);
	uint8x16_t sum = vpaddq_u8(vpaddq_u8(m0, m1), vpaddq_u8(m2, m3));

	sum = vpaddq_u8(sum, sum);
	return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

#else

/* Words: a byte of x is zero exactly where the high bit of t is not set; the
 * multiplication gathers the eight high bits (no carry can disturb them). */
static inline uint64_t
mask_of(const unsigned char *p, unsigned char c)
{
	const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t want = c * UINT64_C(0x0101010101010101), mask = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t x = get_le64(p + 8 * i) ^ want;
		uint64_t t = ~(((x & low7) + low7) | x | low7);
		mask |= ((t >> 7) * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
	}
	return mask;
}

#endif
#endif
