/* sketchutils: BSD-2-Clause, see LICENSE */
#include <pthread.h>
#include <stdlib.h>

#include "base/salt.h"
#include "tool/distinct/group.h"
#include "tool/distinct/group_body.h"
#include "tool/report.h"

/*
 * A shard is chosen by the top bits of the key's hash; a map uses the low
 * ones. Workers collect items shard by shard and bring them in lists, so a
 * lock is taken once for 128 items and the shard's memory is warm meanwhile.
 */
#define LIST 128

struct list {
	size_t n;
	struct slice key[LIST];
	uint64_t key_hash[LIST];
	uint64_t hash[LIST];
};

static _Noreturn void
failed(enum status st)
{
	die(st, "cannot hold one sketch per key");
}

static _Noreturn void
no_memory(void)
{
	failed(STATUS_MEMORY);
}

static unsigned
shard_of(const struct group *g, uint64_t key_hash)
{
	return g->shards == 1 ? 0 : (unsigned)(key_hash >> 60);
}

static struct group *
new_group(const struct record *settings, unsigned shards)
{
	struct group *g = calloc(1, sizeof *g);

	if (!g)
		no_memory();
	g->settings = *settings;
	g->shards = shards;
	for (unsigned i = 0; i < shards; i++) {
		pthread_mutex_init(&g->lock[i], NULL);
		enum status st = distinctmap_new(&g->map[i], settings);
		if (st != OK)
			failed(st);
	}
	return g;
}

struct group *
group_new(const struct record *settings, unsigned workers, bool loose)
{
	struct group *g = new_group(settings, GROUP_SHARDS);

	g->workers = workers;
	g->loose = loose;
	g->lists = calloc((size_t)workers * GROUP_SHARDS, sizeof *g->lists);
	if (!g->lists)
		no_memory();
	return g;
}

struct group *
group_small(const struct record *settings)
{
	return new_group(settings, 1);
}

void
group_free(struct group *g)
{
	if (!g)
		return;
	for (unsigned i = 0; i < g->shards; i++) {
		distinctmap_free(g->map[i]);
		pthread_mutex_destroy(&g->lock[i]);
	}
	free(g->lists);
	free(g);
}

static void
deliver(struct group *g, unsigned shard, struct list *l)
{
	if (l->n == 0)
		return;
	pthread_mutex_lock(&g->lock[shard]);
	enum status st = distinctmap_add(g->map[shard], l->key, l->key_hash, l->hash, l->n);
	pthread_mutex_unlock(&g->lock[shard]);
	if (st != OK)
		no_memory();
	l->n = 0;
}

void
group_add(struct group *g, unsigned worker, const struct batch *b)
{
	struct list *lists = &g->lists[(size_t)worker * GROUP_SHARDS];

	for (size_t i = 0; i < b->n; i++) {
		unsigned shard = shard_of(g, b->key_hash[i]);
		struct list *l = &lists[shard];
		l->key[l->n] = b->key[i];
		l->key_hash[l->n] = b->key_hash[i];
		l->hash[l->n] = b->hash[i];
		if (++l->n == LIST)
			deliver(g, shard, l);
	}
	if (g->loose)
		group_flush(g, worker);
}

void
group_flush(struct group *g, unsigned worker)
{
	for (unsigned i = 0; i < g->shards; i++)
		deliver(g, i, &g->lists[(size_t)worker * GROUP_SHARDS + i]);
}

void
group_put(struct group *g, const struct batch *b, size_t from, size_t n)
{
	if (distinctmap_add(g->map[0], b->key + from, b->key_hash + from, b->hash + from, n) != OK)
		no_memory();
}

void
group_unite(struct group *into, const struct group *from)
{
	if (distinctmap_unite(into->map[0], from->map[0]) != OK)
		no_memory();
}

static enum status
merge_entry(struct group *g, struct slice key, const void *body, uint64_t items,
    struct mismatch *why)
{
	uint64_t hash = salt_shard_hash(key.at, key.len);
	enum status st = distinctmap_merge(g->map[shard_of(g, hash)], key, hash, body, items, why);

	if (st != OK && st != STATUS_MISMATCH)
		failed(st);
	return st;
}

static enum status
fold_entry(void *context, const struct hllmap *old, uint32_t entry)
{
	struct group *g = context;
	struct hll_view view = hllmap_view(old, entry);
	struct mismatch why;
	struct hll *h;

	if (hll_new(&h, group_precision(g)) != OK || hll_unite(h, &view) != OK)
		no_memory();
	merge_entry(g, hllmap_key(old, entry), h, hllmap_items(old, entry), &why);
	hll_free(h);
	return OK;
}

/* A shard after the other. */
void
group_fold(struct group *g, unsigned precision)
{
	struct distinctmap *old[GROUP_SHARDS] = {0};

	if (precision >= group_precision(g))
		return;
	g->settings.param[HLL_PARAM_PRECISION] = precision;
	for (unsigned i = 0; i < g->shards; i++) {
		old[i] = g->map[i];
		if (distinctmap_new(&g->map[i], &g->settings) != OK)
			no_memory();
	}
	for (unsigned i = 0; i < g->shards; i++) {
		hllmap_each(distinctmap_ours(old[i]), fold_entry, g);
		distinctmap_free(old[i]);
	}
}

enum status
group_merge(struct group *g, struct slice key, const struct sketch *s, struct mismatch *why)
{
	if (s->head.kind == KIND_HLL)
		group_fold(g, hll_precision(s->body));
	return merge_entry(g, key, s->body, s->head.items, why);
}

unsigned
group_precision(const struct group *g)
{
	return hllmap_precision(distinctmap_ours(g->map[0]));
}

size_t
group_keys(const struct group *g)
{
	size_t n = 0;

	for (unsigned i = 0; i < g->shards; i++)
		n += distinctmap_keys(g->map[i]);
	return n;
}

struct slice
group_key(const struct group *g, const struct ranked *row)
{
	return distinctmap_key(g->map[row->shard], row->entry);
}

void
group_interval(const struct group *g, const struct ranked *row, double *low, double *high)
{
	distinctmap_interval(g->map[row->shard], row->entry, low, high);
}

/* The least of the keys that follow at[] in each shard; GROUP_SHARDS: there is none. */
static unsigned
least_of(const struct group *g, const size_t at[GROUP_SHARDS], struct slice *least)
{
	unsigned from = GROUP_SHARDS;

	for (unsigned i = 0; i < g->shards; i++) {
		if (at[i] == distinctmap_keys(g->map[i]))
			continue;
		struct slice key = distinctmap_key(g->map[i], distinctmap_sorted(g->map[i], at[i]));
		if (from == GROUP_SHARDS || slice_compare(key, *least) < 0) {
			from = i;
			*least = key;
		}
	}
	return from;
}

void
group_each(struct group *g,
    void (*visit)(void *, struct slice, const struct record *, struct slice), void *context)
{
	size_t at[GROUP_SHARDS] = {0};
	struct buffer payload = {0};
	struct slice key;
	unsigned from;

	for (unsigned i = 0; i < g->shards; i++)
		if (distinctmap_sort(g->map[i]) != OK)
			no_memory();
	while ((from = least_of(g, at, &key)) != GROUP_SHARDS) {
		uint32_t entry = distinctmap_sorted(g->map[from], at[from]++);
		struct record head = {.items = distinctmap_items(g->map[from], entry)};
		payload.len = 0;
		if (distinctmap_payload(g->map[from], entry, &head, &payload) != OK)
			no_memory();
		visit(context, key, &head, (struct slice){payload.at, payload.len});
	}
	buffer_free(&payload);
}
