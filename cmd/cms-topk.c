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
	size_t memory;
} opt = {.top = 10, .memory = 64 << 20};

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
	if (shared.memory_given)
		opt.memory = shared.memory > SPACESAVING_MAX ? (size_t)SPACESAVING_MAX :
		    (size_t)shared.memory;
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
top_of_lines(int argc, char *argv[])
{
	struct spacesaving *table;
	struct counter *top;
	size_t n;
	char size[NUM_REAL_SIZE];
	enum status st = spacesaving_new(&table, opt.memory);

	if (st != OK)
		die(st, "cannot count");
	struct job job = opts_job();
	job.scan.want_items = true;
	job.inorder = add;
	job.context = table;
	struct tally tally = parallel_run(&job, argc, argv);
	st = spacesaving_top(table, (size_t)opt.top, &top, &n);
	if (st != OK)
		die(st, "cannot list");
	print(top, n);

	if (spacesaving_saturated(table))
		lament("the sum of weights passed 2^64-1: counts that large are lower bounds");
	if (shared.stats && spacesaving_exact(table))
		note("exact: %llu distinct items in %s", (unsigned long long)spacesaving_distinct(table),
		    num_bytes(size, spacesaving_memory(table)));
	else if (shared.stats)
		note("approximate: an item that is not listed occurred at most %llu times",
		    (unsigned long long)spacesaving_missing(table));
	opts_tally(&tally);
	free(top);
	spacesaving_free(table);
}

/* Saved sketches unite in the order in which they come. */
static void
unite(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	struct sketch *all = context;
	struct mismatch why;

	(void)key;
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
top_of_saved(int argc, char *argv[])
{
	struct sketch all = {0};
	struct records records = {
		.only = "cms", .end = shared.scan.end, .context = &all, .sketch = unite
	};
	struct counter *top;
	size_t n;

	records_run(&records, argc, argv);
	if (!all.body)
		die_exit(EXIT_SKETCH, "cannot list: no sketch was given");
	if (cms_candidates(all.body) == 0 && cms_missing(all.body) > 0)
		die_exit(EXIT_SKETCH, "cannot list: the sketch was built with --candidates 0");
	enum status st = cms_top(all.body, (size_t)opt.top, &top, &n);
	if (st != OK)
		die(st, "cannot list");
	print(top, n);
	if (cms_saturated(all.body))
		lament("the sum of weights passed 2^64-1: counts that large are lower bounds");
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
