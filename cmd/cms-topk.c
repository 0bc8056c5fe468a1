/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-topk prints the most frequent items of its lines, or, with -s, of saved
 * sketches that know items by name; with --window, --every or --tumble one list
 * after another as time goes on. Status 1 is never used.
 */

#include <string.h>

#include "base/num.h"
#include "sketch/frequency/cms.h"
#include "sketch/frequency/frequency.h"
#include "sketch/frequency/spacesaving.h"
#include "tool/answers/also.h"
#include "tool/answers/chart.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/time/overtime.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/answers/rows.h"
#include "tool/time/steptop.h"
#include "tool/answers/toplist.h"

static const char usage[] =
	"cms-topk [OPTION]... [FILE...]\n"
	"cms-topk -s [OPTION]... [SKETCH...]";

static const char about[] =
	"Print the most frequent items: exact while they fit -M, then bounded.";

enum {
	OPT_THRESHOLD = 256, OPT_MIN, OPT_SURE, OPT_ALL, OPT_REST, OPT_TYPE, OPT_ALSO, OPT_PLOT,
};

static const struct opts_row help[] = {
	{'k', "top", "K", "how many to list (10; with --threshold, --min: all)"},
	{OPT_THRESHOLD, "threshold", "SHARE", "list what has at least this share of the total"},
	{OPT_MIN, "min", "N", "list what occurred at least N times"},
	{OPT_SURE, "sure", NULL, "only what belongs there for certain"},
	{OPT_ALL, "all", NULL, "whatever may belong there"},
	{OPT_REST, "rest", NULL, "a last row for all that is not listed"},
	{OPT_TYPE, "type", "cms|spacesaving", "with -s: only such sketches; lines need none"},
	{OPT_ALSO, "also", "LIST", "with -W: print these as well: count, mean"},
	{OPT_PLOT, "plot", NULL, "draw bars, as wide as the screen"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-n", "use -k K to say how many"},
	{"-c", "the count is always printed"},
	{"-r", "the largest always come first"},
	{NULL, NULL}
};

static struct toplist_wish wish;
static const char *type;
static struct also also;
static bool plot;

/* For --also: the table that the list at hand is of, and the rows so far. */
static const struct spacesaving *counted;
static struct also_known listed;

/* From lines there is one way to count, and the better one: next to a table of
 * items a Count-Min has little to add. */
static void
check_type(void)
{
	if (!type)
		return;
	for (size_t i = 0; frequency_row(i); i++)
		if (strcmp(frequency_row(i)->type, type) == 0) {
			if (shared.sketch || strcmp(type, frequency_of_table.type) == 0)
				return;
			die_usage("cannot use --type '%s': lines are listed by spacesaving; "
			    "'cms-build' makes a sketch for -s", type);
		}
	die_usage("cannot use --type '%s': not cms or spacesaving", type);
}

static uint64_t
less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* The lines of a row's item; those of the rest are all but those of the rows. */
static struct also_known
known_of(const struct row *row, const struct counter *of)
{
	struct also_known k = {.sum_low = row->low, .sum_high = row->high};

	if (!of) {
		uint64_t lines = spacesaving_lines(counted);
		k.lines_low = less(lines, listed.lines_high);
		k.lines_high = less(lines, listed.lines_low);
		return k;
	}
	spacesaving_hits(counted, of->item, of->hash, &k.lines_low, &k.lines_high);
	listed.lines_low = add_saturated(listed.lines_low, k.lines_low);
	listed.lines_high = add_saturated(listed.lines_high, k.lines_high);
	return k;
}

static void
print_row(struct row *row, const struct counter *of)
{
	struct row_also numbers[ALSO_MAX];

	if (also.n > 0) {
		struct also_known k = known_of(row, of);
		also_fill(&also, &k, numbers);
		row->also = numbers;
		row->nalso = also.n;
	}
	if (plot)
		chart_add(row);
	else
		row_print(row);
}

/* What can only be judged when all options are known. */
static void
check_options(bool sure, bool all)
{
	opts_exclude(shared.sketch, "-s", shared.memory_given, "-M");
	opts_exclude(shared.sketch, "-s", also.n > 0, "--also");
	opts_exclude(sure, "--sure", all, "--all");
	opts_exclude(plot, "--plot", shared.json, "--json");
	if (also.n > 0 && !shared.scan.has_weight)
		die_usage("--also needs -W: without weights the count is what is printed");
	wish.print = print_row;
	wish.choice = sure ? TOPLIST_SURE : all ? TOPLIST_ALL : TOPLIST_LIKELY;
	if (wish.k == 0 && wish.min == 0 && wish.share <= 0)
		wish.k = 10;
	check_type();
}

static void
parse_options(int *argc, char ***argv)
{
	bool sure = false, all = false;
	int c;

	opts_start(OPTS_LINES | OPTS_WEIGHT | OPTS_SKETCH | OPTS_ANSWER | OPTS_MEMORY | OPTS_SEED |
	    OPTS_STEPS, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case 'k':
			wish.k = opts_count(1, UINT32_MAX);
			break;
		case OPT_THRESHOLD:
			wish.share = opts_share(1e-12, 1);
			break;
		case OPT_MIN:
			wish.min = opts_count(1, UINT64_MAX);
			break;
		case OPT_SURE:
			sure = true;
			break;
		case OPT_ALL:
			all = true;
			break;
		case OPT_REST:
			wish.rest = true;
			break;
		case OPT_TYPE:
			type = opts_text();
			break;
		case OPT_ALSO:
			also_parse(&also);
			break;
		case OPT_PLOT:
			plot = true;
			break;
		}
	check_options(sure, all);
}

/* The list, with what is known of it after that. */
static struct toplist
print_list(const struct frequency *of, const void *body, const char *time)
{
	struct toplist list;

	listed = (struct also_known){0};
	toplist_make(&list, &wish, of, body);
	toplist_print(&list, &wish, time);
	chart_draw(time);
	return list;
}

static void
tell_saturated(void)
{
	lament("the sum of weights passed 2^64-1: counts that large are lower bounds");
}

/* Print the list; help is what makes a longer one. */
static void
answer(const struct frequency *of, const void *body, const char *help_more)
{
	struct toplist list = print_list(of, body, NULL);

	if (of->saturated(body))
		tell_saturated();
	/* What was lost for want of memory must not look like a short list; but how
	 * many a sketch keeps was chosen when it was built. */
	if (!shared.sketch || wish.min > 0 || wish.share > 0 || wish.choice == TOPLIST_ALL)
		toplist_warn(&list, &wish, help_more);
	toplist_free(&list);
}

/* In the order of the input: who keeps a counter when memory is short depends
 * on it, and the answer must not depend on the number of workers. */
static enum verdict
add(void *context, unsigned worker, struct batch *b)
{
	enum status st = spacesaving_add(context, b->item, b->hash,
	    shared.scan.has_weight ? b->weight : NULL, b->n);

	(void)worker;
	if (st != OK)
		die(st, "cannot count");
	return GO_ON;
}

static void
print_stats(const struct spacesaving *table)
{
	char size[NUM_REAL_SIZE];
	const char *memory = num_bytes(size, spacesaving_memory(table));

	if (spacesaving_exact(table))
		note("exact: %zu distinct items in %s", spacesaving_distinct(table), memory);
	else
		note("approximate: %zu items have counters in %s, any other occurred at most %llu times",
		    spacesaving_distinct(table), memory,
		    (unsigned long long)spacesaving_missing(table));
}

static void
top_of_lines(int argc, char *argv[])
{
	struct spacesaving *table;
	enum status st = spacesaving_new(&table,
	    shared.memory_given ? shared.memory : SPACESAVING_DEFAULT);

	if (st != OK)
		die(st, "cannot count");
	if (also.n > 0)
		spacesaving_want_hits(table);
	counted = table;
	struct job job = opts_job();
	job.scan.want_items = true;
	job.inorder = add;
	job.context = table;
	struct intake tally = parallel_run(&job, argc, argv);

	answer(&frequency_of_table, table, "-M gives it more memory");
	opts_tally(&tally);
	if (shared.stats)
		print_stats(table);
	spacesaving_free(table);
}

/*
 * Over time: lists as it goes on.
 */

static struct {
	uint64_t lists, approximate, missing;        /* missing: what any of them lacks */
	uint64_t early, escaped;
	bool saturated;
} steps;

static void
list_at(const char *time, const struct spacesaving *table)
{
	/* A step without a line has no list, not even of the rest. */
	if (spacesaving_distinct(table) == 0 && spacesaving_exact(table))
		return;
	counted = table;
	struct toplist list = print_list(&frequency_of_table, table, time);
	steps.lists++;
	steps.approximate += !spacesaving_exact(table);
	steps.saturated |= spacesaving_saturated(table);
	if (steps.missing < spacesaving_missing(table))
		steps.missing = spacesaving_missing(table);
	steps.early += list.escaped > 0;
	if (steps.escaped < list.escaped)
		steps.escaped = list.escaped;
	toplist_free(&list);
}

static void
top_over_time(int argc, char *argv[])
{
	steptop_run(&(struct steptop){also.n > 0, list_at}, argc, argv);
	if (steps.saturated)
		tell_saturated();
	if (steps.early > 0)
		lament("%llu of %llu lists may lack some: an item that is not in one may have occurred "
		    "%llu times in its time; -M gives them more memory",
		    (unsigned long long)steps.early, (unsigned long long)steps.lists,
		    (unsigned long long)steps.escaped);
	if (!shared.stats)
		return;
	if (steps.approximate == 0)
		note("exact: all of %llu lists", (unsigned long long)steps.lists);
	else
		note("approximate: %llu of %llu lists, any other item occurred at most %llu times in "
		    "the time of one", (unsigned long long)steps.approximate,
		    (unsigned long long)steps.lists, (unsigned long long)steps.missing);
}

/* Saved sketches unite in the order in which they come. */
static void
unite(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	struct sketch *all = context;
	struct mismatch why;

	if (key)
		die_exit(EXIT_SKETCH, "cannot use sketch '%s': it is keyed", name);
	if (!all->body) {
		*all = *s;
		*s = (struct sketch){0};
		return;
	}
	enum status st = sketch_merge(all, s, &why);
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot unite '%s' with what came before: %s", name, why.text);
	if (st != OK)
		die(st, "cannot unite '%s'", name);
}

static void
refuse_keyed(void *context, const char *name, const struct record *head)
{
	(void)context;
	(void)head;
	die_exit(EXIT_SKETCH, "cannot use sketch '%s': it is keyed", name);
}

static void
print_saved_stats(const struct frequency *of, const void *body)
{
	if (of->exact(body))
		note("exact: %zu distinct items", of->listed(body));
	else
		note("approximate: %zu candidates, any other item occurred at most %llu times",
		    of->listed(body), (unsigned long long)of->missing(body));
}

static void
top_of_saved(int argc, char *argv[])
{
	struct sketch all = {0};
	struct parts parts = {.verb = "unite"};
	struct records records = {
		.only = type ? type : FREQUENCY_KINDS, .end = shared.scan.end, .parts = &parts,
		.context = &all, .sketch = unite, .keyed = refuse_keyed,
	};

	uint64_t read = records_run(&records, argc, argv);
	parts_end(&parts);
	parts_clear(&parts);
	const struct frequency *of = frequency_find(all.head.kind);
	if (of->kind == KIND_CMS && cms_candidates_max(all.body) == 0 && of->total(all.body) > 0)
		die_exit(EXIT_SKETCH, "cannot list: the sketch was built with --candidates 0");
	if (all.head.join != JOIN_NONE)
		rows_joined_by(all.head.join == JOIN_NEWLINE ? '\n' : '\0');
	answer(of, all.body, "cms-build --candidates keeps more");

	opts_records(read);
	if (shared.stats)
		print_saved_stats(of, all.body);
	sketch_free(&all);
}

int
main(int argc, char *argv[])
{
	tool_start("cms-topk");
	parse_options(&argc, &argv);
	if (shared.sketch)
		top_of_saved(argc, argv);
	else if (overtime_wanted())
		top_over_time(argc, argv);
	else
		top_of_lines(argc, argv);
	return output_finish(EXIT_YES);
}
