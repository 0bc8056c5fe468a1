/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TALLY_H
#define SKETCH_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/salt.h"
#include "base/status.h"

/*
 * Counters in one block of memory, each with its item's bytes, found by hash:
 * the table that Space-Saving keeps. Its owner decides what a count means and
 * may walk and move the entries itself; so everything here is open.
 *
 *	block        [entries, one after another -> .... | index | the owner's ]
 *	             0                      used      limit                 size
 *
 * An index slot is the low half of a hash, then the entry's place in units
 * of 8 bytes plus 1; 0 is free. Collisions go to the next slot. At most
 * half of the slots are in use.
 *
 * That hash is the item's own, which is public: items can be chosen so that all
 * come to one slot, even all of one hash. An entry that finds its place farther
 * from home than chance makes it raises a flag, and at the next tally_settle() the
 * index is written anew by salted hashes of the items' bytes. No count depends on
 * the index, nor does the order of entries.
 */
struct entry {
	uint64_t count;
	uint64_t err;                /* so much of the count may be others' */
	uint64_t hash;
	uint32_t len;
	unsigned char key[];         /* then, at a multiple of 8, what the owner adds */
};

struct tally {
	unsigned char *block;
	size_t size;
	size_t used, limit;          /* bytes of entries, now and at most */
	size_t n, capacity;          /* entries, now and at most */
	uint64_t *slots;
	size_t nslots;
	size_t extra;                /* bytes the owner adds to each entry, a multiple of 8 */
	bool crowded, salted;        /* the index should be, or is */
};

#define TALLY_SLOT_SHARE 16      /* bytes of index per entry */

/* Give the block this size, a multiple of 8 and at least 1 KiB, share it out
 * anew between entries and index, and write the index. An all-zero tally has
 * no block yet; one that has at least doubles, or keeps its size if an eighth
 * of that is unused. OK or STATUS_MEMORY; then nothing changed. */
enum status tally_resize(struct tally *, size_t size);

/* Bytes of the block that are neither entries nor their share of the index. */
static inline size_t
tally_unused(const struct tally *t)
{
	return t->size - t->used - t->n * TALLY_SLOT_SHARE;
}

/* Share the first bytes of the block out between entries and index, for items
 * as long as those present. Leaves the index unwritten. */
void tally_lay_out(struct tally *, size_t bytes);

/* Write the index anew from the entries. */
void tally_index(struct tally *);

void tally_free(struct tally *);

static inline struct entry *
tally_at(const struct tally *t, size_t offset)
{
	return (struct entry *)(void *)(t->block + offset);
}

/* Bytes of an entry whose item has this length. */
static inline size_t
tally_entry_size(const struct tally *t, size_t len)
{
	return ((offsetof(struct entry, key) + len + 7) & ~(size_t)7) + t->extra;
}

/* What the owner has added to an entry. */
static inline void *
tally_extra(const struct tally *t, const struct entry *e)
{
	size_t at = (size_t)((const unsigned char *)e - t->block);

	return t->block + at + tally_entry_size(t, e->len) - t->extra;
}

static inline bool
tally_has_room(const struct tally *t, size_t len)
{
	return t->n < t->capacity && len <= UINT32_MAX &&
	    tally_entry_size(t, len) <= t->limit - t->used;
}

/* The hash by which the index knows an item. */
static inline uint64_t
tally_tag(bool salted, struct slice item, uint64_t hash)
{
	return (salted ? salt_hash(item.at, item.len) : hash) & UINT32_MAX;
}

static inline size_t
tally_slot(const struct tally *t, uint64_t tag)
{
	return (size_t)(tag * t->nslots >> 32);
}

/* Where in the index to start looking. */
static inline size_t
tally_home(const struct tally *t, struct slice item, uint64_t hash)
{
	return tally_slot(t, tally_tag(t->salted, item, hash));
}

static inline struct entry *
tally_of_slot(const struct tally *t, size_t slot)
{
	return tally_at(t, ((t->slots[slot] & UINT32_MAX) - 1) * 8);
}

/* From this slot on, the first that is free or may lead to an item of this tag. */
static inline size_t
tally_seek(const struct tally *t, uint64_t tag, size_t slot)
{
	while (t->slots[slot] && t->slots[slot] >> 32 != tag)
		slot = slot + 1 == t->nslots ? 0 : slot + 1;
	return slot;
}

/* The item's entry, looked for from *slot on; or NULL, and *slot is where it
 * is to be entered. */
static inline struct entry *
tally_find(const struct tally *t, struct slice item, uint64_t hash, size_t *slot)
{
	uint64_t tag = tally_tag(t->salted, item, hash);

	for (;;) {
		size_t i = *slot = tally_seek(t, tag, *slot);
		if (!t->slots[i])
			return NULL;
		struct entry *e = tally_of_slot(t, i);
		if (e->hash == hash && e->len == item.len &&
		    (item.len == 0 || memcmp(e->key, item.at, item.len) == 0))
			return e;
		*slot = i + 1 == t->nslots ? 0 : i + 1;
	}
}

/* Enter an item that is not there, at the slot where it was looked for in
 * vain. There must be room. What the owner adds is for him to fill in. */
struct entry *tally_insert(struct tally *, size_t slot, struct slice item, uint64_t hash,
    uint64_t count, uint64_t err);

/* To be called now and then, while nobody remembers a slot. */
static inline void
tally_settle(struct tally *t)
{
	if (t->crowded)
		tally_index(t);
}

/*
 * Memory is far away: for all items of a batch touch the home slot, then find
 * and touch the entry it leads to. slot[i] is where to look on from with
 * tally_find(). That stays right while entries do not move: an item entered
 * meanwhile comes to lie at its slot or behind it.
 */
void tally_look_ahead(const struct tally *, const struct slice *item,
    const uint64_t *hash, size_t n, size_t *slot);

#endif
