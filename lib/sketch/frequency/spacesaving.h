/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SPACESAVING_H
#define SKETCH_SPACESAVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "sketch/frequency/top.h"

/*
 * Which items are the most frequent, and how often did each occur? Counts are
 * exact while all distinct items fit a budget of memory. After that the light
 * ones lose their counters; from then on every answer is a pair of bounds that
 * hold for certain, for any item, whether it still has a counter or not.
 *
 * Items are compared by their bytes, which are copied. The outcome depends on
 * the items, their order, their hashes and the budget: not on how they are cut
 * into batches, nor on the machine. For one thread at a time.
 */
struct spacesaving;

/* Smaller budgets than this are taken as this, larger ones as the other. */
#define SPACESAVING_MIN ((size_t)64 << 10)
#define SPACESAVING_MAX (UINT64_C(8) * (UINT32_MAX - 1))
/* Unless the user says otherwise. */
#define SPACESAVING_DEFAULT (UINT64_C(64) << 20)

/* Starts with a few KiB, grows up to the budget, and never beyond.
 * OK or STATUS_MEMORY. */
enum status spacesaving_new(struct spacesaving **, uint64_t budget);
void spacesaving_free(struct spacesaving *);

/* Before the first item: count the lines of each item as well as their weight,
 * with bounds of their own. An item takes 16 bytes more, a cell of the filter 8. */
void spacesaving_want_hits(struct spacesaving *);

/* Add n items with their hashes (base/hash.h) and weights; 1 each if weight is
 * NULL. A few hundred at a time are fastest. OK, or STATUS_MEMORY, and then
 * some of them have been added. */
enum status spacesaving_add(struct spacesaving *, const struct slice *item,
    const uint64_t *hash, const uint64_t *weight, size_t n);

/* Add items as long as all counts stay exact. *done is how many were added:
 * n, or fewer once the budget is reached, and from then on none. */
enum status spacesaving_add_exact(struct spacesaving *, const struct slice *item,
    const uint64_t *hash, const uint64_t *weight, size_t n, size_t *done);

/*
 * into = what both have counted: bounds stay certain, and it stays exact if both
 * are and into's budget, which may be any, has room. The result may depend on
 * which one is into, and on the order of several merges. Both or neither have
 * hits. While it works it takes up to 48 bytes for each item of from, beside the
 * budget. OK; or STATUS_MEMORY, and then into is of no more use.
 */
enum status spacesaving_merge(struct spacesaving *into, const struct spacesaving *from);

/* Are all counts exact, and does every item have one? */
bool spacesaving_exact(const struct spacesaving *);

/* The largest count that an item without a counter may have; 0 while exact. */
uint64_t spacesaving_missing(const struct spacesaving *);

/* Sum of all weights. Sums stop at 2^64-1; saturated says that this one did,
 * and then a count of 2^64-1 means that much or more. */
uint64_t spacesaving_total(const struct spacesaving *);
bool spacesaving_saturated(const struct spacesaving *);

/* Items that have a counter: all distinct ones while exact. */
size_t spacesaving_distinct(const struct spacesaving *);

/* Bytes in use, at most the budget. */
size_t spacesaving_memory(const struct spacesaving *);

/* low <= count of this item <= high. */
void spacesaving_bounds(const struct spacesaving *, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high);

/* Where lines are counted: how many there were; low <= lines of this item <= high. */
uint64_t spacesaving_lines(const struct spacesaving *);
void spacesaving_hits(const struct spacesaving *, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high);

/* The next counter, in no useful order, or false at the end; *at is 0 at
 * first. The item's bytes are valid until the next add. */
bool spacesaving_each(const struct spacesaving *, size_t *at, struct counter *);

/* The k heaviest, in the order of top.h, in an array that the caller frees;
 * their bytes are valid until the next add. OK or STATUS_MEMORY. */
enum status spacesaving_top(const struct spacesaving *, size_t k,
    struct counter **out, size_t *n);

#endif
