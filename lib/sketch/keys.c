/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "sketch/keys.h"

#define FIRST_SLOTS 16
#define MOST_ENTRIES (UINT32_MAX / 4)
#define PIECE_FIRST 256
#define PIECE_MOST (64 << 10)        /* but for a key that is longer */

struct key_piece {
	struct key_piece *before;
	size_t used, room;
	unsigned char at[];
};

void
keys_clear(struct keys *k)
{
	while (k->piece) {
		struct key_piece *before = k->piece->before;
		free(k->piece);
		k->piece = before;
	}
	free(k->entry);
	free(k->slot);
	free(k->sorted);
	*k = (struct keys){.size = k->size};
}

/* Where the key is, or would be put. There is always a free slot. */
static uint32_t *
find_slot(const struct keys *k, struct slice key, uint32_t tag)
{
	uint32_t mask = k->slots - 1, i = tag & mask;

	for (; k->slot[i] != 0; i = (i + 1) & mask) {
		const struct key *e = keys_entry(k, k->slot[i] - 1);
		if (e->tag == tag && slice_equal((struct slice){e->at, e->len}, key))
			break;
	}
	return &k->slot[i];
}

/* Twice the slots, never more than half of which are in use. */
static enum status
more_slots(struct keys *k)
{
	uint32_t slots = k->slots > 0 ? 2 * k->slots : FIRST_SLOTS;
	uint32_t *more = calloc(slots, sizeof *more);

	if (!more)
		return STATUS_MEMORY;
	k->memory += (slots - k->slots) * sizeof *more;
	free(k->slot);
	k->slot = more;
	k->slots = slots;
	for (uint32_t n = 0; n < k->n; n++) {
		uint32_t i = ((const struct key *)keys_entry(k, n))->tag & (slots - 1);
		while (more[i] != 0)
			i = (i + 1) & (slots - 1);
		more[i] = n + 1;
	}
	return OK;
}

static enum status
more_entries(struct keys *k)
{
	uint32_t room = k->room > 0 ? 2 * k->room : FIRST_SLOTS / 2;
	unsigned char *more = room > MOST_ENTRIES ? NULL : reallocarray(k->entry, room, k->size);

	if (!more)
		return STATUS_MEMORY;
	k->memory += (room - k->room) * k->size;
	k->entry = more;
	k->room = room;
	return OK;
}

/* A copy of the key that stays where it is; NULL without memory. */
static const unsigned char *
keep_key(struct keys *k, struct slice key)
{
	if (!k->piece || k->piece->room - k->piece->used < key.len) {
		size_t room = !k->piece ? PIECE_FIRST : k->piece->room < PIECE_MOST / 2 ?
		    2 * k->piece->room : PIECE_MOST;
		if (room < key.len)
			room = key.len;
		struct key_piece *p = malloc(sizeof *p + room);
		if (!p)
			return NULL;
		*p = (struct key_piece){.before = k->piece, .room = room};
		k->memory += sizeof *p + room;
		k->piece = p;
	}
	unsigned char *at = k->piece->at + k->piece->used;
	if (key.len > 0)
		memcpy(at, key.at, key.len);
	k->piece->used += key.len;
	return at;
}

/* First all slots, then all the entries they lead to, then those entries' keys. */
void
keys_fetch(const struct keys *k, const uint64_t *hash, size_t n)
{
	uint32_t mask = k->slots - 1;

	if (k->slots == 0)
		return;
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&k->slot[hash[i] & mask]);
	for (size_t i = 0; i < n; i++) {
		uint32_t number = k->slot[hash[i] & mask];
		if (number != 0)
			__builtin_prefetch(keys_entry(k, number - 1), 1);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t number = k->slot[hash[i] & mask];
		if (number != 0)
			__builtin_prefetch(((const struct key *)keys_entry(k, number - 1))->at);
	}
}

enum status
keys_find(struct keys *k, struct slice key, uint64_t hash, uint32_t *number, bool *made)
{
	uint32_t tag = (uint32_t)hash;

	*made = false;
	if (k->n >= k->slots / 2 && more_slots(k) != OK)
		return STATUS_MEMORY;
	uint32_t *slot = find_slot(k, key, tag);
	if (*slot != 0) {
		*number = *slot - 1;
		return OK;
	}
	if (key.len > UINT32_MAX || (k->n == k->room && more_entries(k) != OK))
		return STATUS_MEMORY;
	const unsigned char *at = keep_key(k, key);
	if (!at)
		return STATUS_MEMORY;
	free(k->sorted);
	k->sorted = NULL;
	*made = true;
	*number = k->n;
	*slot = ++k->n;
	struct key *entry = keys_entry(k, *number);
	memset(entry, 0, k->size);
	*entry = (struct key){at, (uint32_t)key.len, tag};
	return OK;
}

/* No search has gone on over its slot yet. */
void
keys_undo(struct keys *k)
{
	const struct key *last = keys_entry(k, k->n - 1);

	*find_slot(k, (struct slice){last->at, last->len}, last->tag) = 0;
	k->n--;
}

static struct slice
key_of(const void *keys, uint32_t number)
{
	return keys_key(keys, number);
}

enum status
keys_sort(struct keys *k)
{
	if (k->sorted)
		return OK;
	k->sorted = reallocarray(NULL, (size_t)k->n + 1, sizeof *k->sorted);
	if (!k->sorted)
		return STATUS_MEMORY;
	for (uint32_t i = 0; i < k->n; i++)
		k->sorted[i] = i;
	enum status st = order_refs(k->sorted, k->n, key_of, k);
	if (st != OK) {
		free(k->sorted);
		k->sorted = NULL;
	}
	return st;
}
