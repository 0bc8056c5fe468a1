/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SCALABLE_BODY_H
#define SKETCH_SCALABLE_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pages.h"
#include "base/status.h"
#include "sketch/member/bloom_size.h"

/*
 * A scalable filter from the inside, for the files that make it up: scalable.c
 * fills it, scalable_plan.c says how large it will be, scalable_kind.c takes it
 * to files and back.
 */
#define STAGE_HEAD 64

/* It lies in memory as it does in a file: STAGE_HEAD bytes of numbers, which
 * stage_encode writes, then the bits and their padding. */
struct stage {
	struct bloom_shape shape;
	uint64_t items;              /* put in here */
	unsigned char *bits;         /* NULL if they may only be read */
	const unsigned char *read;   /* the same, or the caller's */
	struct pages pages;          /* it lies here, */
	unsigned char *small;        /* or here, or in what was loaded */
};

struct scalable {
	uint64_t capacity;           /* of the first stage */
	double fpp;                  /* wanted, over all */
	struct stage *stage;         /* the oldest first */
	size_t n, room;
	struct buffer loaded;        /* stages that came in a record lie here */
};

/* Bytes of a stage. Sizes are in range, so nothing overflows. */
uint64_t stage_size(const struct bloom_shape *);

/* Write the numbers of a stage that may be changed, before its bits. */
void stage_encode(struct stage *);

/* Is what was asked for, or stands in a header, in range? */
bool scalable_valid(uint64_t capacity, double fpp);

/* Make room for so many more stages in the list. OK or STATUS_MEMORY. */
enum status scalable_reserve(struct scalable *, size_t more);

#endif
