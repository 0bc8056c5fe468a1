/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HASHSET_H
#define SKETCH_HASHSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * The distinct ones among 64-bit hashes, exactly, up to a ceiling of memory:
 * 10 to 20 bytes a hash. Many threads may add at a time. Whether the ceiling
 * was passed depends on the set of hashes alone, not on their order nor on
 * who added them.
 */
struct hashset;

/* bytes: the ceiling, at least HASHSET_BYTES_MIN. STATUS_MEMORY, or
 * STATUS_SYSTEM (a lock was not to be had). */
#define HASHSET_BYTES_MIN (64 << 10)
enum status hashset_new(struct hashset **, uint64_t bytes);
/* NULL is allowed. */
void hashset_free(struct hashset *);

/* How many hashes the ceiling is enough for. Follows from bytes alone. */
uint64_t hashset_capacity(const struct hashset *);

/* Add n. STATUS_END: the set is full, now or since an earlier call. There is
 * more than the ceiling allows, some of these n may not be in the set, and it
 * takes no more. STATUS_MEMORY. */
enum status hashset_add(struct hashset *, const uint64_t *hash, size_t n);

/* How many are in it. */
uint64_t hashset_count(const struct hashset *);

/* All of them, many at a time, nearly in ascending order: whoever takes the
 * high bits for an address walks through memory once. When the set is full,
 * others may be adding meanwhile. */
void hashset_each(struct hashset *,
    void (*each)(void *context, const uint64_t *hash, size_t n), void *context);

#endif
