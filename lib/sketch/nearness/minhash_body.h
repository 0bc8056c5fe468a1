/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_MINHASH_BODY_H
#define SKETCH_MINHASH_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/kind.h"

/*
 * What minhash.c, minhash_compare.c and minhash_kind.c know of a MinHash. It is in
 * one of two forms. Sorted: the n hashes, at most size of them, ascending, and more
 * tells whether there were others. Open, while it is added to: a table of all
 * distinct hashes up to limit, which are twice size at most.
 */
struct minhash {
	uint32_t size;
	unsigned char unit, run;     /* enum minhash_unit */
	bool more;
	bool zero;                   /* open: the hash 0 is in it, which no place can hold */
	uint64_t *sorted;            /* or NULL */
	uint64_t *table;             /* or NULL; 0 is a vacancy */
	size_t n, room;              /* hashes; places of the table */
	uint64_t limit;              /* open: greater ones are of no interest */
};

/* The sorted form of either. */
struct minhash_view {
	const uint64_t *at;
	size_t n;
	bool more;
	uint64_t *own;               /* to be freed */
};

/* OK or STATUS_MEMORY. */
enum status minhash_look(const struct minhash *, struct minhash_view *);

/* Take n hashes in memory from malloc, ascending, in place of what there is. */
void minhash_replace(struct minhash *, uint64_t *sorted, size_t n, bool more);

/* Do both have elements of the same kind? OK, or STATUS_MISMATCH and why. */
enum status minhash_alike(const struct minhash *, const struct minhash *, struct mismatch *why);

#endif
