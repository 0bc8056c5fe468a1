/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HDR_SLOT_H
#define SKETCH_HDR_SLOT_H

#include <math.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Slots of numbers. The bits of a positive double, as a whole number, ascend with
 * it, and so do the upper ones alone:
 *
 *	0 | exponent, 11 bits | mantissa, 52 bits
 *	   <--- 64 - shift bits --->
 *
 * These, plus 1, are the number's slot; 0 has slot 0, and -v has that of v with a
 * minus. So slots are whole numbers in the order of what is in them, and one of a
 * coarser shift is a group of them. Below 2^-1022 doubles have no full mantissa:
 * there a slot is 2^-1022 / 2^bits wide.
 */

/* Of a mantissa with so many bits, hdr_bits() are in a slot's number. */
#define HDR_MANTISSA 52

/* More than any slot, and so is its negative less. */
#define HDR_SLOT_END (1 << 28)

static inline int32_t
hdr_slot(double v, unsigned shift)
{
	uint64_t bits = real_bits(v), size = bits & INT64_MAX;
	int32_t slot = (int32_t)(size >> shift) + (size != 0);

	return size == bits ? slot : -slot;
}

/* The slot of a shift so much larger. */
static inline int32_t
hdr_slot_coarser(int32_t slot, unsigned more)
{
	return slot > 0 ? ((slot - 1) >> more) + 1 :
	    slot < 0 ? -((-slot - 1) >> more) - 1 : 0;
}

/* The number in slot > 0 that is nearest to 0, and the one farthest from it. */
static inline double
hdr_slot_near(int32_t slot, unsigned shift)
{
	uint64_t bits = (uint64_t)(slot - 1) << shift;

	return real_from(bits > 0 ? bits : 1);
}

static inline double
hdr_slot_far(int32_t slot, unsigned shift)
{
	return real_from(((uint64_t)slot << shift) - 1);
}

/* All of a slot's numbers lie between these; of whole numbers, if that is all
 * there are, these are whole too. */
static inline void
hdr_slot_bounds(int32_t slot, unsigned shift, bool whole, double *low, double *high)
{
	int32_t size = slot < 0 ? -slot : slot;
	double near = size > 0 ? hdr_slot_near(size, shift) : 0;
	double far = size > 0 ? hdr_slot_far(size, shift) : 0;

	if (whole)
		far = floor(far);
	*low = slot < 0 ? -far : near;
	*high = slot < 0 ? -near : far;
}

#endif
