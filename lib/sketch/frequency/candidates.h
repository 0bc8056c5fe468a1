/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CANDIDATES_H
#define SKETCH_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/record.h"
#include "base/status.h"
#include "sketch/frequency/top.h"

/*
 * The heaviest items as a sketch saves them: up to 65,536 counters with their
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

/* One side of a union: candidates, and at most how often, by this side's account,
 * an item occurred that is none of them. */
struct candidates_side {
	const struct candidates *candidates;
	uint64_t (*outsider)(const void *sketch, uint64_t hash);
	const void *sketch;
};

/*
 * out = the heaviest of both sides' candidates, at most capacity, with the sums
 * of their bounds: an item that one side lacks gets from it what that side cannot
 * exclude. Says how many were dropped, and raises *missing to the largest of their
 * counts. out may be one of the sides'. OK or STATUS_MEMORY; then nothing changed.
 */
enum status candidates_unite(struct candidates *out, struct candidates_side a,
    struct candidates_side b, size_t capacity, uint64_t *missing, size_t *dropped);

/* The item's counter or NULL. */
const struct counter *candidates_find(const struct candidates *, struct slice item,
    uint64_t hash);

#define CANDIDATE_FIXED 20       /* bytes before the item: count, error, length */

/* The same in a record with this hash: where a key is needed to hash an item,
 * its hash is kept, so that sketches unite without the key. */
static inline size_t
candidate_fixed(uint8_t hash)
{
	return CANDIDATE_FIXED + (hash == HASH_SIPHASH ? sizeof(uint64_t) : 0);
}

/* Append them as they lie in the payload of a record with this hash (cms_kind.c
 * draws it). */
enum status candidates_save(const struct candidates *, uint8_t hash, struct buffer *);

/* Set n of them from exactly these bytes, of a record with this header.
 * OK, STATUS_INVARIANT, STATUS_MEMORY. */
enum status candidates_load(struct candidates *, struct slice bytes, size_t n,
    const struct record *head);

void candidates_free(struct candidates *);

#endif
