/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_KEYS_H
#define SKETCH_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * A table from keys to what its owner keeps for each, made for many keys. Entries
 * are numbered 0, 1, ... in the order in which their keys came, and are never
 * removed. Slots with open addressing lead to them; keys lie one after another in
 * large pieces of memory, which do not move. A key costs 8 to 16 bytes, one or two
 * entries, and its own.
 *
 * A call that returns STATUS_MEMORY leaves the table as it was.
 */

/* What each entry begins with. */
struct key {
	const unsigned char *at;
	uint32_t len;
	uint32_t tag;                /* of its hash, of which the low 32 bits matter */
};

struct keys {
	size_t size;                 /* of an entry; all else zero is an empty table */
	unsigned char *entry;
	uint32_t n, room;
	uint32_t *slot;              /* a number + 1; 0: free */
	uint32_t slots;
	struct key_piece *piece;
	uint32_t *sorted;            /* numbers in the order of the keys, or NULL */
	size_t memory;               /* bytes in use */
};

/* Release all but what the owner keeps. */
void keys_clear(struct keys *);

static inline void *
keys_entry(const struct keys *k, uint32_t number)
{
	return k->entry + number * k->size;
}

static inline struct slice
keys_key(const struct keys *k, uint32_t number)
{
	const struct key *key = keys_entry(k, number);

	return (struct slice){key->at, key->len};
}

/* These keys come next: fetch their entries from memory. For the sake of speed. */
void keys_fetch(const struct keys *, const uint64_t *hash, size_t n);

/* The number of the key's entry, which is made if there is none: zero but for the
 * key, a copy. Then all entries may move. OK, or STATUS_MEMORY (also for a key of
 * 4 GiB or more). */
enum status keys_find(struct keys *, struct slice key, uint64_t hash, uint32_t *number,
    bool *made);

/* The entry that was made last is not, after all. */
void keys_undo(struct keys *);

/* List the numbers in the order of the keys' bytes, in sorted[], until another
 * entry is made. OK or STATUS_MEMORY. */
enum status keys_sort(struct keys *);

#endif
