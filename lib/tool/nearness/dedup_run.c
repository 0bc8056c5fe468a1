/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/num.h"
#include "tool/nearness/dedup.h"
#include "tool/nearness/dedup_body.h"
#include "tool/lines/dropped.h"
#include "tool/lines/interrupt.h"
#include "tool/output.h"
#include "tool/report.h"

static struct nearindex *kept;
static struct recall *recall;
static struct {
	uint64_t documents, passed, dropped;
	uint64_t recalled;           /* of the dropped: by their text alone */
	double compared;             /* pairs of documents, the equal ones apart */
} tally;

/*
 * Deciding.
 */

/* What was decided before still comes out. */
static enum verdict
full(enum status st)
{
	const char *noun = documents_noun(&dedup.documents);
	struct near_stats stats;
	char memory[NUM_REAL_SIZE];

	/* With those of earlier runs. */
	nearindex_stats(kept, &stats);
	if (shared.memory_given)
		complain(st, "cannot keep more than %llu %s in %s", (unsigned long long)stats.kept,
		    noun, num_bytes(memory, shared.memory));
	else
		complain(st, "cannot keep more than %llu %s", (unsigned long long)stats.kept, noun);
	return STOP;
}

static uint32_t
in_millionths(double similarity)
{
	return similarity < 0 ? UINT32_MAX : (uint32_t)(similarity * 1e6 + 0.5);
}

static double
from_millionths(uint32_t similarity)
{
	return similarity == UINT32_MAX ? -1 : similarity / 1e6;
}

/* The filter's answer stands for one by an index that has room. False: the
 * document cannot be read. */
static bool
ask_filter(unsigned worker, const struct batch *b, size_t i, struct near_match *match)
{
	struct near_document doc;
	const struct features *features = dedup_sign_late(worker, b, i, &doc);

	if (!features)
		return false;
	*match = (struct near_match){.found = dedup_filter_meet(features, &doc), .similarity = -1};
	return true;
}

/* Ask the index, and when that is full the filter as well. False: the document
 * cannot be read after all. */
static bool
ask(unsigned worker, const struct batch *b, size_t i, struct near_match *match, enum status *st)
{
	struct dedup_signed *s = dedup_signed_at(b, i);
	struct near_document late, *doc = &s->doc;

	if (s->known) {
		if (!dedup_sign_late(worker, b, i, &late))
			return false;
		doc = &late;
	}
	*st = dedup_filter_on() ? nearindex_find(kept, doc, match) :
	    nearindex_offer(kept, doc, match);
	if (*st == STATUS_MEMORY && !dedup_filter_on() && dedup_filter_may()) {
		*st = dedup_filter_start(tally.passed);
		*match = (struct near_match){0};
	} else if (*st == STATUS_MEMORY && dedup_filter_on()) {
		/* Too long for what an index that is full can compare. */
		*st = OK;
		*match = (struct near_match){0};
	}
	if (*st != OK)
		return true;
	if (!match->found && dedup_filter_on())
		return ask_filter(worker, b, i, match);
	if (!match->equal && !doc->exact)
		tally.compared += (double)tally.passed;
	return true;
}

/* Decide about one document: OK, or STATUS_MEMORY. */
static enum status
decide(unsigned worker, const struct batch *b, size_t i)
{
	struct dedup_signed *s = dedup_signed_at(b, i);
	struct recalled answer;
	struct dedup_met met = {.number = tally.documents + 1, .size = s->size,
	    .line = b->line[i]};
	enum status st = OK;

	if (recall_find(recall, s->key, &answer)) {
		met.found = true;
		met.leader = answer.number;
		met.similarity = from_millionths(answer.similarity);
		tally.recalled++;
	} else {
		struct near_match match;
		if (!ask(worker, b, i, &match, &st))
			return OK;
		if (st != OK)
			return st;
		met.found = match.found;
		met.leader = match.number;
		met.similarity = match.found ? match.similarity : 1;
		answer = (struct recalled){match.number, in_millionths(match.found ?
		    match.similarity : 1)};
		recall_put(recall, s->key, answer);
	}
	st = dedup_show(worker, &met);
	if (st != OK)
		return st;
	tally.documents++;
	tally.passed += !met.found;
	tally.dropped += met.found;
	return OK;
}

/* Do the lines that are kept beside the index go past -M? */
static bool
past_memory(void)
{
	return shared.memory_given &&
	    nearindex_memory(kept) + dedup_show_memory() > shared.memory;
}

static enum verdict
decide_batch(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	for (size_t i = 0; i < b->n; i++) {
		if (dedup_signed_at(b, i)->failed)
			continue;
		enum status st = decide(worker, b, i);
		if (st != OK || past_memory())
			return full(STATUS_MEMORY);
	}
	return GO_ON;
}

/*
 * What is said at the end.
 */

static void
tell_cut(const struct near_stats *stats)
{
	static const char text[] = "compared %llu %s with a part of what may be alike: "
	    "too many differ in some words only%s";

	if (stats->cut > 0)
		lament(text, (unsigned long long)stats->cut, documents_noun(&dedup.documents),
		    dedup.documents.norm < MASK_DIGITS ? " (in numbers? see --norm)" : "");
}

static void
tell_stats(const struct near_stats *stats)
{
	char memory[NUM_REAL_SIZE];

	note("%llu passed, %llu dropped, %s of index", (unsigned long long)tally.passed,
	    (unsigned long long)tally.dropped, num_bytes(memory, nearindex_memory(kept)));
	dedup.program->tell(stats, tally.compared);
}

static void
tell(const struct intake *intake)
{
	struct near_stats stats;

	nearindex_stats(kept, &stats);
	dedup_filter_tell();
	tell_cut(&stats);
	if (shared.stats)
		tell_stats(&stats);
	opts_tally(intake);
}

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot start");
}

static void
start(void)
{
	const struct dedup *p = dedup.program;
	struct near_stats stats;

	uint64_t most = shared.memory - (dedup_filter_may() ? dedup_filter_share() : 0);

	check(nearindex_new(&kept, p->row, &p->rule, most));
	check(recall_new(&recall));
	dedup_sign_start(recall);
	if (dedup.index)
		dedup_index_open(kept);
	nearindex_stats(kept, &stats);
	dedup_show_start(stats.kept);
	if (dedup.dropped)
		dropped_open(dedup.dropped);
	interrupt_catch();
}

static struct intake
run(int argc, char **argv)
{
	struct job job = opts_job();

	job.scan.want_items = job.scan.want_lines = job.scan.no_hash = true;
	job.writes = true;
	job.go_on = true;
	job.each = dedup_sign;
	job.inorder = decide_batch;
	job.block_end = dedup.dropped ? dropped_flush : NULL;
	job.extra_free = dedup_extra_free;
	struct intake intake = documents_run(&dedup.documents, &job, argc, argv);
	if (dedup.count) {
		output_count(tally.passed);
		output_byte(shared.scan.end);
	}
	dedup_show_end();
	return intake;
}

int
dedup_run(int argc, char **argv)
{
	opts_hash_features(&dedup.program->rule.features);
	dedup.program->rule.similarity = near_similarity(dedup.program->rule.similarity);
	dedup_check();
	output_start();
	if (dedup.explain)
		return dedup_explain(argc, argv);
	start();

	struct intake intake = run(argc, argv);
	/* In this order: should what passed be lost, the old files stay, and a crash
	 * makes lines pass twice. */
	output_flush();
	dropped_commit();
	if (dedup.index)
		dedup_index_save(kept, tally.documents);
	tell(&intake);
	dedup_sign_free();
	dedup_show_free();
	documents_free();
	recall_free(recall);
	nearindex_free(kept);

	int status = output_finish(EXIT_YES);
	interrupt_die();
	return status;
}
