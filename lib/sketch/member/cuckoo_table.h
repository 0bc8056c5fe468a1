/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CUCKOO_TABLE_H
#define SKETCH_CUCKOO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "sketch/member/cuckoo_size.h"

/*
 * The buckets of a cuckoo filter as they lie in memory and in a file: bucket
 * after bucket of four slots of f bits, without gaps, counted from the least
 * significant bit of the first byte. 4f bits are whole half bytes, so a bucket
 * begins in the middle of a byte at worst, and it always lies within 16 bytes.
 * An empty slot is 0, which no fingerprint is. cuckoo.c tells the whole story.
 */
struct cuckoo_table {
	const unsigned char *read;
	unsigned char *at;           /* the same, or NULL if it may only be read */
	uint64_t bytes;
	uint64_t buckets;            /* m, even */
	unsigned bits;               /* f, 8 to 32 */
	hash_wide ones;              /* a 1 in each of four slots */
};

/* All that is known of an item once it is stored: its fingerprint, and its
 * two buckets, one even, one odd. Items alike in these are one to the filter. */
struct cuckoo_key {
	uint64_t bucket[2];
	uint32_t print;
};

/* Over cuckoo_bytes(shape) that stay the caller's, to read and, unless at is
 * NULL, to write. */
void cuckoo_table_init(struct cuckoo_table *, const struct cuckoo_shape *,
    const unsigned char *read, unsigned char *at);

/* The other bucket of a fingerprint that has this one; an involution that
 * changes the parity. */
static inline uint64_t
cuckoo_other(uint64_t buckets, uint64_t bucket, uint32_t print)
{
	uint64_t r = 2 * hash_place(hash_step(print, 1), buckets / 2) + 1;
	uint64_t sum = bucket + r;           /* below 2m */

	return sum <= buckets ? buckets - sum : 2 * buckets - sum;
}

/* The key of an item. */
static inline struct cuckoo_key
cuckoo_key(const struct cuckoo_table *t, uint64_t hash)
{
	uint64_t prints = (UINT64_C(1) << t->bits) - 1;
	struct cuckoo_key key;

	key.print = (uint32_t)hash_place(hash_step(hash, 1), prints) + 1;
	key.bucket[0] = hash_place(hash, t->buckets);
	key.bucket[1] = cuckoo_other(t->buckets, key.bucket[0], key.print);
	return key;
}

/* The four slots of a bucket, slot 0 in the lowest bits; above them are bits of
 * its neighbours. */
hash_wide cuckoo_bucket(const struct cuckoo_table *, uint64_t bucket);

/* The fingerprint in a slot, 0 if it is empty. */
static inline uint32_t
cuckoo_slot(const struct cuckoo_table *t, hash_wide bucket, unsigned slot)
{
	return (uint32_t)(bucket >> slot * t->bits) & (uint32_t)((UINT64_C(1) << t->bits) - 1);
}

/* Have the memory of its buckets come. */
void cuckoo_prefetch(const struct cuckoo_table *, const struct cuckoo_key *);

/* Is it in one of its buckets? Any bytes are safe to ask. */
bool cuckoo_find(const struct cuckoo_table *, const struct cuckoo_key *);

/* How many of its 8 slots hold it. */
unsigned cuckoo_copies(const struct cuckoo_table *, const struct cuckoo_key *);

/* One more copy, into a free slot of its buckets. False if there is none. */
bool cuckoo_place(struct cuckoo_table *, const struct cuckoo_key *);

/* One more copy, after others were moved to where they may be as well. For a
 * key that cuckoo_place refused and that does not fill all its slots itself.
 * False if the search found no free slot; then nothing has changed. */
bool cuckoo_move(struct cuckoo_table *, const struct cuckoo_key *);

/* One copy less. False if there is none. */
bool cuckoo_take(struct cuckoo_table *, const struct cuckoo_key *);

/* Slots in use. Reads all of them. */
uint64_t cuckoo_used(const struct cuckoo_table *);

#endif
