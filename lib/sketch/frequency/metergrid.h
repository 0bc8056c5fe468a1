/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_METERGRID_H
#define SKETCH_METERGRID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pages.h"
#include "base/status.h"
#include "sketch/frequency/meter.h"

/*
 * Meters for any number of hashes, in fixed memory: each hash has
 * METERGRID_DEPTH of them, which it shares with others, and what the lowest
 * ones say together is at least what has passed of it. Which ones it shares decides
 * who is held back, so no salt hides it: that takes a key. Nothing here locks.
 */
#define METERGRID_DEPTH 3

struct metergrid {
	uint64_t *at;
	struct pages pages;
	uint64_t places;             /* groups of words, each of one meter or of several */
	unsigned words;              /* of a place */
	unsigned share;              /* meters in it */
	unsigned bits;               /* of each, if several */
};

/* Empty, of about so many bytes. STATUS_MEMORY. */
enum status metergrid_init(struct metergrid *, const struct meter_form *, uint64_t bytes);
/* All zero is allowed. */
void metergrid_clear(struct metergrid *);
uint64_t metergrid_bytes(const struct metergrid *);

/* Does so much pass, in a pane of this age? If it does, it is counted. Never
 * where a meter of its own would say no. */
bool metergrid_pass(struct metergrid *, const struct meter_form *, unsigned now, uint64_t hash,
    unsigned age, uint64_t weight);

/* So much of this hash has passed before. */
void metergrid_put(struct metergrid *, const struct meter_form *, unsigned now, uint64_t hash,
    const struct meter_sums *);

/* The memory that a hash will touch, for the processor to send for. */
void metergrid_prefetch(const struct metergrid *, uint64_t hash);

/* The stamp was `now`, and is `then` from here on. */
void metergrid_restamp(struct metergrid *, const struct meter_form *, unsigned now,
    unsigned then);

#endif
