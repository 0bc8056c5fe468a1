/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "tool/quantiles/distribution.h"
#include "tool/output.h"
#include "tool/time/overtime.h"
#include "tool/quantiles/percentiles.h"
#include "tool/quantiles/percentiles_body.h"
#include "tool/report.h"
#include "tool/answers/rows.h"
#include "tool/quantiles/samples_by.h"
#include "tool/answers/screen.h"

struct percentiles_run percentiles = {
	.figures.asked = &percentiles.asked, .top = UINT64_MAX,
};

void
percentiles_take(int option)
{
	struct percentiles_run *r = &percentiles;

	switch (option) {
	case 'Q':
		asked_quantiles(&r->asked);
		break;
	case PERCENTILES_RANK:
		asked_ranks(&r->asked);
		break;
	case PERCENTILES_SLO:
		asked_promise(&r->asked);
		break;
	case 'q':
		r->figures.quiet = true;
		break;
	case 'k':
		r->top = opts_count(1, UINT64_MAX);
		break;
	case PERCENTILES_MIN:
		r->least = opts_count(1, UINT64_MAX);
		break;
	case PERCENTILES_EACH:
		r->each = true;
		break;
	case PERCENTILES_TOTAL:
		r->total = true;
		break;
	case PERCENTILES_PLOT:
		r->plot = true;
		break;
	}
}

void
percentiles_settle(void)
{
	struct percentiles_run *r = &percentiles;
	const char *limit = r->least > 0 ? "--min" : r->top != UINT64_MAX ? "-k" : NULL;
	const char *steps = shared.tumble > 0 ? "--tumble" : "--every";

	samples_options();
	opts_exclude(shared.scan.has_key, "--by", r->each, "--each");
	opts_exclude(overtime_wanted(), steps, r->each, "--each");
	opts_exclude(limit != NULL, limit, r->each, "--each");
	opts_exclude(limit != NULL, limit, r->total, "--total");
	opts_exclude(r->plot, "--plot", shared.scan.has_key, "--by");
	opts_exclude(r->plot, "--plot", r->each, "--each");
	opts_exclude(r->plot, "--plot", shared.json, "--json");
	opts_exclude(r->plot, "--plot", r->figures.quiet, "-q");
	opts_exclude(r->plot, "--plot", overtime_wanted(), steps);
	if (r->figures.quiet && !asked_promises(&r->asked))
		die_usage("-q needs --slo");
	if (shared.from && !shared.sketch)
		die_usage("--from needs -s");
	if (r->total && !shared.sketch)
		die_usage("--total needs -s");
	if (limit && !shared.scan.has_key && !shared.sketch)
		die_usage("%s needs --by, or keyed sketches and -s", limit);
	asked_default(&r->asked);
	if (!shared.sketch)
		asked_units(&r->asked, shared.scan.unit, shared.scan.unit);
}

void
percentiles_begin(const struct record *settings, enum unit shown)
{
	struct percentiles_run *r = &percentiles;

	samples_begin(&r->samples, settings);
	r->figures.reading = (struct reading){
		.what = r->samples.what, .discrete = r->program->discrete,
		.bounds = shared.bounds || shared.json || rows_for_a_person(),
		.confidence = shared.bounds || shared.json,
		.kept = (enum unit)settings->param[QUANTILES_UNIT], .shown = shown,
	};
}

/* How many did not fit into 64 bits is not known. */
static void
tell_saturated(const void *body)
{
	static bool told;

	if (told || !percentiles.samples.what->saturated(body))
		return;
	lament(SAMPLES_SATURATED);
	told = true;
}

static void
plot(const void *body)
{
	struct screen screen = screen_of_output();
	struct buffer picture = {0};

	if (percentiles.samples.what->total(body) > 0)
		distribution_plot(&picture, &percentiles.figures.reading, body, &screen);
	output_bytes(picture.at, picture.len);
	buffer_free(&picture);
}

void
percentiles_print(const void *body, const struct whose *whose)
{
	struct percentiles_run *r = &percentiles;
	void *second = r->program->second ? r->program->second(body) : NULL;

	figures_print(&r->figures, body, second, whose);
	if (r->plot)
		plot(second ? second : body);
	tell_saturated(body);
	if (second)
		r->samples.kind->free(second);
}

void
percentiles_print_input(const void *body, const char *name)
{
	percentiles_print(body, &(struct whose){
		.label = name ? "file" : NULL, .item = slice_of(name ? name : ""),
	});
}

/*
 * Lines, all in one sketch.
 */

static void *all;

/* The workers' parts of one input, united. */
static void
input_end(void *context, const char *name)
{
	struct samples *s = context;

	if (!percentiles.each)
		return;
	void *input = samples_take(s);
	percentiles_print_input(input, name);
	samples_merge(s, all, input);
	s->kind->free(input);
}

static void
of_lines(int argc, char *argv[])
{
	struct samples *s = &percentiles.samples;
	struct job job = samples_job(s);

	job.input_end = input_end;
	if (percentiles.each)
		all = samples_empty(s);
	struct intake tally = parallel_run(&job, argc, argv);
	if (!percentiles.each)
		all = samples_take(s);
	opts_tally(&tally);
	percentiles_print_input(all, percentiles.each ? "total" : NULL);
	s->kind->free(all);
}

static void
print_at(const char *time, const void *body)
{
	percentiles_print(body, &(struct whose){.time = time});
}

/*
 * Lines, a sketch for each key.
 */

static void
print_keys(const char *time, struct samples_by *table)
{
	size_t n;
	struct ranked *row = samples_by_top(table, percentiles.top, percentiles.least, &n);

	for (size_t i = 0; i < n; i++) {
		samples_by_fetch(table, row, i, n);
		percentiles_print(samples_by_sketch(table, &row[i]), &(struct whose){
			.time = time, .label = "key", .item = samples_by_key(table, &row[i]),
		});
	}
	free(row);
}

static void
of_keys(int argc, char *argv[])
{
	struct samples_by *table = samples_by_new(&percentiles.samples.settings);
	struct job job = samples_by_job(table);
	struct intake tally = parallel_run(&job, argc, argv);

	opts_tally(&tally);
	print_keys(NULL, table);
	samples_by_free(table);
}

int
percentiles_run(const struct percentiles *program, int argc, char *argv[])
{
	struct percentiles_run *r = &percentiles;
	bool by = shared.scan.has_key;

	r->program = program;
	if (!shared.sketch)
		percentiles_begin(&program->settings, shared.scan.unit);
	if (shared.sketch)
		percentiles_saved(argc, argv);
	else if (overtime_wanted() && by)
		samples_by_over_time(&program->settings, print_keys, argc, argv);
	else if (overtime_wanted())
		samples_over_time(&r->samples, print_at, argc, argv);
	else
		(by ? of_keys : of_lines)(argc, argv);
	return figures_status(&r->figures);
}
