/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-query prints, for each item of its lines and in their order, how often
 * it occurred in what a sketch has seen. Status 1 is never used.
 */

#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "sketch/frequency.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"
#include "tool/rows.h"

static const char usage[] =
	"cms-query [OPTION]... SKETCH [FILE...]";

static const char about[] =
	"Print how often each item occurred in what the sketch has seen: never too low.";

static const struct opts_hint hints[] = {
	{"-k", "cms-topk lists the largest; cms-query answers in the order asked"},
	{"-s", "the first operand is the sketch"},
	{"-W", "the weights were added when the sketch was built"},
	{"--seed", "the sketch's own is used"},
	{NULL, NULL}
};

/* Of the sketch's kind. */
static const struct frequency *of;

static enum verdict
answer(void *context, unsigned worker, struct batch *b)
{
	struct buffer *out = parallel_output(worker);

	for (size_t i = 0; i < b->n; i++) {
		struct row row = {.label = "item", .item = b->item[i]};
		of->bounds(context, b->item[i], b->hash[i], &row.low, &row.high);
		row.estimate = row.high;
		row_append(out, &row);
	}
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
	opts_start(OPTS_LINES | OPTS_ANSWER | OPTS_BUFFER, NULL, usage, about, hints);
	if (opts_next(&argc, &argv) != -1 || argc == 0)
		die_usage("the first operand must be a sketch: cms-query SKETCH [FILE...]");
	load(&sketch, argc, argv);
	opts_adopt(&sketch.head, "query", argv[0]);
	of = frequency_find(sketch.head.kind);
	if (of->saturated(sketch.body))
		lament("the sum of weights passed 2^64-1: counts that large are lower bounds");

	struct job job = opts_job();
	job.scan.want_items = true;
	job.writes = true;
	job.go_on = true;
	job.each = answer;
	job.context = sketch.body;
	struct intake tally = parallel_run(&job, argc - 1, argv + 1);
	opts_tally(&tally);
	if (shared.stats)
		print_stats(sketch.body);
	sketch_free(&sketch);
	return output_finish(EXIT_YES);
}
