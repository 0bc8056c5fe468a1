/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SPACESAVING_BODY_H
#define SKETCH_SPACESAVING_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "sketch/frequency/tally.h"

/* What the files of Space-Saving share among themselves: the table
 * (spacesaving.h), and who loses a counter (spacesaving_filter.c). */

struct spacesaving {
	struct tally tally;
	size_t budget;
	unsigned shift;              /* the block's size is the budget >> shift */
	uint64_t *alpha;             /* the filter, in the block; none while exact */
	size_t cells;
	size_t wide;                 /* numbers of a cell: the weight, perhaps then the hits */
	uint64_t missing;
	uint64_t total, lines;       /* lines: if hits are wanted */
	bool saturated;
};

/* Behind an entry's item, if they are wanted: its lines, as count and err are
 * its weight. */
struct hits {
	uint64_t count, err;
};

static inline bool
spacesaving_has_hits(const struct spacesaving *s)
{
	return s->wide > 1;
}

static inline struct hits *
spacesaving_hits_of(const struct spacesaving *s, const struct entry *e)
{
	return tally_extra(&s->tally, e);
}

/* The index scatters by the low half of the hash, the filter by the high. Cells are
 * bounds that are answered, so they know of no salt. */
static inline uint64_t *
spacesaving_cell(const struct spacesaving *s, uint64_t hash)
{
	return &s->alpha[hash_place(hash, s->cells) * s->wide];
}

/* At most how often an item without a counter occurred. */
static inline uint64_t
spacesaving_outsider(const struct spacesaving *s, uint64_t hash)
{
	return s->cells ? *spacesaving_cell(s, hash) : 0;
}

/* And at most how many lines it had, where hits are counted. */
static inline uint64_t
spacesaving_outsider_hits(const struct spacesaving *s, uint64_t hash)
{
	return s->cells ? spacesaving_cell(s, hash)[1] : 0;
}

/* An item goes without a counter from now on: its cell says no less. */
static inline void
spacesaving_let_go(struct spacesaving *s, uint64_t hash, uint64_t count, uint64_t hits)
{
	uint64_t *cell = spacesaving_cell(s, hash);

	if (cell[0] < count)
		cell[0] = count;
	if (spacesaving_has_hits(s) && cell[1] < hits)
		cell[1] = hits;
}

static inline size_t
spacesaving_block_size(const struct spacesaving *s)
{
	return s->budget >> s->shift & ~(size_t)7;
}

/* An item may take a sixteenth of the room for entries. Longer ones, kept for
 * their weight, could crowd out all others. */
static inline bool
spacesaving_too_long(const struct spacesaving *s, size_t len)
{
	return len > UINT32_MAX || tally_entry_size(&s->tally, len) > s->tally.limit / 16;
}

/* Items to be added. Without weights each weighs 1; without hits it is one line. */
struct load {
	const struct slice *item;
	const uint64_t *hash, *weight, *hits;
	size_t n;
};

/* As spacesaving_add and spacesaving_add_exact. */
enum status spacesaving_take(struct spacesaving *, const struct load *);
enum status spacesaving_take_exact(struct spacesaving *, const struct load *, size_t *done);

/*
 * The heaviest of many entries that fit into so much room. First all of them
 * are offered, then the quota is closed, and then it takes or refuses each one
 * that was offered; of equals it takes the first.
 *
 * A bucket is a count below 64, then a 32nd of an octave: what is in the
 * buckets above one is taken, and of that one as much as there is room for.
 */
#define QUOTA_BUCKETS (64 + 58 * 32)

struct quota {
	unsigned bucket;
	size_t bytes, entries;       /* room, and once closed what is left for the bucket */
	struct { size_t bytes, entries; } in[QUOTA_BUCKETS];
};

void quota_offer(struct quota *, uint64_t count, size_t size);
void quota_close(struct quota *);
bool quota_takes(struct quota *, uint64_t count, size_t size);

/* Slide the entries that a closed quota takes down over the others, whose
 * counts go to the filter. The index is then out of date. */
void spacesaving_slide(struct spacesaving *, struct quota *);

/* Make room in a table that is full and has a filter. */
void spacesaving_purge(struct spacesaving *);

/* The end of the exact phase, in a block that has its full size. */
void spacesaving_open_filter(struct spacesaving *);

#endif
