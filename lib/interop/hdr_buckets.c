/* sketchutils: BSD-2-Clause, see LICENSE */
#include "interop/hdr_buckets.h"
#include "sketch/quantiles/hdr.h"

#define NUMBER_BITS 63           /* they are signed there */

/* Bits of a number without leading zeros; 0 has none. */
static unsigned
bits_of(uint64_t n)
{
	return n == 0 ? 0 : 64 - (unsigned)__builtin_clzll(n);
}

/* Where the first doubling ends. */
static uint64_t
first_end(const struct hdr_buckets *b)
{
	return UINT64_C(2) << (b->half + b->unit);
}

bool
hdr_buckets_init(struct hdr_buckets *b, uint64_t lowest, uint64_t highest, unsigned digits)
{
	if (digits < HDR_DIGITS_MIN || digits > HDR_DIGITS_MAX || lowest < 1 ||
	    highest > INT64_MAX || lowest > highest / 2)
		return false;
	*b = (struct hdr_buckets){
		.lowest = lowest, .highest = highest, .digits = digits,
		.unit = bits_of(lowest) - 1, .half = hdr_bits(digits), .buckets = 1,
	};
	if (b->unit + b->half > NUMBER_BITS - 2)
		return false;
	/* The last end, 2^63, is past all numbers. */
	for (uint64_t end = first_end(b); end <= highest; end *= 2)
		b->buckets++;
	return true;
}

uint64_t
hdr_buckets_slots(const struct hdr_buckets *b)
{
	return (uint64_t)(b->buckets + 1) << b->half;
}

uint64_t
hdr_buckets_slot(const struct hdr_buckets *b, uint64_t number)
{
	uint64_t units = number >> b->unit;
	unsigned bits = bits_of(units), doubling = bits > b->half + 1 ? bits - b->half - 1 : 0;

	return ((uint64_t)doubling << b->half) + (units >> doubling);
}

/* log2 of how many units a slot is wide. */
static unsigned
doubling_of(const struct hdr_buckets *b, uint64_t slot)
{
	uint64_t half = slot >> b->half;

	return half > 1 ? (unsigned)half - 1 : 0;
}

uint64_t
hdr_buckets_least(const struct hdr_buckets *b, uint64_t slot)
{
	unsigned doubling = doubling_of(b, slot);

	return (slot - ((uint64_t)doubling << b->half)) << (doubling + b->unit);
}

uint64_t
hdr_buckets_width(const struct hdr_buckets *b, uint64_t slot)
{
	return UINT64_C(1) << (doubling_of(b, slot) + b->unit);
}

uint64_t
hdr_buckets_top(const struct hdr_buckets *b, uint64_t number)
{
	uint64_t end = first_end(b);

	while (end <= number)
		end *= 2;
	return end - 1;
}
