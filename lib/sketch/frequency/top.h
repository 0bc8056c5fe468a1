/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TOP_H
#define SKETCH_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * The heaviest of many counted items, in the order in which every program
 * lists them, and for each whether it surely belongs among them.
 */

/* What is known of an item's count: low <= count <= high. Where counts cannot
 * pass 2^64-1, neither does the count that is meant here. */
struct counter {
	struct slice item;
	uint64_t hash;
	uint64_t low, high;
	bool certain;                /* set by top_of() */
};

/* Does a come before b? Largest high first, then largest low, then by bytes. */
bool counter_before(const struct counter *a, const struct counter *b);

/* The same order for qsort(). */
int counter_order(const void *, const void *);

/*
 * The first k of a source's counters, in order, in an array that the caller
 * frees; fewer if the source has fewer. Their bytes stay the source's.
 *
 * next() fills in the source's next counter and returns true, or returns false
 * at the end; *at is 0 at first and then its own. The source is walked twice.
 * missing is the largest count that an item outside the source may have, 0 if
 * the source is complete.
 *
 * A counter is certain if, whatever the true counts are, it is among the k
 * largest, equal counts being ordered by item bytes.
 */
enum status top_of(const void *source,
    bool (*next)(const void *source, size_t *at, struct counter *),
    size_t k, uint64_t missing, struct counter **out, size_t *n);

#endif
