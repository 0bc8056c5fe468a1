/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-build reads lines and writes one sketch of how often each item occurred: a
 * Count-Min with the heaviest items as candidates, or the heaviest items alone.
 * It never ends with 1.
 */

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "sketch/frequency/cms.h"
#include "sketch/frequency/frequency.h"
#include "sketch/frequency/heavy.h"
#include "sketch/frequency/spacesaving.h"
#include "tool/files/build.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"

static const char usage[] =
	"cms-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a sketch of how often items occur: never too low, at most E too high.";

enum { OPT_TYPE = 256, OPT_CONFIDENCE, OPT_WIDTH, OPT_DEPTH, OPT_CANDIDATES, OPT_CONSERVATIVE, OPT_SUBTRACT };

static const struct opts_row help[] = {
	{OPT_TYPE, "type", "cms|spacesaving", "any item, or the heaviest alone (cms)"},
	{'e', "error", "E", "at most this share of the total too high (0.001)"},
	{OPT_CONFIDENCE, "confidence", "C", "with this probability (99%)"},
	{OPT_WIDTH, "width", "W", "counters in a row, instead of -e"},
	{OPT_DEPTH, "depth", "D", "rows, instead of --confidence"},
	{OPT_CANDIDATES, "candidates", "N", "items kept by name (1024; spacesaving: 65536)"},
	{OPT_CONSERVATIVE, "conservative", NULL, "raise no counter more than needed: closer"},
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
	const struct frequency *type;
	struct cms_parameters to;
	bool error, confidence, width, depth, candidates, subtract;
} told;

static struct cms *part[WORKERS_MAX];
static struct spacesaving *table;

static void
take_type(void)
{
	const char *name = opts_text();

	for (size_t i = 0; (told.type = frequency_row(i)); i++)
		if (strcmp(told.type->type, name) == 0)
			return;
	die_usage("cannot use --type '%s': not cms or spacesaving", name);
}

/* Those that only counters have. */
static bool
told_of_counters(void)
{
	return told.error || told.confidence || told.width || told.depth ||
	    told.to.conservative || told.subtract;
}

static void
check_told(void)
{
	bool heavy = told.type && told.type->kind == KIND_SPACESAVING;
	bool none = told.candidates && told.to.candidates == 0;

	opts_exclude(told.error, "-e", told.width, "--width");
	opts_exclude(told.confidence, "--confidence", told.depth, "--depth");
	opts_exclude(told.error || told.confidence || told.width || told.depth || told.candidates,
	    "-e, --confidence, --width, --depth or --candidates", shared.like != NULL, "--like");
	opts_exclude(told_of_counters(),
	    "-e, --confidence, --width, --depth, --conservative or --subtract",
	    heavy, "--type spacesaving");
	opts_exclude(none, "--candidates 0", heavy, "--type spacesaving");
	opts_exclude(none, "--candidates 0", shared.memory_given, "-M");
	opts_exclude(told.to.conservative, "--conservative", told.subtract, "--subtract");
	if (told.subtract && !shared.update)
		die_usage("--subtract needs --update FILE");
	if (!told.type && (told_of_counters() || none))
		told.type = frequency_find(KIND_CMS);
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_WEIGHT | OPTS_BUILD | OPTS_MEMORY, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_TYPE:
			take_type();
			break;
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
	check_told();
}

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot count");
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

/* What is to be built; for the heaviest alone only the candidates matter. */
struct plan {
	uint16_t kind;
	struct cms_parameters p;
};

static struct plan
like_record(const struct record *head)
{
	struct plan plan = {.kind = head->kind};

	if (head->kind == KIND_CMS)
		plan.p = cms_parameters_of(head);
	else
		plan.p.candidates = heavy_capacity_of(head);
	return plan;
}

static struct plan
like_none(void)
{
	if (told.type && told.type->kind == KIND_SPACESAVING)
		return (struct plan){.kind = KIND_SPACESAVING, .p.candidates = HEAVY_MAX};
	return (struct plan){.kind = KIND_CMS, .p = {
		.width = cms_width_for(0.001), .epsilon = 0.001,
		.depth = cms_depth_for(0.01), .delta = 0.01, .candidates = CMS_CANDIDATES,
	}};
}

/* What was not told is as in the sketch to resemble or to update, or the default. */
static struct plan
make_plan(void)
{
	const char *only = told.type ? told.type->type : FREQUENCY_KINDS;
	struct plan plan = like_none();
	struct sketch like;
	struct record old;
	struct mismatch why;

	if (shared.like) {
		build_like(&like, only);
		plan = like_record(&like.head);
		only = like.kind->name;
		sketch_free(&like);
	}
	bool update = build_begin(only, &old);
	if (told.subtract)
		must_be_subtractable(update, &old);
	if (update && !shared.like)
		plan = like_record(&old);
	take_told(&plan.p);
	if (update && plan.kind == KIND_CMS &&
	    cms_match(cms_parameters_of(&old), plan.p, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", shared.update, why.text);
	return plan;
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

static void
new_table(void)
{
	check(spacesaving_new(&table, shared.memory_given ? shared.memory : SPACESAVING_DEFAULT));
}

static void *
build_counters(const struct cms_parameters *p, struct intake *tally, int argc, char *argv[])
{
	struct job job = opts_job();
	struct mismatch why;

	part[0] = empty(p);
	if (p->candidates > 0) {
		new_table();
		job.scan.want_items = true;
		job.inorder = feed;
	} else if (p->conservative) {
		job.inorder = add_in_order;
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
	return part[0];
}

/* Which item keeps a counter depends on the order, too. */
static enum verdict
count(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	(void)worker;
	check(spacesaving_add(table, b->item, b->hash,
	    shared.scan.has_weight ? b->weight : NULL, b->n));
	return GO_ON;
}

static void *
build_heaviest(unsigned capacity, struct intake *tally, int argc, char *argv[])
{
	struct job job = opts_job();
	struct heavy *h;

	check(heavy_new(&h, capacity));
	new_table();
	job.scan.want_items = true;
	job.inorder = count;
	*tally = parallel_run(&job, argc, argv);
	check(heavy_take(h, table));
	return h;
}

static void
print_counters(const struct cms *c)
{
	struct cms_parameters p = cms_parameters(c);
	char size[NUM_REAL_SIZE], chance[NUM_REAL_SIZE];

	note("%llu x %u counters in %s; at most %llu too high with probability %s",
	    (unsigned long long)p.width, p.depth, num_bytes(size, cms_bytes(c)),
	    (unsigned long long)cms_excess(c), num_real(chance, 1 - p.delta));
}

static void
print_stats(const struct sketch *s, const struct frequency *of)
{
	if (of->kind == KIND_CMS)
		print_counters(s->body);
	else if (of->exact(s->body))
		note("exact: %zu distinct items", of->listed(s->body));
	if (of->kind == KIND_CMS ? cms_candidates_max(s->body) > 0 : !of->exact(s->body))
		note("%zu candidates; any other item occurred at most %llu times",
		    of->listed(s->body), (unsigned long long)of->missing(s->body));
}

int
main(int argc, char *argv[])
{
	struct sketch sketch = {0};
	struct intake tally;

	tool_start("cms-build");
	parse_options(&argc, &argv);
	struct plan plan = make_plan();
	const struct frequency *of = frequency_find(plan.kind);

	sketch.body = plan.kind == KIND_CMS ?
	    build_counters(&plan.p, &tally, argc, argv) :
	    build_heaviest(plan.p.candidates, &tally, argc, argv);
	spacesaving_free(table);
	sketch.kind = kind_find(plan.kind);
	sketch.head = opts_identity();
	sketch.head.kind = plan.kind;
	sketch.head.items = tally.items;
	(told.subtract ? build_subtract : build_unite)(&sketch, of->type);
	build_record(&sketch);
	build_close();
	if (of->saturated(sketch.body))
		lament("the sum of weights passed 2^64-1 and stopped there");
	opts_tally(&tally);
	if (shared.stats)
		print_stats(&sketch, of);
	sketch_free(&sketch);
	return output_finish(EXIT_YES);
}
