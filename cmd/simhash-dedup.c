/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * simhash-dedup passes each line unless it is nearly one that it has passed
 * before. It compares with passed lines only, in the order of the input.
 * Status 1 is never used.
 */

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "sketch/features.h"
#include "sketch/simhash.h"
#include "sketch/simindex.h"
#include "tool/dropped.h"
#include "tool/interrupt.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/report.h"

static const char usage[] =
	"simhash-dedup [OPTION]... [FILE...]";

static const char about[] =
	"Pass the lines that are no near-duplicate of one passed before, in input order.";

enum { OPT_FEATURES = 256, OPT_DISTANCE, OPT_EDITS, OPT_SIMILARITY, OPT_UNVERIFIED, OPT_DROPPED };

static const struct opts_row help[] = {
	{OPT_FEATURES, "features", "UNIT:N", "runs of N words or characters: word:2, char:5 (word:2)"},
	{OPT_DISTANCE, "distance", "K", "signatures that differ in at most K of 64 bits (6)"},
	{OPT_EDITS, "edits", "PERCENT", "the distance that finds 90 % of pairs so much edited"},
	{OPT_SIMILARITY, "similarity", "S", "share of features in common that verification demands"},
	{OPT_UNVERIFIED, "unverified", NULL, "trust the signatures: no look at the features"},
	{OPT_DROPPED, "dropped", "FILE", "write the other lines there"},
	{'c', "count", NULL, "print how many lines would pass instead"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-k", "use --distance K"},
	{"-i", "letters and their capitals are the same anyway"},
	{"-n", "use --features word:N"},
	{"-v", "use --dropped FILE for the lines that do not pass"},
	{"--threshold", "use --edits PERCENT, --distance K or --similarity S"},
	{NULL, NULL}
};

static struct {
	struct feature_rule rule;
	struct simindex_rule index;
	double edits, similarity;
	bool unverified, count;
	const char *dropped;
} opt = {
	.rule = {.unit = FEATURE_WORD, .n = 2},
	.index = {.distance = 6}, .similarity = -1,
};

#define EDITS_RECALL 0.9

static void
settle(void)
{
	opt.rule.seed = shared.scan.seed;
	opt.index.most = shared.memory;
	if (opt.edits > 0) {
		opt.index.distance = simhash_distance_for(opt.edits, opt.rule.n, EDITS_RECALL);
		opt.index.similarity = simhash_similarity_for_edits(opt.edits, opt.rule.n);
	} else {
		opt.index.similarity = simhash_similarity_for(opt.index.distance);
	}
	if (opt.similarity >= 0)
		opt.index.similarity = opt.similarity;
	if (opt.unverified)
		opt.index.similarity = 0;
}

static void
parse_options(int *argc, char ***argv)
{
	bool distance = false;
	int c;

	opts_start(OPTS_INPUT | OPTS_BUFFER | OPTS_MEMORY | OPTS_SEED, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_FEATURES:
			if (!feature_rule_parse(opts_text(), &opt.rule))
				die_usage("cannot use --features '%s': not word:N or char:N, N in 1..%d",
				    opts_text(), FEATURE_RUN_MAX);
			break;
		case OPT_DISTANCE:
			opt.index.distance = (unsigned)opts_count(0, 32);
			distance = true;
			break;
		case OPT_EDITS:
			opt.edits = opts_share(0.0001, 0.5);
			break;
		case OPT_SIMILARITY:
			opt.similarity = opts_share(0.01, 1);
			break;
		case OPT_UNVERIFIED:
			opt.unverified = true;
			break;
		case OPT_DROPPED:
			opt.dropped = opts_text();
			break;
		case 'c':
			opt.count = true;
			break;
		}
	opts_exclude(distance, "--distance", opt.edits > 0, "--edits");
	opts_exclude(opt.unverified, "--unverified", opt.similarity >= 0, "--similarity");
	settle();
}

/*
 * Signing is the costly part and can be done in any order. What was found out
 * about a batch's documents stays with the batch until its turn comes, and
 * with it the features of those that may have to be verified.
 */
struct signed_batch {
	struct simhash doc[BATCH_MAX];
	size_t from[BATCH_MAX];      /* of its features, in features */
	struct buffer features;
};

static struct features scratch[WORKERS_MAX];
static struct simindex *kept;
static uint64_t passed;
static double compared;              /* pairs of lines, the equal ones apart */

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot sign a line");
}

static enum verdict
sign(void *context, unsigned worker, struct batch *b)
{
	struct features *f = &scratch[worker];

	(void)context;
	if (f->rule.n == 0)
		features_init(f, opt.rule);
	if (!b->extra && !(b->extra = calloc(1, sizeof(struct signed_batch))))
		die(STATUS_MEMORY, "cannot sign a line");

	struct signed_batch *s = b->extra;
	s->features.len = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct simhash *doc = &s->doc[i];
		check(simhash_document(f, b->item[i], doc));
		s->from[i] = s->features.len;
		if (!doc->exact && opt.index.similarity > 0)
			check(buffer_append(&s->features, doc->feature,
			    doc->features * sizeof *doc->feature));
	}
	for (size_t i = 0; i < b->n; i++)
		s->doc[i].feature = (const void *)(s->features.at + s->from[i]);
	return GO_ON;
}

static void
signed_free(void *extra)
{
	struct signed_batch *s = extra;

	buffer_free(&s->features);
	free(s);
}

/* What was decided before still comes out. */
static enum verdict
full(enum status st)
{
	char memory[NUM_REAL_SIZE];

	if (shared.memory_given)
		complain(st, "cannot keep more than %llu lines in %s", (unsigned long long)passed,
		    num_bytes(memory, shared.memory));
	else
		complain(st, "cannot keep more than %llu lines", (unsigned long long)passed);
	return STOP;
}

static enum verdict
decide(void *context, unsigned worker, struct batch *b)
{
	const struct signed_batch *s = b->extra;

	(void)context;
	for (size_t i = 0; i < b->n; i++) {
		struct simindex_match match;
		enum status st = simindex_offer(kept, &s->doc[i], &match);
		if (st != OK)
			return full(st);
		if (!match.equal && !s->doc[i].exact)
			compared += (double)passed;
		if (match.found) {
			dropped_line(worker, b->line[i], shared.scan.end);
			continue;
		}
		passed++;
		if (opt.count)
			continue;
		parallel_write(worker, b->line[i].at, b->line[i].len);
		parallel_write(worker, &shared.scan.end, 1);
	}
	return GO_ON;
}

static void
tell_stats(void)
{
	struct simindex_stats stats;
	char memory[NUM_REAL_SIZE];

	simindex_stats(kept, &stats);
	note("%llu passed, %llu dropped, %s of index", (unsigned long long)stats.kept,
	    (unsigned long long)(stats.offered - stats.kept),
	    num_bytes(memory, simindex_memory(kept)));
	if (opt.edits > 0)
		note("--edits %g%%: distance %u finds %.1f %% of such pairs", opt.edits * 100,
		    opt.index.distance, 100 * simhash_recall(opt.edits, opt.rule.n, opt.index.distance));
	if (opt.unverified)
		note("%llu pairs within distance %u, not verified; %.2g by chance",
		    (unsigned long long)stats.near, opt.index.distance,
		    compared * simhash_chance(opt.index.distance));
	else
		note("%llu pairs within distance %u, %llu of them refused: similarity below %.3f",
		    (unsigned long long)stats.near, opt.index.distance,
		    (unsigned long long)stats.rejected, opt.index.similarity);
}

int
main(int argc, char *argv[])
{
	tool_start("simhash-dedup");
	parse_options(&argc, &argv);
	output_start();
	check(simindex_new(&kept, opt.index));
	if (opt.dropped)
		dropped_open(opt.dropped);
	interrupt_catch();

	struct job job = opts_job();
	job.scan.want_items = job.scan.want_lines = job.scan.no_hash = true;
	job.writes = true;
	job.go_on = true;
	job.each = sign;
	job.inorder = decide;
	job.block_end = opt.dropped ? dropped_flush : NULL;
	job.extra_free = signed_free;
	struct intake tally = parallel_run(&job, argc, argv);

	if (opt.count) {
		output_count(passed);
		output_byte(shared.scan.end);
	}
	/* Should what passed be lost, the old file of dropped lines stays. */
	output_flush();
	dropped_commit();
	if (shared.stats)
		tell_stats();
	opts_tally(&tally);
	for (unsigned i = 0; i < WORKERS_MAX; i++)
		if (scratch[i].rule.n > 0)
			features_clear(&scratch[i]);
	simindex_free(kept);

	int status = output_finish(EXIT_YES);
	interrupt_die();
	return status;
}
