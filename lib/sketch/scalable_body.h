/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SCALABLE_BODY_H
#define SKETCH_SCALABLE_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pages.h"
#include "base/status.h"
#include "sketch/bloom_size.h"

/*
 * A scalable filter from the inside, for the two files that make it up:
 * scalable.c fills it, scalable_kind.c takes it to files and back.
 */
struct stage {
	struct bloom_shape shape;
	uint64_t items;              /* put in here */
	unsigned char *bits;         /* NULL if they may only be read */
	const unsigned char *read;   /* the same, or the caller's */
	struct pages pages;          /* they lie here, */
	unsigned char *small;        /* or here, or in what was loaded */
};

struct scalable {
	uint64_t capacity;           /* of the first stage */
	double fpp;                  /* wanted, over all */
	struct stage *stage;         /* the oldest first */
	size_t n, room;
	struct buffer loaded;        /* stages that came in a record lie here */
};

/* Is what was asked for, or stands in a header, in range? */
bool scalable_valid(uint64_t capacity, double fpp);

/* Make room for so many more stages in the list. OK or STATUS_MEMORY. */
enum status scalable_reserve(struct scalable *, size_t more);

#endif
