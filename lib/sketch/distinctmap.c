/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "sketch/distinct.h"
#include "sketch/distinctmap.h"
#include "sketch/kinds.h"

/*
 * For sketches of others: an array of entries by number, and slots with open
 * addressing that lead to them, never more than half full. Keys lie one after
 * another in large pieces of memory, which do not move.
 */

struct entry {
	const unsigned char *key;
	void *body;
	uint64_t items;
	uint32_t key_len;
	uint32_t tag;                /* of the key's hash */
};

#define FIRST_SLOTS 16
#define MOST_ENTRIES (UINT32_MAX / 4)
#define PIECE (64 << 10)

struct piece {
	struct piece *before;
	size_t used, room;
	unsigned char at[];
};

struct distinctmap {
	struct hllmap *ours;         /* or all of the following: */
	const struct distinct *what;
	const struct kind *kind;
	struct record settings;
	struct entry *entry;
	uint32_t keys, room;
	uint32_t *slot;              /* a number + 1; 0: free */
	uint32_t slots;
	struct piece *piece;
	uint32_t *sorted;            /* numbers in the order of the keys, or NULL */
};

enum status
distinctmap_new(struct distinctmap **out, const struct record *settings)
{
	struct distinctmap *m = calloc(1, sizeof *m);
	void *body = NULL;
	enum status st = OK;

	if (!m)
		return STATUS_MEMORY;
	m->what = distinct_find(settings->kind);
	m->kind = kind_find(settings->kind);
	m->settings = *settings;
	if (settings->kind == KIND_HLL) {
		st = hllmap_new(&m->ours, (unsigned)settings->param[HLL_PARAM_PRECISION]);
	} else {
		/* Whether the settings are right should not depend on a key. */
		st = m->what->make(&body, settings);
		if (st == OK)
			m->kind->free(body);
		m->slots = FIRST_SLOTS;
		m->slot = calloc(m->slots, sizeof *m->slot);
		if (st == OK && !m->slot)
			st = STATUS_MEMORY;
	}
	if (st != OK) {
		distinctmap_free(m);
		return st;
	}
	*out = m;
	return OK;
}

void
distinctmap_free(struct distinctmap *m)
{
	if (!m)
		return;
	hllmap_free(m->ours);
	for (uint32_t i = 0; i < m->keys; i++)
		m->kind->free(m->entry[i].body);
	while (m->piece) {
		struct piece *before = m->piece->before;
		free(m->piece);
		m->piece = before;
	}
	free(m->entry);
	free(m->slot);
	free(m->sorted);
	free(m);
}

struct hllmap *
distinctmap_ours(const struct distinctmap *m)
{
	return m->ours;
}

/* Where the key is, or would be put. */
static uint32_t *
find_slot(const struct distinctmap *m, struct slice key, uint32_t tag)
{
	uint32_t mask = m->slots - 1, i = tag & mask;

	for (; m->slot[i] != 0; i = (i + 1) & mask) {
		const struct entry *e = &m->entry[m->slot[i] - 1];
		if (e->tag == tag && slice_equal((struct slice){e->key, e->key_len}, key))
			break;
	}
	return &m->slot[i];
}

/* Room for one more entry, and for its slot. */
static enum status
make_room(struct distinctmap *m)
{
	if (m->keys == m->room) {
		uint32_t room = m->room > 0 ? 2 * m->room : FIRST_SLOTS / 2;
		struct entry *more = room > MOST_ENTRIES ? NULL :
		    reallocarray(m->entry, room, sizeof *more);
		if (!more)
			return STATUS_MEMORY;
		m->entry = more;
		m->room = room;
	}
	if (m->keys < m->slots / 2)
		return OK;
	uint32_t *more = calloc(2 * (size_t)m->slots, sizeof *more);
	if (!more)
		return STATUS_MEMORY;
	free(m->slot);
	m->slot = more;
	m->slots *= 2;
	for (uint32_t n = 0; n < m->keys; n++) {
		uint32_t i = m->entry[n].tag & (m->slots - 1);
		while (m->slot[i] != 0)
			i = (i + 1) & (m->slots - 1);
		m->slot[i] = n + 1;
	}
	return OK;
}

/* A copy of the key that stays where it is; NULL without memory. */
static const unsigned char *
keep_key(struct distinctmap *m, struct slice key)
{
	if (!m->piece || m->piece->room - m->piece->used < key.len) {
		size_t room = key.len > PIECE ? key.len : PIECE;
		struct piece *p = room > SIZE_MAX / 2 ? NULL : malloc(sizeof *p + room);
		if (!p)
			return NULL;
		*p = (struct piece){.before = m->piece, .room = room};
		m->piece = p;
	}
	unsigned char *at = m->piece->at + m->piece->used;
	if (key.len > 0)
		memcpy(at, key.at, key.len);
	m->piece->used += key.len;
	return at;
}

static enum status
find_or_make(struct distinctmap *m, struct slice key, uint64_t key_hash, struct entry **out)
{
	uint32_t tag = (uint32_t)key_hash, *slot = find_slot(m, key, tag);
	struct entry new = {.key_len = (uint32_t)key.len, .tag = tag};

	if (*slot != 0) {
		*out = &m->entry[*slot - 1];
		return OK;
	}
	if (key.len > UINT32_MAX || make_room(m) != OK)
		return STATUS_MEMORY;
	new.key = keep_key(m, key);
	if (!new.key)
		return STATUS_MEMORY;
	enum status st = m->what->make(&new.body, &m->settings);
	if (st != OK)
		return st;
	free(m->sorted);
	m->sorted = NULL;
	slot = find_slot(m, key, tag);
	m->entry[m->keys] = new;
	*out = &m->entry[m->keys];
	*slot = ++m->keys;
	return OK;
}

enum status
distinctmap_add(struct distinctmap *m, const struct slice *key, const uint64_t *key_hash,
    const uint64_t *hash, size_t n)
{
	struct entry *e;
	enum status st = OK;

	if (m->ours)
		return hllmap_add(m->ours, key, key_hash, hash, n);
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&m->slot[key_hash[i] & (m->slots - 1)]);
	for (size_t i = 0; st == OK && i < n; i++) {
		st = find_or_make(m, key[i], key_hash[i], &e);
		if (st == OK)
			st = m->what->add(e->body, &hash[i], 1);
		if (st == OK)
			e->items++;
	}
	return st;
}

enum status
distinctmap_merge(struct distinctmap *m, struct slice key, uint64_t key_hash, const void *body,
    uint64_t items, struct mismatch *why)
{
	struct entry *e;

	if (m->ours)
		return hllmap_merge_hll(m->ours, key, key_hash, body, items);
	enum status st = find_or_make(m, key, key_hash, &e);
	if (st == OK)
		st = m->kind->merge(e->body, body, why);
	if (st == OK)
		e->items = add_saturated(e->items, items);
	return st;
}

enum status
distinctmap_unite(struct distinctmap *into, const struct distinctmap *from)
{
	struct mismatch why;
	enum status st = OK;

	if (from->ours)
		return hllmap_unite(into->ours, from->ours);
	for (uint32_t i = 0; st == OK && i < from->keys; i++) {
		struct slice key = distinctmap_key(from, i);
		st = distinctmap_merge(into, key, hash_bytes(key.at, key.len, 0),
		    from->entry[i].body, from->entry[i].items, &why);
	}
	return st;
}

size_t
distinctmap_keys(const struct distinctmap *m)
{
	return m->ours ? hllmap_keys(m->ours) : m->keys;
}

static struct slice
key_of(const void *map, uint32_t entry)
{
	const struct entry *e = &((const struct distinctmap *)map)->entry[entry];

	return (struct slice){e->key, e->key_len};
}

enum status
distinctmap_sort(struct distinctmap *m)
{
	if (m->ours)
		return hllmap_sort(m->ours);
	if (m->sorted || m->keys == 0)
		return OK;
	m->sorted = reallocarray(NULL, m->keys, sizeof *m->sorted);
	if (!m->sorted)
		return STATUS_MEMORY;
	for (uint32_t i = 0; i < m->keys; i++)
		m->sorted[i] = i;
	enum status st = order_refs(m->sorted, m->keys, key_of, m);
	if (st != OK) {
		free(m->sorted);
		m->sorted = NULL;
	}
	return st;
}

uint32_t
distinctmap_sorted(const struct distinctmap *m, size_t i)
{
	return m->ours ? hllmap_sorted(m->ours, i) : m->sorted[i];
}

struct visitor {
	const struct distinctmap *map;
	void (*visit)(void *, const struct distinctmap *, uint32_t);
	void *context;
};

static enum status
visit_ours(void *context, const struct hllmap *map, uint32_t entry)
{
	const struct visitor *v = context;

	(void)map;
	v->visit(v->context, v->map, entry);
	return OK;
}

void
distinctmap_each(const struct distinctmap *m,
    void (*visit)(void *, const struct distinctmap *, uint32_t), void *context)
{
	struct visitor v = {m, visit, context};

	if (m->ours)
		hllmap_each(m->ours, visit_ours, &v);
	for (uint32_t i = 0; i < m->keys; i++)
		visit(context, m, i);
}

struct slice
distinctmap_key(const struct distinctmap *m, uint32_t entry)
{
	return m->ours ? hllmap_key(m->ours, entry) : key_of(m, entry);
}

uint64_t
distinctmap_items(const struct distinctmap *m, uint32_t entry)
{
	return m->ours ? hllmap_items(m->ours, entry) : m->entry[entry].items;
}

double
distinctmap_estimate(const struct distinctmap *m, uint32_t entry)
{
	return m->ours ? hllmap_estimate(m->ours, entry) :
	    m->what->estimate(m->entry[entry].body);
}

void
distinctmap_interval(const struct distinctmap *m, uint32_t entry, double *low, double *high)
{
	if (m->ours)
		hllmap_interval(m->ours, entry, low, high);
	else
		m->what->interval(m->entry[entry].body, low, high);
}

enum status
distinctmap_payload(const struct distinctmap *m, uint32_t entry, struct record *head,
    struct buffer *payload)
{
	return m->ours ? hllmap_payload(m->ours, entry, head, payload) :
	    m->kind->save(m->entry[entry].body, head, payload);
}
