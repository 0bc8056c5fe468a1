/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-build reads lines and writes one Count-Min sketch of how often each item
 * occurred, with the heaviest items as candidates. It never ends with 1.
 */

#include <stdlib.h>

#include "sketch/cms.h"
#include "sketch/spacesaving.h"
#include "tool/build.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/report.h"

static const char usage[] =
	"cms-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a sketch of how often items occur: never too low, at most E x total too high.";

enum { OPT_CONFIDENCE = 256, OPT_WIDTH, OPT_DEPTH, OPT_CANDIDATES };

static const struct opts_row help[] = {
	{'e', "error", "E", "at most this share of the total too high (0.001)"},
	{OPT_CONFIDENCE, "confidence", "C", "with this probability (99%)"},
	{OPT_WIDTH, "width", "W", "counters in a row, instead of -e"},
	{OPT_DEPTH, "depth", "D", "rows, instead of --confidence"},
	{OPT_CANDIDATES, "candidates", "N", "items kept by name for cms-topk (1024)"},
	{0}
};

/* Counters that may be private to each worker; larger ones are filled by one. */
#define PRIVATE_MAX (16 << 20)

static struct {
	double epsilon, delta;
	uint64_t width;
	unsigned depth, candidates;
	size_t memory;
} opt = {.epsilon = 0.001, .delta = 0.01, .candidates = CMS_CANDIDATES, .memory = 64 << 20};

static struct cms *part[WORKERS_MAX];
static struct spacesaving *table;

static void
parse_options(int *argc, char ***argv)
{
	bool error = false, confidence = false, candidates = false;
	int c;

	opts_start(OPTS_LINES | OPTS_WEIGHT | OPTS_BUILD | OPTS_MEMORY, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case 'e':
			opt.epsilon = opts_share(1e-9, 0.5);
			error = true;
			break;
		case OPT_CONFIDENCE:
			opt.delta = 1 - opts_share(0.1, 1 - 1e-9);
			confidence = true;
			break;
		case OPT_WIDTH:
			opt.width = opts_count(1, CMS_WIDTH_MAX);
			break;
		case OPT_DEPTH:
			opt.depth = (unsigned)opts_count(1, CMS_DEPTH_MAX);
			break;
		case OPT_CANDIDATES:
			opt.candidates = (unsigned)opts_count(0, CMS_CANDIDATES_MAX);
			candidates = true;
			break;
		}
	opts_exclude(error, "-e", opt.width > 0, "--width");
	opts_exclude(confidence, "--confidence", opt.depth > 0, "--depth");
	opts_exclude(error || confidence || opt.width || opt.depth || candidates,
	    "-e, --confidence, --width, --depth, --candidates", shared.like != NULL, "--like");
	if (shared.memory_given)
		opt.memory = shared.memory > SPACESAVING_MAX ? (size_t)SPACESAVING_MAX :
		    (size_t)shared.memory;
}

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot count");
}

/* The first sketch: of the geometry that the options ask for, and the bound
 * that it keeps. */
static struct cms *
first(void)
{
	struct cms *c;

	if (shared.like) {
		struct sketch like;
		build_like(&like, "cms");
		check(cms_new_like(&c, like.body));
		sketch_free(&like);
		return c;
	}
	if (opt.width > 0)
		opt.epsilon = cms_epsilon_of(opt.width);
	else
		opt.width = cms_width_for(opt.epsilon);
	if (opt.depth > 0)
		opt.delta = cms_delta_of(opt.depth);
	else
		opt.depth = cms_depth_for(opt.delta);
	check(cms_new(&c, opt.width, opt.depth, opt.epsilon, opt.delta, opt.candidates));
	return c;
}

/* Plain counters add up in any order. */
static enum verdict
add(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	if (!part[worker])
		check(cms_new_like(&part[worker], part[0]));
	cms_add(part[worker], b->hash, shared.scan.has_weight ? b->weight : NULL, b->n);
	return GO_ON;
}

/* Candidates depend on the order of the input. */
static enum verdict
feed(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	(void)worker;
	check(cms_feed(part[0], table, b->item, b->hash,
	    shared.scan.has_weight ? b->weight : NULL, b->n));
	return GO_ON;
}

static struct cms *
build(int argc, char *argv[], struct tally *tally)
{
	struct mismatch why;

	part[0] = first();
	struct job job = opts_job();
	if (cms_candidates_max(part[0]) > 0) {
		check(spacesaving_new(&table, opt.memory));
		job.scan.want_items = true;
		job.inorder = feed;
	} else {
		job.each = add;
		if (cms_bytes(part[0]) > PRIVATE_MAX)
			job.threads = 1;
	}
	*tally = parallel_run(&job, argc, argv);
	for (unsigned i = 1; i < WORKERS_MAX; i++) {
		if (part[i])
			check(cms_merge(part[0], part[i], &why));
		cms_free(part[i]);
	}
	if (table)
		check(cms_take_candidates(part[0], table));
	spacesaving_free(table);
	return part[0];
}

int
main(int argc, char *argv[])
{
	struct sketch sketch = {.kind = &cms_kind};
	struct record old;
	struct tally tally;

	tool_start("cms-build");
	parse_options(&argc, &argv);
	build_begin("cms", &old);
	sketch.body = build(argc, argv, &tally);
	if (cms_saturated(sketch.body))
		lament("the sum of weights passed 2^64-1 and stopped there");
	sketch.head = opts_identity();
	sketch.head.kind = cms_kind.id;
	sketch.head.items = tally.items;
	build_one(&sketch, "cms");
	opts_tally(&tally);
	return output_finish(EXIT_YES);
}
