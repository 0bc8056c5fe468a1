/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * bloom-uniq passes each line the first time its key is seen, in the order of
 * the input. Status 1 is never used.
 */

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "sketch/seen.h"
#include "tool/dropped.h"
#include "tool/interrupt.h"
#include "tool/kept.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/recent.h"
#include "tool/report.h"

#define MEMORY_DEFAULT (UINT64_C(1) << 30)
#define FPP_PROMISED 0.01

static const char usage[] =
	"bloom-uniq [OPTION]... [FILE...]";

static const char about[] =
	"Pass each line the first time its key is seen, in input order.";

enum { OPT_REPEATED = 256, OPT_DROPPED };

static const struct opts_row help[] = {
	{OPT_REPEATED, "repeated", NULL, "print each line the second time its key is seen instead"},
	{OPT_DROPPED, "dropped", "FILE", "write the other lines there"},
	{'c', "count", NULL, "print how many lines would pass instead"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-u", "lines that come only once cannot be known before the end"},
	{"-D", "use --dropped FILE for the lines that do not pass"},
	{"-w", "use -f LIST to choose the key"},
	{"-s", "use -f LIST to choose the key"},
	{"-v", "use --dropped FILE for the lines that do not pass"},
	{"-n", "use -M SIZE: there is no number of items to plan for"},
	{NULL, NULL}
};

static struct {
	bool repeated, count;
	const char *dropped;
} opt;

static struct seen *seen;
static struct recent *recent;        /* instead, with --window */

static struct twopass *twopass;      /* or with --exact */

/* Of each worker. */
static struct {
	_Alignas(64) uint64_t items; /* lines with a key */
	uint64_t passed;             /* of these */
	uint64_t sum;                /* of their hashes, with --exact */
} own[WORKERS_MAX];

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_BUFFER | OPTS_MEMORY | OPTS_SEED | OPTS_WINDOW, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_REPEATED:
			opt.repeated = true;
			break;
		case OPT_DROPPED:
			opt.dropped = opts_text();
			break;
		case 'c':
			opt.count = true;
			break;
		}
	if (!shared.memory_given)
		shared.memory = MEMORY_DEFAULT;
}

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot remember a line");
}

static void
meet(void *context, const uint64_t *hash, size_t n, bool *wanted)
{
	(void)context;
	check(twopass ? twopass_meet(twopass, hash, n, wanted) :
	    opt.repeated ? seen_meet_again(seen, hash, n, wanted) :
	    seen_meet(seen, hash, n, wanted));
}

static void
pass_lines(unsigned worker, const struct batch *b, const bool *wanted)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += wanted[i];
	own[worker].items += b->n;
	own[worker].passed += n;
	if (!opt.count)
		kept_lines(parallel_output(worker), b, wanted);
	dropped_lines(worker, b, wanted);
}

/* One of several workers goes through each shard in the block's turn. */
static void
pass_block(void *context, unsigned worker, struct batch *const *batch, size_t n,
    struct gates *gates)
{
	bool answer[BATCH_MAX];
	const bool *wanted = answer;

	(void)context;
	if (gates) {
		wanted = shards_pass(worker, batch, n, gates, meet, NULL);
		if (!wanted)
			return;
	} else {
		meet(NULL, batch[0]->hash, batch[0]->n, answer);
	}
	for (size_t k = 0; k < n; wanted += batch[k++]->n)
		pass_lines(worker, batch[k], wanted);
}

/* With --window: one batch after the other, since the clock stands between. */
static enum verdict
pass_recent(void *context, unsigned worker, struct batch *b)
{
	bool wanted[BATCH_MAX];

	(void)context;
	if (!shared.scan.has_stamp) {
		int64_t now = window_now();
		for (size_t i = 0; i < b->n; i++)
			b->time[i] = now;
	}
	enum status st = recent_meet(recent, b->time, b->hash, b->n, wanted);
	check(st);
	pass_lines(worker, b, wanted);
	return GO_ON;
}

static uint64_t
passed(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++)
		n += own[i].passed;
	return n;
}

static void
tell_stats(const struct seen_stats *stats, uint64_t items)
{
	char memory[NUM_REAL_SIZE];
	uint64_t n = passed();

	note("%llu passed, %llu dropped; %s in %s", (unsigned long long)n,
	    (unsigned long long)(items - n), stats->filters == 0 ? "exact" : "approximate",
	    num_bytes(memory, stats->bytes));
	note("%.2g lost because two keys have one 64-bit hash",
	    seen_collision((double)stats->exact));
	if (stats->filters > 0)
		note("past -M: about %.1f lines were taken for seen, but were not; "
		    "%.2g %% of new ones are now", stats->lost, 100 * stats->fpp);
}

static void
start(void)
{
	enum status st;

	if (shared.window > 0 && shared.memory < RECENT_BYTES_MIN)
		die_usage("cannot use -M: --window needs 640K or more");
	st = shared.window > 0 ?
	    recent_new(&recent, (int64_t)shared.window, !shared.scan.has_stamp, opt.repeated,
	        shared.memory) :
	    seen_new(&seen, shared.memory);
	if (st != OK)
		die(st, "cannot start");
}

/* Lines that the window's clock had no place for. */
static void
tell_window(uint64_t items)
{
	const struct window *w = recent_window(recent);

	if (w->late > 0)
		lament("%llu of %llu lines came late, from before the window",
		    (unsigned long long)w->late, (unsigned long long)items);
	if (w->wrong > 0)
		lament("%llu of %llu lines had a time that is far ahead of the others",
		    (unsigned long long)w->wrong, (unsigned long long)items);
}

int
main(int argc, char *argv[])
{
	struct seen_stats stats;

	tool_start("bloom-uniq");
	parse_options(&argc, &argv);
	output_start();
	start();
	if (opt.dropped)
		dropped_open(opt.dropped);
	interrupt_catch();

	struct job job = opts_job();
	job.scan.want_lines = true;
	job.writes = true;
	job.go_on = true;
	if (recent)
		job.inorder = pass_recent;
	else
		job.block = pass_block;
	job.block_end = dropped_flush;
	struct intake tally = parallel_run(&job, argc, argv);

	if (opt.count) {
		output_count(passed());
		output_byte(shared.scan.end);
	}
	output_flush();
	dropped_commit();
	if (recent)
		recent_stats(recent, &stats);
	else
		seen_stats(seen, &stats);
	opts_tally(&tally);
	if (recent)
		tell_window(tally.items);
	if (shared.stats)
		tell_stats(&stats, tally.items);
	seen_free(seen);
	recent_free(recent);
	for (unsigned i = 0; i < WORKERS_MAX; i++)
		buffer_free(&own[i].memory);

	int status = output_finish(EXIT_YES);
	interrupt_die();
	return status;
}
