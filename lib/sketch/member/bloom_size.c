/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The size of a Bloom filter, from what bloom_law.c tells of the fpp.
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
 * FEW ITEMS. That formula is the mean of many filters, and one of a few items
 * may be far from it: of the 20 bits for one item at 1e-4, 13 are set. So a
 * classic filter is made for 64 items at least, in 160 bytes then.
 *
 * THE SAME SIZE EVERYWHERE. Bits an item are rounded up to a multiple of 2^-40,
 * from where on all is integer arithmetic; the capacity of a folded filter,
 * which is stored too, is found by bisection over the expected fpp.
 */
#include <math.h>

#include "base/bytes.h"
#include "sketch/member/bloom_law.h"
#include "sketch/member/bloom_size.h"

__extension__ typedef unsigned __int128 wide;

#define FIXED 40                                    /* fraction bits of bits an item */
#define LN2 0.693147180559945309417
#define LN2_FIXED UINT64_C(762123384786)            /* ln 2 * 2^40 */

/* From this many blocks on, sizes are multiples of so many, which costs at
 * most 1.6 %: then a filter folds to a half, a quarter ... a sixty-fourth. */
#define FOLDABLE_FROM 4096
#define FOLDABLE 64

/* A classic filter is made for so many items at least. */
#define CLASSIC_ITEMS_MIN 64

/* A single filter stays below this many times the wanted fpp ... */
#define SLACK 1.1
/* ... unless it is worse than its like by more than this many sigmas. */
#define SIGMAS 3

double
bloom_expected_fpp(const struct bloom_shape *shape, uint64_t n)
{
	double scatter;

	return bloom_is_blocks(shape->type)
	    ? bloom_law_blocks(shape->size, shape->probes, n, &scatter)
	    : bloom_law_bits(shape->size, shape->probes, n);
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
	double expected = bloom_law_blocks(size, probes, n, &scatter);

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
	double each = bloom_law_minus_ln(fpp) / (LN2 * LN2);
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
	uint64_t n = capacity > CLASSIC_ITEMS_MIN ? capacity : CLASSIC_ITEMS_MIN;

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
		double bits = floor(n * bloom_law_minus_ln(fpp) / (LN2 * LN2));

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
