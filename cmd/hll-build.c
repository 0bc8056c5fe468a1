/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * hll-build reads lines and writes one HyperLogLog of their distinct items,
 * or with --by one for each key. It never ends with status 1.
 */

#include <stdlib.h>
#include <unistd.h>

#include "sketch/hll.h"
#include "tool/build.h"
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

/* The result: one sketch for each worker, united at the end, or a table. */
static struct hll *part[WORKERS_MAX];
static struct group *group;

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_BY | OPTS_BUILD, help, usage, about, NULL);
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
	if (group) {
		group_add(group, worker, b);
	} else {
		enum status st = OK;
		if (!part[worker])
			st = hll_new(&part[worker], opt.precision);
		if (st == OK)
			st = hll_add(part[worker], b->hash, b->n);
		if (st != OK)
			die(st, "cannot count");
	}
	return GO_ON;
}

static void
block_end(void *context, unsigned worker)
{
	(void)context;
	if (group)
		group_flush(group, worker);
}

/* As told, as the sketch to resemble or to update has it, or the default: a
 * file never gets coarser just because a run did not repeat its precision. */
static void
choose_precision(void)
{
	struct sketch like;
	struct record old;

	if (shared.like) {
		build_like(&like, "hll");
		opt.precision = hll_precision(like.body);
		sketch_free(&like);
	}
	bool update = build_begin("hll", &old);
	if (opt.precision == 0)
		opt.precision = update ? (unsigned)old.param[HLL_PARAM_PRECISION] :
		    PRECISION_DEFAULT;
}

/* One sketch of all workers' parts. */
static struct hll *
united(void)
{
	struct hll *all;
	enum status st = hll_new(&all, opt.precision);

	for (unsigned i = 0; st == OK && i < WORKERS_MAX; i++) {
		if (part[i])
			st = hll_merge(all, part[i]);
		hll_free(part[i]);
	}
	if (st != OK)
		die(st, "cannot unite");
	return all;
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
	group_merge(group, *key, s->body, s->head.items);
}

static void
write_entry(void *context, struct slice key, uint64_t items, const struct hll_view *view)
{
	(void)context;
	table_hll(key, items, view);
}

static void
build_table(void)
{
	build_open();
	int fd = shared.update ? build_old() : -1;
	if (fd >= 0) {
		struct records records = {
			.only = "hll", .end = shared.scan.end, .sketch = old_entry, .keyed = old_head
		};
		records_from(&records, fd, shared.update);
		close(fd);
	}
	table_begin_hll(&table_head, group_precision(group));
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
	choose_precision();

	struct job job = opts_job();
	job.each = add;
	job.block_end = block_end;
	if (job.scan.has_key)
		group = group_new(opt.precision, parallel_workers(&job), scan_key_moves(&job.scan));
	struct intake tally = parallel_run(&job, argc, argv);

	struct record head = opts_identity();
	head.kind = hll_kind.id;
	if (group) {
		table_head = head;
		build_table();
	} else {
		head.items = tally.items;
		struct sketch one = {.head = head, .kind = &hll_kind, .body = united()};
		build_one(&one, "hll");
	}
	opts_tally(&tally);
	return output_finish(EXIT_YES);
}
