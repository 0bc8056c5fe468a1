/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HASHLIST_H
#define SKETCH_HASHLIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * 64-bit hashes in the order they came, repeated ones and all, up to a ceiling
 * of memory: 8 bytes each, and as much as another 2 while they are counted.
 * For filters that cannot be sized before their items are known, and that
 * depend on order or on repetition. Nothing here locks.
 */
struct hashlist;

/* bytes: the ceiling, at least HASHLIST_BYTES_MIN. STATUS_MEMORY. */
#define HASHLIST_BYTES_MIN (64 << 10)
enum status hashlist_new(struct hashlist **, uint64_t bytes);
/* NULL is allowed. */
void hashlist_free(struct hashlist *);

/* Append the first of n for which there is room; returns how many. */
size_t hashlist_add(struct hashlist *, const uint64_t *hash, size_t n);

/* How many there are, and how many there is room for in all. */
uint64_t hashlist_count(const struct hashlist *);
uint64_t hashlist_capacity(const struct hashlist *);

/* All of them in order. */
const uint64_t *hashlist_all(const struct hashlist *);

/* How many are left if of equal ones at most so many, 1..255, count: with 1
 * that is how many are distinct. STATUS_MEMORY. */
enum status hashlist_distinct(const struct hashlist *, unsigned copies, uint64_t *n);

#endif
