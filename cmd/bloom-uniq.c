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
#include "sketch/seen.h"
#include "sketch/twopass.h"
#include "tool/dropped.h"
#include "tool/interrupt.h"
#include "tool/kept.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/recent.h"
#include "tool/report.h"
#include "tool/reread.h"
#include "tool/shards.h"
#include "tool/state.h"

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
	{OPT_REPEATED, "repeated", NULL, "print each line the second time its key is seen instead"},
	{OPT_DROPPED, "dropped", "FILE", "write the other lines there"},
	{OPT_STATE, "state", "FILE", "go on from what earlier runs have seen, and keep it there"},
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
	for (size_t k = 0; k < n; wanted += batch[k++]->n) {
		if (twopass)
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
	check(recent_meet(recent, b->time, b->hash, b->n, wanted));
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

/*
 * --state.
 */

static struct seen *
new_seen(uint64_t bytes)
{
	struct seen *s;

	if (seen_new(&s, bytes) != OK)
		die(STATUS_MEMORY, "cannot start");
	return s;
}

/* Was the state kept by a run with the same options? */
static void
must_agree(struct seen_use was)
{
	char text[2][NUM_REAL_SIZE];
	uint64_t length = recent ? (uint64_t)recent_window(recent)->length : 0;

	if (was.repeated != opt.repeated)
		state_differs("--repeated", was.repeated ? "yes" : "no", opt.repeated ? "yes" : "no");
	if ((uint64_t)was.pane_length != length)
		state_differs("panes of", num_span(text[0], (uint64_t)was.pane_length),
		    num_span(text[1], length));
}

/* For the next set of the state. Filters cannot become larger, so they stay as
 * they are; nor smaller. */
static struct seen *
empty_set(const struct record *head)
{
	uint64_t bytes = seen_bytes_of(head);
	uint64_t most = recent ? shared.memory / RECENT_SETS : shared.memory;
	struct seen_use use = seen_use_of(head);
	struct seen *set = seen;

	must_agree(use);
	if (bytes > most) {
		char text[2][NUM_REAL_SIZE];
		die_exit(EXIT_SYSTEM, "cannot use state '%s': its filters take %s, and -M allows %s",
		    opt.state, num_bytes(text[0], bytes), num_bytes(text[1], most));
	}
	if (recent) {
		enum status st = recent_resume(recent, use, bytes, &set);
		if (st != OK)
			die(st, "cannot use state '%s'", opt.state);
	} else if (seen) {
		state_differs("sets", "several", "one");
	} else {
		set = seen = new_seen(bytes > 0 ? bytes : shared.memory);
	}
	return set;
}

static size_t
state_parts(struct state_part *part)
{
	struct seen *set[RECENT_SETS] = {seen};
	struct seen_use use[RECENT_SETS] = {{.repeated = opt.repeated}};
	size_t n = 1;

	if (recent)
		check(recent_sets(recent, set, use, &n));
	for (size_t i = 0; i < n; i++)
		part[i] = (struct state_part){set[i], use[i]};
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

/* With --save-every there is one worker. */
static int
save_when_due(void *context)
{
	struct state_part part[RECENT_SETS];
	uint64_t now = monotonic();

	(void)context;
	if (now >= save_at) {
		output_flush();
		size_t n = state_parts(part);
		state_save_now(part, n, own[0].items);
		now = monotonic();
		save_at = now + opt.save_every;
	}
	uint64_t left = (save_at - now + 999) / 1000;
	return left < INT_MAX ? (int)left : INT_MAX;
}

static void
save_state(uint64_t items)
{
	struct state_part part[RECENT_SETS];
	size_t n = state_parts(part);

	state_save(part, n, items);
}

/*
 * --exact.
 */

static void
look(void *context, const uint64_t *hash, size_t n, bool *answer)
{
	(void)context;
	(void)answer;
	check(twopass_look(twopass, hash, n));
}

static void
look_at_block(void *context, unsigned worker, struct batch *const *batch, size_t n,
    struct gates *gates)
{
	(void)context;
	for (size_t k = 0; k < n; k++)
		add_up(worker, batch[k]);
	if (gates)
		shards_pass(worker, batch, n, gates, look, NULL);
	else
		look(NULL, batch[0]->hash, batch[0]->n, NULL);
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
	if (recent)
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
		enum status st = twopass_turn(twopass);
		if (st == STATUS_FULL)
			die_exit(EXIT_SYSTEM, "cannot be exact: more keys are repeated than fit in -M");
		check(st);
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
	if (twopass)
		note("exact, by %s: %s", stats->filters > 0 ? "a filter and the keys that repeat" :
		    "all keys", num_bytes(memory, stats->bytes));
	else if (stats->filters == 0)
		note("exact: %llu keys in %s", (unsigned long long)stats->exact,
		    num_bytes(memory, stats->bytes));
	else
		note("approximate: filters in %s, about %.2g lines lost, and %.2g%% of new ones now",
		    num_bytes(memory, stats->bytes), stats->lost, 100 * stats->fpp);
	note("chance that two keys have the same 64-bit hash: %.2g", seen_collision((double)n));
}

static void
tell(const struct intake *tally)
{
	struct seen_stats stats;

	if (twopass)
		twopass_stats(twopass, &stats);
	else if (recent)
		recent_stats(recent, &stats);
	else
		seen_stats(seen, &stats);
	opts_tally(tally);
	if (recent)
		tell_window(tally->items);
	tell_losses(&stats);
	if (shared.stats)
		tell_stats(&stats, tally->items);
}

static void
check_memory(void)
{
	if (shared.window > 0 && shared.memory < RECENT_BYTES_MIN)
		die_usage("cannot use -M: --window needs 640K or more");
	if (opt.exact && shared.memory < TWOPASS_BYTES_MIN)
		die_usage("cannot use -M: --exact needs 128K or more");
}

/* One file for both would keep what was renamed last. */
static void
open_files(void)
{
	struct stat a, b;

	if (opt.state && opt.dropped && (strcmp(opt.state, opt.dropped) == 0 ||
	    (stat(opt.state, &a) == 0 && stat(opt.dropped, &b) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)))
		die_usage("'%s' is both --state and --dropped", opt.state);
	if (opt.state)
		state_open(opt.state);
	if (opt.dropped)
		dropped_open(opt.dropped);
}

static void
start(void)
{
	enum status st = OK;

	check_memory();
	open_files();
	if (opt.exact)
		st = twopass_new(&twopass, shared.memory);
	else if (shared.window > 0)
		st = recent_new(&recent, (int64_t)shared.window, !shared.scan.has_stamp,
		    opt.repeated, shared.memory);
	if (st != OK)
		die(st, "cannot start");
	if (opt.state)
		state_load(empty_set);
	if (!twopass && !recent && !seen)
		seen = new_seen(shared.memory);
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
	if (twopass) {
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
	if (opt.state)
		save_state(tally.items);
	tell(&tally);
	seen_free(seen);
	recent_free(recent);
	twopass_free(twopass);
	shards_free();

	int status = output_finish(EXIT_YES);
	interrupt_die();
	return status;
}
