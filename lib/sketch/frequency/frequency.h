/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_FREQUENCY_H
#define SKETCH_FREQUENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sketch/frequency/top.h"

/*
 * What all structures that answer "how often?" do alike, so that a program which
 * asks, lists or compares need not know which one it holds. A body is what the
 * kind's load() made, or the table that lines are counted in. Asking is safe from
 * any number of threads.
 */
struct frequency {
	uint16_t kind;               /* enum record_kind; 0 is a table of lines */
	const char *type;            /* as --type calls it */

	/* low <= count of this item <= high, for certain; high is the estimate. */
	void (*bounds)(const void *body, struct slice item, uint64_t hash,
	    uint64_t *low, uint64_t *high);

	/* The next item that is known by its bytes, which stay the body's, or false
	 * at the end; *at is 0 at first. In no useful order. */
	bool (*each)(const void *body, size_t *at, struct counter *);

	/* How many of these there are. */
	size_t (*listed)(const void *body);

	/* At most how often any other item occurred. */
	uint64_t (*missing)(const void *body);

	/* Sum of all weights, and whether it is that much or more. */
	uint64_t (*total)(const void *body);
	bool (*saturated)(const void *body);

	/* Is every item listed, with its exact count? */
	bool (*exact)(const void *body);

	/* Any estimate is at most this much too high, with this probability: 1 is
	 * for certain. */
	uint64_t (*excess)(const void *body, double *probability);
};

/* The row of this kind, or NULL: it does not count items. */
const struct frequency *frequency_find(uint16_t kind);

/* The i-th row, NULL past the last. */
const struct frequency *frequency_row(size_t i);

/* Of struct spacesaving (sketch/frequency/spacesaving.h), which is never saved as it is. */
extern const struct frequency frequency_of_table;

/* For records' only: how the names of these kinds begin. */
#define FREQUENCY_KINDS "cms|spacesaving"

#endif
