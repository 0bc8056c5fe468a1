/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * bloom-query prints the lines whose items a filter may have seen, as grep
 * prints those that match, and with --add the filter remembers the others.
 * Status 1: none was seen (with -v: all were).
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/each.h"
#include "tool/filters.h"
#include "tool/interrupt.h"
#include "tool/kept.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/overfill.h"
#include "tool/report.h"
#include "tool/revise.h"

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
	uint64_t max;                /* per input */
	bool invert, count, quiet, verify, tag, each, add;
	const char **filter;
	int filters;
} opt = {.max = UINT64_MAX};

/* Lines that were seen, or with -v were not, one number in each worker's own
 * cache line. */
static struct {
	_Alignas(64) uint64_t n;
} chosen[WORKERS_MAX];

static uint64_t total;               /* in inputs that are through */

/* --add */
static struct revision seen;
static struct {
	uint64_t offered, added;
	double fpp;                  /* before */
	bool full;
} adding;

static void
exclude(void)
{
	const char *limits = opt.invert ? "-v" : opt.count ? "-c" : opt.quiet ? "-q" : "-m";
	bool limited = opt.invert || opt.count || opt.quiet || opt.max < UINT64_MAX;

	opts_exclude(opt.tag, "--tag", limited, limits);
	opts_exclude(opt.tag, "--tag", opt.each, "--each");
	opts_exclude(opt.each, "--each", opt.invert, "-v");
	opts_exclude(opt.add, "--add", opt.each, "--each");
	opts_exclude(opt.add, "--add", opt.quiet, "-q");
	opts_exclude(opt.add, "--add", shared.from != NULL, "--from");
	opts_exclude(opt.verify, "--verify", shared.from != NULL, "--from");
	opts_exclude(opt.add, "--add", opt.max < UINT64_MAX, "-m");
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
	opts_start(OPTS_LINES | OPTS_BUFFER | OPTS_FROM, help, usage, about, hints);
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
		case 'v':
			opt.invert = true;
			break;
		case 'c':
			opt.count = true;
			break;
		case 'q':
			opt.quiet = true;
			break;
		case 'm':
			opt.max = opts_count(1, UINT64_MAX);
			break;
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

/* Of n lines, some of them seen: which are chosen, and how many. */
static size_t
choose(bool *wanted, size_t n, size_t have)
{
	if (!opt.invert)
		return have;
	for (size_t i = 0; i < n; i++)
		wanted[i] = !wanted[i];
	return n - have;
}

/* No more than the first n. */
static void
limit(bool *wanted, size_t n)
{
	for (size_t i = 0; i < BATCH_MAX; i++)
		if (wanted[i] && n-- == 0) {
			memset(wanted + i, 0, BATCH_MAX - i);
			return;
		}
}

/* Print what is wanted of a batch of which n lines were chosen. */
static void
print(unsigned worker, const struct batch *b, const bool *wanted, size_t n)
{
	chosen[worker].n += n;
	if (opt.tag)
		kept_tagged(parallel_output(worker), b, wanted, "new\t", "maybe\t");
	else if (!opt.count && n > 0)
		kept_lines(parallel_output(worker), b, wanted);
}

static enum verdict
answer(void *context, unsigned worker, struct batch *b)
{
	bool wanted[BATCH_MAX] = {false};
	size_t n = choose(wanted, b->n, filters_have(b->hash, b->n, wanted));

	(void)context;
	/* Nothing is left to be found out, or to be flushed. */
	if (opt.quiet && n > 0)
		_exit(EXIT_YES);
	uint64_t left = opt.max - chosen[worker].n;
	if (n > left)
		limit(wanted, n = (size_t)left);
	print(worker, b, wanted, n);
	return n == left ? STOP : GO_ON;
}

static enum verdict
answer_each(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	chosen[worker].n += each_answer(worker, b, opt.count, opt.max - chosen[worker].n);
	return chosen[worker].n == opt.max ? STOP : GO_ON;
}

/* The filter takes no more: what was added before is answered and saved. */
static enum verdict
stop_full(enum status st, struct slice line)
{
	complain(st, "cannot add line '%.*s' to '%s'", (int)(line.len < 80 ? line.len : 80),
	    (const char *)line.at, seen.name);
	adding.full = true;
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
	print(worker, b, wanted, choose(wanted, done, have));
	return st == OK ? GO_ON : stop_full(st, b->line[done]);
}

/* How many lines the workers have chosen. */
static uint64_t
chosen_so_far(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++)
		n += chosen[i].n;
	return n;
}

static void
print_count(void *context, const char *name)
{
	const bool *several = context;

	output_count(chosen_so_far());
	if (*several) {
		output_byte('\t');
		output_text(name);
	}
	output_byte(shared.scan.end);
}

static void
sum_up(struct intake *sum, const struct intake *one)
{
	sum->lines += one->lines;
	sum->items += one->items;
	sum->rejected += one->rejected;
	sum->bytes += one->bytes;
	total += chosen_so_far();
	memset(chosen, 0, sizeof chosen);
}

static struct intake
ask(int argc, char *argv[])
{
	struct job job = opts_job();
	struct intake one, sum = {0};
	bool several = argc > 1, rows = opt.count && !opt.each && !opt.quiet;

	job.go_on = true;
	job.context = &several;
	if (opt.add)
		job.inorder = add;
	else
		job.each = opt.each && !opt.quiet ? answer_each : answer;
	job.writes = !opt.count && !opt.quiet;
	job.scan.want_lines = job.writes || opt.add;
	if (rows)
		job.input_end = print_count;
	if (opt.max < UINT64_MAX)
		job.threads = 1;
	if (!rows && opt.max == UINT64_MAX) {
		one = parallel_run(&job, argc, argv);
		sum_up(&sum, &one);
		return sum;
	}
	/* Numbers and limits are each input's own. */
	for (int i = 0; (i == 0 || i < argc) && !adding.full; i++) {
		one = parallel_run(&job, argc > 0, argv + i);
		sum_up(&sum, &one);
	}
	return sum;
}

static void
print_stats(const struct intake *tally)
{
	char text[FILL_PERCENT_SIZE];
	double fpp = filters_fpp();
	double absent = (double)(opt.invert ? total : tally->items - total);

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
	if (opt.each && opt.count && !opt.quiet && report_exit(EXIT_YES) != EXIT_SYSTEM)
		each_print_counts(total);
	int answered = total > 0 ? EXIT_YES : EXIT_NO;
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
