/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HEAVY_H
#define SKETCH_HEAVY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "sketch/kind.h"
#include "sketch/frequency/spacesaving.h"
#include "sketch/frequency/top.h"

/*
 * What of a Space-Saving table goes into a file: the heaviest items with their
 * bounds, and one number for all others. The kind "spacesaving".
 *
 * It is exact if it holds every item with its count. United with one that is
 * not, it no longer is, and never again.
 *
 * Asking is safe from any number of threads, changing is for one.
 */
struct heavy;

#define HEAVY_MAX 65536          /* items kept, at most and unless told otherwise */

/* Empty, and exact; capacity is from 1 to HEAVY_MAX. OK, STATUS_PARAMETER,
 * STATUS_MEMORY. */
enum status heavy_new(struct heavy **, unsigned capacity);
void heavy_free(struct heavy *);

/* What the table has counted, instead of what was there before. OK, or
 * STATUS_MEMORY and it is as it was. */
enum status heavy_take(struct heavy *, const struct spacesaving *);

/* into = both; of unlike capacities the larger. Bounds stay certain. The result
 * does not depend on which one is into; that of several merges may depend on
 * their order. OK, or STATUS_MEMORY and it is as it was. */
enum status heavy_merge(struct heavy *into, const struct heavy *from);

/* low <= count <= high, for certain. */
void heavy_bounds(const struct heavy *, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high);

/* The next item, by its bytes, or false at the end; *at is 0 at first. */
bool heavy_each(const struct heavy *, size_t *at, struct counter *);

/* How many there are, and how many there may be. */
size_t heavy_listed(const struct heavy *);
unsigned heavy_capacity(const struct heavy *);

/* The same of one whose header was read. */
unsigned heavy_capacity_of(const struct record *);

/* The largest count that any other item may have. */
uint64_t heavy_missing(const struct heavy *);

/* Sum of all weights; saturated: it, or a count, stopped at 2^64-1. */
uint64_t heavy_total(const struct heavy *);
bool heavy_saturated(const struct heavy *);

bool heavy_exact(const struct heavy *);

/* No count is more than this too high. */
uint64_t heavy_excess(const struct heavy *);

extern const struct kind heavy_kind;

#endif
