/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-query prints, for each item of its lines and in their order, how often
 * it occurred in what a Count-Min sketch has seen. Status 1 is never used.
 */

#include "sketch/cms.h"
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
	{NULL, NULL}
};

static enum verdict
answer(void *context, unsigned worker, struct batch *b)
{
	const struct cms *cms = context;
	struct buffer *out = parallel_output(worker);

	for (size_t i = 0; i < b->n; i++) {
		struct row row = {.label = "item", .item = b->item[i]};
		cms_bounds(cms, b->item[i], b->hash[i], &row.low, &row.high);
		row.estimate = row.high;
		row_append(out, &row);
	}
	return GO_ON;
}

int
main(int argc, char *argv[])
{
	struct sketch sketch;

	tool_start("cms-query");
	opts_start(OPTS_LINES | OPTS_ANSWER | OPTS_BUFFER, NULL, usage, about, hints);
	if (opts_next(&argc, &argv) != -1 || argc == 0)
		die_usage("the first operand must be a sketch: cms-query SKETCH [FILE...]");
	records_one(argv[0], "cms", &sketch);
	opts_adopt(&sketch.head, "query", argv[0]);
	if (cms_saturated(sketch.body))
		lament("a sum in '%s' passed 2^64-1: counts that large are lower bounds", argv[0]);

	struct job job = opts_job();
	job.scan.want_items = true;
	job.writes = true;
	job.go_on = true;
	job.each = answer;
	job.context = sketch.body;
	struct tally tally = parallel_run(&job, argc - 1, argv + 1);
	opts_tally(&tally);
	sketch_free(&sketch);
	return output_finish(EXIT_YES);
}
