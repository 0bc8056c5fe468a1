/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The list lies in address space for the whole ceiling, which costs nothing
 * until it is touched, so it grows without being moved.
 *
 * COUNTING distinct ones takes a table of them, and a table of all would cost
 * more than the list. So the list is read once for each value of the hashes'
 * top bits, and a table holds only those that begin so: few enough for what is
 * left of the ceiling, and for the cache where there are many passes. To read
 * 100 million hashes in order takes 0.1 s, which is little beside what their
 * look-ups take.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/salt.h"
#include "sketch/member/hashlist.h"

/* Of the ceiling's bytes the list may have four fifths. A pass's table has 9
 * bytes a slot, 1.4 to 2.9 slots for each hash, and half as many besides while
 * it grows. In the most passes, 32, that is 1.2 bytes for each in the list, of
 * the 2 that a full one leaves. */
#define LIST_SHARE(bytes) ((bytes) / 5 * 4)
#define TABLE_BYTES(hashes) (39 * (hashes))
#define PASS_BITS_MAX 5
#define PASS_WANTED (1 << 20)        /* hashes for which a pass is worth it */

struct hashlist {
	struct pages pages;
	uint64_t *hash;
	uint64_t n, max;
	uint64_t bytes;              /* the ceiling */
};

enum status
hashlist_new(struct hashlist **out, uint64_t bytes)
{
	assert(bytes >= HASHLIST_BYTES_MIN);
	struct hashlist *l = calloc(1, sizeof *l);
	if (!l)
		return STATUS_MEMORY;
	l->bytes = bytes;
	l->max = LIST_SHARE(bytes) / sizeof *l->hash;
	enum status st = pages_map(&l->pages, l->max * sizeof *l->hash);
	if (st != OK) {
		free(l);
		return st;
	}
	l->hash = (uint64_t *)(void *)l->pages.at;
	*out = l;
	return OK;
}

void
hashlist_free(struct hashlist *l)
{
	if (!l)
		return;
	pages_unmap(&l->pages);
	free(l);
}

size_t
hashlist_add(struct hashlist *l, const uint64_t *hash, size_t n)
{
	if (n > l->max - l->n)
		n = (size_t)(l->max - l->n);
	memcpy(l->hash + l->n, hash, n * sizeof *hash);
	l->n += n;
	return n;
}

uint64_t
hashlist_count(const struct hashlist *l)
{
	return l->n;
}

uint64_t
hashlist_capacity(const struct hashlist *l)
{
	return l->max;
}

const uint64_t *
hashlist_all(const struct hashlist *l)
{
	return l->hash;
}

/* Hashes and how often each was met: open addressing, linear probing. A count
 * of 0 is an empty slot. */
struct table {
	uint64_t *hash;
	unsigned char *count;
	size_t slots, taken;
};

static void
table_free(struct table *t)
{
	free(t->hash);
	free(t->count);
}

static enum status
table_make(struct table *t, size_t slots)
{
	*t = (struct table){calloc(slots, sizeof *t->hash), calloc(slots, 1), slots, 0};
	if (t->hash && t->count)
		return OK;
	table_free(t);
	return STATUS_MEMORY;
}

/* Its slot, or the one where it belongs. Salted: hashes may have been chosen, and a
 * pass has taken the top bits. Only numbers of them come out. */
static size_t
table_slot(const struct table *t, uint64_t hash)
{
	size_t i = (size_t)hash_place(salt_scatter(hash), t->slots);

	while (t->count[i] > 0 && t->hash[i] != hash)
		i = i + 1 < t->slots ? i + 1 : 0;
	return i;
}

static enum status
table_double(struct table *t)
{
	struct table larger;
	enum status st = table_make(&larger, 2 * t->slots);

	if (st != OK)
		return st;
	for (size_t i = 0; i < t->slots; i++)
		if (t->count[i] > 0) {
			size_t to = table_slot(&larger, t->hash[i]);
			larger.hash[to] = t->hash[i];
			larger.count[to] = t->count[i];
		}
	larger.taken = t->taken;
	table_free(t);
	*t = larger;
	return OK;
}

/* One more of it; adds 1 to n unless there were so many copies before. */
static enum status
table_count(struct table *t, uint64_t hash, unsigned copies, uint64_t *n)
{
	size_t i = table_slot(t, hash);

	if (t->count[i] >= copies)
		return OK;
	++*n;
	if (t->count[i]++ > 0)
		return OK;
	t->hash[i] = hash;
	return ++t->taken > t->slots / 10 * 7 ? table_double(t) : OK;
}

/* How many top bits a pass is for. */
static unsigned
pass_bits(const struct hashlist *l)
{
	uint64_t left = l->bytes - l->n * sizeof *l->hash;
	unsigned bits = 0;

	while (bits < PASS_BITS_MAX &&
	    (l->n >> bits > PASS_WANTED || TABLE_BYTES(l->n >> bits) > left))
		bits++;
	return bits;
}

enum status
hashlist_distinct(const struct hashlist *l, unsigned copies, uint64_t *n)
{
	unsigned bits = pass_bits(l);
	uint64_t sum = 0;
	enum status st = OK;

	assert(copies >= 1 && copies <= UCHAR_MAX);
	for (uint64_t pass = 0; st == OK && pass >> bits == 0; pass++) {
		struct table t;
		st = table_make(&t, 1024);
		if (st != OK)
			return st;
		for (uint64_t i = 0; st == OK && i < l->n; i++)
			if (bits == 0 || l->hash[i] >> (64 - bits) == pass)
				st = table_count(&t, l->hash[i], copies, &sum);
		table_free(&t);
	}
	if (st == OK)
		*n = sum;
	return st;
}
