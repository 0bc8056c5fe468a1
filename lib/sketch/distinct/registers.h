/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_REGISTERS_H
#define SKETCH_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The registers of a HyperLogLog and what they tell. A hash chooses one of
 * m = 2^precision registers by its top bits and offers it a rank, the leading
 * zeros of its other bits plus one; a register keeps the largest rank it was
 * offered, 0 if none. In memory a register is a byte, in a file 6 bits.
 */
#define REGISTERS_PRECISION_MIN 4
#define REGISTERS_PRECISION_MAX 18
#define REGISTERS_RANK_MAX (64 - REGISTERS_PRECISION_MIN + 1)

/* The largest answer: a 64-bit hash tells no more items apart. The last
 * double below 2^64, so that it still converts to an integer. */
#define REGISTERS_MOST 18446744073709549568.0

/* The largest rank at a precision: all bits behind the index are zero. */
static inline unsigned
registers_rank_max(unsigned precision)
{
	return 64 - precision + 1;
}

static inline uint64_t
registers_index(uint64_t h, unsigned precision)
{
	return h >> (64 - precision);
}

static inline unsigned
registers_rank(uint64_t h, unsigned precision)
{
	/* The bit behind the last one that counts ends the zeros. */
	uint64_t rest = h << precision | UINT64_C(1) << (precision - 1);

	return (unsigned)__builtin_clzll(rest) + 1;
}

/* A branch and not a maximum: registers rise rarely, so it is predicted. */
static inline void
registers_raise(unsigned char *r, unsigned rank)
{
	if (rank > *r)
		*r = (unsigned char)rank;
}

/* The same from a hash. The rank is above r if the first r bits of the rest
 * are zero, and is worked out only then: that is a third faster. */
static inline void
registers_add(unsigned char *registers, uint64_t h, unsigned precision)
{
	unsigned char *r = &registers[registers_index(h, precision)];

	if ((h << precision | UINT64_C(1) << (precision - 1)) >> 1 >> (63 - *r) == 0)
		*r = (unsigned char)registers_rank(h, precision);
}

/* into = the larger of both, register by register. If from is finer it is
 * folded on the way: the result is what a sketch of the coarser precision
 * would hold. into must not be finer than from, nor be the same memory. */
void registers_merge(unsigned char *into, unsigned into_precision,
    const unsigned char *from, unsigned from_precision);

/* The largest of them, which may be above what the precision allows. */
unsigned registers_largest(const unsigned char *, unsigned precision);

/* How many registers hold which rank: all that an estimate looks at. The last
 * rank there can be stands for all above it, too. */
struct histogram {
	unsigned precision;
	unsigned last;               /* 1..REGISTERS_RANK_MAX */
	uint32_t count[REGISTERS_RANK_MAX + 1];
};

void registers_histogram(struct histogram *, const unsigned char *, unsigned precision);

/* m^2 / (2 ln 2) divided by this is Ertl's improved raw estimate. Infinite if
 * all registers are 0, and 0 if all have the last rank. */
double histogram_indicator(const struct histogram *);

/* Distinct items: Ertl's improved raw estimator without its 1/m bias.
 * 0 for empty registers, REGISTERS_MOST at most. */
double histogram_estimate(const struct histogram *);

/* A 95 % interval, by likelihood ratio. Never NaN, 0 <= low <= high <=
 * REGISTERS_MOST. The estimate lies in it but for pathological registers. */
void histogram_interval(const struct histogram *, double *low, double *high);

/* Six bits each, register i at bit 6 i, the least significant bit first. */
size_t registers_packed_size(unsigned precision);
void registers_pack(unsigned char *packed, const unsigned char *, unsigned precision);
void registers_unpack(unsigned char *, const unsigned char *packed, unsigned precision);

#endif
