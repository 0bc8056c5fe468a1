/* sketchutils: BSD-2-Clause, see LICENSE */

/*
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

#include "sketch/member/filtermap.h"
#include "sketch/keys.h"

#define LIST_START 4

struct entry {
	struct key key;
	uint64_t items;              /* offered */
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
	struct keys keys;            /* of struct entry */
	uint64_t memory;             /* of what the keys lead to */
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
	m->keys.size = sizeof(struct entry);
	*out = m;
	return OK;
}

static struct entry *
entry_of(const struct filtermap *m, uint32_t number)
{
	return keys_entry(&m->keys, number);
}

void
filtermap_free(struct filtermap *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->keys.n; i++) {
		struct entry *e = entry_of(m, i);
		free(e->filtered ? (void *)e->filter : e->list);
	}
	keys_clear(&m->keys);
	free(m->made);
	free(m);
}

size_t
filtermap_keys(const struct filtermap *m)
{
	return m->keys.n;
}

uint64_t
filtermap_memory(const struct filtermap *m)
{
	return m->keys.memory + m->memory;
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

void
filtermap_fetch(const struct filtermap *m, const uint64_t *key_hash, size_t n)
{
	keys_fetch(&m->keys, key_hash, n);
}

enum status
filtermap_add(struct filtermap *m, struct slice key, uint64_t key_hash, uint64_t hash)
{
	uint32_t number;
	bool made;
	enum status st = keys_find(&m->keys, key, key_hash, &number, &made);

	return st == OK ? entry_add(m, entry_of(m, number), hash) : st;
}

enum status
filtermap_sort(struct filtermap *m)
{
	return keys_sort(&m->keys);
}

/* Whoever asks for one key asks for those behind it next, and they lie all over
 * the memory: first the entry is fetched, then what it leads to. */
#define AHEAD 8

struct slice
filtermap_key(const struct filtermap *m, size_t i)
{
	const uint32_t *sorted = m->keys.sorted;

	if (i + 2 * AHEAD < m->keys.n) {
		const struct entry *e = entry_of(m, sorted[i + AHEAD]);
		__builtin_prefetch(entry_of(m, sorted[i + 2 * AHEAD]));
		__builtin_prefetch(e->key.at);
		__builtin_prefetch(e->filter);
	}
	return keys_key(&m->keys, sorted[i]);
}

enum status
filtermap_filter(struct filtermap *m, size_t i, struct form *form, struct record *head,
    struct slice *payload)
{
	struct entry *e = entry_of(m, m->keys.sorted[i]);
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
