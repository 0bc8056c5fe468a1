/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll.h"
#include "sketch/kinds.h"
#include "tool/files/build.h"
#include "tool/distinct/counter.h"
#include "tool/distinct/distinct_build.h"
#include "tool/distinct/group.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/files/table.h"

/* What a worker needs to make elements of lines. */
struct maker {
	struct features features;
	struct batch batch;          /* of elements, with their keys */
	uint64_t made;
};

static struct {
	const struct distinct_build *build;
	struct counter counter;      /* the result: one sketch for each worker, */
	struct group *group;         /* or a table */
	bool makes;                  /* elements are features, by this rule */
	struct feature_rule rule;
	struct maker *maker[WORKERS_MAX];
	struct record table_head;
} run;

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot hold a sketch");
}

/* Would a sketch of these settings fit into the file? Better asked before all is
 * read. And it will have the settings of both. */
static void
must_unite(struct distinct_build *b, const struct record *old)
{
	const struct distinct *what = distinct_find(old->kind);
	const struct kind *kind = kind_find(old->kind);
	struct record both = {0};
	struct buffer payload = {0};
	void *theirs = NULL, *mine = NULL;
	struct mismatch why;

	enum status st = what->make(&theirs, old);
	if (st == OK)
		st = what->make(&mine, &b->settings);
	if (st == OK)
		st = kind->merge(theirs, mine, &why);
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", shared.update, why.text);
	if (st == OK)
		st = kind->save(theirs, &both, &payload);
	if (st != OK)
		die(st, "cannot update '%s'", shared.update);
	if (!shared.compat)
		memcpy(b->settings.param, both.param, sizeof both.param);
	buffer_free(&payload);
	kind->free(theirs);
	kind->free(mine);
}

void
distinct_build_settle(struct distinct_build *b)
{
	const size_t params = sizeof b->told / sizeof *b->told;
	struct sketch like;
	struct record old;
	bool told = shared.like || shared.settings_given;

	for (size_t i = 0; i < params; i++)
		told |= b->told[i];
	if (shared.compat)
		b->settings = shared.settings;
	if (shared.like) {
		build_like(&like, b->only);
		b->settings = like.head;
		sketch_free(&like);
	}
	if (!build_begin(b->only, &old))
		return;
	/* A file never gets coarser just because a run did not repeat its settings. */
	if (!told)
		b->settings = old;
	for (size_t i = 0; told && !shared.like && !shared.settings_given && i < params; i++)
		if (!b->told[i])
			b->settings.param[i] = old.param[i];
	if (told)
		must_unite(b, &old);
}

static struct maker *
maker_of(unsigned worker)
{
	struct maker *m = run.maker[worker];

	if (m)
		return m;
	m = run.maker[worker] = calloc(1, sizeof *m);
	if (!m)
		must(STATUS_MEMORY);
	features_init(&m->features, run.rule);
	return m;
}

static void
deliver(unsigned worker, const struct batch *b)
{
	if (run.group)
		group_add(run.group, worker, b);
	else
		counter_add(&run.counter, worker, b);
}

/* The elements that an item is made of, each with the item's key. */
static void
make_elements(struct maker *m, unsigned worker, const struct batch *b, size_t item)
{
	struct batch *out = &m->batch;

	must(features_of(&m->features, b->item[item]));
	m->made += m->features.n;
	for (size_t at = 0; at < m->features.n; at += out->n) {
		size_t left = m->features.n - at;

		out->n = left < BATCH_MAX ? left : BATCH_MAX;
		for (size_t i = 0; i < out->n; i++) {
			out->hash[i] = run.build->element(m->features.at[at + i]);
			if (run.group) {
				out->key[i] = b->key[item];
				out->key_hash[i] = b->key_hash[item];
			}
		}
		deliver(worker, out);
	}
}

static enum verdict
add(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	if (!run.makes) {
		deliver(worker, b);
		return GO_ON;
	}
	for (size_t i = 0; i < b->n; i++)
		make_elements(maker_of(worker), worker, b, i);
	return GO_ON;
}

static void
block_end(void *context, unsigned worker)
{
	(void)context;
	if (run.group)
		group_flush(run.group, worker);
}

/* How many elements were made, and release what made them. */
static uint64_t
makers_end(void)
{
	uint64_t made = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct maker *m = run.maker[i];

		if (!m)
			continue;
		made = add_saturated(made, m->made);
		features_clear(&m->features);
		free(m);
	}
	return made;
}

/*
 * With --by: entries of a file to be updated go into the table, then the whole
 * table is written in the order of its keys.
 */

static void
old_head(void *context, const char *name, const struct record *head)
{
	struct mismatch why;

	(void)context;
	if (record_compare(head, &run.table_head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", name, why.text);
}

static void
old_entry(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	if (!key)
		die_exit(EXIT_SKETCH, "cannot update '%s': it is not keyed", name);
	old_head(context, name, &s->head);
	struct mismatch why;
	if (group_merge(run.group, *key, s, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", name, why.text);
}

static void
write_entry(void *context, struct slice key, const struct record *head, struct slice payload)
{
	(void)context;
	table_distinct(key, head, payload);
}

static void
build_table(const struct distinct_build *b, const struct record *head)
{
	struct record settings = b->settings;

	run.table_head = *head;
	build_open();
	int fd = shared.update ? build_old() : -1;
	if (!build_shards(fd, b->only)) {
		group_free(run.group);
		return;
	}
	if (fd >= 0) {
		struct records records = {
			.only = b->only, .end = shared.scan.end, .sketch = old_entry, .keyed = old_head,
			.shards = build_same_shards,
		};
		records_from(&records, fd, shared.update);
		close(fd);
	}
	if (settings.kind == KIND_HLL)
		settings.param[HLL_PARAM_PRECISION] = group_precision(run.group);
	table_begin_distinct(&run.table_head, &settings);
	group_each(run.group, write_entry, NULL);
	table_end();
	build_close();
	group_free(run.group);
}

void
distinct_build_run(const struct distinct_build *b, int argc, char *argv[])
{
	struct job job = opts_job();

	run.build = b;
	run.makes = b->features && b->features(&b->settings, &run.rule);
	opts_hash_features(&run.rule);
	job.each = add;
	job.block_end = block_end;
	if (run.makes)
		job.scan.want_items = job.scan.no_hash = true;
	if (job.scan.has_key)
		run.group = group_new(&b->settings, parallel_workers(&job), scan_key_moves(&job.scan));
	else
		counter_begin(&run.counter, &b->settings);
	struct intake tally = parallel_run(&job, argc, argv);

	uint64_t made = makers_end();
	struct record head = opts_identity();
	head.kind = b->settings.kind;
	head.items = run.makes ? made : tally.items;
	if (run.group) {
		build_table(b, &head);
	} else {
		struct sketch one = {
			.head = head, .kind = kind_find(head.kind), .body = counter_take(&run.counter),
		};
		build_one(&one, b->only);
	}
	opts_tally(&tally);
}
