/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "sketch/distinct/distinct.h"
#include "sketch/distinct/distinctmap.h"
#include "sketch/keys.h"
#include "sketch/kinds.h"

struct entry {
	struct key key;
	void *body;
	uint64_t items;
};

struct distinctmap {
	struct hllmap *ours;         /* or, for sketches of others, all of the following: */
	const struct distinct *what;
	const struct kind *kind;
	struct record settings;
	struct keys keys;            /* of struct entry */
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
		m->keys.size = sizeof(struct entry);
	}
	if (st != OK) {
		distinctmap_free(m);
		return st;
	}
	*out = m;
	return OK;
}

static struct entry *
entry_of(const struct distinctmap *m, uint32_t number)
{
	return keys_entry(&m->keys, number);
}

void
distinctmap_free(struct distinctmap *m)
{
	if (!m)
		return;
	hllmap_free(m->ours);
	for (uint32_t i = 0; i < m->keys.n; i++)
		m->kind->free(entry_of(m, i)->body);
	keys_clear(&m->keys);
	free(m);
}

struct hllmap *
distinctmap_ours(const struct distinctmap *m)
{
	return m->ours;
}

static enum status
find_or_make(struct distinctmap *m, struct slice key, uint64_t key_hash, struct entry **out)
{
	uint32_t number;
	bool made;
	enum status st = keys_find(&m->keys, key, key_hash, &number, &made);

	if (st != OK)
		return st;
	*out = entry_of(m, number);
	if (made)
		st = m->what->make(&(*out)->body, &m->settings);
	if (st != OK)
		keys_undo(&m->keys);
	return st;
}

enum status
distinctmap_add(struct distinctmap *m, const struct slice *key, const uint64_t *key_hash,
    const uint64_t *hash, size_t n)
{
	struct entry *e;
	enum status st = OK;

	if (m->ours)
		return hllmap_add(m->ours, key, key_hash, hash, n);
	keys_fetch(&m->keys, key_hash, n);
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
	for (uint32_t i = 0; st == OK && i < from->keys.n; i++) {
		const struct entry *e = entry_of(from, i);
		st = distinctmap_merge(into, keys_key(&from->keys, i), e->key.tag, e->body,
		    e->items, &why);
	}
	return st;
}

size_t
distinctmap_keys(const struct distinctmap *m)
{
	return m->ours ? hllmap_keys(m->ours) : m->keys.n;
}

enum status
distinctmap_sort(struct distinctmap *m)
{
	return m->ours ? hllmap_sort(m->ours) : keys_sort(&m->keys);
}

uint32_t
distinctmap_sorted(const struct distinctmap *m, size_t i)
{
	return m->ours ? hllmap_sorted(m->ours, i) : m->keys.sorted[i];
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
	for (uint32_t i = 0; i < m->keys.n; i++)
		visit(context, m, i);
}

struct slice
distinctmap_key(const struct distinctmap *m, uint32_t entry)
{
	return m->ours ? hllmap_key(m->ours, entry) : keys_key(&m->keys, entry);
}

uint64_t
distinctmap_items(const struct distinctmap *m, uint32_t entry)
{
	return m->ours ? hllmap_items(m->ours, entry) : entry_of(m, entry)->items;
}

double
distinctmap_estimate(const struct distinctmap *m, uint32_t entry)
{
	return m->ours ? hllmap_estimate(m->ours, entry) :
	    m->what->estimate(entry_of(m, entry)->body);
}

void
distinctmap_interval(const struct distinctmap *m, uint32_t entry, double *low, double *high)
{
	if (m->ours)
		hllmap_interval(m->ours, entry, low, high);
	else
		m->what->interval(entry_of(m, entry)->body, low, high);
}

enum status
distinctmap_payload(const struct distinctmap *m, uint32_t entry, struct record *head,
    struct buffer *payload)
{
	return m->ours ? hllmap_payload(m->ours, entry, head, payload) :
	    m->kind->save(entry_of(m, entry)->body, head, payload);
}
