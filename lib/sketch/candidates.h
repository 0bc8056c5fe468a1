/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CANDIDATES_H
#define SKETCH_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "sketch/top.h"

/*
 * The candidates of a Count-Min sketch: up to 65,536 counters with their
 * items' bytes, ordered by these, no two alike, found by hash. Once set they
 * do not change. All zero is none.
 */
struct candidates {
	struct counter *at;
	size_t n;
	unsigned char *keys;
	uint32_t *index;             /* place in at, plus 1; 0 is free */
	size_t slots;                /* a power of two, at least 2n */
};

/* Replace them by copies of these, in any order. OK or STATUS_MEMORY; then
 * nothing changed. The given ones may point to the present ones' bytes. */
enum status candidates_set(struct candidates *, const struct counter *, size_t n);

/* The item's counter or NULL. */
const struct counter *candidates_find(const struct candidates *, struct slice item,
    uint64_t hash);

#define CANDIDATE_FIXED 20       /* bytes before the item: count, error, length */

/* Append them as they lie in a payload (cms.c draws it). */
enum status candidates_save(const struct candidates *, struct buffer *);

/* Set n of them from exactly these bytes; hashes are XXH3 with the seed.
 * OK, STATUS_INVARIANT, STATUS_MEMORY. */
enum status candidates_load(struct candidates *, struct slice bytes, size_t n,
    uint64_t seed);

void candidates_free(struct candidates *);

#endif
