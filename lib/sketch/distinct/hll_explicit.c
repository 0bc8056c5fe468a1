/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "base/salt.h"
#include "sketch/distinct/hll_explicit.h"

#define FIRST_ROOM 8

/* Where the hash is, or the free slot where it belongs. Salted: hashes may have been
 * chosen. Whoever walks over them asks for no order, or sorts them. */
static uint64_t *
slot_of(uint64_t *slot, size_t room, uint64_t hash)
{
	size_t at = (size_t)hash_place(salt_scatter(hash), room);

	while (slot[at] != 0 && slot[at] != hash)
		at = (at + 1) & (room - 1);
	return &slot[at];
}

void
hll_explicit_clear(struct hll_explicit *e)
{
	free(e->slot);
	*e = (struct hll_explicit){0};
}

static enum status
grow(struct hll_explicit *e)
{
	size_t room = e->room > 0 ? 2 * e->room : FIRST_ROOM;
	uint64_t *slot = calloc(room, sizeof *slot);

	if (!slot)
		return STATUS_MEMORY;
	for (size_t i = 0; i < e->room; i++)
		if (e->slot[i] != 0)
			*slot_of(slot, room, e->slot[i]) = e->slot[i];
	free(e->slot);
	e->slot = slot;
	e->room = room;
	return OK;
}

bool
hll_explicit_has(const struct hll_explicit *e, uint64_t hash)
{
	if (hash == 0)
		return e->zero;
	return e->room > 0 && *slot_of(e->slot, e->room, hash) != 0;
}

enum status
hll_explicit_add(struct hll_explicit *e, uint64_t hash)
{
	if (hash == 0)
		e->zero = true;
	if (hll_explicit_has(e, hash))
		return OK;
	/* A free slot must remain, or a search does not end. */
	if (e->taken == e->room / 4 * 3) {
		enum status st = grow(e);
		if (st != OK)
			return st;
	}
	*slot_of(e->slot, e->room, hash) = hash;
	e->taken++;
	return OK;
}

size_t
hll_explicit_count(const struct hll_explicit *e)
{
	return e->taken + e->zero;
}

bool
hll_explicit_next(const struct hll_explicit *e, size_t *at, uint64_t *hash)
{
	while (*at < e->room) {
		*hash = e->slot[(*at)++];
		if (*hash != 0)
			return true;
	}
	*hash = 0;
	return (*at)++ == e->room && e->zero;
}
