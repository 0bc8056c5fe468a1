/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_COUNTING_H
#define SKETCH_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"
#include "sketch/member/bloom_writer.h"
#include "sketch/member/counting_cells.h"
#include "sketch/kind.h"
#include "sketch/promise.h"

/*
 * A counting Bloom filter: items can be taken out again. Four times the memory
 * of a classic one of the same shape, whose answers it gives: never no for an
 * item that was added more often than it was removed.
 *
 * Who removes an item that was not added robs others: then there may be a
 * false no. remove() refuses what surely was not added, which is nearly all.
 *
 * Adding commutes, so the counters depend on the items and how often each was
 * added, not on their order. Nothing here locks; for many threads adding to
 * one filter see sketch/member/bloom_writer.h. Asking is safe from any number.
 */
struct counting;
struct bloom;

/* An empty filter of this shape, which is BLOOM_CLASSIC; aligned to 64 bytes,
 * in huge pages when it is large. STATUS_PARAMETER (a shape out of range) or
 * STATUS_MEMORY. */
enum status counting_new(struct counting **, const struct bloom_shape *);

/* As bloom_map: a filter to ask over somebody else's bytes. */
enum status counting_map(struct counting **, const struct record *head,
    const unsigned char *payload);

/* Its memory, unless it is the caller's. NULL is allowed. */
void counting_free(struct counting *);

/* What a record's header tells is read by bloom_shape_of. */
const struct bloom_shape *counting_shape(const struct counting *);

/* Add one copy of each of n items. */
void counting_add(struct counting *, const uint64_t *hash, size_t n);

/* has[i] = was item i added?, and how many were. */
size_t counting_has(const struct counting *, const uint64_t *hash, size_t n, bool *has);

/* Was the item added? If not, it is now. */
bool counting_meet(struct counting *, uint64_t hash);

/* Take one copy out. */
enum removal counting_remove(struct counting *, uint64_t hash);

/* For bloom_shards_on: the filter as threads share it. */
struct bloom_target counting_target(struct counting *);

/*
 * into = into united with from: copies add up. Capacities, wanted fpps and
 * unlike sizes as in bloom_merge; STATUS_MISMATCH with why, or STATUS_MEMORY,
 * and then into is as it was.
 */
enum status counting_merge(struct counting *into, const struct counting *from,
    struct mismatch *why);

/* The same, but of every counter the smaller one: what both hold is still
 * found, and can be removed as often as it was in the one with fewer copies. */
enum status counting_intersect(struct counting *into, const struct counting *from,
    struct mismatch *why);

/* Become the filter of this smaller size that the same items would have made;
 * the capacity shrinks in proportion. STATUS_PARAMETER, and nothing changed,
 * unless size divides the present one. */
enum status counting_fold(struct counting *, uint64_t size);

/* From now on this fpp is wanted, and the capacity is what keeps it. */
void counting_promise(struct counting *, double fpp);

/* What it answers as a classic filter: a bit for each counter above 0. The
 * caller frees it. STATUS_MEMORY. */
enum status counting_bits(struct bloom **, const struct counting *);

/* As bloom_compare, by the counters above 0. */
enum status counting_compare(const struct counting *a, const struct counting *b,
    struct comparison *, struct mismatch *why);

/* Distinct items and fpp by the counters above 0. Reads all of them. */
struct fill counting_fill(const struct counting *);

/* How many counters stand at their largest number for good. Reads all. */
uint64_t counting_permanent(const struct counting *);

/* As bloom_head and bloom_payload. */
void counting_head(const struct counting *, struct record *head);
struct slice counting_payload(const struct counting *);

extern const struct kind counting_kind;
extern const struct folding counting_folding;

#endif
