/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * bloom-query prints the lines whose items a filter may have seen, as grep
 * prints those that match, and with --add the filter remembers the others.
 * Status 1: none was seen (with -v: all were).
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/answers/choice.h"
#include "tool/each.h"
#include "tool/member/filters.h"
#include "tool/lines/interrupt.h"
#include "tool/lines/kept.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/member/overfill.h"
#include "tool/report.h"
#include "tool/files/revise.h"

static const char usage[] =
	"bloom-query [OPTION]... FILTER [FILE...]\n"
	"bloom-query [OPTION]... --filter FILTER [--filter FILTER]... [FILE...]\n"
	"bloom-query --add [OPTION]... FILTER [FILE...]";

static const char about[] =
	"Print the lines that a Bloom filter may have seen; none that it has is missed.";

enum { OPT_FILTER = 256, OPT_VERIFY, OPT_TAG, OPT_EACH, OPT_ADD };

static const struct opts_row help[] = {
	{OPT_FILTER, "filter", "FILTER", "ask this one; may be repeated: any of them"},
	{OPT_EACH, "each", NULL, "a row for each filter or key that has the line"},
	{OPT_TAG, "tag", NULL, "print all lines, with new or maybe before each"},
	{OPT_ADD, "add", NULL, "and add what is new to the filter, as it is asked"},
	{OPT_VERIFY, "verify", NULL, "check a filter over 64 MiB for damage as well"},
	{'v', "invert", NULL, "print the lines that were surely not seen"},
	{'c', "count", NULL, "print how many lines, not the lines"},
	{'q', "quiet", NULL, "print nothing, stop at the first line"},
	{'m', "max-count", "N", "stop an input after N lines"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-n", "lines are not numbered"},
	{"-p", "the false-positive probability is the filter's own"},
	{"-s", "the first operand is the filter"},
	{"-e", "the items come from lines"},
	{"-x", "an item always matches as a whole"},
	{"--invert-match", "use -v or --invert"},
	{NULL, NULL}
};

static struct {
	bool verify, tag, each, add;
	const char **filter;
	int filters;
} opt;

/* --add */
static struct revision seen;
static struct {
	uint64_t offered, added;
	double fpp;                  /* before */
} adding;

static void
exclude(void)
{
	opts_exclude(opt.tag, "--tag", choice_given() != NULL, choice_given());
	opts_exclude(opt.tag, "--tag", opt.each, "--each");
	opts_exclude(opt.each, "--each", choice.invert, "-v");
	opts_exclude(opt.add, "--add", opt.each, "--each");
	opts_exclude(opt.add, "--add", choice.quiet, "-q");
	opts_exclude(opt.add, "--add", shared.from != NULL, "--from");
	opts_exclude(opt.verify, "--verify", shared.from != NULL, "--from");
	opts_exclude(opt.add, "--add", choice.max < UINT64_MAX, "-m");
	if (opt.add && opt.filters > 1)
		die_usage("--add takes one filter");
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opt.filter = calloc((size_t)*argc, sizeof *opt.filter);
	if (!opt.filter)
		die(STATUS_MEMORY, "cannot start");
	opts_systems("bloom");
	opts_start(OPTS_LINES | OPTS_BUFFER | OPTS_KEY | OPTS_FROM, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_FILTER:
			opt.filter[opt.filters++] = opts_text();
			break;
		case OPT_VERIFY:
			opt.verify = true;
			break;
		case OPT_TAG:
			opt.tag = true;
			break;
		case OPT_EACH:
			opt.each = true;
			break;
		case OPT_ADD:
			opt.add = true;
			break;
		default:
			choice_option(c);
		}
	exclude();
	if (opt.filters == 0) {
		if (*argc == 0)
			die_usage("the first operand must be a filter: bloom-query FILTER [FILE...]");
		opt.filter[opt.filters++] = **argv;
		(*argv)++;
		(*argc)--;
	}
}

/* Print what is wanted of a batch of which n lines were chosen. */
static void
print(unsigned worker, const struct batch *b, const bool *wanted, size_t n)
{
	if (opt.tag)
		kept_tagged(parallel_output(worker), b, wanted, "new\t", "maybe\t");
	else if (!choice.count && n > 0)
		kept_lines(parallel_output(worker), b, wanted);
}

static enum verdict
answer(void *context, unsigned worker, struct batch *b)
{
	bool wanted[BATCH_MAX] = {false};
	enum verdict v;
	size_t have = filters_have(b->hash, b->n, wanted);

	(void)context;
	print(worker, b, wanted, choice_take(worker, wanted, b->n, have, &v));
	return v;
}

static enum verdict
answer_each(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	return choice_add(worker, each_answer(worker, b, choice.count, choice_left(worker)));
}

/* The filter takes no more: what was added before is answered and saved. */
static enum verdict
stop_full(enum status st, struct slice line)
{
	complain(st, "cannot add line '%.*s' to '%s'", (int)(line.len < 80 ? line.len : 80),
	    (const char *)line.at, seen.name);
	choice_over();
	return STOP;
}

/* In the order of the input, for a line that comes twice is new but once. */
static enum verdict
add(void *context, unsigned worker, struct batch *b)
{
	bool wanted[BATCH_MAX] = {false};
	size_t done, have = 0, n = b->n;
	enum status st = member_meet(seen.member, seen.sketch.body, b->hash, n, wanted, &done);

	(void)context;
	for (size_t i = 0; i < done; i++)
		have += wanted[i];
	adding.offered += done;
	adding.added += done - have;
	b->n = done;
	enum verdict v;
	print(worker, b, wanted, choice_take(worker, wanted, done, have, &v));
	return st == OK ? v : stop_full(st, b->line[done]);
}

static struct intake
ask(int argc, char *argv[])
{
	struct job job = opts_job();

	job.go_on = true;
	if (opt.add)
		job.inorder = add;
	else
		job.each = opt.each && !choice.quiet ? answer_each : answer;
	job.writes = !choice.count && !choice.quiet;
	job.scan.want_lines = job.writes || opt.add;
	return choice_run(&job, choice.count && !opt.each && !choice.quiet, argc, argv);
}

static void
print_stats(const struct intake *tally)
{
	char text[FILL_PERCENT_SIZE];
	double fpp = filters_fpp();
	uint64_t total = choice_total();
	double absent = (double)(choice.invert ? total : tally->items - total);

	note("the fpp is %s: about %.0f lines were taken for seen, but were not",
	    fill_percent(text, fpp), fpp < 1 ? absent * fpp / (1 - fpp) : 0);
}

/* So many that were surely new came with this many that seemed old. */
static double
mistaken(double fpp)
{
	return fpp < 1 ? (double)adding.added * fpp / (1 - fpp) : INFINITY;
}

static void
may_add(const char *name, const struct record *head)
{
	if (head->flags & FLAG_AUTO)
		die_usage("cannot add to '%s': it was sized by its items: build it with -n or --like",
		    name);
}

static void
add_begin(void)
{
	revise_begin(&seen, opt.filter[0], "add to", may_add);
	if (shared.stats)
		adding.fpp = seen.member->fill(seen.sketch.body).fpp;
}

/* Once all answers are written: what is lost before is not remembered. */
static void
add_end(void)
{
	char text[2][FILL_PERCENT_SIZE];

	if (shared.stats) {
		double fpp = seen.member->fill(seen.sketch.body).fpp;
		note("the fpp was %s and is %s: %.0f to %.0f lines were taken for seen, but were not",
		    fill_percent(text[0], adding.fpp), fill_percent(text[1], fpp),
		    mistaken(adding.fpp), mistaken(fpp));
	}
	if (adding.offered == 0) {
		revise_abandon(&seen);
		return;
	}
	struct record *head = &seen.sketch.head;
	head->items = add_saturated(head->items, adding.offered);
	if (head->items == UINT64_MAX)
		head->flags |= FLAG_SATURATED;
	revise_save(&seen);
}

/* Lines and a filter cannot both come from there. */
static void
check_standard_input(int argc, char *argv[])
{
	bool lines = argc == 0;
	int filters = 0;

	for (int i = 0; i < argc; i++)
		lines |= strcmp(argv[i], "-") == 0;
	for (int i = 0; i < opt.filters; i++)
		filters += strcmp(opt.filter[i], "-") == 0;
	if (filters + lines > 1 && filters > 0)
		die_usage("standard input can be read once: as one filter, or as lines");
}

int
main(int argc, char *argv[])
{
	tool_start("bloom-query");
	parse_options(&argc, &argv);
	check_standard_input(argc, argv);
	if (opt.add)
		add_begin();
	else
		for (int i = 0; i < opt.filters; i++)
			filters_open(opt.filter[i], opt.verify);
	struct intake tally = ask(argc, argv);
	/* One answer about all input, or none. */
	if (opt.each && choice.count && !choice.quiet && report_exit(EXIT_YES) != EXIT_SYSTEM)
		each_print_counts(choice_total());
	int answered = choice_total() > 0 ? EXIT_YES : EXIT_NO;
	output_finish(answered);
	if (opt.add)
		add_end();
	opts_tally(&tally);
	if (shared.stats && !opt.add)
		print_stats(&tally);
	each_free();
	filters_close();
	free(opt.filter);
	interrupt_die();
	return report_exit(answered);
}
