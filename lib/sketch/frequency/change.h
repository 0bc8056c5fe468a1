/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CHANGE_H
#define SKETCH_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "sketch/frequency/frequency.h"

/*
 * What rose and what fell from one sketch of counts to another of the same
 * kind. Each knows an item's count by certain bounds, and so is the change: at
 * least what is left of the least after the most before, and the other way round.
 */
struct change {
	struct slice item;
	struct counted {
		uint64_t low, high;
	} before, after;
};

/* A difference of two counts, which may be below 0. */
struct difference {
	bool minus;                  /* below 0, by so much */
	uint64_t by;
};

struct difference difference_of(uint64_t a, uint64_t b);

/* Of the estimates; and the lowest and the highest that it can be. */
struct difference change_likely(const struct change *);
struct difference change_low(const struct change *);
struct difference change_high(const struct change *);

/* Is it certain that it rose, or that it fell? */
bool change_certain(const struct change *);

/* It changed by at least this much, whatever the counts are: 0 unless certain. */
uint64_t change_surely(const struct change *);

/*
 * All items that one of both knows by their bytes, ordered by these, in an array
 * that the caller frees; the bytes stay the bodies'. OK or STATUS_MEMORY.
 */
enum status changes_of(const struct frequency *, const void *before, const void *after,
    struct change **out, size_t *n);

#endif
