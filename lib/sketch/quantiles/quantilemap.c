/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * An entry of up to 31 samples is a list: one lies in the entry, more lie in
 * memory whose room is 3, 7, 15 or 31, a power of two together with the word that
 * malloc keeps for itself. So the room follows from the number. What is asked of
 * such an entry is asked of a sketch that is made of it for the moment.
 */
#include <stdlib.h>
#include <string.h>

#include "sketch/quantiles/hdr.h"
#include "sketch/keys.h"
#include "sketch/kinds.h"
#include "sketch/quantiles/quantilemap.h"

#define LIST_MAX 31

struct entry {
	struct key key;
	uint64_t items;              /* offered */
	union {
		double one;
		double *list;
		void *body;
	};
	uint8_t n;                   /* of the list; then items is as many */
	bool made;                   /* it has a body */
};

struct quantilemap {
	const struct quantiles *what;
	const struct kind *kind;
	struct record settings;
	struct keys keys;
	bool listed;                 /* lists may be: see quantilemap_new() */
	size_t lists;                /* bytes */
	void *moment;                /* made of a list, for who asks */
};

enum status
quantilemap_new(struct quantilemap **out, const struct record *settings)
{
	struct quantilemap *m = calloc(1, sizeof *m);
	void *body = NULL;

	if (!m)
		return STATUS_MEMORY;
	m->what = quantiles_find(settings->kind);
	m->kind = kind_find(settings->kind);
	m->settings = *settings;
	m->keys.size = sizeof(struct entry);
	/* If they are corrected as they come, they are more than what a list says. */
	m->listed = settings->kind != KIND_HDR || settings->param[HDR_PARAM_INTERVAL] == 0;
	/* Whether the settings are right should not depend on a key. */
	enum status st = m->what->make(&body, settings);
	if (st != OK) {
		free(m);
		return st;
	}
	m->kind->free(body);
	*out = m;
	return OK;
}

static struct entry *
entry_of(const struct quantilemap *m, uint32_t number)
{
	return keys_entry(&m->keys, number);
}

void
quantilemap_free(struct quantilemap *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->keys.n; i++) {
		struct entry *e = entry_of(m, i);
		if (e->made)
			m->kind->free(e->body);
		else if (e->n > 1)
			free(e->list);
	}
	if (m->moment)
		m->kind->free(m->moment);
	keys_clear(&m->keys);
	free(m);
}

static const double *
list_of(const struct entry *e)
{
	return e->n > 1 ? e->list : &e->one;
}

/* How many samples the memory of a list of n has room for: none is its own if one
 * lies in the entry. */
static size_t
room_for(size_t n)
{
	size_t room = 1;

	while (room < n)
		room = 2 * room + 1;
	return n > 1 ? room : 0;
}

/* A sketch of the list. */
static enum status
sketch_list(const struct quantilemap *m, const struct entry *e, void **out)
{
	void *body;
	enum status st = m->what->make(&body, &m->settings);

	if (st != OK)
		return st;
	st = m->what->add(body, list_of(e), NULL, e->n);
	if (st != OK)
		m->kind->free(body);
	else
		*out = body;
	return st;
}

static enum status
become_sketch(struct quantilemap *m, struct entry *e)
{
	void *body;
	enum status st = e->made ? OK : sketch_list(m, e, &body);

	if (st != OK || e->made)
		return st;
	if (e->n > 1)
		free(e->list);
	m->lists -= room_for(e->n) * sizeof *e->list;
	e->body = body;
	e->made = true;
	return OK;
}

/* Another sample for a list with less than LIST_MAX of them. */
static enum status
extend(struct quantilemap *m, struct entry *e, double value)
{
	size_t old = room_for(e->n), room = room_for(e->n + 1u);

	if (e->n == 0) {
		e->one = value;
	} else if (room > old) {
		double *list = reallocarray(e->n > 1 ? e->list : NULL, room, sizeof *list);
		if (!list)
			return STATUS_MEMORY;
		if (e->n == 1)
			list[0] = e->one;
		m->lists += (room - old) * sizeof *list;
		e->list = list;
	}
	if (e->n > 0)
		e->list[e->n] = value;
	e->n++;
	return OK;
}

static enum status
add_to_entry(struct quantilemap *m, struct entry *e, double value, uint64_t weight)
{
	enum status st = OK;

	if (m->listed && !e->made && weight == 1 && e->n < LIST_MAX) {
		st = extend(m, e, value);
	} else {
		st = become_sketch(m, e);
		if (st == OK)
			st = m->what->add(e->body, &value, &weight, 1);
	}
	if (st == OK)
		e->items = add_saturated(e->items, 1);
	return st;
}

/* Up to AT_ONCE samples: first all entries are found, then what they have, which
 * lies all over the memory, is fetched, and then there is something to add to. */
#define AT_ONCE 256

static enum status
add_some(struct quantilemap *m, const struct slice *key, const uint64_t *key_hash,
    const double *value, const uint64_t *weight, size_t n)
{
	uint32_t number[AT_ONCE];
	enum status st = OK;
	bool made;

	keys_fetch(&m->keys, key_hash, n);
	for (size_t i = 0; i < n; i++) {
		st = keys_find(&m->keys, key[i], key_hash[i], &number[i], &made);
		if (st != OK)
			return st;
		const struct entry *e = entry_of(m, number[i]);
		if (e->made || e->n > 1)
			__builtin_prefetch(e->body, 1);
	}
	for (size_t i = 0; st == OK && i < n; i++)
		st = add_to_entry(m, entry_of(m, number[i]), value[i], weight ? weight[i] : 1);
	return st;
}

enum status
quantilemap_add(struct quantilemap *m, const struct slice *key, const uint64_t *key_hash,
    const double *value, const uint64_t *weight, size_t n)
{
	enum status st = OK;

	for (size_t i = 0; st == OK && i < n; i += AT_ONCE)
		st = add_some(m, key + i, key_hash + i, value + i, weight ? weight + i : NULL,
		    n - i < AT_ONCE ? n - i : AT_ONCE);
	return st;
}

static enum status
unite_lists(struct quantilemap *m, struct entry *to, const struct entry *from)
{
	enum status st = OK;

	for (size_t i = 0; st == OK && i < from->n; i++)
		st = add_to_entry(m, to, list_of(from)[i], 1);
	return st;
}

/* Behind what into's entry of this key has. */
static enum status
unite_entry(struct quantilemap *into, const struct quantilemap *from, const struct entry *e)
{
	struct mismatch why;
	void *body = NULL;
	uint32_t number;
	bool made;
	enum status st = keys_find(&into->keys, (struct slice){e->key.at, e->key.len}, e->key.tag,
	    &number, &made);

	if (st != OK)
		return st;
	struct entry *to = entry_of(into, number);
	if (!to->made && !e->made && to->n + e->n <= LIST_MAX)
		return unite_lists(into, to, e);
	st = become_sketch(into, to);
	if (st == OK && !e->made)
		st = sketch_list(from, e, &body);
	if (st == OK)
		st = from->kind->merge(to->body, body ? body : e->body, &why);
	if (st == OK)
		to->items = add_saturated(to->items, e->items);
	if (body)
		from->kind->free(body);
	return st;
}

enum status
quantilemap_unite(struct quantilemap *into, const struct quantilemap *from)
{
	enum status st = OK;

	for (uint32_t i = 0; st == OK && i < from->keys.n; i++)
		st = unite_entry(into, from, entry_of(from, i));
	return st;
}

uint32_t
quantilemap_keys(const struct quantilemap *m)
{
	return m->keys.n;
}

size_t
quantilemap_memory(const struct quantilemap *m)
{
	return m->keys.memory + m->lists;
}

enum status
quantilemap_sort(struct quantilemap *m)
{
	return keys_sort(&m->keys);
}

uint32_t
quantilemap_sorted(const struct quantilemap *m, uint32_t i)
{
	return m->keys.sorted[i];
}

struct slice
quantilemap_key(const struct quantilemap *m, uint32_t entry)
{
	return keys_key(&m->keys, entry);
}

uint64_t
quantilemap_items(const struct quantilemap *m, uint32_t entry)
{
	return entry_of(m, entry)->items;
}

uint64_t
quantilemap_total(const struct quantilemap *m, uint32_t entry)
{
	const struct entry *e = entry_of(m, entry);

	return e->made ? m->what->total(e->body) : e->n;
}

enum status
quantilemap_sketch(struct quantilemap *m, uint32_t entry, const void **body)
{
	const struct entry *e = entry_of(m, entry);

	if (e->made) {
		*body = e->body;
		return OK;
	}
	if (m->moment)
		m->kind->free(m->moment);
	m->moment = NULL;
	enum status st = sketch_list(m, e, &m->moment);
	*body = m->moment;
	return st;
}
