/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * hll-count prints how many distinct items its lines hold, or, with -s, how
 * many the union of saved sketches does; with --by one row for each key, with
 * --window, --every or --tumble one after another as time goes on. Status 1 is
 * never used.
 */

#include <math.h>
#include <stdlib.h>

#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll.h"
#include "tool/distinct/counter.h"
#include "tool/distinct/group.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/time/overtime.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/answers/rows.h"
#include "tool/time/stepcount.h"

static const char usage[] =
	"hll-count [OPTION]... [FILE...]\n"
	"hll-count -s [OPTION]... [SKETCH...]";

static const char about[] =
	"Print how many distinct items the lines hold: +-0.81 %, in 16 KiB of memory.";

enum { OPT_PRECISION = 256, OPT_CONFIDENCE, OPT_MIN, OPT_EACH, OPT_TOTAL };

static const struct opts_row help[] = {
	{OPT_PRECISION, "precision", "P", "2^P registers, 4..18 (14)"},
	{'e', "error", "E", "the precision for this standard error, such as 1%"},
	{OPT_CONFIDENCE, "confidence", "C", "E is kept with this probability, such as 95%"},
	{'k', "top", "K", "with --by: the K largest only"},
	{OPT_MIN, "min", "N", "with --by: keys with at least N items only"},
	{OPT_EACH, "each", NULL, "one row per input, and a total"},
	{OPT_TOTAL, "total", NULL, "with -s: unite the keys of keyed sketches"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-n", "use -k K for the K largest keys"},
	{"-l", "lines are counted by wc -l; this counts distinct ones"},
	{"-c", "the count is all that is printed"},
	{"-u", "distinct items are what is counted"},
	{NULL, NULL}
};

static struct {
	unsigned precision;
	double error, confidence;
	const char *error_text;
	uint64_t top, least;
	bool each, total;
} opt = {.precision = 14, .top = UINT64_MAX};

/* What counts: ours, or another system's. */
static struct record settings = {.kind = KIND_HLL};

static struct counter counter;               /* of the input at hand */
static void *all;                            /* of all of them */
static struct group *group;
static const char *row_time;                 /* over time, of the rows at hand */

static void
parse_options(int *argc, char ***argv)
{
	bool precision = false;
	int c;

	opts_systems(DISTINCT_KINDS);
	opts_start(OPTS_LINES | OPTS_BY | OPTS_SKETCH | OPTS_ANSWER | OPTS_SEED | OPTS_COMPAT |
	    OPTS_ITEM | OPTS_FROM | OPTS_STEPS, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_PRECISION:
			opt.precision = (unsigned)opts_count(HLL_PRECISION_MIN, HLL_PRECISION_MAX);
			precision = true;
			break;
		case 'e':
			opt.error = opts_share(1e-6, 1);
			opt.error_text = opts_text();
			break;
		case OPT_CONFIDENCE:
			opt.confidence = opts_share(0.01, 0.999999);
			break;
		case 'k':
			opt.top = opts_count(1, UINT64_MAX);
			break;
		case OPT_MIN:
			opt.least = opts_count(1, UINT64_MAX);
			break;
		case OPT_EACH:
			opt.each = true;
			break;
		case OPT_TOTAL:
			opt.total = true;
			break;
		}
	opts_exclude(precision, "--precision", opt.error > 0, "-e");
	counter_compat(precision ? "--precision" : opt.error > 0 ? "-e" : NULL);
	opts_exclude(shared.sketch, "-s", precision || opt.error > 0, "--precision or -e");
	opts_exclude(shared.scan.has_key, "--by", opt.each, "--each");
	opts_exclude(overtime_wanted(), shared.tumble > 0 ? "--tumble" : "--every", opt.each, "--each");
	opts_exclude(opt.top != UINT64_MAX, "-k", opt.each, "--each");
	opts_exclude(opt.top != UINT64_MAX, "-k", opt.total, "--total");
	opts_exclude(opt.least > 0, "--min", opt.each, "--each");
	opts_exclude(opt.least > 0, "--min", opt.total, "--total");
	if (opt.confidence > 0 && opt.error == 0)
		die_usage("--confidence needs -e");
	if (shared.from && !shared.sketch)
		die_usage("--from needs -s");
	if (opt.total && !shared.sketch)
		die_usage("--total needs -s");
	if (opt.top != UINT64_MAX && !shared.scan.has_key && !shared.sketch)
		die_usage("-k needs --by, or keyed sketches and -s");
	if (opt.least > 0 && !shared.scan.has_key && !shared.sketch)
		die_usage("--min needs --by, or keyed sketches and -s");
	if (opt.error > 0) {
		opt.precision = hll_precision_for(opt.error, opt.confidence);
		if (opt.precision == 0)
			die_usage("cannot use -e '%s': the finest precision, %d, has a standard error of %.3g %%",
			    opt.error_text, HLL_PRECISION_MAX, 100 * hll_error(HLL_PRECISION_MAX));
	}
}

static void
print(uint64_t estimate, double low, double high, const char *label, struct slice item)
{
	row_print(&(struct row){
		.estimate = estimate, .low = (uint64_t)floor(low), .high = (uint64_t)ceil(high),
		.label = label, .item = item, .time = row_time,
	});
}

static void
print_sketch(const void *body, const char *name)
{
	double low, high;

	counter.what->interval(body, &low, &high);
	print((uint64_t)llround(counter.what->estimate(body)), low, high, name ? "file" : NULL,
	    slice_of(name ? name : ""));
}

static void
print_group(struct group *g)
{
	size_t n;
	struct ranked *row = group_top(g, opt.top > SIZE_MAX ? SIZE_MAX : (size_t)opt.top,
	    opt.least, &n);

	for (size_t i = 0; i < n; i++) {
		double low = 0, high = 0;
		group_fetch(g, row, i, n);
		if (shared.bounds || shared.json || output_is_terminal())
			group_interval(g, &row[i], &low, &high);
		print(row[i].count, low, high, "key", group_key(g, &row[i]));
	}
	free(row);
}

/* What counts lines. */
static void
begin(void)
{
	if (shared.compat)
		settings = shared.settings;
	else
		settings.param[HLL_PARAM_PRECISION] = opt.precision;
	counter_begin(&counter, &settings);
}

static enum verdict
add(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	if (group)
		group_add(group, worker, b);
	else
		counter_add(&counter, worker, b);
	return GO_ON;
}

static void
block_end(void *context, unsigned worker)
{
	(void)context;
	if (group)
		group_flush(group, worker);
}

/* The workers' parts of one input, united. */
static void
input_end(void *context, const char *name)
{
	(void)context;
	if (group)
		return;
	void *input = counter_take(&counter);
	if (opt.each)
		print_sketch(input, name);
	counter_unite(&counter, all, input);
}

static void
count_lines(int argc, char *argv[])
{
	struct job job = opts_job();

	job.each = add;
	job.block_end = block_end;
	job.input_end = input_end;
	begin();
	all = counter_empty(&counter);
	if (job.scan.has_key)
		group = group_new(&settings, parallel_workers(&job), scan_key_moves(&job.scan));
	struct intake tally = parallel_run(&job, argc, argv);
	opts_tally(&tally);
}

/*
 * Over time: rows as it goes on.
 */

static void
count_at(const char *time, const void *body)
{
	row_time = time;
	print_sketch(body, NULL);
}

static void
group_at(const char *time, struct group *g)
{
	row_time = time;
	print_group(g);
}

static void
count_over_time(int argc, char *argv[])
{
	begin();
	stepcount_run(&(struct stepcount){&counter, count_at, group_at}, argc, argv);
}

/*
 * Saved sketches: plain ones unite, keyed ones answer key by key unless
 * --total unites them too.
 */

static struct {
	bool any, plain;
	struct record head;          /* of the first; the others must match it */
	void *input;                 /* union of the operand at hand, for --each */
} saved;

static void
match(const char *name, const struct record *head)
{
	struct mismatch why;

	if (!saved.any) {
		saved.head = *head;
		counter_begin(&counter, head);
	}
	saved.any = true;
	if (record_compare(&saved.head, head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot unite '%s' with what came before: %s", name, why.text);
}

static void
must(enum status st, const char *name, const struct mismatch *why)
{
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot unite '%s' with what came before: %s", name, why->text);
	if (st != OK)
		die(st, "cannot count");
}

static void
merge(void **into, const struct sketch *from, const char *name)
{
	struct mismatch why;

	/* The first decides the settings; of ours, coarser ones lower them. */
	if (!*into)
		must(counter.what->make(into, &from->head), name, &why);
	must(from->kind->merge(*into, from->body, &why), name, &why);
}

static void
saved_sketch(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	struct mismatch why;

	(void)context;
	match(name, &s->head);
	if (!key || opt.total || opt.each) {
		saved.plain = true;
		merge(&all, s, name);
		if (opt.each)
			merge(&saved.input, s, name);
	} else {
		if (!group)
			group = group_new(&s->head, 1, false);
		must(group_merge(group, *key, s, &why), name, &why);
	}
	if (saved.plain && group)
		die_exit(EXIT_SKETCH, "cannot unite '%s': keyed and plain sketches; use --total", name);
	if (saved.plain && (opt.top != UINT64_MAX || opt.least > 0))
		die_exit(EXIT_SKETCH, "cannot use %s: '%s' is not keyed",
		    opt.least > 0 ? "--min" : "-k", name);
}

static void
saved_keyed(void *context, const char *name, const struct record *head)
{
	(void)context;
	match(name, head);
	if (opt.total || opt.each)
		return;
	/* Even without a single key it is keyed, and prints no row. */
	if (!group)
		group = group_new(head, 1, false);
}

static void
saved_end(void *context, const char *name)
{
	(void)context;
	if (!opt.each)
		return;
	if (!saved.input)
		saved.input = counter_empty(&counter);
	print_sketch(saved.input, name);
	counter.kind->free(saved.input);
	saved.input = NULL;
}

static void
count_saved(int argc, char *argv[])
{
	struct parts parts = {.verb = "unite", .rows = opt.each};
	struct records records = {
		.only = DISTINCT_KINDS, .end = shared.scan.end, .parts = &parts,
		.sketch = saved_sketch, .keyed = saved_keyed, .input_end = saved_end,
	};

	uint64_t read = records_run(&records, argc, argv);
	parts_end(&parts);
	parts_clear(&parts);
	opts_records(read);
	if (!all)
		all = counter_empty(&counter);
}

int
main(int argc, char *argv[])
{
	tool_start("hll-count");
	parse_options(&argc, &argv);
	if (shared.sketch)
		count_saved(argc, argv);
	else if (overtime_wanted())
		count_over_time(argc, argv);
	else
		count_lines(argc, argv);
	if (group)
		print_group(group);
	else if (!overtime_wanted())
		print_sketch(all, opt.each ? "total" : NULL);
	group_free(group);
	counter.kind->free(all);
	return output_finish(EXIT_YES);
}
