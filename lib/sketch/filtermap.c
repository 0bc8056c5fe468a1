/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * An index of entry numbers with open addressing leads from a key's hash to its
 * entry; keys lie one after another in chunks that are never moved.
 *
 * A LIST OF HASHES begins with room for four. When it is full it is sorted, and
 * of equal ones as many are kept as make a difference to a filter of the type:
 * one, or for a counting filter the 15 that take its counters to their largest
 * number. If it is still more than half full it doubles, so each sort has seen
 * half of a list that is new, and a hash takes part in O(log n) sorts at most.
 * A key that sees the same few items over and over keeps a short list.
 *
 * A FILTER takes the list's place as soon as the list would grow larger than
 * it, if its size is known. It is one piece of ordinary memory: a million
 * mappings are more than a system allows.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "sketch/filtermap.h"

#define LIST_START 4
#define INDEX_START 64
#define CHUNK (256 << 10)

struct entry {
	const unsigned char *key;
	uint64_t key_hash;
	uint64_t items;              /* offered */
	uint32_t key_len;
	bool filtered;               /* the list became a filter */
	size_t n, room;              /* of the list */
	union {
		uint64_t *list;
		unsigned char *filter;
	};
};

struct filtermap {
	struct form form;
	bool sized;
	unsigned copies;             /* of equal hashes that a list keeps */
	struct entry *entry;
	size_t keys, room;
	uint32_t *index;             /* an entry's number and 1; 0 is free */
	size_t slots;                /* a power of two */
	uint32_t *sorted;
	unsigned char **chunk;       /* of keys */
	size_t chunks, left;         /* left: free bytes at the end of the last */
	uint64_t memory;
	unsigned char *made;         /* what filtermap_filter made last */
};

enum status
filtermap_new(struct filtermap **out, const struct form *form, bool sized)
{
	struct filtermap *m = calloc(1, sizeof *m);

	assert(form_flat(form->kind));
	if (!m)
		return STATUS_MEMORY;
	m->form = *form;
	m->sized = sized;
	m->copies = form_type(form->kind)->copies;
	*out = m;
	return OK;
}

void
filtermap_free(struct filtermap *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->keys; i++)
		free(m->entry[i].filtered ? (void *)m->entry[i].filter : m->entry[i].list);
	for (size_t i = 0; i < m->chunks; i++)
		free(m->chunk[i]);
	free(m->chunk);
	free(m->entry);
	free(m->index);
	free(m->sorted);
	free(m->made);
	free(m);
}

size_t
filtermap_keys(const struct filtermap *m)
{
	return m->keys;
}

uint64_t
filtermap_memory(const struct filtermap *m)
{
	return m->memory;
}

/* Zeros for a filter; its end is padded as the alignment wants it. */
static unsigned char *
filter_space(uint64_t bytes)
{
	uint64_t padded = record_padded(bytes);

	if (padded > SIZE_MAX / 2)
		return NULL;
	unsigned char *at = aligned_alloc(RECORD_ALIGN, (size_t)padded);
	if (at)
		memset(at, 0, (size_t)padded);
	return at;
}

/* Sorting hashes: by their top byte into 256 runs, each of which is sorted by
 * the next one (McIlroy, Bostic, McIlroy, "Engineering Radix Sort", 1993). */
static void
sort_hashes(uint64_t *h, size_t n, unsigned shift)
{
	size_t start[257] = {0}, at[256];

	if (n <= 32) {
		for (size_t i = 1; i < n; i++) {
			uint64_t v = h[i];
			size_t k = i;
			for (; k > 0 && h[k - 1] > v; k--)
				h[k] = h[k - 1];
			h[k] = v;
		}
		return;
	}
	for (size_t i = 0; i < n; i++)
		start[(h[i] >> shift & 255) + 1]++;
	for (unsigned d = 0; d < 256; d++) {
		start[d + 1] += start[d];
		at[d] = start[d];
	}
	for (unsigned d = 0; d < 256; d++)
		while (at[d] < start[d + 1]) {
			unsigned to = h[at[d]] >> shift & 255;
			uint64_t other = h[at[to]];
			h[at[to]++] = h[at[d]];
			if (to != d)
				h[at[d]] = other;
		}
	for (unsigned d = 0; shift > 0 && d < 256; d++)
		sort_hashes(h + start[d], start[d + 1] - start[d], shift - 8);
}

/* Sort, and keep of equal hashes so many. How many are left, and how many of
 * those are distinct. */
static size_t
compact(uint64_t *h, size_t n, unsigned copies, size_t *distinct)
{
	size_t kept = 0, run = 0;

	sort_hashes(h, n, 56);
	*distinct = 0;
	for (size_t i = 0; i < n; i++) {
		run = i > 0 && h[i] == h[i - 1] ? run + 1 : 1;
		*distinct += run == 1;
		/* What was at i - 1 is compared before anything is put there. */
		if (run <= copies)
			h[kept++] = h[i];
	}
	return kept;
}

static enum status
entry_filter(struct filtermap *m, struct entry *e)
{
	uint64_t bytes = form_bytes(&m->form);
	unsigned char *filter = filter_space(bytes);

	if (!filter)
		return STATUS_MEMORY;
	form_pour(&m->form, filter, e->list, e->n);
	free(e->list);
	m->memory += record_padded(bytes) - e->room * sizeof *e->list;
	e->filter = filter;
	e->filtered = true;
	return OK;
}

/* The list is full: shorten it, or make more room. */
static enum status
entry_room(struct filtermap *m, struct entry *e)
{
	size_t distinct, room = e->room > 0 ? 2 * e->room : LIST_START;

	if (e->n > 0)
		e->n = compact(e->list, e->n, m->copies, &distinct);
	if (e->room > 0 && e->n <= e->room / 2)
		return OK;
	if (m->sized && room * sizeof *e->list > form_bytes(&m->form))
		return entry_filter(m, e);
	uint64_t *list = realloc(e->list, room * sizeof *list);
	if (!list)
		return STATUS_MEMORY;
	m->memory += (room - e->room) * sizeof *list;
	e->list = list;
	e->room = room;
	return OK;
}

static enum status
entry_add(struct filtermap *m, struct entry *e, uint64_t hash)
{
	e->items = add_saturated(e->items, 1);
	if (!e->filtered && e->n == e->room) {
		enum status st = entry_room(m, e);
		if (st != OK)
			return st;
	}
	if (e->filtered)
		form_pour(&m->form, e->filter, &hash, 1);
	else
		e->list[e->n++] = hash;
	return OK;
}

/* Keys. */

static enum status
index_double(struct filtermap *m)
{
	size_t slots = m->slots > 0 ? 2 * m->slots : INDEX_START;
	uint32_t *index = calloc(slots, sizeof *index);

	if (!index)
		return STATUS_MEMORY;
	for (size_t i = 0; i < m->keys; i++) {
		size_t at = m->entry[i].key_hash & (slots - 1);
		while (index[at] != 0)
			at = (at + 1) & (slots - 1);
		index[at] = (uint32_t)(i + 1);
	}
	m->memory += (slots - m->slots) * sizeof *index;
	free(m->index);
	m->index = index;
	m->slots = slots;
	return OK;
}

static const unsigned char *
keep_key(struct filtermap *m, struct slice key)
{
	if (key.len > m->left || m->chunks == 0) {
		size_t bytes = key.len > CHUNK ? key.len : CHUNK;
		unsigned char **chunk = realloc(m->chunk, (m->chunks + 1) * sizeof *chunk);
		if (!chunk)
			return NULL;
		m->chunk = chunk;
		chunk[m->chunks] = malloc(bytes);
		if (!chunk[m->chunks])
			return NULL;
		m->chunks++;
		m->left = bytes;
		m->memory += bytes;
	}
	unsigned char *at = m->chunk[m->chunks - 1];
	/* A chunk of one key's size is used up by it. */
	at += (key.len > CHUNK ? key.len : CHUNK) - m->left;
	m->left -= key.len;
	if (key.len > 0)
		memcpy(at, key.at, key.len);
	return at;
}

static enum status
new_entry(struct filtermap *m, struct slice key, uint64_t key_hash)
{
	if (m->keys == m->room) {
		size_t room = m->room > 0 ? 2 * m->room : INDEX_START;
		struct entry *entry = realloc(m->entry, room * sizeof *entry);
		if (!entry)
			return STATUS_MEMORY;
		m->memory += (room - m->room) * sizeof *entry;
		m->entry = entry;
		m->room = room;
	}
	if (key.len > UINT32_MAX || m->keys == UINT32_MAX)
		return STATUS_MEMORY;
	const unsigned char *at = keep_key(m, key);
	if (!at)
		return STATUS_MEMORY;
	m->entry[m->keys++] = (struct entry){
		.key = at, .key_len = (uint32_t)key.len, .key_hash = key_hash,
	};
	return OK;
}

void
filtermap_fetch(const struct filtermap *m, const uint64_t *key_hash, size_t n)
{
	if (m->slots == 0)
		return;
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&m->index[key_hash[i] & (m->slots - 1)]);
	for (size_t i = 0; i < n; i++) {
		uint32_t number = m->index[key_hash[i] & (m->slots - 1)];
		if (number != 0)
			__builtin_prefetch(&m->entry[number - 1], 1);
	}
}

enum status
filtermap_add(struct filtermap *m, struct slice key, uint64_t key_hash, uint64_t hash)
{
	/* At most half of the slots are in use. */
	if (2 * m->keys >= m->slots) {
		enum status st = index_double(m);
		if (st != OK)
			return st;
	}
	size_t at = key_hash & (m->slots - 1);
	for (; m->index[at] != 0; at = (at + 1) & (m->slots - 1)) {
		struct entry *e = &m->entry[m->index[at] - 1];
		if (e->key_hash == key_hash && slice_equal((struct slice){e->key, e->key_len}, key))
			return entry_add(m, e, hash);
	}
	enum status st = new_entry(m, key, key_hash);
	if (st != OK)
		return st;
	m->index[at] = (uint32_t)m->keys;
	return entry_add(m, &m->entry[m->keys - 1], hash);
}

static struct slice
key_of(const void *map, uint32_t number)
{
	const struct entry *e = &((const struct filtermap *)map)->entry[number];

	return (struct slice){e->key, e->key_len};
}

enum status
filtermap_sort(struct filtermap *m)
{
	uint32_t *sorted = malloc((m->keys + 1) * sizeof *sorted);

	if (!sorted)
		return STATUS_MEMORY;
	for (size_t i = 0; i < m->keys; i++)
		sorted[i] = (uint32_t)i;
	enum status st = order_refs(sorted, m->keys, key_of, m);
	if (st != OK) {
		free(sorted);
		return st;
	}
	free(m->sorted);
	m->sorted = sorted;
	return OK;
}

/* Whoever asks for one key asks for those behind it next, and they lie all over
 * the memory: first the entry is fetched, then what it leads to. */
#define AHEAD 8

struct slice
filtermap_key(const struct filtermap *m, size_t i)
{
	if (i + 2 * AHEAD < m->keys) {
		const struct entry *e = &m->entry[m->sorted[i + AHEAD]];
		__builtin_prefetch(&m->entry[m->sorted[i + 2 * AHEAD]]);
		__builtin_prefetch(e->key);
		__builtin_prefetch(e->filter);
	}
	return key_of(m, m->sorted[i]);
}

enum status
filtermap_filter(struct filtermap *m, size_t i, struct form *form, struct record *head,
    struct slice *payload)
{
	struct entry *e = &m->entry[m->sorted[i]];
	size_t distinct = 0;

	*form = m->form;
	if (!e->filtered)
		e->n = compact(e->list, e->n, m->copies, &distinct);
	if (!m->sized && !form_for(form, m->form.kind, distinct, m->form.fpp))
		return STATUS_PARAMETER;
	form_head(form, head);
	head->items = e->items;
	if (e->items == UINT64_MAX)
		head->flags |= FLAG_SATURATED;
	if (e->filtered) {
		*payload = (struct slice){e->filter, (size_t)head->size};
		return OK;
	}
	free(m->made);
	m->made = filter_space(head->size);
	if (!m->made)
		return STATUS_MEMORY;
	form_pour(form, m->made, e->list, e->n);
	*payload = (struct slice){m->made, (size_t)head->size};
	return OK;
}
