/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The size of a cuckoo filter.
 *
 * FINGERPRINT BITS. An absent item meets 8 slots. At load a, 8a of them hold a
 * fingerprint, each the item's own with chance 1 in 2^f - 1. So
 *
 *	fpp = 1 - (1 - 1/(2^f - 1))^(8a)  <  8a / (2^f - 1)
 *
 * and f is the least number, from 8 on, that keeps the right side within the
 * wanted fpp at a = 0.94. A bit more halves the fpp, so it often is well below
 * what was asked for: 0.74 % for 1 %.
 *
 * BUCKETS. With two choices and four slots a table takes 98 % of its slots
 * before it must fail (Fan et al. give 95 % for a search that gives up early;
 * ours looks longer and stops near 97 %). The share at which single tables fail
 * scatters widely when they are small, since a few items more than usual that
 * belong to the same few buckets are enough. The least number of items at which
 * one of 20,000,000 / 400 m tables of m buckets was full, and the
 * capacity that we give to such a table:
 *
 *	    m   slots   full at   capacity
 *	    8      32        20         15
 *	   14      56        40         37
 *	   30     120       103         97
 *	   60     240       219        210
 *	  100     400       373        360
 *	  400    1600      1522       1488
 *	 1000    4000      3847       3744
 *
 * So: 94 % of the slots less 16, and m the least even number that has them. Two
 * buckets alone are every item's both choices and never fail.
 */
#include <math.h>

#include "sketch/member/cuckoo_size.h"

/* The load at capacity, 47/50 of the slots but for so many spare ones. */
#define LOAD 0.94
#define LOAD_OF_47 50
#define SPARE 16

/* Two buckets of 8 slots take 94 % of 8 items without a spare slot. */
#define TINY 7

/* The largest fingerprint. There are as many of them, since 0 is none. */
static double
prints(unsigned bits)
{
	return (double)((UINT64_C(1) << bits) - 1);
}

static unsigned
bits_for(double fpp)
{
	unsigned bits = CUCKOO_BITS_MIN;

	while (2 * CUCKOO_SLOTS * LOAD > fpp * prints(bits))
		bits++;
	return bits;
}

/* 0 if more than CUCKOO_BUCKETS_MAX are needed. */
static uint64_t
buckets_for(uint64_t n)
{
	if (n <= TINY)
		return 2;
	if (n > CUCKOO_BUCKETS_MAX * CUCKOO_SLOTS)
		return 0;
	uint64_t slots = (n * LOAD_OF_47 + 46) / 47 + SPARE;
	uint64_t pairs = (slots + 2 * CUCKOO_SLOTS - 1) / (2 * CUCKOO_SLOTS);
	return 2 * pairs <= CUCKOO_BUCKETS_MAX ? 2 * pairs : 0;
}

bool
cuckoo_shape_for(struct cuckoo_shape *shape, uint64_t capacity, double fpp)
{
	/* Written so that a NaN fails. */
	if (!(fpp >= CUCKOO_FPP_MIN && fpp <= CUCKOO_FPP_MAX))
		return false;
	struct cuckoo_shape s = {buckets_for(capacity), bits_for(fpp), capacity, fpp};
	if (s.buckets == 0)
		return false;
	*shape = s;
	return true;
}

bool
cuckoo_shape_valid(const struct cuckoo_shape *s)
{
	return s->buckets >= 2 && s->buckets <= CUCKOO_BUCKETS_MAX && s->buckets % 2 == 0 &&
	    s->bits >= CUCKOO_BITS_MIN && s->bits <= CUCKOO_BITS_MAX &&
	    s->fpp >= CUCKOO_FPP_MIN && s->fpp <= CUCKOO_FPP_MAX;
}

/* Whole, since the buckets are even. */
uint64_t
cuckoo_bytes(const struct cuckoo_shape *shape)
{
	return shape->buckets / 2 * shape->bits;
}

uint64_t
cuckoo_slots(const struct cuckoo_shape *shape)
{
	return shape->buckets * CUCKOO_SLOTS;
}

double
cuckoo_expected_fpp(const struct cuckoo_shape *shape, uint64_t used)
{
	double load = (double)used / (double)cuckoo_slots(shape);

	if (load > 1)
		load = 1;
	return -expm1(2 * CUCKOO_SLOTS * load * log1p(-1 / prints(shape->bits)));
}

uint64_t
cuckoo_room(const struct cuckoo_shape *shape)
{
	uint64_t slots = cuckoo_slots(shape);

	if (slots <= SPARE + TINY)
		return TINY;
	uint64_t room = (slots - SPARE) * 47 / LOAD_OF_47;
	return room > TINY ? room : TINY;
}
