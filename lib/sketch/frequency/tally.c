/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "sketch/frequency/tally.h"

#define EXPECTED_LENGTH 16       /* of items, before there are any */

void
tally_lay_out(struct tally *t, size_t bytes)
{
	size_t mean = t->n ? t->used / t->n : tally_entry_size(t, EXPECTED_LENGTH);
	size_t capacity = bytes / (mean + TALLY_SLOT_SHARE);

	t->capacity = capacity;
	/* One slot more, so that one is always free and a search ends. */
	t->limit = (bytes - capacity * TALLY_SLOT_SHARE - 8) & ~(size_t)7;
	t->slots = (uint64_t *)(void *)(t->block + t->limit);
	t->nslots = (bytes - t->limit) / sizeof *t->slots;
}

/* With half of the slots in use, among 2^32 random entries the one farthest from
 * home is some 120 slots away. */
#define FAR 256

/* Let this slot lead to the entry at offset. */
static inline void
slot_set(struct tally *t, size_t slot, uint64_t tag, size_t offset)
{
	size_t far = slot - tally_slot(t, tag);

	t->slots[slot] = tag << 32 | (offset / 8 + 1);
	/* Behind the end it went on at the front. */
	if (far > FAR && far + t->nslots > FAR)
		t->crowded = !t->salted;
}

/* Write the index, until it turns out to be crowded. */
static void
write_index(struct tally *t)
{
	memset(t->slots, 0, t->nslots * sizeof *t->slots);
	for (size_t at = 0; at < t->used && !t->crowded;) {
		const struct entry *e = tally_at(t, at);
		uint64_t tag = tally_tag(t->salted, (struct slice){e->key, e->len}, e->hash);
		size_t slot = tally_slot(t, tag);
		while (t->slots[slot])
			slot = slot + 1 == t->nslots ? 0 : slot + 1;
		slot_set(t, slot, tag, at);
		at += tally_entry_size(t, e->len);
	}
}

void
tally_index(struct tally *t)
{
	if (!t->crowded)
		write_index(t);
	if (t->crowded) {
		t->crowded = false;
		t->salted = true;
		write_index(t);
	}
}

enum status
tally_resize(struct tally *t, size_t size)
{
	unsigned char *block = realloc(t->block, size);

	if (!block)
		return STATUS_MEMORY;
	t->block = block;
	t->size = size;
	tally_lay_out(t, size);
	tally_index(t);
	return OK;
}

void
tally_free(struct tally *t)
{
	free(t->block);
	*t = (struct tally){0};
}

struct entry *
tally_insert(struct tally *t, size_t slot, struct slice item, uint64_t hash,
    uint64_t count, uint64_t err)
{
	struct entry *e = tally_at(t, t->used);

	e->count = count;
	e->err = err;
	e->hash = hash;
	e->len = (uint32_t)item.len;
	if (item.len)
		memcpy(e->key, item.at, item.len);
	slot_set(t, slot, tally_tag(t->salted, item, hash), t->used);
	t->used += tally_entry_size(t, item.len);
	t->n++;
	return e;
}

static inline __attribute__((always_inline)) void
look_ahead(const struct tally *t, bool salted, const struct slice *item, const uint64_t *hash,
    size_t n, size_t *slot)
{
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&t->slots[tally_slot(t, tally_tag(salted, item[i], hash[i]))]);

	for (size_t i = 0; i < n; i++) {
		uint64_t tag = tally_tag(salted, item[i], hash[i]);
		slot[i] = tally_seek(t, tag, tally_slot(t, tag));
		if (!t->slots[slot[i]])
			continue;
		const unsigned char *entry = (void *)tally_of_slot(t, slot[i]);
		__builtin_prefetch(entry, 1);
		if (tally_entry_size(t, item[i].len) > 40)
			__builtin_prefetch(entry + 64);
	}
}

void
tally_look_ahead(const struct tally *t, const struct slice *item,
    const uint64_t *hash, size_t n, size_t *slot)
{
	if (t->salted)
		look_ahead(t, true, item, hash, n, slot);
	else
		look_ahead(t, false, item, hash, n, slot);
}
