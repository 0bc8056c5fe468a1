/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CUCKOO_SIZE_H
#define SKETCH_CUCKOO_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How large a cuckoo filter must be, and what one of a given size delivers.
 * Nothing here needs a filter, so a plan costs no memory.
 */
#define CUCKOO_SLOTS 4                /* of a bucket */
#define CUCKOO_BUCKETS_MAX (UINT64_C(1) << 40)
#define CUCKOO_BITS_MIN 8
#define CUCKOO_BITS_MAX 32
#define CUCKOO_FPP_MIN 2e-9
#define CUCKOO_FPP_MAX 0.5

struct cuckoo_shape {
	uint64_t buckets;            /* m, even */
	unsigned bits;               /* f, of a fingerprint */
	uint64_t capacity;           /* copies of items it was sized for */
	double fpp;                  /* false-positive probability wanted up to there */
};

/*
 * The shape for this many items (0 is sized as 1), repeated ones counted each
 * time, at this fpp, CUCKOO_FPP_MIN..CUCKOO_FPP_MAX. The same on every machine.
 * The expected fpp at capacity is at most the wanted one, and at most 94 % of
 * the slots are in use then. False, and the shape untouched, if fpp is out of
 * range or the filter would pass CUCKOO_BUCKETS_MAX (16 TiB).
 */
bool cuckoo_shape_for(struct cuckoo_shape *, uint64_t capacity, double fpp);

/* Is every number in its range? Asked of shapes that come from a file. */
bool cuckoo_shape_valid(const struct cuckoo_shape *);

/* Bytes of the table, which are also its payload in a file. */
uint64_t cuckoo_bytes(const struct cuckoo_shape *);

/* Slots of the table: 4 a bucket. */
uint64_t cuckoo_slots(const struct cuckoo_shape *);

/* The fpp to expect with so many slots in use. It is the truth for distinct
 * items, to within their scatter over the buckets, and above it for copies. */
double cuckoo_expected_fpp(const struct cuckoo_shape *, uint64_t used);

/* Slots in use up to which inserts are all but sure to succeed, 94 % of them;
 * less in small tables, and never less than the capacity it was sized for. */
uint64_t cuckoo_room(const struct cuckoo_shape *);

#endif
