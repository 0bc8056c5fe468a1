/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-convert turns another system's bytes into records of ours, a record
 * into another system's bytes, or its bytes into their plain form. The hash
 * stays the other system's all the way. It never ends with 1.
 */

#include "tool/build.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"

static const char usage[] =
	"sketch-convert [OPTION]... --from SYSTEM [FILE...]\n"
	"sketch-convert [OPTION]... --to SYSTEM [SKETCH]";

static const char about[] =
	"Turn sketches of other systems (dcso, parquet) into records, and records into theirs.";

enum { OPT_TO = 256 };

static const struct opts_row help[] = {
	{OPT_TO, "to", "SYSTEM", "write one sketch as a file of this system"},
	{0}
};

static struct {
	const struct system *to;
} opt;

/* With --to: the sketch, which is written when it is known to be the only one. */
static struct sketch only;

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
		}
	if (!opt.to && !shared.from)
		die_usage("--from or --to must say which system's bytes come in or go out");
	opts_exclude(opt.to != NULL, "--to", shared.armor, "-a");
}

static void
keep(const char *name, struct sketch *s)
{
	if (only.body)
		die_exit(EXIT_SKETCH, "cannot convert '%s': --to takes one sketch, and there are more",
		    name);
	if (s->kind->id != opt.to->kind)
		die_exit(EXIT_SKETCH, "cannot convert '%s' to %s: its kind is %s, and a hash cannot be "
		    "converted: build it with %s --compat %s", name, opt.to->name, s->kind->name,
		    opt.to->builder, opt.to->name);
	only = *s;
	*s = (struct sketch){0};
}

static void
convert(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	(void)context;
	if (key)
		die_exit(EXIT_SKETCH, "cannot convert '%s': it is keyed", name);
	if (opt.to)
		keep(name, s);
	else
		build_record(s);
}

static void
refuse_keyed(void *context, const char *name, const struct record *head)
{
	(void)context;
	(void)head;
	die_exit(EXIT_SKETCH, "cannot convert '%s': it is keyed", name);
}

static void
write_only(void)
{
	enum status st = opt.to->write(&only, build_sink());

	if (st != OK)
		die(st, "cannot write the %s", opt.to->what);
	sketch_free(&only);
}

static void
tell_left_out(void *context, const char *name, uint64_t bytes)
{
	(void)context;
	note("%llu bytes behind the filter in '%s' are left out", (unsigned long long)bytes, name);
}

int
main(int argc, char *argv[])
{
	struct records records = {
		.sketch = convert, .keyed = refuse_keyed, .left_out = tell_left_out,
	};
	struct record old;

	tool_start("sketch-convert");
	parse_options(&argc, &argv);
	records.end = shared.scan.end;
	build_begin(NULL, &old);
	build_open();
	records_run(&records, argc, argv);
	if (opt.to)
		write_only();
	build_close();
	return output_finish(EXIT_YES);
}
