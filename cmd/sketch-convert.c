/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-convert turns another system's bytes into records of ours, a record
 * into another system's bytes, or its bytes into their plain form; with --keyed,
 * a keyed record into the rows of a table. The hash stays the other system's all
 * the way. It never ends with 1.
 */

#include "tool/files/build.h"
#include "tool/files/export.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/files/shelf.h"
#include "tool/files/table.h"

static const char usage[] =
	"sketch-convert [OPTION]... --from SYSTEM [FILE...]\n"
	"sketch-convert [OPTION]... --to SYSTEM [SKETCH...]";

static const char about[] =
	"Turn sketches of other systems into records, and records into theirs.";

enum { OPT_TO = 256, OPT_KEYED };

static const struct opts_row help[] = {
	{OPT_TO, "to", "SYSTEM", "write one sketch as a file of this system"},
	{OPT_KEYED, "keyed", NULL, "with --to: a row per key, for a table or redis-cli"},
	{0}
};

/* With --to. */
static struct export out;

/* Without --to: sketches that have keys. */
static struct shelf *shelf;
static bool plain;                           /* or some that have none */

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_RECORDS | OPTS_ZERO | OPTS_STRICT | OPTS_FROM, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_TO:
			out.to = opts_to(&out.unit);
			break;
		case OPT_KEYED:
			out.keyed = true;
			break;
		}
	if (!out.to && !shared.from)
		die_usage("--from or --to must say which system's bytes come in or go out");
	if (out.keyed && !out.to)
		die_usage("--keyed needs --to");
	opts_exclude(out.keyed, "--keyed", shared.armor, "-a");
	if (out.to && shared.armor && (out.to->text || !export_is_text(&out)))
		die_usage("cannot use -a with --to %s: it has no %s for its sketches", out.to->name,
		    out.to->text ? "other text" : "text");
	if (out.keyed && out.to && out.to->dump == DUMP_NONE)
		die_usage("cannot use --keyed with --to %s: it has no rows for its sketches",
		    out.to->name);
	shared.armor |= out.to && out.to->text;
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
	if (out.to) {
		export_sketch(&out, name, s, key);
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

static void
begin_keyed(void *context, const char *name, const struct record *head)
{
	(void)context;
	export_keyed(&out, name, head);
}

static void
note_interval(void *context, const struct interval *interval)
{
	(void)context;
	export_interval(interval);
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

	if (out.to)
		export_end(&out);
	if (shelf) {
		shelf_each(shelf, write_entry, &begun);
		table_end();
	}
	shelf_free(shelf);
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
		.interval = note_interval,
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
