/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/salt.h"
#include "sketch/distinct/hllcell.h"
#include "sketch/distinct/hllmap.h"

/*
 * Three arrays, none of which holds a pointer:
 *
 *	slots    open addressing: 32 bits of the key's hash, 32 bits of entry
 *	entries  one after another, numbered in units of 8 bytes:
 *
 *	         | items | length |     cell     | key ... up to 8 bytes |
 *	         8 bytes   4        12
 *
 *	pool     what does not fit into the cells, see hllcell.h
 *
 * Doubling the slots needs their 32 bits of hash only, not the entries. The
 * keys of a stream lie all over the memory, so a batch is added in steps that
 * each ask for the memory of the next one: the slot, the entry, the token or
 * register.
 */
#define UNIT 8
#define BATCH 256
#define FIRST_SLOTS 64
#define MOST_SLOTS ((size_t)1 << 30)    /* the tag still tells keys apart */

struct slot {
	uint32_t tag;
	uint32_t entry;              /* 0: free */
};

struct entry {
	uint64_t items;              /* offered, repeated ones included */
	uint32_t length;             /* of the key, which follows */
	struct hllcell cell;
};

struct hllmap {
	struct slot *slot;
	size_t slots;                /* a power of two */
	size_t keys;
	struct buffer entries;
	struct hllpool pool;
	uint32_t *sorted;            /* NULL, or all entries by key */
};

enum status
hllmap_new(struct hllmap **out, unsigned precision)
{
	if (precision < HLL_PRECISION_MIN || precision > HLL_PRECISION_MAX)
		return STATUS_PARAMETER;

	struct hllmap *map = calloc(1, sizeof(*map));
	if (!map)
		return STATUS_MEMORY;
	map->slot = calloc(FIRST_SLOTS, sizeof(*map->slot));
	if (!map->slot) {
		free(map);
		return STATUS_MEMORY;
	}
	map->slots = FIRST_SLOTS;
	hllpool_init(&map->pool, precision);
	/* Number 0 is no entry. */
	if (buffer_zeros(&map->entries, UNIT) != OK) {
		hllmap_free(map);
		return STATUS_MEMORY;
	}
	*out = map;
	return OK;
}

void
hllmap_free(struct hllmap *map)
{
	if (!map)
		return;
	free(map->slot);
	buffer_free(&map->entries);
	hllpool_clear(&map->pool);
	free(map->sorted);
	free(map);
}

static struct entry *
entry_at(const struct hllmap *map, uint32_t number)
{
	return (void *)(map->entries.at + (size_t)number * UNIT);
}

static unsigned char *
entry_key(struct entry *e)
{
	return (unsigned char *)(e + 1);
}

static size_t
entry_size(size_t length)
{
	return (sizeof(struct entry) + length + UNIT - 1) / UNIT * UNIT;
}

/* The slot of a key: its own or the free one where it belongs. */
static struct slot *
find_slot(const struct hllmap *map, struct slice key, uint32_t tag)
{
	size_t at = tag & (map->slots - 1);

	for (; map->slot[at].entry != 0; at = (at + 1) & (map->slots - 1)) {
		if (map->slot[at].tag != tag)
			continue;
		struct entry *e = entry_at(map, map->slot[at].entry);
		if (e->length == key.len &&
		    (key.len == 0 || memcmp(entry_key(e), key.at, key.len) == 0))
			break;
	}
	return &map->slot[at];
}

static enum status
double_slots(struct hllmap *map)
{
	size_t slots = map->slots * 2;

	if (slots > MOST_SLOTS)
		return STATUS_MEMORY;
	struct slot *slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return STATUS_MEMORY;
	for (size_t i = 0; i < map->slots; i++) {
		if (map->slot[i].entry == 0)
			continue;
		size_t at = map->slot[i].tag & (slots - 1);
		while (slot[at].entry != 0)
			at = (at + 1) & (slots - 1);
		slot[at] = map->slot[i];
	}
	free(map->slot);
	map->slot = slot;
	map->slots = slots;
	return OK;
}

/* The key's entry, made if there is none. */
static enum status
find_or_make(struct hllmap *map, struct slice key, uint32_t tag, uint32_t *number)
{
	struct slot *slot = find_slot(map, key, tag);

	if (slot->entry != 0) {
		*number = slot->entry;
		return OK;
	}
	if (key.len > UINT32_MAX - 64)
		return STATUS_MEMORY;
	if (map->keys >= map->slots / 4 * 3) {
		enum status st = double_slots(map);
		if (st != OK)
			return st;
		slot = find_slot(map, key, tag);
	}

	size_t begin = map->entries.len, size = entry_size(key.len);
	if (begin / UNIT > UINT32_MAX)
		return STATUS_MEMORY;
	enum status st = buffer_zeros(&map->entries, size);
	if (st != OK)
		return st;

	*number = (uint32_t)(begin / UNIT);
	struct entry *e = entry_at(map, *number);
	e->length = (uint32_t)key.len;
	if (key.len > 0)
		memcpy(entry_key(e), key.at, key.len);
	*slot = (struct slot){tag, *number};
	map->keys++;
	free(map->sorted);
	map->sorted = NULL;
	return OK;
}

static enum status
add_item(struct hllmap *map, struct entry *e, uint64_t hash)
{
	e->items++;
	return hllcell_add(&map->pool, &e->cell, hash);
}

static enum status
add_batch(struct hllmap *map, const struct slice *key, const uint64_t *key_hash,
    const uint64_t *hash, size_t n)
{
	uint32_t number[BATCH];
	enum status st = OK;

	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&map->slot[key_hash[i] & (map->slots - 1)]);
	for (size_t i = 0; i < n; i++) {
		const struct slot *home = &map->slot[key_hash[i] & (map->slots - 1)];
		const struct entry *e = entry_at(map, home->entry);

		/* Most keys are at home; a chain is not worth following. */
		__builtin_prefetch(e);
		__builtin_prefetch((const unsigned char *)e + entry_size(key[i].len) - 1);
	}
	for (size_t i = 0; i < n && st == OK; i++) {
		st = find_or_make(map, key[i], (uint32_t)key_hash[i], &number[i]);
		if (st == OK)
			hllcell_prefetch(&map->pool, &entry_at(map, number[i])->cell, hash[i]);
	}
	for (size_t i = 0; i < n && st == OK; i++)
		st = add_item(map, entry_at(map, number[i]), hash[i]);
	return st;
}

enum status
hllmap_add(struct hllmap *map, const struct slice *key, const uint64_t *key_hash,
    const uint64_t *hash, size_t n)
{
	for (size_t i = 0; i < n; i += BATCH) {
		size_t some = n - i < BATCH ? n - i : BATCH;
		enum status st = add_batch(map, key + i, key_hash + i, hash + i, some);

		if (st != OK)
			return st;
	}
	return OK;
}

static enum status
merge_view(struct hllmap *map, struct slice key, uint64_t key_hash, const struct hll_view *v,
    uint64_t items)
{
	uint32_t number;
	enum status st = find_or_make(map, key, (uint32_t)key_hash, &number);

	if (st != OK)
		return st;
	struct entry *e = entry_at(map, number);
	st = hllcell_unite(&map->pool, &e->cell, v);
	if (st == OK)
		e->items = add_saturated(e->items, items);
	return st;
}

enum status
hllmap_merge_hll(struct hllmap *map, struct slice key, uint64_t key_hash,
    const struct hll *from, uint64_t items)
{
	struct hll_view v = hll_view(from);

	if (v.precision < map->pool.precision)
		return STATUS_MISMATCH;
	return merge_view(map, key, key_hash, &v, items);
}

static enum status
merge_entry(void *into, const struct hllmap *from, uint32_t entry)
{
	struct slice key = hllmap_key(from, entry);
	struct hll_view v = hllmap_view(from, entry);

	return merge_view(into, key, salt_shard_hash(key.at, key.len), &v,
	    hllmap_items(from, entry));
}

enum status
hllmap_unite(struct hllmap *into, const struct hllmap *from)
{
	return hllmap_each(from, merge_entry, into);
}

size_t
hllmap_keys(const struct hllmap *map)
{
	return map->keys;
}

unsigned
hllmap_precision(const struct hllmap *map)
{
	return map->pool.precision;
}

size_t
hllmap_memory(const struct hllmap *map)
{
	return sizeof(*map) + map->slots * sizeof(*map->slot) +
	    map->entries.len + map->pool.words.len +
	    (map->sorted ? map->keys * sizeof(*map->sorted) : 0);
}

uint32_t
hllmap_find(const struct hllmap *map, struct slice key, uint64_t key_hash)
{
	return find_slot(map, key, (uint32_t)key_hash)->entry;
}

/* The entry that was made next. */
static uint32_t
next_entry(const struct hllmap *map, uint32_t number)
{
	return number + (uint32_t)(entry_size(entry_at(map, number)->length) / UNIT);
}

static struct slice
key_of(const void *map, uint32_t entry)
{
	return hllmap_key(map, entry);
}

enum status
hllmap_sort(struct hllmap *map)
{
	if (map->sorted || map->keys == 0)
		return OK;

	uint32_t *sorted = malloc(map->keys * sizeof(*sorted));
	if (!sorted)
		return STATUS_MEMORY;
	uint32_t number = 1;
	for (size_t i = 0; i < map->keys; i++, number = next_entry(map, number))
		sorted[i] = number;
	enum status st = order_refs(sorted, map->keys, key_of, map);
	if (st != OK) {
		free(sorted);
		return st;
	}
	map->sorted = sorted;
	return OK;
}

uint32_t
hllmap_sorted(const struct hllmap *map, size_t i)
{
	return map->sorted[i];
}

enum status
hllmap_each(const struct hllmap *map,
    enum status (*visit)(void *context, const struct hllmap *, uint32_t entry),
    void *context)
{
	uint32_t number = 1;
	enum status st = OK;

	for (size_t i = 0; st == OK && i < map->keys; i++) {
		st = visit(context, map, map->sorted ? map->sorted[i] : number);
		number = next_entry(map, number);
	}
	return st;
}

struct slice
hllmap_key(const struct hllmap *map, uint32_t entry)
{
	struct entry *e = entry_at(map, entry);

	return (struct slice){entry_key(e), e->length};
}

uint64_t
hllmap_items(const struct hllmap *map, uint32_t entry)
{
	return entry_at(map, entry)->items;
}

struct hll_view
hllmap_view(const struct hllmap *map, uint32_t entry)
{
	return hllcell_view(&map->pool, &entry_at(map, entry)->cell);
}

double
hllmap_estimate(const struct hllmap *map, uint32_t entry)
{
	struct hll_view v = hllmap_view(map, entry);

	return hll_view_estimate(&v);
}

void
hllmap_interval(const struct hllmap *map, uint32_t entry, double *low, double *high)
{
	struct hll_view v = hllmap_view(map, entry);

	hll_view_interval(&v, low, high);
}

enum status
hllmap_payload(const struct hllmap *map, uint32_t entry, struct record *head,
    struct buffer *payload)
{
	struct hll_view v = hllmap_view(map, entry);

	return hll_view_save(&v, head, payload);
}

static enum status
unite_entry(void *into, const struct hllmap *map, uint32_t entry)
{
	struct hll_view v = hllmap_view(map, entry);

	return hll_unite(into, &v);
}

enum status
hllmap_total(const struct hllmap *map, struct hll *into)
{
	return hllmap_each(map, unite_entry, into);
}
