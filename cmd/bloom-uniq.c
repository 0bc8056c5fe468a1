/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * bloom-uniq passes each line the first time its key is seen, in the order of
 * the input. Status 1 is never used.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/num.h"
#include "tool/lines/dropped.h"
#include "tool/lines/interrupt.h"
#include "tool/lines/kept.h"
#include "tool/member/memo.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/lines/reread.h"
#include "tool/lines/shards.h"

#define MEMORY_DEFAULT (UINT64_C(1) << 30)
#define FPP_PROMISED 0.01
#define SECOND UINT64_C(1000000)
#define DAY (86400 * SECOND)

static const char usage[] =
	"bloom-uniq [OPTION]... [FILE...]";

static const char about[] =
	"Pass each line the first time its key is seen, in input order.";

enum { OPT_REPEATED = 256, OPT_DROPPED, OPT_STATE, OPT_SAVE_EVERY, OPT_EXACT };

static const struct opts_row help[] = {
	{OPT_REPEATED, "repeated", NULL, "print each line the second time its key is seen"},
	{OPT_DROPPED, "dropped", "FILE", "write the other lines there"},
	{OPT_STATE, "state", "FILE", "go on from what earlier runs have seen; kept there"},
	{OPT_SAVE_EVERY, "save-every", "D", "save the state every D as well, such as 5m"},
	{OPT_EXACT, "exact", NULL, "read files twice: exact with less memory"},
	{'c', "count", NULL, "print how many lines would pass instead"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-d", "; for lines that come again use --repeated"},
	{"-u", "lines that come only once cannot be known before the end"},
	{"-D", "use --dropped FILE for the lines that do not pass"},
	{"-w", "use -f LIST to choose the key"},
	{"-s", "use -f LIST to choose the key"},
	{"-v", "use --dropped FILE for the lines that do not pass"},
	{"-n", "use -M SIZE: there is no number of items to plan for"},
	{NULL, NULL}
};

static struct {
	bool repeated, count, exact;
	const char *dropped, *state;
	uint64_t save_every;         /* microseconds; 0: at the end only */
} opt;

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

	opts_start(OPTS_LINES | OPTS_BUFFER | OPTS_MEMORY | OPTS_SEED | OPTS_WINDOW, help, usage,
	    about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_REPEATED:
			opt.repeated = true;
			break;
		case OPT_DROPPED:
			opt.dropped = opts_text();
			break;
		case OPT_STATE:
			opt.state = opts_text();
			break;
		case OPT_SAVE_EVERY:
			opt.save_every = opts_duration(SECOND / 10, 366 * DAY);
			break;
		case OPT_EXACT:
			opt.exact = true;
			break;
		case 'c':
			opt.count = true;
			break;
		}
	opts_exclude(opt.exact, "--exact", opt.repeated, "--repeated");
	opts_exclude(opt.exact, "--exact", opt.state != NULL, "--state");
	opts_exclude(opt.exact, "--exact", shared.window > 0, "--window");
	if (opt.save_every > 0 && !opt.state)
		die_usage("--save-every needs --state FILE");
	if (!shared.memory_given)
		shared.memory = MEMORY_DEFAULT;
}

static void
meet(void *context, const uint64_t *hash, size_t n, bool *wanted)
{
	(void)context;
	memo_meet(hash, n, wanted);
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

static void
add_up(unsigned worker, const struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		own[worker].sum += b->hash[i];
}

/* One of several workers goes through each shard in the block's turn. */
static void
pass_block(void *context, unsigned worker, struct batch *const *batch, size_t n,
    struct gates *gates)
{
	const bool *wanted = shards_pass(worker, batch, n, gates, meet, context);

	if (!wanted)
		return;
	for (size_t k = 0; k < n; wanted += batch[k++]->n) {
		if (opt.exact)
			add_up(worker, batch[k]);
		pass_lines(worker, batch[k], wanted);
	}
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
	memo_meet_at(b->time, b->hash, b->n, wanted);
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

/* When to save next, by a clock that nobody sets. */
static uint64_t save_at;

static uint64_t
monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec / 1000;
}

/* Of one worker, between two blocks. What it has printed is written first. */
static int
save_when_due(void *context)
{
	uint64_t now = monotonic();

	(void)context;
	if (now >= save_at) {
		output_flush();
		memo_save_now(own[0].items);
		now = monotonic();
		save_at = now + opt.save_every;
	}
	uint64_t left = (save_at - now + 999) / 1000;
	return left < INT_MAX ? (int)left : INT_MAX;
}

/*
 * --exact.
 */

static void
look(void *context, const uint64_t *hash, size_t n, bool *answer)
{
	(void)context;
	(void)answer;
	memo_look(hash, n);
}

static void
look_at_block(void *context, unsigned worker, struct batch *const *batch, size_t n,
    struct gates *gates)
{
	for (size_t k = 0; k < n; k++)
		add_up(worker, batch[k]);
	shards_pass(worker, batch, n, gates, look, context);
}

/* Of a pass through the input: the same in both, unless the input changed. */
static uint64_t
sum_of_hashes(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		sum += own[i].sum;
		own[i].sum = 0;
	}
	return sum;
}

static struct job
job_to_pass(void)
{
	struct job job = opts_job();

	job.scan.want_lines = true;
	job.writes = true;
	job.go_on = true;
	if (shared.window > 0)
		job.inorder = pass_recent;
	else
		job.block = pass_block;
	job.block_end = dropped_flush;
	if (opt.save_every > 0) {
		job.tick = save_when_due;
		job.threads = 1;
		save_at = monotonic() + opt.save_every;
	}
	return job;
}

static struct intake
pass_exactly(int argc, char *argv[])
{
	struct job job = opts_job();
	struct intake tally = {0};
	char **files;
	int n = reread_begin(argc, argv, "--exact", &files);

	job.go_on = true;
	job.block = look_at_block;
	if (n > 0)
		tally = parallel_run(&job, n, files);
	uint64_t sum = sum_of_hashes();
	if (n > 0 && !interrupted()) {
		memo_turn();
		reread_again();
		job = job_to_pass();
		struct intake again = parallel_run(&job, n, files);
		if (!interrupted() && (again.bytes != tally.bytes || sum_of_hashes() != sum))
			complain_exit(EXIT_SYSTEM, "cannot be exact: the input changed while it was read");
	}
	free(files);
	return tally;
}

/*
 * What is said at the end.
 */

/* Past -M lines are lost: that is worth a line as soon as it is likely. */
static void
tell_losses(const struct seen_stats *stats)
{
	static const char text[] = "more keys than fit in -M: about %.0f new ones were taken for "
	    "seen, and %.2g%% are now";

	if (stats->fpp > FPP_PROMISED)
		lament(text, stats->lost, 100 * stats->fpp);
	else if (stats->lost >= 0.5)
		note(text, stats->lost, 100 * stats->fpp);
}

static void
tell_stats(const struct seen_stats *stats, uint64_t items)
{
	char memory[NUM_REAL_SIZE];
	uint64_t n = passed();

	note("%llu passed, %llu dropped", (unsigned long long)n, (unsigned long long)(items - n));
	if (opt.exact)
		note("exact, by %s: %s", stats->filters > 0 ? "a filter and the keys that repeat" :
		    "all keys", num_bytes(memory, stats->bytes));
	else if (stats->filters == 0)
		note("exact: %llu keys in %s", (unsigned long long)stats->exact,
		    num_bytes(memory, stats->bytes));
	else
		note("approximate: filters in %s, about %.2g lines lost, and %.2g%% of new ones now",
		    num_bytes(memory, stats->bytes), stats->lost, 100 * stats->fpp);
	/* Keys of earlier runs count, too. */
	note("chance that two keys have the same 64-bit hash: %.2g",
	    seen_collision((double)(stats->exact > n ? stats->exact : n)));
}

static void
tell(const struct intake *tally)
{
	struct seen_stats stats;

	memo_stats(&stats);
	opts_tally(tally);
	if (memo_window())
		window_tell(memo_window(), tally->items, "from before the window");
	tell_losses(&stats);
	if (shared.stats)
		tell_stats(&stats, tally->items);
}

/* One file for both would keep what was renamed last. */
static void
keep_apart(const char *state, const char *dropped)
{
	struct stat a, b;

	if (state && dropped && (strcmp(state, dropped) == 0 ||
	    (stat(state, &a) == 0 && stat(dropped, &b) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)))
		die_usage("'%s' is both --state and --dropped", state);
}

static void
start(void)
{
	struct memo_form form = {
		.bytes = shared.memory, .window = (int64_t)shared.window,
		.arrival = !shared.scan.has_stamp, .repeated = opt.repeated,
		.exact = opt.exact, .state = opt.state,
	};

	keep_apart(opt.state, opt.dropped);
	memo_start(&form);
	if (opt.dropped)
		dropped_open(opt.dropped);
	interrupt_catch();
}

int
main(int argc, char *argv[])
{
	struct intake tally;

	tool_start("bloom-uniq");
	parse_options(&argc, &argv);
	output_start();
	start();
	if (opt.exact) {
		tally = pass_exactly(argc, argv);
	} else {
		struct job job = job_to_pass();
		tally = parallel_run(&job, argc, argv);
	}
	if (opt.count) {
		output_count(passed());
		output_byte(shared.scan.end);
	}
	/* In this order: a crash repeats lines and never loses one. */
	output_flush();
	dropped_commit();
	memo_save(tally.items);
	tell(&tally);
	memo_free();
	shards_free();

	int status = output_finish(EXIT_YES);
	interrupt_die();
	return status;
}
