/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-convert turns another system's bytes into records of ours, a record
 * into another system's bytes, or its bytes into their plain form; with --keyed,
 * a keyed record into the rows of a table. The hash stays the other system's all
 * the way. It never ends with 1.
 */

#include "tool/build.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"
#include "tool/shelf.h"
#include "tool/table.h"

static const char usage[] =
	"sketch-convert [OPTION]... --from SYSTEM [FILE...]\n"
	"sketch-convert [OPTION]... --to SYSTEM [SKETCH...]";

static const char about[] =
	"Turn sketches of other systems into records, and records into theirs.";

enum { OPT_TO = 256, OPT_KEYED };

static const struct opts_row help[] = {
	{OPT_TO, "to", "SYSTEM", "write one sketch as a file of this system"},
	{OPT_KEYED, "keyed", NULL, "with --to: one row per key, for a table or redis-cli"},
	{0}
};

static struct {
	const struct system *to;
	bool keyed;
} opt;

/* With --to alone: the sketch, which is written when it is known to be the only
 * one. */
static struct sketch only;

/* Without --to: sketches that have keys. */
static struct shelf *shelf;
static bool plain;                           /* or some that have none */

/* With --to and rows: the bytes of one sketch, and its row. */
static struct buffer bytes, row;

static bool
has_text(const struct system *system)
{
	return system->dump == DUMP_COPY || system->dump == DUMP_CSV;
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_RECORDS | OPTS_ZERO | OPTS_FROM, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_TO:
			opt.to = opts_system();
			break;
		case OPT_KEYED:
			opt.keyed = true;
			break;
		}
	if (!opt.to && !shared.from)
		die_usage("--from or --to must say which system's bytes come in or go out");
	if (opt.keyed && !opt.to)
		die_usage("--keyed needs --to");
	opts_exclude(opt.keyed, "--keyed", shared.armor, "-a");
	if (opt.to && shared.armor && !has_text(opt.to))
		die_usage("cannot use -a with --to %s: it has no text for its sketches", opt.to->name);
	if (opt.keyed && opt.to && opt.to->dump == DUMP_NONE)
		die_usage("cannot use --keyed with --to %s: it has no rows for its sketches",
		    opt.to->name);
}

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot write the %s", opt.to->what);
}

static void
must_be_theirs(const char *name, const struct record *head)
{
	if (head->kind != opt.to->kind)
		die_exit(EXIT_SKETCH, "cannot convert '%s' to %s: its kind is %s, and a hash cannot be "
		    "converted: build it with %s --compat %s", name, opt.to->name,
		    kind_find(head->kind)->name, opt.to->builder, opt.to->name);
}

static void
keep(const char *name, struct sketch *s)
{
	if (only.body && has_text(opt.to))
		die_exit(EXIT_SKETCH, "cannot convert '%s': --to takes one sketch, and there are more; "
		    "use -a for one on each line", name);
	if (only.body)
		die_exit(EXIT_SKETCH, "cannot convert '%s': --to takes one sketch, and there are more",
		    name);
	only = *s;
	*s = (struct sketch){0};
}

/* One row, or with -a one line. */
static void
write_row(const struct sketch *s, const struct slice *key)
{
	struct sink sink = build_sink();

	bytes.len = row.len = 0;
	must(opt.to->write(s, buffer_sink(&bytes)));
	must(dump_write(opt.to->dump, key, shared.scan.end,
	    (struct slice){bytes.at, bytes.len}, &row));
	must(sink.write(sink.to, row.at, row.len));
}

static void
write_sketch(const char *name, struct sketch *s, const struct slice *key)
{
	must_be_theirs(name, &s->head);
	if (key && !opt.keyed)
		die_exit(EXIT_SKETCH, "cannot convert '%s': it is keyed%s", name,
		    opt.to->dump == DUMP_NONE ? "" : "; use --keyed for one row per key");
	if (!key && opt.keyed)
		die_exit(EXIT_SKETCH, "cannot convert '%s': it is not keyed", name);
	if (opt.keyed || shared.armor)
		write_row(s, key);
	else
		keep(name, s);
}

/* A key may come in several rows. */
static void
shelve(const char *name, struct sketch *s, struct slice key)
{
	struct sketch *before = shelf_at(shelf, key);
	struct mismatch why;

	if (!before->body) {
		*before = *s;
		*s = (struct sketch){0};
		return;
	}
	enum status st = sketch_merge(before, s, &why);
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot unite the rows of a key in '%s': %s", name, why.text);
	if (st != OK)
		die(st, "cannot convert '%s'", name);
}

static void
convert(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	(void)context;
	if (opt.to) {
		write_sketch(name, s, key);
		return;
	}
	plain |= !key;
	if (key && !shelf)
		shelf = shelf_new();
	if (shelf && plain)
		die_exit(EXIT_SKETCH, "cannot convert '%s': sketches with keys and without", name);
	if (key)
		shelve(name, s, *key);
	else
		build_record(s);
}

/* Even one without a single key says what its sketches would be. */
static void
begin_keyed(void *context, const char *name, const struct record *head)
{
	(void)context;
	must_be_theirs(name, head);
	if (!opt.keyed)
		die_exit(EXIT_SKETCH, "cannot convert '%s': it is keyed%s", name,
		    opt.to->dump == DUMP_NONE ? "" : "; use --keyed for one row per key");
}

static void
write_entry(void *context, struct slice key, struct sketch *s)
{
	bool *begun = context;

	if (!*begun)
		table_begin_united(&s->head, 0, s);
	*begun = true;
	table_sketch(key, s);
}

static void
write_rest(void)
{
	bool begun = false;

	if (only.body)
		must(opt.to->write(&only, build_sink()));
	if (shelf) {
		shelf_each(shelf, write_entry, &begun);
		table_end();
	}
	sketch_free(&only);
	shelf_free(shelf);
	buffer_free(&bytes);
	buffer_free(&row);
}

static void
tell_left_out(void *context, const char *name, uint64_t bytes_left)
{
	(void)context;
	note("%llu bytes behind the filter in '%s' are left out", (unsigned long long)bytes_left,
	    name);
}

int
main(int argc, char *argv[])
{
	struct records records = {
		.sketch = convert, .keyed = begin_keyed, .left_out = tell_left_out,
	};
	struct record old;

	tool_start("sketch-convert");
	parse_options(&argc, &argv);
	records.end = shared.scan.end;
	build_begin(NULL, &old);
	build_open();
	records_run(&records, argc, argv);
	write_rest();
	build_close();
	return output_finish(EXIT_YES);
}
