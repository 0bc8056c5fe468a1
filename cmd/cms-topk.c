/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-topk prints the most frequent items of its lines, or, with -s, of saved
 * Count-Min sketches. Status 1 is never used.
 */

#include <stdlib.h>

#include "base/num.h"
#include "sketch/cms.h"
#include "sketch/spacesaving.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"
#include "tool/rows.h"

static const char usage[] =
	"cms-topk [OPTION]... [FILE...]\n"
	"cms-topk -s [OPTION]... [SKETCH...]";

static const char about[] =
	"Print the most frequent items of the lines: exact while they fit -M, then bounded.";

static const struct opts_row help[] = {
	{'k', "top", "K", "how many to list (10)"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-n", "use -k K to say how many"},
	{"-c", "the count is always printed"},
	{"-r", "the largest always come first"},
	{NULL, NULL}
};

static struct {
	uint64_t top;
} opt = {.top = 10};

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_WEIGHT | OPTS_SKETCH | OPTS_ANSWER | OPTS_MEMORY | OPTS_SEED,
	    help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case 'k':
			opt.top = opts_count(1, UINT32_MAX);
			break;
		}
	opts_exclude(shared.sketch, "-s", shared.memory_given, "-M");
}

static void
print(const struct counter *top, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct row row = {
			.estimate = top[i].high, .low = top[i].low, .high = top[i].high,
			.uncertain = !top[i].certain, .label = "item", .item = top[i].item,
		};
		row_print(&row);
	}
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
	struct counter *top;
	size_t n;
	enum status st = spacesaving_new(&table,
	    shared.memory_given ? shared.memory : SPACESAVING_DEFAULT);

	if (st != OK)
		die(st, "cannot count");
	struct job job = opts_job();
	job.scan.want_items = true;
	job.inorder = add;
	job.context = table;
	struct intake tally = parallel_run(&job, argc, argv);
	st = spacesaving_top(table, (size_t)opt.top, &top, &n);
	if (st != OK)
		die(st, "cannot list");
	print(top, n);

	if (spacesaving_saturated(table))
		lament("the sum of weights passed 2^64-1: counts that large are lower bounds");
	/* What was lost for want of memory must not look like a short list. */
	if (n < opt.top && !spacesaving_exact(table))
		lament("the list ends early: an item that is not in it may have occurred %llu times; "
		    "-M gives it more memory", (unsigned long long)spacesaving_missing(table));
	opts_tally(&tally);
	if (shared.stats)
		print_stats(table);
	free(top);
	spacesaving_free(table);
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
top_of_saved(int argc, char *argv[])
{
	struct sketch all = {0};
	struct records records = {
		.only = "cms", .end = shared.scan.end, .context = &all, .sketch = unite,
		.keyed = refuse_keyed,
	};
	struct counter *top;
	size_t n;

	uint64_t read = records_run(&records, argc, argv);
	if (cms_parameters(all.body).candidates == 0 && cms_total(all.body) > 0)
		die_exit(EXIT_SKETCH, "cannot list: the sketch was built with --candidates 0");
	if (all.head.join != JOIN_NONE)
		rows_joined_by(all.head.join == JOIN_NEWLINE ? '\n' : '\0');
	enum status st = cms_top(all.body, (size_t)opt.top, &top, &n);
	if (st != OK)
		die(st, "cannot list");
	print(top, n);

	if (cms_saturated(all.body))
		lament("the sum of weights passed 2^64-1: counts that large are lower bounds");
	opts_records(read);
	if (shared.stats)
		note("%zu candidates, any other item occurred at most %llu times",
		    cms_candidates(all.body), (unsigned long long)cms_missing(all.body));
	free(top);
	sketch_free(&all);
}

int
main(int argc, char *argv[])
{
	tool_start("cms-topk");
	parse_options(&argc, &argv);
	if (shared.sketch)
		top_of_saved(argc, argv);
	else
		top_of_lines(argc, argv);
	return output_finish(EXIT_YES);
}
