/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-build reads lines and writes one Count-Min sketch of how often each item
 * occurred, with the heaviest items as candidates. It never ends with 1.
 */

#include <errno.h>

#include "base/num.h"
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

enum { OPT_CONFIDENCE = 256, OPT_WIDTH, OPT_DEPTH, OPT_CANDIDATES, OPT_CONSERVATIVE, OPT_SUBTRACT };

static const struct opts_row help[] = {
	{'e', "error", "E", "at most this share of the total too high (0.001)"},
	{OPT_CONFIDENCE, "confidence", "C", "with this probability (99%)"},
	{OPT_WIDTH, "width", "W", "counters in a row, instead of -e"},
	{OPT_DEPTH, "depth", "D", "rows, instead of --confidence"},
	{OPT_CANDIDATES, "candidates", "N", "items kept by name for cms-topk (1024)"},
	{OPT_CONSERVATIVE, "conservative", NULL, "raise no counter more than needed: closer, but for good"},
	{OPT_SUBTRACT, "subtract", NULL, "with --update: take these lines away again"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-k", "cms-topk -s lists; use --candidates N to keep more items by name"},
	{"-n", "use --candidates N to keep more items by name"},
	{"-w", "use --width W"},
	{NULL, NULL}
};

/* Counters that may be private to each worker; larger ones are filled by one. */
#define PRIVATE_MAX (16 << 20)

/* What of the parameters was told, and to what. */
static struct {
	struct cms_parameters to;
	bool error, confidence, width, depth, candidates, subtract;
} told;

static struct cms *part[WORKERS_MAX];
static struct spacesaving *table;

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_WEIGHT | OPTS_BUILD | OPTS_MEMORY, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case 'e':
			told.to.epsilon = opts_share(1e-9, 0.5);
			told.error = true;
			break;
		case OPT_CONFIDENCE:
			told.to.delta = cms_delta_for(opts_share(0.1, 1 - 1e-9));
			told.confidence = true;
			break;
		case OPT_WIDTH:
			told.to.width = opts_count(1, CMS_WIDTH_MAX);
			told.width = true;
			break;
		case OPT_DEPTH:
			told.to.depth = (unsigned)opts_count(1, CMS_DEPTH_MAX);
			told.depth = true;
			break;
		case OPT_CANDIDATES:
			told.to.candidates = (unsigned)opts_count(0, CMS_CANDIDATES_MAX);
			told.candidates = true;
			break;
		case OPT_CONSERVATIVE:
			told.to.conservative = true;
			break;
		case OPT_SUBTRACT:
			told.subtract = true;
			break;
		}
	opts_exclude(told.error, "-e", told.width, "--width");
	opts_exclude(told.confidence, "--confidence", told.depth, "--depth");
	opts_exclude(told.error || told.confidence || told.width || told.depth || told.candidates,
	    "-e, --confidence, --width, --depth or --candidates", shared.like != NULL, "--like");
	opts_exclude(told.candidates && told.to.candidates == 0, "--candidates 0",
	    shared.memory_given, "-M");
	opts_exclude(told.to.conservative, "--conservative", told.subtract, "--subtract");
	if (told.subtract && !shared.update)
		die_usage("--subtract needs --update FILE");
}

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot count");
}

static struct cms *
empty(const struct cms_parameters *p)
{
	struct cms *c;
	char size[NUM_REAL_SIZE];
	enum status st = cms_new(&c, p->width, p->depth, p->epsilon, p->delta, p->candidates);

	if (st != OK)
		die(st, "cannot make %llu x %u counters, %s", (unsigned long long)p->width,
		    p->depth, num_bytes(size, p->width * p->depth * 8));
	if (p->conservative)
		cms_conserve(c);
	return c;
}

/* Each as told, or else as in p. */
static void
take_told(struct cms_parameters *p)
{
	if (told.error) {
		p->epsilon = told.to.epsilon;
		p->width = cms_width_for(p->epsilon);
	}
	if (told.width) {
		p->width = told.to.width;
		p->epsilon = cms_epsilon_of(p->width);
	}
	if (told.confidence) {
		p->delta = told.to.delta;
		p->depth = cms_depth_for(p->delta);
	}
	if (told.depth) {
		p->depth = told.to.depth;
		p->delta = cms_delta_of(p->depth);
	}
	if (told.candidates)
		p->candidates = told.to.candidates;
	p->conservative |= told.to.conservative;
}

/* There must be something to take from, and of sums. */
static void
must_be_subtractable(bool there, const struct record *old)
{
	if (!there) {
		errno = ENOENT;
		die(STATUS_SYSTEM, "cannot update '%s'", shared.update);
	}
	if (cms_parameters_of(old).conservative)
		die_exit(EXIT_SKETCH, "cannot update '%s': conservative counters are no sums",
		    shared.update);
}

/* An empty sketch as told; what was not told is as in the one to resemble or
 * to update, or the default. */
static struct cms *
first(void)
{
	struct cms_parameters p = {
		.width = cms_width_for(0.001), .epsilon = 0.001,
		.depth = cms_depth_for(0.01), .delta = 0.01, .candidates = CMS_CANDIDATES
	};
	struct sketch like;
	struct record old;
	struct mismatch why;

	if (shared.like) {
		build_like(&like, "cms");
		p = cms_parameters(like.body);
		sketch_free(&like);
	}
	bool update = build_begin("cms", &old);
	if (told.subtract)
		must_be_subtractable(update, &old);
	if (update && !shared.like)
		p = cms_parameters_of(&old);
	take_told(&p);
	if (update && cms_match(cms_parameters_of(&old), p, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", shared.update, why.text);
	return empty(&p);
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

/* Conservative ones do not. */
static enum verdict
add_in_order(void *context, unsigned worker, struct batch *b)
{
	(void)worker;
	return add(context, 0, b);
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

static struct intake
build(int argc, char *argv[])
{
	struct job job = opts_job();
	struct mismatch why;

	if (cms_parameters(part[0]).candidates > 0) {
		check(spacesaving_new(&table,
		    shared.memory_given ? shared.memory : SPACESAVING_DEFAULT));
		job.scan.want_items = true;
		job.inorder = feed;
	} else if (cms_parameters(part[0]).conservative) {
		job.inorder = add_in_order;
	} else {
		job.each = add;
		if (cms_bytes(part[0]) > PRIVATE_MAX)
			job.threads = 1;
	}
	struct intake tally = parallel_run(&job, argc, argv);
	for (unsigned i = 1; i < WORKERS_MAX; i++) {
		if (part[i])
			check(cms_merge(part[0], part[i], &why));
		cms_free(part[i]);
	}
	if (table)
		check(cms_take_candidates(part[0], table));
	spacesaving_free(table);
	return tally;
}

static void
print_stats(const struct cms *c)
{
	struct cms_parameters p = cms_parameters(c);
	char size[NUM_REAL_SIZE], chance[NUM_REAL_SIZE];

	note("%llu x %u counters in %s; at most %llu too high with probability %s",
	    (unsigned long long)p.width, p.depth, num_bytes(size, cms_bytes(c)),
	    (unsigned long long)cms_excess(c), num_real(chance, 1 - p.delta));
	if (p.candidates > 0)
		note("%zu candidates; any other item occurred at most %llu times",
		    cms_candidates(c), (unsigned long long)cms_missing(c));
}

int
main(int argc, char *argv[])
{
	struct sketch sketch = {.kind = &cms_kind};

	tool_start("cms-build");
	parse_options(&argc, &argv);
	part[0] = first();
	struct intake tally = build(argc, argv);

	sketch.head = opts_identity();
	sketch.head.kind = cms_kind.id;
	sketch.head.items = tally.items;
	sketch.body = part[0];
	(told.subtract ? build_subtract : build_unite)(&sketch, "cms");
	build_record(&sketch);
	build_close();
	if (cms_saturated(sketch.body))
		lament("the sum of weights passed 2^64-1 and stopped there");
	opts_tally(&tally);
	if (shared.stats)
		print_stats(sketch.body);
	sketch_free(&sketch);
	return output_finish(EXIT_YES);
}
