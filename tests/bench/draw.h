/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BENCH_DRAW_H
#define BENCH_DRAW_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Chance by seed, the same on every machine. Probabilities are sums of
 * quotients, which IEEE arithmetic defines to the last bit; no libm. No two
 * draws may stand in one expression, whose order would be the compiler's choice.
 */
static uint64_t state;               /* mix(seed) to begin with */

static inline uint64_t
mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint64_t
draw(void)
{
	return mix(state += UINT64_C(0x9e3779b97f4a7c15));
}

/* 0..n-1; n is far below 2^32, so the bias is nothing. */
static inline uint64_t
below(uint64_t n)
{
	return ((draw() >> 32) * n) >> 32;
}

/*
 * Ranks 0..n-1 with probabilities as 1 / (rank + flat): Zipf's law, its head
 * bent down by flat. sum[i] is the chance of a rank up to i, in units of
 * 2^-32; guide[] says where to begin looking for a draw with these top bits.
 */
#define GUIDE 65536

struct zipf {
	uint32_t n;
	uint32_t *sum;
	uint32_t guide[GUIDE];
};

static inline void
zipf_init(struct zipf *z, uint32_t n, double flat)
{
	double whole = 0, part = 0;

	z->n = n;
	z->sum = malloc(n * sizeof(*z->sum));
	if (!z->sum) {
		fputs("out of memory\n", stderr);
		exit(3);
	}
	for (uint32_t i = 0; i < n; i++)
		whole += 1 / (i + flat);
	for (uint32_t i = 0, g = 0; i < n; i++) {
		part += 1 / (i + flat);
		z->sum[i] = i + 1 == n ? UINT32_MAX : (uint32_t)(part / whole * UINT32_MAX);
		while (g < GUIDE && g << 16 <= z->sum[i])
			z->guide[g++] = i;
	}
}

static inline uint32_t
zipf_draw(const struct zipf *z)
{
	uint32_t u = (uint32_t)(draw() >> 32);
	uint32_t low = z->guide[u >> 16];
	uint32_t high = u >> 16 == GUIDE - 1 ? z->n - 1 : z->guide[(u >> 16) + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (z->sum[middle] < u)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Words of two to five syllables; the frequent ones are the short ones. */
static inline size_t
word(char *out, uint32_t rank)
{
	static const char *const syllable[] = {
		"ba", "ber", "cal", "con", "da", "den", "er", "fa", "fin", "ga", "gel", "hi",
		"in", "ka", "kel", "la", "lin", "ma", "men", "mi", "na", "nor", "o", "pa",
		"per", "ra", "rin", "sa", "sel", "ta", "ter", "vo",
	};
	uint64_t bits = mix(rank + UINT64_C(0x5bd1e995));
	unsigned n = rank < 64 ? 2 : rank < 2048 ? 3 + rank % 2 : 4 + rank % 2;
	char *p = out;

	/* The rank spelled in base 32 keeps words apart, the rest is sound. */
	for (unsigned i = 0; i < n; i++, bits >>= 5) {
		const char *s = syllable[i < 3 ? (rank >> 5 * i ^ bits) & 31 : bits & 31];

		p = stpcpy(p, s);
	}
	return (size_t)(p - out);
}

#endif
