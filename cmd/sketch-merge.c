/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-merge unites any number of sketches of one kind, in their order, and
 * writes the union, what they have in common, or the first without the others:
 * one record, or one keyed record. It never ends with 1.
 */

#include "base/num.h"
#include "sketch/member/bloom_size.h"
#include "sketch/distinct/hll.h"
#include "sketch/member/member.h"
#include "tool/files/build.h"
#include "tool/distinct/group.h"
#include "tool/files/join.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/member/overfill.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/files/shelf.h"
#include "tool/files/table.h"

static const char usage[] =
	"sketch-merge [OPTION]... [SKETCH...]";

static const char about[] =
	"Unite saved sketches of one kind into one: that of all their items together.";

enum { OPT_KEYED = 256, OPT_INTERSECT, OPT_SUBTRACT, OPT_FOLD };

static const struct opts_row help[] = {
	{OPT_KEYED, "keyed", NULL, "sketches are keyed, and none at all is no error"},
	{OPT_INTERSECT, "intersect", NULL, "what all of them hold, instead of the union"},
	{OPT_SUBTRACT, "subtract", NULL, "the first without the others, which are parts of it"},
	{OPT_FOLD, "fold", "TO", "make it smaller: to a size, 64K, or an fpp, 5%"},
	{0}
};

static struct {
	bool keyed;
	struct unite unite;
} opt;

/* The shards that came. */
static struct parts parts = {.verb = "merge"};

/* The result so far: one sketch, or a table of them by key. */
static struct {
	struct sketch sketch;
	const char *name;            /* for messages: its file's, if it is the only one */
	bool keyed;
	struct group *group;         /* of HyperLogLogs, ... */
	struct shelf *shelf;         /* ... of any other kind */
	struct record head;          /* of the keyed ones */
	bool settle;                 /* their settings differ */
	uint64_t overfilled;         /* keys */
} all;

/* A size or a share: none is both, since a size is a whole number. */
static struct fold
fold_from(const char *text)
{
	struct fold to = {0};

	if (num_size(text, 1, UINT64_MAX, &to.bytes) == NUM_OK)
		return to;
	switch (num_share(text, BLOOM_FPP_MIN, BLOOM_FPP_MAX, &to.fpp)) {
	case NUM_OK:
		return to;
	case NUM_RANGE:
		die_usage("cannot use --fold '%s': a probability is in 1e-9..0.5, a size in 1..16E",
		    text);
	default:
		die_usage("cannot use --fold '%s': neither a size such as 64K nor a probability such as 5%%",
		    text);
	}
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_RECORDS | OPTS_ZERO | OPTS_STRICT | OPTS_FROM |
	    OPTS_EXPECT, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_KEYED:
			opt.keyed = true;
			break;
		case OPT_INTERSECT:
			opt.unite.intersect = true;
			break;
		case OPT_SUBTRACT:
			opt.unite.subtract = true;
			break;
		case OPT_FOLD:
			opt.unite.fold = fold_from(opts_text());
			opt.unite.folds = true;
			break;
		}
	opts_exclude(opt.unite.intersect, "--intersect", opt.unite.subtract, "--subtract");
}

static void
add_plain(const char *name, struct sketch *s)
{
	if (all.keyed)
		die_exit(EXIT_SKETCH, "cannot merge '%s': it is plain, and those before are keyed", name);
	if (opt.keyed)
		die_exit(EXIT_SKETCH, "cannot merge '%s': it is plain, and --keyed wants keyed ones", name);
	if (all.sketch.body) {
		unite_pair(&opt.unite, &all.sketch, s, name);
		all.name = opt.unite.intersect ? "the intersection" :
		    opt.unite.subtract ? "the rest" : "the union";
		return;
	}
	unite_ask(&opt.unite, name, &s->head, false);
	all.name = name;
	all.sketch = *s;
	*s = (struct sketch){0};
}

/* A keyed record begins, or a keyed line comes. */
static void
add_keyed(void *context, const char *name, const struct record *head)
{
	unsigned precision = (unsigned)head->param[HLL_PARAM_PRECISION];

	(void)context;
	if (all.sketch.body)
		die_exit(EXIT_SKETCH, "cannot merge '%s': it is keyed, and those before are plain", name);
	if (!all.keyed) {
		unite_ask(&opt.unite, name, head, true);
		all.keyed = true;
		all.head = *head;
		if (head->kind == KIND_HLL)
			all.group = group_new(head, 1, false);
		else
			all.shelf = shelf_new();
	}
	all.settle |= unite_head(&all.head, head, name);
	if (all.group)
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
	if (all.group) {
		struct mismatch why;
		if (group_merge(all.group, *key, s, &why) != OK)
			die_exit(EXIT_SKETCH, "cannot merge '%s': %s", name, why.text);
		return;
	}
	struct sketch *before = shelf_at(all.shelf, *key);
	if (before->body) {
		unite_pair(&opt.unite, before, s, name);
		return;
	}
	*before = *s;
	*s = (struct sketch){0};
}

static void
write_hll(void *context, struct slice key, const struct record *head, struct slice payload)
{
	(void)context;
	table_distinct(key, head, payload);
}

static void
end_entry(void *context, struct slice key, struct sketch *s)
{
	const struct member *m = member_find(s->head.kind);
	const struct sketch **first = context;

	(void)key;
	if (all.settle)
		unite_settle(&all.head, s, "the union");
	unite_end(&opt.unite, s, "the union");
	if (!*first)
		*first = s;
	all.overfilled += m && overfill_is(m, s->body, &s->head);
}

static void
write_entry(void *context, struct slice key, struct sketch *s)
{
	(void)context;
	table_sketch(key, s);
}

static void
lament_keys(uint64_t overfilled)
{
	if (overfilled > 0)
		lament("%llu keys have an overfilled filter: their fpp is higher than the wanted one",
		    (unsigned long long)overfilled);
}

/* What can fail is done before anything is written. */
static void
write_keyed(void)
{
	const struct sketch *first = NULL;

	if (all.group) {
		unsigned precision = unite_precision(&opt.unite, group_precision(all.group));
		group_fold(all.group, precision);
		build_open();
		table_begin_united(&all.head, precision, NULL);
		group_each(all.group, write_hll, NULL);
	} else {
		shelf_each(all.shelf, end_entry, &first);
		lament_keys(all.overfilled);
		build_open();
		table_begin_united(&all.head, 0, first);
		shelf_each(all.shelf, write_entry, NULL);
	}
	table_end();
	build_close();
	group_free(all.group);
	shelf_free(all.shelf);
}

static void
write_plain(void)
{
	const struct member *m = member_find(all.sketch.head.kind);

	unite_end(&opt.unite, &all.sketch, all.name);
	if (m)
		overfill_report(m, all.sketch.body, &all.sketch.head, shared.output);
	build_open();
	build_record(&all.sketch);
	build_close();
	sketch_free(&all.sketch);
}

/* All that came is united, and these are its shards. */
static void
end_parts(void)
{
	struct buffer ids = {0};

	parts_end(&parts);
	parts_ids(&parts, &ids);
	build_set_ids((struct slice){ids.at, ids.len});
	if (all.sketch.body && !parts.apart)
		all.sketch.ids = ids;
	else
		buffer_free(&ids);
	parts_clear(&parts);
}

/* Records as they come, into one sketch or one table. */
static void
merge_records(int argc, char *argv[])
{
	struct records records = {
		.end = shared.scan.end,
		.may_be_empty = shared.expects ? shared.expected == 0 : opt.keyed,
		.parts = &parts, .sketch = add, .keyed = add_keyed,
	};

	records_run(&records, argc, argv);
	end_parts();
	if (all.keyed)
		write_keyed();
	else if (all.sketch.body)
		write_plain();
}

int
main(int argc, char *argv[])
{
	struct record old;

	tool_start("sketch-merge");
	parse_options(&argc, &argv);
	build_begin(NULL, &old);
	/* Of an intersection no shard is whole; what is subtracted takes its own along. */
	parts.apart = opt.unite.intersect || opt.unite.subtract;
	struct join *join = shared.from ? NULL : join_open(&opt.unite, &parts, argc, argv);
	if (join) {
		end_parts();
		build_open();
		lament_keys(join_write(join));
		build_close();
		join_free(join);
	} else {
		merge_records(argc, argv);
	}
	return output_finish(EXIT_YES);
}
