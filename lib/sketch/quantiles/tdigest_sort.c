/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * A radix sort from the lowest digit on, over the digits in which keys differ at
 * all: response times in whole microseconds have two. Of fractions with all their
 * bits the two highest digits are sorted, and the few that are still out of
 * place are moved there; if it is not few, all digits are. So there is no
 * order of samples that is slow.
 */
#include <stdbool.h>

#include "sketch/quantiles/tdigest_sort.h"

/* A pass of the sort is over so many bits. */
#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

/* Of keys that differ in more bits than that, the upper ones are likely to do. */
#define BITS_MANY (3 * DIGIT_BITS)

/* So few are sorted by insertion alone. */
#define FEW 24

/* By insertion, unless more than so many have to move: false. */
static bool
sort_rest(uint64_t *key, uint64_t *weight, size_t n, size_t moves)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t k = key[i], w = weight ? weight[i] : 1;
		size_t j = i;

		for (; j > 0 && key[j - 1] > k && moves > 0; j--, moves--) {
			key[j] = key[j - 1];
			if (weight)
				weight[j] = weight[j - 1];
		}
		key[j] = k;
		if (weight)
			weight[j] = w;
		if (moves == 0)
			return false;
	}
	return true;
}

/* By the digit at this bit, from one array to another. */
static void
sort_pass(const uint64_t *key, const uint64_t *weight, uint64_t *to, uint64_t *to_weight,
    size_t n, unsigned shift)
{
	uint16_t count[DIGITS] = {0};
	uint16_t at = 0;

	for (size_t i = 0; i < n; i++)
		count[key[i] >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		uint16_t here = count[i];
		count[i] = at;
		at = (uint16_t)(at + here);
	}
	for (size_t i = 0; i < n; i++) {
		size_t place = count[key[i] >> shift & (DIGITS - 1)]++;
		to[place] = key[i];
		if (weight)
			to_weight[place] = weight[i];
	}
}

/* By the bits that are set in vary, digit after digit from the lowest on. */
static void
sort_digits(uint64_t *key, uint64_t *weight, uint64_t *spare, uint64_t *spare_weight,
    size_t n, uint64_t vary)
{
	bool moved = false;

	while (vary != 0) {
		unsigned shift = (unsigned)__builtin_ctzll(vary);
		if (moved)
			sort_pass(spare, spare_weight, key, weight, n, shift);
		else
			sort_pass(key, weight, spare, spare_weight, n, shift);
		vary &= ~((uint64_t)(DIGITS - 1) << shift);
		moved = !moved;
	}
	if (moved)
		memcpy(key, spare, n * sizeof *key);
	if (moved && weight)
		memcpy(weight, spare_weight, n * sizeof *weight);
}

void
tdigest_sort(uint64_t *key, uint64_t *weight, uint64_t *spare, uint64_t *spare_weight, size_t n)
{
	uint64_t vary = 0;
	bool sorted = true;

	if (n <= FEW) {
		sort_rest(key, weight, n, n * n);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		vary |= key[i] ^ key[0];
		sorted &= key[i - 1] <= key[i];
	}
	if (sorted)
		return;
	unsigned top = 64 - (unsigned)__builtin_clzll(vary);
	if (top - (unsigned)__builtin_ctzll(vary) > BITS_MANY) {
		unsigned cut = top - 2 * DIGIT_BITS;
		sort_digits(key, weight, spare, spare_weight, n, vary >> cut << cut);
		if (sort_rest(key, weight, n, 2 * n))
			return;
	}
	sort_digits(key, weight, spare, spare_weight, n, vary);
}
