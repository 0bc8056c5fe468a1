/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-compare estimates how many items two saved sketches have in common:
 * seven rows, from a and b to their Jaccard similarity, each with the 95 %
 * interval. Status 1 is never used.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sketch/kinds.h"
#include "tool/input.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"
#include "tool/rows.h"

static const char usage[] =
	"sketch-compare [OPTION]... SKETCH SKETCH";

static const char about[] =
	"How much the sets in two saved sketches have in common.";

/* One of the two. */
struct side {
	const char *name;
	struct sketch sketch;
};

static void
parse_options(int *argc, char ***argv)
{
	opts_start(OPTS_ANSWER | OPTS_ZERO | OPTS_STRICT | OPTS_FROM, NULL, usage, about, NULL);
	while (opts_next(argc, argv) != -1)
		;
	if (*argc != 2)
		die_usage("cannot compare %d sketches: two are needed", *argc);
	if (strcmp((*argv)[0], "-") == 0 && strcmp((*argv)[1], "-") == 0)
		die_usage("cannot compare '-' with '-': there is one standard input");
}

/* The name of a kind says it all but for those whose sketches cannot tell. */
static void
must_be_comparable(const struct side *s)
{
	const struct kind *k;
	char able[256] = "";
	size_t n = 0;

	if (s->sketch.kind->compare)
		return;
	for (size_t i = 0; (k = kind_row(i)); i++)
		if (k->compare)
			n += (size_t)snprintf(able + n, sizeof able - n, "%s%s", n > 0 ? ", " : "",
			    k->name);
	die_exit(EXIT_SKETCH, "cannot compare '%s': its kind is %s; those that tell are %s",
	    s->name, s->sketch.kind->name, able);
}

static void
load(struct side *s, char *operand)
{
	struct input in;
	enum status st = input_open(&in, operand);

	if (st != OK)
		die(st, "cannot open '%s'", input_name(&in));
	s->name = input_name(&in);
	records_one_from(in.fd, s->name, NULL, &s->sketch);
	input_close(&in);
	must_be_comparable(s);
	if (s->sketch.head.flags & FLAG_INTERSECTED)
		lament("'%s' is an intersection: estimates of what it holds are too high", s->name);
}

static void
print(const struct estimate *e, const char *value, const char *file, bool share)
{
	double real[3] = {e->value, e->low, e->high};
	struct row row = {
		.estimate = (uint64_t)llround(e->value), .low = (uint64_t)e->low,
		.high = (uint64_t)e->high, .real = share ? real : NULL, .label = "value",
		.item = slice_of(value), .file = file,
	};

	row_print(&row);
}

int
main(int argc, char *argv[])
{
	struct side a, b;
	struct comparison c;
	struct mismatch why;

	tool_start("sketch-compare");
	parse_options(&argc, &argv);
	load(&a, argv[0]);
	load(&b, argv[1]);
	enum status st = record_compare(&a.sketch.head, &b.sketch.head, &why);
	if (st == OK)
		st = a.sketch.kind->compare(a.sketch.body, b.sketch.body, &c, &why);
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot compare '%s' with '%s': %s", a.name, b.name, why.text);
	if (st != OK)
		die(st, "cannot compare '%s' with '%s'", a.name, b.name);
	print(&c.a, "a", a.name, false);
	print(&c.b, "b", b.name, false);
	print(&c.either, "union", NULL, false);
	print(&c.both, "intersection", NULL, false);
	print(&c.only_a, "only_a", NULL, false);
	print(&c.only_b, "only_b", NULL, false);
	print(&c.jaccard, "jaccard", NULL, true);
	sketch_free(&a.sketch);
	sketch_free(&b.sketch);
	return output_finish(EXIT_YES);
}
