/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SLOTS_H
#define SKETCH_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/status.h"

/*
 * A set of 64-bit hashes in a flat array that doubles in place: one shard of
 * a larger set, whose hashes all have the same SLOTS_TOP top bits. 0 marks an
 * empty slot and is no hash. Nothing here locks.
 */
#define SLOTS_TOP 4

struct slots {
	uint64_t *at;                /* the owner's: zeros, reserved for size_max */
	uint64_t size, size_max;     /* slots in use; size doubles up to size_max */
	uint64_t taken, limit;       /* taken grows no further than limit */
	uint64_t limit_max;          /* which at the largest size is this */
};

/* The most slots that fit so many bytes, of a size that doubling comes to. A
 * multiple of 4, at least 4 * 64 from 4 KiB on. */
uint64_t slots_fit(uint64_t bytes);

/* Empty, over zeros that become the array of size_max slots, which slots_fit
 * must have said. At that size it is full with limit_max, fewer than size_max. */
void slots_init(struct slots *, uint64_t *at, uint64_t size_max, uint64_t limit_max);

/* While it is empty: a size at which n fit, or the largest. Hashes that come in
 * ascending order need that: of a size that grows with them, they would all have
 * their homes in its first few slots. */
void slots_expect(struct slots *, uint64_t n);

/* Where the search for h begins: slots are in the order of the hashes, but for
 * those that are pushed on, or from the end to the front. */
static inline uint64_t
slots_home(const struct slots *s, uint64_t h)
{
	return hash_place(h << SLOTS_TOP, s->size);
}

/* The slot that holds h, or the empty one where it belongs. */
static inline uint64_t *
slots_find(const struct slots *s, uint64_t h)
{
	uint64_t i = slots_home(s, h);

	while (s->at[i] != 0 && s->at[i] != h)
		i = i + 1 < s->size ? i + 1 : 0;
	return &s->at[i];
}

static inline bool
slots_full(const struct slots *s)
{
	return s->taken == s->limit;
}

/* Put a new hash where slots_find said, unless it is full. */
static inline void
slots_put(struct slots *s, uint64_t *where, uint64_t h)
{
	*where = h;
	s->taken++;
}

/* Twice the size. STATUS_END: it has the largest one. STATUS_MEMORY: what was
 * in it is lost. */
enum status slots_double(struct slots *);

/* All hashes in ascending order, some at a time. OK, STATUS_MEMORY, or what
 * some() returned. */
typedef enum status slots_some(void *context, const uint64_t *hash, size_t n);
enum status slots_each(const struct slots *, slots_some *some, void *context);

#endif
