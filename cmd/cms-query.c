/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-query prints, for each item of its lines and in their order, how often
 * it occurred in what a sketch has seen; or, as grep does, the lines whose item
 * occurred so often. Status 1: there was none (with --where).
 */

#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "sketch/frequency/frequency.h"
#include "tool/answers/choice.h"
#include "tool/lines/kept.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/answers/rows.h"
#include "tool/options/where.h"

static const char usage[] =
	"cms-query [OPTION]... SKETCH [FILE...]\n"
	"cms-query --where EXPR [OPTION]... SKETCH [FILE...]";

static const char about[] =
	"Print how often each item occurred in what the sketch has seen: never too low.";

enum { OPT_WHERE = 256, OPT_SURE, OPT_ALL, OPT_ANNOTATE };

static const struct opts_row help[] = {
	{OPT_WHERE, "where", "EXPR", "print lines whose item occurred so often: '>=1000'"},
	{OPT_SURE, "sure", NULL, "only if that is certain"},
	{OPT_ALL, "all", NULL, "also if that is no more than possible"},
	{OPT_ANNOTATE, "annotate", NULL, "print whole lines, with the count before each"},
	{'v', "invert", NULL, "with --where: print the other lines"},
	{'c', "count", NULL, "print how many lines, not the lines"},
	{'q', "quiet", NULL, "print nothing, stop at the first line"},
	{'m', "max-count", "N", "stop an input after N lines"},
	{0}
};

static const struct opts_hint hints[] = {
	{"--filter", "use --where EXPR"},
	{"--min", "use --where '>=N'"},
	{"--threshold", "use --where '>=N'; shares are listed by cms-topk -s"},
	{"-k", "cms-topk lists the largest; cms-query answers in the order asked"},
	{"-s", "the first operand is the sketch"},
	{"-W", "the weights were added when the sketch was built"},
	{"--seed", "the sketch's own is used"},
	{NULL, NULL}
};

static struct {
	struct where where;
	bool chooses;                /* there is one */
	enum where_holds holds;
	bool sure, all, annotate;
} opt;

/* Of the sketch's kind. */
static const struct frequency *of;

static struct where
where_from(const char *text)
{
	struct where w;

	switch (where_parse(text, &w)) {
	case NUM_OK:
		return w;
	case NUM_JUNK:
		die_usage("cannot use --where '%s': not a comparison such as '>=1000'", text);
	default:
		die_usage("cannot use --where '%s': the count is not in 0..%llu", text,
		    (unsigned long long)UINT64_MAX);
	}
}

/* What is about chosen lines, and what is about rows. */
static void
check_options(void)
{
	const char *given = opt.sure ? "--sure" : opt.all ? "--all" : choice_given();

	if (given && !opt.chooses)
		die_usage("%s needs --where", given);
	opts_exclude(opt.sure, "--sure", opt.all, "--all");
	if (opt.chooses && !opt.annotate && (shared.bounds || shared.json))
		die_usage("--where prints the lines as they are: %s needs --annotate",
		    shared.json ? "--json" : "--bounds");
	opts_exclude(opt.annotate, "--annotate", choice.count, "-c");
	opts_exclude(opt.annotate, "--annotate", choice.quiet, "-q");
	opt.holds = opt.sure ? WHERE_SURE : opt.all ? WHERE_ALL : WHERE_LIKELY;
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_ANSWER | OPTS_BUFFER | OPTS_KEY, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_WHERE:
			/* Two of them look like a range, and the last alone is none. */
			if (opt.chooses)
				die_usage("--where is given twice: a pipe of two runs has both");
			opt.where = where_from(opts_text());
			opt.chooses = true;
			break;
		case OPT_SURE:
			opt.sure = true;
			break;
		case OPT_ALL:
			opt.all = true;
			break;
		case OPT_ANNOTATE:
			opt.annotate = true;
			break;
		default:
			choice_option(c);
		}
	check_options();
	if (*argc == 0)
		die_usage("the first operand must be a sketch: cms-query SKETCH [FILE...]");
}

/* What is known of each item of a batch. */
struct known {
	uint64_t low[BATCH_MAX], high[BATCH_MAX];
};

/* A row for each line that is wanted, or for each if wanted is NULL. */
static void
print_rows(struct buffer *out, const struct batch *b, const struct known *k,
    const bool *wanted)
{
	for (size_t i = 0; i < b->n; i++) {
		if (wanted && !wanted[i])
			continue;
		const struct row row = {
			.estimate = k->high[i], .low = k->low[i], .high = k->high[i],
			.label = opt.annotate ? "line" : "item",
			.item = opt.annotate ? b->line[i] : b->item[i],
		};
		row_append(out, &row);
	}
}

static enum verdict
choose(unsigned worker, const struct batch *b, const struct known *k)
{
	bool wanted[BATCH_MAX];
	size_t have = 0;
	enum verdict v;

	for (size_t i = 0; i < b->n; i++) {
		wanted[i] = where_holds(&opt.where, opt.holds, k->low[i], k->high[i]);
		have += wanted[i];
	}
	size_t n = choice_take(worker, wanted, b->n, have, &v);
	if (opt.annotate)
		print_rows(parallel_output(worker), b, k, wanted);
	else if (!choice.count && n > 0)
		kept_lines(parallel_output(worker), b, wanted);
	return v;
}

static enum verdict
answer(void *context, unsigned worker, struct batch *b)
{
	struct known k;

	for (size_t i = 0; i < b->n; i++)
		of->bounds(context, b->item[i], b->hash[i], &k.low[i], &k.high[i]);
	if (opt.chooses)
		return choose(worker, b, &k);
	print_rows(parallel_output(worker), b, &k, NULL);
	return GO_ON;
}

/* The sketch may come by standard input if the lines do not. */
static void
load(struct sketch *sketch, int argc, char *argv[])
{
	bool input = argc == 1;

	for (int i = 1; i < argc; i++)
		input |= strcmp(argv[i], "-") == 0;
	if (strcmp(argv[0], "-") != 0) {
		records_one(argv[0], FREQUENCY_KINDS, sketch);
		return;
	}
	if (input)
		die_usage("standard input cannot be both the sketch and the lines");
	records_one_from(STDIN_FILENO, "standard input", FREQUENCY_KINDS, sketch);
}

static void
print_stats(const void *body)
{
	char chance[NUM_REAL_SIZE];
	double probability;
	uint64_t most = of->excess(body, &probability);

	note("an estimate is at most %llu of %llu too high with probability %s",
	    (unsigned long long)most, (unsigned long long)of->total(body),
	    num_real(chance, probability));
}

int
main(int argc, char *argv[])
{
	struct sketch sketch;

	tool_start("cms-query");
	parse_options(&argc, &argv);
	load(&sketch, argc, argv);
	opts_adopt(&sketch.head, "query", argv[0]);
	of = frequency_find(sketch.head.kind);
	if (of->saturated(sketch.body))
		lament("the sum of weights passed 2^64-1: counts that large are lower bounds");

	struct job job = opts_job();
	job.scan.want_items = true;
	job.writes = !choice.count && !choice.quiet;
	job.scan.want_lines = job.writes && (opt.chooses || opt.annotate);
	job.go_on = true;
	job.each = answer;
	job.context = sketch.body;
	struct intake tally = choice_run(&job, choice.count && !choice.quiet, argc - 1, argv + 1);
	opts_tally(&tally);
	if (shared.stats)
		print_stats(sketch.body);
	sketch_free(&sketch);
	return output_finish(opt.chooses && choice_total() == 0 ? EXIT_NO : EXIT_YES);
}
