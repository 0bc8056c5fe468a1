/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_HDR_BUCKETS_H
#define INTEROP_HDR_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How HdrHistogram numbers its slots. Its numbers are whole, from 0 on. Below 2S
 * units, where S is a power of two that follows from the digits, each unit has a
 * slot; then S slots for each doubling, twice as wide as those before. The unit is
 * the largest power of two that is not above the lowest discernible value.
 *
 *	digits   1    2     3      4       5
 *	S        16   128   1024   16384   131072
 */
struct hdr_buckets {
	uint64_t lowest, highest;
	unsigned digits;
	unsigned unit, half;         /* log2 of the unit and of S */
	unsigned buckets;            /* doublings, from the first 2S units on */
};

/* False: no histogram can be so. */
bool hdr_buckets_init(struct hdr_buckets *, uint64_t lowest, uint64_t highest,
    unsigned digits);

/* How many slots there are: for all numbers up to the highest one, and then as many
 * as that takes whole doublings. */
uint64_t hdr_buckets_slots(const struct hdr_buckets *);

/* The slot of a number, which may be past all of them. */
uint64_t hdr_buckets_slot(const struct hdr_buckets *, uint64_t number);

/* The least number of a slot there is, and how many numbers it has. */
uint64_t hdr_buckets_least(const struct hdr_buckets *, uint64_t slot);
uint64_t hdr_buckets_width(const struct hdr_buckets *, uint64_t slot);

/* The greatest number of the last slot of a histogram that grew until this one had
 * a slot, as HdrHistogram's do that resize themselves. */
uint64_t hdr_buckets_top(const struct hdr_buckets *, uint64_t number);

#endif
