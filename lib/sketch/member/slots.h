/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SLOTS_H
#define SKETCH_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/salt.h"
#include "base/status.h"

/*
 * A set of 64-bit hashes in a flat array that doubles in place: one shard of
 * a larger set, whose hashes all have the same SLOTS_TOP top bits. 0 marks an
 * empty slot and is no hash. Nothing here locks.
 *
 * Slots are in the order of the hashes, so hashes that were chosen to lie side by
 * side would make every search a long one. As soon as one is longer than chance
 * makes it, all hashes are scattered by the run's salt, and the array holds what
 * they were scattered to. That costs time once, and in slots_each() memory.
 */
#define SLOTS_TOP 4

struct slots {
	uint64_t *at;                /* the owner's: zeros, reserved for size_max */
	bool salted;
	unsigned shift;              /* SLOTS_TOP, or 0 when salted: bits that tell nothing */
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

/* salt_scatter, out of the way of those that need none. */
__attribute__((cold)) uint64_t slots_scattered(uint64_t h);

/* What stands for h in the array, and what an occupied slot stands for. */
static inline uint64_t
slots_value(const struct slots *s, uint64_t h)
{
	return s->salted ? slots_scattered(h) : h;
}

static inline uint64_t
slots_hash(const struct slots *s, uint64_t value)
{
	return s->salted ? salt_gather(value) : value;
}

/* Where the search for a value begins: slots are in the order of the values, but
 * for those that are pushed on, or from the end to the front. */
static inline uint64_t
slots_home_of(const struct slots *s, uint64_t value)
{
	return hash_place(value << s->shift, s->size);
}

static inline uint64_t
slots_home(const struct slots *s, uint64_t h)
{
	return slots_home_of(s, slots_value(s, h));
}

static inline uint64_t *
slots_find_value(const struct slots *s, uint64_t value)
{
	uint64_t i = slots_home_of(s, value);

	while (s->at[i] != 0 && s->at[i] != value)
		i = i + 1 < s->size ? i + 1 : 0;
	return &s->at[i];
}

/* The slot that holds h, or the empty one where it belongs. */
static inline uint64_t *
slots_find(const struct slots *s, uint64_t h)
{
	return slots_find_value(s, slots_value(s, h));
}

static inline bool
slots_full(const struct slots *s)
{
	return s->taken == s->limit;
}

/* One was put so many slots from home, or before it if it went on at the front:
 * scatter the hashes if that is more than chance. Without memory it is left for the
 * next time. */
#define SLOTS_FAR 1536
__attribute__((cold)) void slots_put_far(struct slots *, uint64_t far);

/* Put a new hash where slots_find said, unless it is full. */
static inline void
slots_put(struct slots *s, uint64_t *where, uint64_t h)
{
	uint64_t value = slots_value(s, h), far = (uint64_t)(where - s->at) - slots_home_of(s, value);

	*where = value;
	s->taken++;
	if (far > SLOTS_FAR)
		slots_put_far(s, far);
}

/* Twice the size. STATUS_END: it has the largest one. STATUS_MEMORY: what was
 * in it is lost. */
enum status slots_double(struct slots *);

/* All hashes in ascending order, some at a time. OK, STATUS_MEMORY, or what
 * some() returned. */
typedef enum status slots_some(void *context, const uint64_t *hash, size_t n);
enum status slots_each(const struct slots *, slots_some *some, void *context);

#endif
