/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-merge unites any number of sketches of one kind, in their order, and
 * writes the union: one record, or one keyed record. It never ends with 1.
 */

#include "sketch/hll.h"
#include "tool/build.h"
#include "tool/group.h"
#include "tool/join.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"
#include "tool/table.h"

static const char usage[] =
	"sketch-merge [OPTION]... [SKETCH...]";

static const char about[] =
	"Unite saved sketches of one kind into one: that of all their items together.";

enum { OPT_EXPECT = 256 };

static const struct opts_row help[] = {
	{OPT_EXPECT, "expect", "N", "fail unless there are exactly N sketches"},
	{0}
};

static struct {
	bool expect;
	uint64_t count;
} opt;

/* The union so far: one sketch, or a table of them by key. */
static struct {
	struct sketch sketch;
	struct group *group;
	struct record head;          /* of the first of the table */
} all;

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_RECORDS | OPTS_ZERO, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_EXPECT:
			opt.count = opts_count(0, UINT64_MAX);
			opt.expect = true;
			break;
		}
}

static void
must_be_all(uint64_t count)
{
	if (opt.expect && count != opt.count)
		die_exit(EXIT_SKETCH, "cannot merge: %llu sketches were expected, and %llu came",
		    (unsigned long long)opt.count, (unsigned long long)count);
}

static void
add_plain(const char *name, struct sketch *s)
{
	struct mismatch why;

	if (all.group)
		die_exit(EXIT_SKETCH, "cannot merge '%s': it is plain, and those before are keyed", name);
	if (!all.sketch.body) {
		all.sketch = *s;
		*s = (struct sketch){0};
		return;
	}
	enum status st = sketch_merge(&all.sketch, s, &why);
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot merge '%s': %s", name, why.text);
	if (st != OK)
		die(st, "cannot merge '%s'", name);
}

/* A keyed record begins, or a keyed line comes. */
static void
add_keyed(void *context, const char *name, const struct record *head)
{
	unsigned precision = (unsigned)head->param[HLL_PARAM_PRECISION];
	struct mismatch why;

	(void)context;
	if (all.sketch.body)
		die_exit(EXIT_SKETCH, "cannot merge '%s': it is keyed, and those before are plain", name);
	if (head->kind != KIND_HLL)
		die_exit(EXIT_SKETCH, "cannot merge '%s': keyed, and its kind is %s, not hll", name,
		    kind_find(head->kind)->name);
	if (!all.group) {
		all.group = group_new(precision, 1, false);
		all.head = *head;
	}
	if (record_compare(&all.head, head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot merge '%s': %s", name, why.text);
	group_fold(all.group, precision);
}

static void
add(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	if (!key) {
		add_plain(name, s);
		return;
	}
	add_keyed(context, name, &s->head);
	group_merge(all.group, *key, s->body, s->head.items);
}

static void
write_entry(void *context, struct slice key, uint64_t items, const struct hll_view *view)
{
	(void)context;
	table_hll(key, items, view);
}

/* Records as they come, into one sketch or one table. */
static void
merge_records(int argc, char *argv[])
{
	struct records records = {
		.end = shared.scan.end, .may_be_empty = opt.expect && opt.count == 0,
		.sketch = add, .keyed = add_keyed,
	};

	must_be_all(records_run(&records, argc, argv));
	if (!all.sketch.body && !all.group)
		return;
	build_open();
	if (all.group) {
		table_begin_hll(&all.head, group_precision(all.group));
		group_each(all.group, write_entry, NULL);
		table_end();
	} else {
		build_record(&all.sketch);
	}
	build_close();
	group_free(all.group);
	sketch_free(&all.sketch);
}

int
main(int argc, char *argv[])
{
	struct record old;

	tool_start("sketch-merge");
	parse_options(&argc, &argv);
	build_begin(NULL, &old);
	struct join *join = join_open(argc, argv);
	if (join) {
		must_be_all((uint64_t)argc);
		build_open();
		join_write(join);
		build_close();
		join_free(join);
	} else {
		merge_records(argc, argv);
	}
	return output_finish(EXIT_YES);
}
