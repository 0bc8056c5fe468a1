/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The cuckoo filter.
 *
 * A hash table that keeps, of each item, a fingerprint of f bits only. An item
 * may lie in either of two buckets of four slots; a new one that finds both
 * full pushes an older one over to that one's other bucket, as the cuckoo's
 * young do in a nest.
 *
 *	B. Fan, D. G. Andersen, M. Kaminsky, M. D. Mitzenmacher, "Cuckoo Filter:
 *	Practically Better Than Bloom", CoNEXT 2014
 *
 * An absent item is compared with 8 slots, so at load a (slots in use)
 *
 *	fpp = 1 - (1 - 1/(2^f - 1))^(8a), about 8a / 2^f
 *
 * Sized for 94 % load; cuckoo_size.c tells why:
 *
 *	                      10 %   1 %  0.1 %  1e-4  1e-6  1e-8
 *	fingerprint, bits        8    10     13    17    23    30
 *	bits an item           8.5  10.6   13.8  18.1  24.5  31.9
 *	fpp at capacity      2.9 % 0.7 % 0.09 % 6e-5  9e-7  7e-9
 *	classic Bloom, bits    4.8   9.6   14.4  19.2  28.8  38.3
 *
 * THE OTHER BUCKET must follow from the bucket and the fingerprint, as the item
 * is no longer there when it is moved. With m buckets, m even, and
 *
 *	r = 2 * place(s_1(fingerprint), m / 2) + 1
 *	other(i) = (m - i - r) mod m
 *
 * other(other(i)) is i again, and since r is odd the two differ in parity, so
 * that no item has only one bucket. (The paper's exclusive or asks for a power
 * of two of buckets and so for up to twice the memory.) The first bucket follows
 * from the hash h and the fingerprint from s_1, so neither tells about the other.
 *
 * THE VICTIM. When no way to a free slot is found, the new item is put aside,
 * and is asked and removed like the others; it goes into the table as soon as a
 * removal makes room. Then the next one that finds no way is refused. Nothing is
 * moved in vain, so nobody's fingerprint is lost: a filter that loses one answers
 * "no" for an item that was added.
 *
 * COPIES. An item added again takes another slot, or else the removal of one
 * copy would make the other one vanish. When all 8 slots hold the same
 * fingerprint there is no place for another copy. The count is lost, as in a
 * counter that has reached its largest number, and the item stays for good.
 * Two items of the same fingerprint and buckets are one to the filter, and
 * their copies add up.
 *
 * PAYLOAD, the table as it lies in memory, so that a file can be asked through
 * a map: m f / 2 bytes, of which slot s of bucket i has the f bits from bit
 * (4i + s) f on; bit b is bit b % 8 of byte b / 8. Empty slots are 0. Parameters:
 * 0 m, 1 f, 2 capacity, 3 the wanted fpp as the bits of an IEEE double, 4 slots
 * in use, 5 the victim's fingerprint or 0, 6 the even one of its buckets; 7 is 0.
 *
 *	f = 10          bucket 0                     bucket 1
 *	bit   0         10        20        30       40        50
 *	      +---------+---------+---------+---------+---------+-- ...
 *	      | slot 0  | slot 1  | slot 2  | slot 3  | slot 0  |
 *	      +---------+---------+---------+---------+---------+-- ...
 *	byte  0       1       2       3       4       5
 *
 * EXAMPLE. m = 1000, f = 12, "abc" with seed 0: h = 0x78af5f94892f3950 and s_1 =
 * 0x76d0303315c77ef8. The fingerprint is floor(s_1 * 4095 / 2^64) + 1 = 1901, the
 * first bucket floor(h * 1000 / 2^64) = 471. Of 1901, s_1 is 0xb4d5251375829524
 * and r = 2 * floor(0xb4d5251375829524 * 500 / 2^64) + 1 = 707; 1000 - 471 - 707
 * is -178, so the other bucket is 822. Alone it lies in slot 0 of bucket 471,
 * from bit 22608 on: 6d in byte 2826 and 7 in the low half of the next.
 */
#include <stdlib.h>

#include "sketch/member/cuckoo.h"
#include "sketch/member/cuckoo_body.h"

enum status
cuckoo_new(struct cuckoo **out, const struct cuckoo_shape *shape)
{
	if (!cuckoo_shape_valid(shape))
		return STATUS_PARAMETER;
	struct cuckoo *c = calloc(1, sizeof *c);
	if (!c)
		return STATUS_MEMORY;
	enum status st = pages_map(&c->pages, cuckoo_bytes(shape));
	if (st != OK) {
		free(c);
		return st;
	}
	c->shape = *shape;
	cuckoo_table_init(&c->table, shape, c->pages.at, c->pages.at);
	*out = c;
	return OK;
}

void
cuckoo_free(struct cuckoo *c)
{
	if (!c)
		return;
	pages_unmap(&c->pages);
	buffer_free(&c->loaded);
	free(c);
}

const struct cuckoo_shape *
cuckoo_shape(const struct cuckoo *c)
{
	return &c->shape;
}

/* The keys of a batch of items, and have the memory of their buckets come. */
static void
stage(const struct cuckoo_table *t, const uint64_t *hash, size_t n, struct cuckoo_key *key)
{
	for (size_t i = 0; i < n; i++) {
		key[i] = cuckoo_key(t, hash[i]);
		cuckoo_prefetch(t, &key[i]);
	}
}

size_t
cuckoo_has(const struct cuckoo *c, const uint64_t *hash, size_t n, bool *has)
{
	struct cuckoo_key key[CUCKOO_KEYS];
	size_t found = 0;

	for (size_t at = 0; at < n; at += CUCKOO_KEYS) {
		size_t batch = n - at < CUCKOO_KEYS ? n - at : CUCKOO_KEYS;

		stage(&c->table, hash + at, batch, key);
		for (size_t i = 0; i < batch; i++) {
			has[at + i] = cuckoo_find(&c->table, &key[i]) ||
			    cuckoo_is_victim(c, &key[i]);
			found += has[at + i];
		}
	}
	return found;
}

/* Does it fill all the slots that it may lie in? */
static bool
permanent(const struct cuckoo *c, const struct cuckoo_key *key)
{
	return cuckoo_copies(&c->table, key) == 2 * CUCKOO_SLOTS;
}

static bool
add_key(struct cuckoo *c, const struct cuckoo_key *key)
{
	if (cuckoo_place(&c->table, key)) {
		c->used++;
		return true;
	}
	/* Asked before the search, which would find nothing but its copies. */
	if (permanent(c, key))
		return true;
	if (cuckoo_move(&c->table, key)) {
		c->used++;
		return true;
	}
	if (c->victim)
		return false;
	c->victim = key->print;
	c->victim_bucket = key->bucket[key->bucket[0] & 1];
	return true;
}

enum status
cuckoo_add_keys(struct cuckoo *c, const struct cuckoo_key *key, size_t n, size_t *done)
{
	for (*done = 0; *done < n; ++*done)
		if (!add_key(c, &key[*done]))
			return STATUS_FULL;
	return OK;
}

enum status
cuckoo_add(struct cuckoo *c, const uint64_t *hash, size_t n, size_t *done)
{
	struct cuckoo_key key[CUCKOO_KEYS];
	enum status st = OK;

	for (*done = 0; st == OK && *done < n; ) {
		size_t batch = n - *done < CUCKOO_KEYS ? n - *done : CUCKOO_KEYS;
		size_t added;

		stage(&c->table, hash + *done, batch, key);
		st = cuckoo_add_keys(c, key, batch, &added);
		*done += added;
	}
	return st;
}

enum removal
cuckoo_remove(struct cuckoo *c, uint64_t hash)
{
	struct cuckoo_key key = cuckoo_key(&c->table, hash);

	if (permanent(c, &key))
		return REMOVE_PERMANENT;
	if (cuckoo_is_victim(c, &key)) {
		c->victim = 0;
		c->victim_bucket = 0;
		return REMOVED;
	}
	if (!cuckoo_take(&c->table, &key))
		return REMOVE_ABSENT;
	c->used--;
	if (!c->victim)
		return REMOVED;
	struct cuckoo_key victim = cuckoo_victim(c);
	if (cuckoo_place(&c->table, &victim) || cuckoo_move(&c->table, &victim)) {
		c->used++;
		c->victim = 0;
		c->victim_bucket = 0;
	}
	return REMOVED;
}

uint64_t
cuckoo_stored(const struct cuckoo *c)
{
	return c->used + (c->victim != 0);
}

/* The victim too is compared with absent items, but only with those of its own
 * two buckets: not worth a digit. */
struct fill
cuckoo_fill(const struct cuckoo *c)
{
	return (struct fill){
		(double)cuckoo_stored(c), cuckoo_expected_fpp(&c->shape, c->used),
	};
}

size_t
cuckoo_keys(const struct cuckoo *c, uint64_t *next, struct cuckoo_key key[CUCKOO_KEYS])
{
	const struct cuckoo_table *t = &c->table;
	size_t n = 0;

	for (; *next < t->buckets && n + CUCKOO_SLOTS <= CUCKOO_KEYS; ++*next) {
		hash_wide bucket = cuckoo_bucket(t, *next);
		for (unsigned slot = 0; slot < CUCKOO_SLOTS; slot++) {
			uint32_t print = cuckoo_slot(t, bucket, slot);
			if (print)
				key[n++] = (struct cuckoo_key){
					{*next, cuckoo_other(t->buckets, *next, print)}, print,
				};
		}
	}
	if (*next == t->buckets && n < CUCKOO_KEYS) {
		++*next;
		if (c->victim)
			key[n++] = cuckoo_victim(c);
	}
	return n;
}
