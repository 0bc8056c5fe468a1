/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-compare estimates how many items saved sketches have in common. Of two it
 * prints seven rows, from a and b to their Jaccard similarity, and four more if they
 * are samples; of more, a row for each pair. Each number comes with the 95 %
 * interval. Of two sketches that tell how often items occur, it lists those that
 * rose or fell, with certain bounds. Status 1 is never used.
 */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "sketch/frequency/frequency.h"
#include "sketch/kinds.h"
#include "tool/answers/changes.h"
#include "tool/lines/input.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/answers/rows.h"

static const char usage[] =
	"sketch-compare [OPTION]... SKETCH SKETCH...";

static const char about[] =
	"How much the sets in saved sketches have in common; of more than two, each pair.\n"
	"intersection and Jaccard similarity. Of two sketches of how often items occur:\n"
	"which of them rose and which fell, from the first to the second.";

enum { OPT_MIN = 256, OPT_SURE, OPT_SHARE };

static const struct opts_row help[] = {
	{'k', "top", "K", "how many risers and fallers to list (10)"},
	{OPT_MIN, "min", "N", "those that changed by at least N"},
	{OPT_SURE, "sure", NULL, "those of which it is certain"},
	{OPT_SHARE, "share", NULL, "changes of the share of the total, not of the count"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-s", "all operands are sketches"},
	{NULL, NULL}
};

/* What is said about changes; the first such option, for messages. */
static struct changes_wish wish;
static const char *about_changes;

/* One of them. */
struct side {
	const char *name;
	struct sketch sketch;
};

static void
parse_options(int *argc, char ***argv)
{
	int c, inputs = 0;

	opts_start(OPTS_ANSWER | OPTS_ZERO | OPTS_STRICT | OPTS_FROM | OPTS_STATS, help, usage,
	    about, hints);
	while ((c = opts_next(argc, argv)) != -1) {
		if (!about_changes)
			about_changes = c == 'k' ? "-k" : c == OPT_MIN ? "--min" :
			    c == OPT_SURE ? "--sure" : "--share";
		switch (c) {
		case 'k':
			wish.k = opts_count(1, UINT32_MAX);
			break;
		case OPT_MIN:
			wish.min = opts_count(1, UINT64_MAX);
			break;
		case OPT_SURE:
			wish.sure = true;
			break;
		case OPT_SHARE:
			wish.share = true;
			break;
		}
	}
	opts_exclude(wish.min > 0, "--min", wish.share, "--share");
	if (wish.k == 0 && wish.min == 0)
		wish.k = 10;
	if (*argc < 2)
		die_usage("cannot compare %d sketch%s: two or more are needed", *argc,
		    *argc == 1 ? "" : "es");
	for (int i = 0; i < *argc; i++)
		inputs += strcmp((*argv)[i], "-") == 0;
	if (inputs > 1)
		die_usage("cannot compare '-' with '-': there is one standard input");
}

static bool
comparable(const struct kind *k)
{
	return k->compare || frequency_find(k->id);
}

/* The name of a kind says it all but for those whose sketches cannot tell. */
static void
must_be_comparable(const struct side *s)
{
	const struct kind *k;
	char able[256] = "";
	size_t n = 0;

	if (comparable(s->sketch.kind))
		return;
	for (size_t i = 0; (k = kind_row(i)); i++)
		if (comparable(k) && n < sizeof able)
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

static struct comparison
compare(const struct side *a, const struct side *b)
{
	struct comparison c;
	struct mismatch why;

	enum status st = record_compare(&a->sketch.head, &b->sketch.head, &why);
	if (st == OK)
		st = a->sketch.kind->compare(a->sketch.body, b->sketch.body, &c, &why);
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot compare '%s' with '%s': %s", a->name, b->name, why.text);
	if (st != OK)
		die(st, "cannot compare '%s' with '%s'", a->name, b->name);
	return c;
}

/* Nearest, or the largest there is. */
static uint64_t
whole(double v)
{
	return v < 18446744073709549568.0 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

/* An estimate as a row; real is where its three numbers go if it is a share. */
static struct row
row_of(const struct estimate *e, double *real)
{
	struct row row = {
		.estimate = whole(e->value), .low = whole(floor(e->low)), .high = whole(floor(e->high)),
		.real = real, .at_most = estimate_is_at_most(e),
	};

	if (real) {
		real[0] = e->value;
		real[1] = e->low;
		real[2] = e->high;
	}
	return row;
}

static void
print(const struct estimate *e, const char *value, const char *file, bool share)
{
	double real[3];
	struct row row = row_of(e, share ? real : NULL);

	row.label = "value";
	row.item = slice_of(value);
	row.file = file;
	row_print(&row);
}

static struct estimate
exactly(uint64_t n)
{
	return (struct estimate){(double)n, (double)n, (double)n};
}

static void
print_two(const struct side *a, const struct side *b)
{
	struct comparison c = compare(a, b);

	print(&c.a, "a", a->name, false);
	print(&c.b, "b", b->name, false);
	print(&c.either, "union", NULL, false);
	print(&c.both, "intersection", NULL, false);
	print(&c.only_a, "only_a", NULL, false);
	print(&c.only_b, "only_b", NULL, false);
	print(&c.jaccard, "jaccard", NULL, true);
	if (!c.sampled)
		return;
	const struct estimate shared_ones = exactly(c.shared), total = exactly(c.total);
	print(&c.a_in_b, "a_in_b", a->name, true);
	print(&c.b_in_a, "b_in_a", b->name, true);
	print(&shared_ones, "shared", NULL, false);
	print(&total, "total", NULL, false);
}

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot print an answer");
}

/* NAME, NAME_low and NAME_high. */
static void
json_three(struct buffer *b, const char *name, const struct estimate *e, bool share)
{
	static const char *const suffix[3] = {"", "_low", "_high"};
	const double value[3] = {e->value, e->low, e->high};
	double real[3];
	struct row row = row_of(e, real);
	const uint64_t count[3] = {row.estimate, row.low, row.high};

	for (unsigned i = 0; i < 3; i++) {
		char member[40];

		snprintf(member, sizeof member, "%s%s", name, suffix[i]);
		must(share ? json_real(b, member, value[i]) : json_count(b, member, count[i]));
	}
}

static void
json_pair(struct buffer *b, const struct side *x, const struct side *y,
    const struct comparison *c)
{
	must(json_open(b));
	must(json_bytes(b, "a", slice_of(x->name)));
	must(json_bytes(b, "b", slice_of(y->name)));
	json_three(b, "items_a", &c->a, false);
	json_three(b, "items_b", &c->b, false);
	json_three(b, "union", &c->either, false);
	json_three(b, "intersection", &c->both, false);
	json_three(b, "only_a", &c->only_a, false);
	json_three(b, "only_b", &c->only_b, false);
	json_three(b, "jaccard", &c->jaccard, true);
	if (c->sampled) {
		json_three(b, "a_in_b", &c->a_in_b, true);
		json_three(b, "b_in_a", &c->b_in_a, true);
		must(json_count(b, "shared", c->shared));
		must(json_count(b, "total", c->total));
	}
	if (estimate_is_at_most(&c->both))
		must(json_flag(b, "at_most", true));
	must(json_close(b));
}

static void
text_pair(struct buffer *b, const struct side *x, const struct side *y,
    const struct comparison *c)
{
	double share[3];
	struct row both = row_of(&c->both, NULL), jaccard = row_of(&c->jaccard, share);

	row_numbers(b, &both);
	must(buffer_append(b, "\t", 1));
	row_numbers(b, &jaccard);
	must(buffer_append(b, "\t", 1));
	must(buffer_append(b, x->name, strlen(x->name)));
	must(buffer_append(b, "\t", 1));
	must(buffer_append(b, y->name, strlen(y->name)));
	row_end(b, &both);
}

static void
print_pairs(const struct side *side, size_t n)
{
	struct buffer line = {0};

	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++) {
			struct comparison c = compare(&side[i], &side[j]);

			line.len = 0;
			(shared.json ? json_pair : text_pair)(&line, &side[i], &side[j], &c);
			output_bytes(line.at, line.len);
		}
	}
	buffer_free(&line);
}

/* From the first to the second. */
static void
print_changes(const struct side *side, size_t n)
{
	const struct frequency *of = frequency_find(side[0].sketch.head.kind);
	const struct sketch *a = &side[0].sketch, *b = &side[1].sketch;
	struct mismatch why;

	if (n > 2)
		die_usage("cannot compare %zu sketches of kind %s: two are needed", n, a->kind->name);
	if (record_compare(&a->head, &b->head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot compare '%s' with '%s': %s", side[0].name, side[1].name,
		    why.text);
	if (of->listed(a->body) + of->listed(b->body) == 0 &&
	    of->total(a->body) + of->total(b->body) > 0)
		die_exit(EXIT_SKETCH, "cannot compare '%s' with '%s': both were built with --candidates 0",
		    side[0].name, side[1].name);
	for (size_t i = 0; i < 2; i++)
		if (of->saturated(side[i].sketch.body))
			lament("'%s': the sum of weights passed 2^64-1: counts that large are lower bounds",
			    side[i].name);
	if (a->head.join != JOIN_NONE)
		rows_joined_by(a->head.join == JOIN_NEWLINE ? '\n' : '\0');
	changes_print(&wish, of, a->body, b->body);
}

static void
print_common(const struct side *side, size_t n)
{
	if (about_changes)
		die_usage("%s is about how often items occur, and a sketch of kind %s does not tell",
		    about_changes, side[0].sketch.kind->name);
	if (n == 2)
		print_two(&side[0], &side[1]);
	else
		print_pairs(side, n);
}

int
main(int argc, char *argv[])
{
	tool_start("sketch-compare");
	parse_options(&argc, &argv);

	size_t n = (size_t)argc;
	assert(n >= 2);
	struct side *side = calloc(n, sizeof *side);
	if (!side)
		die(STATUS_MEMORY, "cannot compare %zu sketches", n);
	for (size_t i = 0; i < n; i++)
		load(&side[i], argv[i]);
	(frequency_find(side[0].sketch.head.kind) ? print_changes : print_common)(side, n);
	opts_records(n);
	for (size_t i = 0; i < n; i++)
		sketch_free(&side[i].sketch);
	free(side);
	return output_finish(EXIT_YES);
}
