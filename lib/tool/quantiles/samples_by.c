/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A shard is chosen by the top bits of the key's hash; a map uses the low ones.
 * The samples of a block are sorted by shard, and the block goes through each
 * shard's gate in its turn. One worker alone has no need of that, nor of more
 * than one shard: nothing that is told of the table depends on how many there are.
 */
#include <stdlib.h>
#include <string.h>

#include "sketch/quantiles/quantilemap.h"
#include "sketch/quantiles/quantiles.h"
#include "tool/options/opts.h"
#include "tool/time/overtime.h"
#include "tool/lines/parallel.h"
#include "tool/report.h"
#include "tool/quantiles/samples.h"
#include "tool/quantiles/samples_by.h"
#include "tool/files/table.h"
#include "tool/files/tablefile.h"
#include "tool/files/unite.h"

_Static_assert(GATES == RANKING_SHARDS, "a gate for each shard");

/* Where a sample of a block is. */
struct place {
	uint32_t batch;
	uint32_t item;
};

/* A block's samples, those of a shard together and in their order. */
struct sorted {
	size_t from[GATES + 1];      /* where those of each shard begin */
	struct place *at;
	size_t room;
};

struct samples_by {
	struct record settings;
	unsigned shards;
	struct quantilemap *map[GATES];
	struct sorted *sorted;       /* of each worker, if there are several */
	uint32_t next[GATES];        /* of each map's list of keys, while all are walked */
};

static void
must(enum status st)
{
	if (st == STATUS_FULL)
		die_exit(EXIT_USAGE, "cannot use --correct: the interval is too short for the samples");
	if (st != OK)
		die(st, "cannot hold one sketch per key");
}

struct samples_by *
samples_by_new(const struct record *settings)
{
	struct samples_by *s = calloc(1, sizeof *s);

	if (!s)
		must(STATUS_MEMORY);
	s->settings = *settings;
	s->shards = 1;
	must(quantilemap_new(&s->map[0], settings));
	return s;
}

void
samples_by_free(struct samples_by *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->shards; i++)
		quantilemap_free(s->map[i]);
	for (unsigned i = 0; s->sorted && i < WORKERS_MAX; i++)
		free(s->sorted[i].at);
	free(s->sorted);
	free(s);
}

static const uint64_t *
weights(const struct batch *b)
{
	return shared.scan.has_weight ? b->weight : NULL;
}

/*
 * Several workers.
 */

static inline unsigned
shard_of(uint64_t key_hash)
{
	return (unsigned)(key_hash >> 60);
}

static void
sort_block(struct sorted *s, struct batch *const *batch, size_t n)
{
	size_t at[GATES] = {0}, items = 0;

	for (size_t k = 0; k < n; items += batch[k++]->n)
		for (size_t i = 0; i < batch[k]->n; i++)
			at[shard_of(batch[k]->key_hash[i])]++;
	if (items > s->room) {
		free(s->at);
		s->at = reallocarray(NULL, items, sizeof *s->at);
		if (!s->at)
			must(STATUS_MEMORY);
		s->room = items;
	}
	for (unsigned i = 0; i < GATES; i++) {
		s->from[i + 1] = s->from[i] + at[i];
		at[i] = s->from[i];
	}
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < batch[k]->n; i++)
			s->at[at[shard_of(batch[k]->key_hash[i])]++] =
			    (struct place){(uint32_t)k, (uint32_t)i};
}

static void
add_places(struct quantilemap *m, struct batch *const *batch, const struct place *at, size_t n)
{
	struct slice key[BATCH_MAX];
	uint64_t key_hash[BATCH_MAX], weight[BATCH_MAX];
	double value[BATCH_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct batch *b = batch[at[i].batch];
		key[i] = b->key[at[i].item];
		key_hash[i] = b->key_hash[at[i].item];
		value[i] = b->value[at[i].item];
		weight[i] = shared.scan.has_weight ? b->weight[at[i].item] : 1;
	}
	must(quantilemap_add(m, key, key_hash, value, weight, n));
}

static void
add_block(void *context, unsigned worker, struct batch *const *batch, size_t n,
    struct gates *gates)
{
	struct samples_by *s = context;
	struct sorted *sorted = &s->sorted[worker];

	sort_block(sorted, batch, n);
	for (unsigned i = 0; i < GATES; i++) {
		if (!gate_enter(gates, i))
			return;
		for (size_t k = sorted->from[i]; k < sorted->from[i + 1]; k += BATCH_MAX) {
			size_t rest = sorted->from[i + 1] - k;
			add_places(s->map[i], batch, sorted->at + k, rest < BATCH_MAX ? rest : BATCH_MAX);
		}
		gate_leave(gates, i);
	}
}

static enum verdict
add_batch(void *context, unsigned worker, struct batch *b)
{
	struct samples_by *s = context;

	(void)worker;
	must(quantilemap_add(s->map[0], b->key, b->key_hash, b->value, weights(b), b->n));
	return GO_ON;
}

struct job
samples_by_job(struct samples_by *s)
{
	struct job job = opts_job();

	job.context = s;
	job.block = add_block;
	if (parallel_workers(&job) == 1) {
		job.block = NULL;
		job.each = add_batch;
		return job;
	}
	s->sorted = calloc(WORKERS_MAX, sizeof *s->sorted);
	if (!s->sorted)
		must(STATUS_MEMORY);
	for (; s->shards < GATES; s->shards++)
		must(quantilemap_new(&s->map[s->shards], &s->settings));
	return job;
}

/*
 * Over time: tables of one shard.
 */

struct steps {
	const struct record *settings;
	void (*rows)(const char *time, struct samples_by *);
};

static void *
make(void *context)
{
	const struct steps *s = context;

	return samples_by_new(s->settings);
}

static void
put(void *context, void *table, const struct batch *b, size_t from, size_t n)
{
	const struct samples_by *s = table;
	const uint64_t *weight = weights(b);

	(void)context;
	must(quantilemap_add(s->map[0], b->key + from, b->key_hash + from, b->value + from,
	    weight ? weight + from : NULL, n));
}

static void
unite(void *context, void *into, void *from)
{
	struct samples_by *table = into;
	const struct samples_by *other = from;
	enum status st = quantilemap_unite(table->map[0], other->map[0]);

	(void)context;
	if (st == STATUS_FULL)
		samples_full();
	must(st);
}

static void
drop(void *context, void *table)
{
	(void)context;
	samples_by_free(table);
}

static void
print_rows(void *context, const char *time, void *table)
{
	const struct steps *s = context;

	s->rows(time, table);
}

void
samples_by_over_time(const struct record *settings,
    void (*rows)(const char *, struct samples_by *), int argc, char *argv[])
{
	struct steps steps = {settings, rows};

	overtime_run(&(struct pane_sketch){&steps, make, put, unite, drop, print_rows},
	    opts_job(), argc, argv);
}

/*
 * Answers.
 */

struct slice
samples_by_key(const struct samples_by *s, const struct ranked *row)
{
	return quantilemap_key(s->map[row->shard], row->entry);
}

static struct slice
row_key(const void *table, const struct ranked *row)
{
	return samples_by_key(table, row);
}

struct ranked *
samples_by_top(struct samples_by *s, uint64_t k, uint64_t least, size_t *n)
{
	size_t keys = 0, rows = 0;

	for (unsigned i = 0; i < s->shards; i++)
		keys += quantilemap_keys(s->map[i]);
	struct ranked *row = reallocarray(NULL, keys + 1, sizeof *row);
	if (!row)
		must(STATUS_MEMORY);
	for (unsigned i = 0; i < s->shards; i++)
		for (uint32_t e = 0; e < quantilemap_keys(s->map[i]); e++) {
			uint64_t total = quantilemap_total(s->map[i], e);
			if (total >= least)
				row[rows++] = (struct ranked){total, i, e};
		}
	*n = ranking_sort(row, rows, k > rows ? rows + 1 : (size_t)k, row_key, s);
	return row;
}

void
samples_by_fetch(const struct samples_by *s, const struct ranked *row, size_t i, size_t n)
{
	ranking_fetch(row, i, n, row_key, s);
}

const void *
samples_by_sketch(struct samples_by *s, const struct ranked *row)
{
	const void *body;

	must(quantilemap_sketch(s->map[row->shard], row->entry, &body));
	return body;
}

/*
 * The file.
 */

/* The shard with the least key that is left, or GATES. */
static unsigned
least_of(const struct samples_by *s, struct slice *least)
{
	unsigned from = GATES;

	for (unsigned i = 0; i < s->shards; i++) {
		if (s->next[i] == quantilemap_keys(s->map[i]))
			continue;
		struct slice key = quantilemap_key(s->map[i], quantilemap_sorted(s->map[i], s->next[i]));
		if (from == GATES || slice_compare(key, *least) < 0) {
			from = i;
			*least = key;
		}
	}
	return from;
}

/* What is written: the header of all, and a payload. */
struct writing {
	struct samples_by *table;
	const struct kind *kind;
	struct record head;
	struct buffer payload;
	unsigned shard;              /* which has the least key that is left */
	bool saturated;              /* some sum of weights stopped */
};

static bool
peek(void *context, struct slice *key)
{
	struct writing *w = context;

	w->shard = least_of(w->table, key);
	return w->shard != GATES;
}

/* The sketch of the key that was seen, which is not ours to free, and go on. */
static struct slice
next(struct writing *w, struct sketch *out)
{
	struct samples_by *s = w->table;
	struct quantilemap *m = s->map[w->shard];
	uint32_t entry = quantilemap_sorted(m, s->next[w->shard]++);
	const void *body;

	must(quantilemap_sketch(m, entry, &body));
	w->saturated |= quantiles_find(w->head.kind)->saturated(body);
	*out = (struct sketch){
		.head = w->head, .kind = w->kind, .body = (void *)(uintptr_t)body,
	};
	out->head.items = quantilemap_items(m, entry);
	return quantilemap_key(m, entry);
}

static void
write_next(void *context)
{
	struct sketch one;
	struct slice key = next(context, &one);

	table_sketch(key, &one);
}

/* A copy, by way of its record. */
static void
take_next(void *context, struct sketch *out)
{
	struct writing *w = context;
	struct sketch one;

	next(w, &one);
	w->payload.len = 0;
	must(one.kind->save(one.body, &one.head, &w->payload));
	must(sketch_load(out, &one.head, &w->payload));
}

/* All keys of a file have the settings of its header. In the old one they may be
 * finer; that none is coarser was seen to before anything was read. */
static void
settle_old(void *context, struct slice key, struct sketch *old)
{
	struct writing *w = context;
	uint64_t theirs = old->head.param[QUANTILES_FINENESS];
	uint64_t ours = w->head.param[QUANTILES_FINENESS];

	(void)key;
	if (theirs < ours)
		die_exit(EXIT_SKETCH, "cannot update '%s': unlike settings in it; sketch-merge makes "
		    "them alike", shared.update);
	if (theirs > ours)
		unite_settle(&w->head, old, shared.update);
	w->saturated |= quantiles_find(w->head.kind)->saturated(old->body);
}

bool
samples_by_write(struct samples_by *s, const struct record *identity, const char *only)
{
	struct writing w = {
		.table = s, .kind = kind_find(s->settings.kind),
		.head = table_empty(identity, &s->settings),
	};

	for (unsigned i = 0; i < s->shards; i++) {
		must(quantilemap_sort(s->map[i]));
		s->next[i] = 0;
	}
	tablefile_write(&(struct tablefile){
		.only = only, .head = w.head, .context = &w, .peek = peek, .write = write_next,
		.take = take_next, .old = settle_old,
	});
	buffer_free(&w.payload);
	return w.saturated;
}
