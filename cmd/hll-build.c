/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * hll-build reads lines and writes one HyperLogLog of their distinct items,
 * or with --by one for each key. It never ends with status 1.
 */

#include <unistd.h>

#include "sketch/distinct.h"
#include "sketch/hll.h"
#include "tool/build.h"
#include "tool/counter.h"
#include "tool/group.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"
#include "tool/table.h"

static const char usage[] =
	"hll-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a sketch that counts the distinct items of lines: 12 KiB for +-0.81 %.";

enum { OPT_PRECISION = 256, OPT_CONFIDENCE };

static const struct opts_row help[] = {
	{OPT_PRECISION, "precision", "P", "2^P registers, 4..18 (14)"},
	{'e', "error", "E", "the precision for this standard error, such as 1%"},
	{OPT_CONFIDENCE, "confidence", "C", "E is kept with this probability, such as 95%"},
	{0}
};

static struct {
	unsigned precision;          /* 0: not given */
	double error, confidence;
	const char *error_text;
} opt;

#define PRECISION_DEFAULT 14

/* What is built: ours, or with --compat another system's. */
static struct record settings = {.kind = KIND_HLL};

/* The result: one sketch for each worker, united at the end, or a table. */
static struct counter counter;
static struct group *group;

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_systems(DISTINCT_KINDS);
	opts_start(OPTS_LINES | OPTS_BY | OPTS_BUILD | OPTS_COMPAT | OPTS_ITEM, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_PRECISION:
			opt.precision = (unsigned)opts_count(HLL_PRECISION_MIN, HLL_PRECISION_MAX);
			break;
		case 'e':
			opt.error = opts_share(1e-6, 1);
			opt.error_text = opts_text();
			break;
		case OPT_CONFIDENCE:
			opt.confidence = opts_share(0.01, 0.999999);
			break;
		}
	opts_exclude(opt.precision > 0, "--precision", opt.error > 0, "-e");
	counter_compat(opt.precision > 0 ? "--precision" : opt.error > 0 ? "-e" : NULL);
	opts_exclude(opt.precision > 0 || opt.error > 0, "--precision or -e", shared.like != NULL, "--like");
	if (opt.confidence > 0 && opt.error == 0)
		die_usage("--confidence needs -e");
	if (opt.error > 0) {
		opt.precision = hll_precision_for(opt.error, opt.confidence);
		if (opt.precision == 0)
			die_usage("cannot use -e '%s': the finest precision, %d, has a standard error of %.3g %%",
			    opt.error_text, HLL_PRECISION_MAX, 100 * hll_error(HLL_PRECISION_MAX));
	}
}

static enum verdict
add(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	if (group)
		group_add(group, worker, b);
	else
		counter_add(&counter, worker, b);
	return GO_ON;
}

static void
block_end(void *context, unsigned worker)
{
	(void)context;
	if (group)
		group_flush(group, worker);
}

/* Would a sketch of ours fit into the file? Better asked before all is read. */
static void
must_unite(const struct record *old)
{
	const struct distinct *what = distinct_find(old->kind);
	const struct kind *kind = kind_find(old->kind);
	void *theirs = NULL, *mine = NULL;
	struct mismatch why;

	enum status st = what->make(&theirs, old);
	if (st == OK)
		st = what->make(&mine, &settings);
	if (st == OK)
		st = kind->merge(theirs, mine, &why);
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", shared.update, why.text);
	if (st != OK)
		die(st, "cannot update '%s'", shared.update);
	kind->free(theirs);
	kind->free(mine);
}

/* As told, as the sketch to resemble or to update has it, or the default: a
 * file never gets coarser just because a run did not repeat its precision. */
static void
choose_settings(void)
{
	struct sketch like;
	struct record old;

	if (shared.compat)
		settings = shared.settings;
	settings.param[HLL_PARAM_PRECISION] += opt.precision;
	if (shared.like) {
		build_like(&like, DISTINCT_KINDS);
		settings = like.head;
		sketch_free(&like);
	}
	bool told = shared.like || shared.settings_given || opt.precision > 0;
	bool update = build_begin(DISTINCT_KINDS, &old);
	if (update && told)
		must_unite(&old);
	else if (update)
		settings = old;
	else if (!told && !shared.compat)
		settings.param[HLL_PARAM_PRECISION] = PRECISION_DEFAULT;
}

/*
 * With --by: entries of a file to be updated go into the table, then the whole
 * table is written in the order of its keys.
 */

static struct record table_head;

static void
old_head(void *context, const char *name, const struct record *head)
{
	struct mismatch why;

	(void)context;
	if (record_compare(head, &table_head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", name, why.text);
}

static void
old_entry(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	if (!key)
		die_exit(EXIT_SKETCH, "cannot update '%s': it is not keyed", name);
	old_head(context, name, &s->head);
	struct mismatch why;
	if (group_merge(group, *key, s, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", name, why.text);
}

static void
write_entry(void *context, struct slice key, const struct record *head, struct slice payload)
{
	(void)context;
	table_distinct(key, head, payload);
}

static void
build_table(void)
{
	build_open();
	int fd = shared.update ? build_old() : -1;
	if (fd >= 0) {
		struct records records = {
			.only = DISTINCT_KINDS, .end = shared.scan.end, .sketch = old_entry, .keyed = old_head
		};
		records_from(&records, fd, shared.update);
		close(fd);
	}
	if (settings.kind == KIND_HLL)
		settings.param[HLL_PARAM_PRECISION] = group_precision(group);
	table_begin_distinct(&table_head, &settings);
	group_each(group, write_entry, NULL);
	table_end();
	build_close();
	group_free(group);
}

int
main(int argc, char *argv[])
{
	tool_start("hll-build");
	parse_options(&argc, &argv);
	choose_settings();

	struct job job = opts_job();
	job.each = add;
	job.block_end = block_end;
	if (job.scan.has_key)
		group = group_new(&settings, parallel_workers(&job), scan_key_moves(&job.scan));
	else
		counter_begin(&counter, &settings);
	struct intake tally = parallel_run(&job, argc, argv);

	struct record head = opts_identity();
	head.kind = settings.kind;
	if (group) {
		table_head = head;
		build_table();
	} else {
		head.items = tally.items;
		struct sketch one = {
			.head = head, .kind = kind_find(head.kind), .body = counter_take(&counter),
		};
		build_one(&one, DISTINCT_KINDS);
	}
	opts_tally(&tally);
	return output_finish(EXIT_YES);
}
