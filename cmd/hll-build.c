/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * hll-build reads lines and writes one HyperLogLog of their distinct items,
 * or with --by one for each key. It never ends with status 1.
 */

#include <stdlib.h>
#include <unistd.h>

#include "base/keyed.h"
#include "sketch/hll.h"
#include "tool/build.h"
#include "tool/group.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"

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
	unsigned precision;
	double error, confidence;
} opt = {.precision = 14};

/* The result: one sketch for each worker, united at the end, or a table. */
static struct hll *part[WORKERS_MAX];
static struct group *group;

static void
parse_options(int *argc, char ***argv)
{
	bool precision = false;
	int c;

	opts_start(OPTS_LINES | OPTS_BY | OPTS_BUILD, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_PRECISION:
			opt.precision = (unsigned)opts_count(HLL_PRECISION_MIN, HLL_PRECISION_MAX);
			precision = true;
			break;
		case 'e':
			opt.error = opts_share(1e-6, 1);
			break;
		case OPT_CONFIDENCE:
			opt.confidence = opts_share(0.01, 0.999999);
			break;
		}
	opts_exclude(precision, "--precision", opt.error > 0, "-e");
	opts_exclude(precision || opt.error > 0, "--precision or -e", shared.like != NULL, "--like");
	if (opt.confidence > 0 && opt.error == 0)
		die_usage("--confidence needs -e");
	if (opt.error > 0) {
		opt.precision = hll_precision_for(opt.error, opt.confidence);
		if (opt.precision == 0)
			die_usage("cannot use -e: no precision up to %d is that exact; 18 gives 0.2 %%",
			    HLL_PRECISION_MAX);
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
old_keyed(void *context, const char *name, const struct record *head)
{
	struct mismatch why;

	(void)context;
	if (record_compare(head, &table_head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", name, why.text);
	if (head->param[HLL_PARAM_PRECISION] != opt.precision)
		die_exit(EXIT_SKETCH, "cannot update '%s': precision %llu and %u", name,
		    (unsigned long long)head->param[HLL_PARAM_PRECISION], opt.precision);
}

static void
old_entry(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	(void)context;
	if (!key)
		die_exit(EXIT_SKETCH, "cannot update '%s': it is not keyed", name);
	if (group_merge(group, *key, s->body) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': a key is coarser", name);
}

static void
write_entry(void *context, struct slice key, const struct hll_view *view)
{
	struct keyed_writer *writer = context;
	struct record head = table_head;
	struct buffer payload = {0};
	enum status st = hll_view_save(view, &head, &payload);

	if (st == OK && writer) {
		struct slice bytes = {payload.at, payload.len};
		st = keyed_writer_add(writer, key, &head, bytes);
	} else if (st == OK) {
		struct sketch one = {.head = head, .kind = &hll_kind};
		st = hll_kind.load(&one.body, &head, &payload);
		if (st == OK)
			build_record(&one, &key);
		sketch_free(&one);
	}
	buffer_free(&payload);
	if (st != OK)
		die(st, "cannot write the keyed sketch");
}

static void
build_table(const struct sketch *empty)
{
	struct keyed_writer writer;

	build_open();
	int fd = shared.update ? build_old() : -1;
	if (fd >= 0) {
		struct records records = {
			.only = "hll", .end = shared.scan.end, .sketch = old_entry, .keyed = old_keyed
		};
		records_from(&records, fd, shared.update);
		close(fd);
	}
	if (shared.armor) {
		group_each(group, write_entry, NULL);
	} else {
		struct record head = empty->head;
		struct buffer payload = {0};
		enum status st = hll_kind.save(empty->body, &head, &payload);
		if (st == OK)
			st = keyed_writer_begin(&writer, build_sink(), &head, (struct slice){NULL, 0});
		if (st == OK) {
			group_each(group, write_entry, &writer);
			st = keyed_writer_end(&writer);
		}
		if (st != OK)
			die(st, "cannot write the keyed sketch");
		keyed_writer_free(&writer);
		buffer_free(&payload);
	}
	build_close();
	group_free(group);
}

int
main(int argc, char *argv[])
{
	struct sketch sketch = {.kind = &hll_kind};

	tool_start("hll-build");
	parse_options(&argc, &argv);
	if (shared.like) {
		build_like(&sketch, "hll");
		opt.precision = hll_precision(sketch.body);
		sketch_free(&sketch);
		sketch.kind = &hll_kind;
	}

	struct job job = opts_job();
	job.each = add;
	job.block_end = block_end;
	if (job.scan.has_key)
		group = group_new(opt.precision, parallel_workers(&job), scan_key_moves(&job.scan));
	struct tally tally = parallel_run(&job, argc, argv);

	sketch.head = opts_identity();
	sketch.head.kind = hll_kind.id;
	sketch.head.items = tally.items;
	sketch.body = united();
	if (group) {
		table_head = sketch.head;
		table_head.items = 0;
		build_table(&sketch);
		sketch_free(&sketch);
	} else {
		build_one(&sketch, "hll");
	}
	opts_tally(&tally);
	return output_finish(EXIT_YES);
}
