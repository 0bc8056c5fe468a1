/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * bloom-query prints the lines whose items a Bloom filter may have seen, as
 * grep prints those that match. Status 1: there was none.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/filters.h"
#include "tool/kept.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/overfill.h"
#include "tool/report.h"

static const char usage[] =
	"bloom-query [OPTION]... FILTER [FILE...]\n"
	"bloom-query [OPTION]... --filter FILTER [--filter FILTER]... [FILE...]";

static const char about[] =
	"Print the lines that a Bloom filter may have seen; none that it has is missed.";

enum { OPT_FILTER = 256, OPT_VERIFY };

static const struct opts_row help[] = {
	{OPT_FILTER, "filter", "FILTER", "ask this one; may be repeated: any of them"},
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
	bool invert, count, quiet, verify;
	const char **filter;
	int filters;
} opt = {.max = UINT64_MAX};

/* Lines that were chosen, one number in each worker's own cache line. */
static struct {
	_Alignas(64) uint64_t n;
} chosen[WORKERS_MAX];

static uint64_t total;               /* in inputs that are through */

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opt.filter = calloc((size_t)*argc, sizeof *opt.filter);
	if (!opt.filter)
		die(STATUS_MEMORY, "cannot start");
	opts_start(OPTS_LINES | OPTS_BUFFER, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_FILTER:
			opt.filter[opt.filters++] = opts_text();
			break;
		case OPT_VERIFY:
			opt.verify = true;
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
	if (opt.filters == 0) {
		if (*argc == 0)
			die_usage("the first operand must be a filter: bloom-query FILTER [FILE...]");
		opt.filter[opt.filters++] = **argv;
		(*argv)++;
		(*argc)--;
	}
}

/* Which of a batch's lines to print, and how many. */
static size_t
choose(const struct batch *b, bool *wanted)
{
	size_t n = filters_have(b->hash, b->n, wanted);

	if (!opt.invert)
		return n;
	for (size_t i = 0; i < b->n; i++)
		wanted[i] = !wanted[i];
	return b->n - n;
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

static enum verdict
answer(void *context, unsigned worker, struct batch *b)
{
	bool wanted[BATCH_MAX] = {false};
	size_t n = choose(b, wanted);

	(void)context;
	if (n == 0)
		return GO_ON;
	/* Nothing is left to be found out, or to be flushed. */
	if (opt.quiet)
		_exit(EXIT_YES);
	uint64_t left = opt.max - chosen[worker].n;
	if (n > left)
		limit(wanted, n = (size_t)left);
	chosen[worker].n += n;
	if (!opt.count)
		kept_lines(parallel_output(worker), b, wanted);
	return n == left ? STOP : GO_ON;
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
	bool several = argc > 1;

	job.go_on = true;
	job.context = &several;
	job.each = answer;
	job.writes = job.scan.want_lines = !opt.count && !opt.quiet;
	if (opt.count && !opt.quiet)
		job.input_end = print_count;
	if (opt.max < UINT64_MAX)
		job.threads = 1;
	if (!opt.count && opt.max == UINT64_MAX) {
		one = parallel_run(&job, argc, argv);
		sum_up(&sum, &one);
		return sum;
	}
	/* Numbers and limits are each input's own. */
	for (int i = 0; i == 0 || i < argc; i++) {
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
	for (int i = 0; i < opt.filters; i++)
		filters_open(opt.filter[i], opt.verify);
	struct intake tally = ask(argc, argv);
	opts_tally(&tally);
	if (shared.stats)
		print_stats(&tally);
	filters_close();
	free(opt.filter);
	return output_finish(total > 0 ? EXIT_YES : EXIT_NO);
}
