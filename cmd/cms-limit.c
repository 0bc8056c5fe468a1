/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * cms-limit passes a line while fewer than N of its key have passed, in all or in
 * a window of time; -v prints the others. With -v and -q status 1 says that
 * nothing was held back.
 */

#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "sketch/member/seen.h"
#include "tool/lines/dropped.h"
#include "tool/lines/interrupt.h"
#include "tool/lines/kept.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/lines/shards.h"
#include "tool/time/throttle.h"

#define MEMORY_DEFAULT (UINT64_C(1) << 30)
#define LOSS_PROMISED 0.01

static const char usage[] =
	"cms-limit --limit N [OPTION]... [FILE...]";

static const char about[] =
	"Pass a line while fewer than N of its key have passed, in all or in a window.";

enum { OPT_LIMIT = 256, OPT_DROPPED, OPT_ONCE };

static const struct opts_row help[] = {
	{OPT_LIMIT, "limit", "N", "how many lines of a key may pass, or what sum of -W"},
	{OPT_DROPPED, "dropped", "FILE", "write the other lines there"},
	{'v', "invert", NULL, "print the lines that are held back instead"},
	{OPT_ONCE, "once", NULL, "with -v: of each key the first one only"},
	{'c', "count", NULL, "print how many lines, not the lines"},
	{'q', "quiet", NULL, "print nothing, stop at the first line held back"},
	{'m', "max-count", "N", "stop after N lines"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-n", "use --limit N"},
	{"-l", "use --limit N"},
	{"-r", "use --limit N --window D"},
	{"--rate", "use --limit N --window D"},
	{"-k", "use -f LIST to choose the key"},
	{"-t", "use --window D or --tumble D"},
	{"--invert-match", "use -v or --invert"},
	{"--per", "use --window D or --tumble D"},
	{"--every", "use --tumble D for each D by itself"},
	{"--by", "use -f LIST to choose the key"},
	{NULL, NULL}
};

static struct {
	uint64_t limit, max;
	bool invert, once, count, quiet;
	const char *dropped;
} opt = {.max = UINT64_MAX};

/* Of each worker: the lines that are printed or counted. */
static struct {
	_Alignas(64) uint64_t n;
} chosen[WORKERS_MAX];

static void
exclude(void)
{
	const char *prints = opt.dropped ? "--dropped" : opt.count ? "-c" : opt.once ? "--once" : "-m";
	bool printing = opt.dropped || opt.count || opt.once || opt.max < UINT64_MAX;

	opts_exclude(opt.quiet, "-q", printing, prints);
	opts_exclude(opt.max < UINT64_MAX, "-m", opt.dropped != NULL, "--dropped");
	if (opt.once && !opt.invert)
		die_usage("--once needs -v");
	if (opt.limit == 0)
		die_usage("--limit N is missing: how many lines of a key may pass");
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_WEIGHT | OPTS_BUFFER | OPTS_MEMORY | OPTS_SEED | OPTS_WINDOW |
	    OPTS_TUMBLE, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_LIMIT:
			opt.limit = opts_count(1, METER_LIMIT_MAX);
			break;
		case OPT_DROPPED:
			opt.dropped = opts_text();
			break;
		case 'v':
			opt.invert = true;
			break;
		case OPT_ONCE:
			opt.once = true;
			break;
		case 'c':
			opt.count = true;
			break;
		case 'q':
			opt.quiet = true;
			break;
		case 'm':
			opt.max = opts_count(1, UINT64_MAX);
			break;
		}
	exclude();
	if (!shared.memory_given)
		shared.memory = MEMORY_DEFAULT;
}

/* Print what is wanted of a batch. */
static void
print(unsigned worker, const struct batch *b, const bool *wanted)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += wanted[i];
	/* Nothing is left to be found out, or to be flushed. */
	if (opt.quiet && n > 0)
		_exit(EXIT_YES);
	chosen[worker].n += n;
	if (!opt.count && !opt.quiet)
		kept_lines(parallel_output(worker), b, wanted);
	dropped_lines(worker, b, wanted);
}

static void
take(void *context, const uint64_t *hash, size_t n, bool *wanted)
{
	(void)context;
	throttle_take(hash, NULL, n, wanted);
}

/* One of several workers goes through each shard in the block's turn. */
static void
pass_block(void *context, unsigned worker, struct batch *const *batch, size_t n,
    struct gates *gates)
{
	const bool *wanted = shards_pass(worker, batch, n, gates, take, context);

	if (!wanted)
		return;
	for (size_t k = 0; k < n; wanted += batch[k++]->n)
		print(worker, batch[k], wanted);
}

static uint64_t
chosen_so_far(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++)
		n += chosen[i].n;
	return n;
}

/* No more than -m: true if that was all. */
static bool
is_last(bool *wanted, size_t n)
{
	uint64_t left = opt.max - chosen_so_far();
	size_t i = 0;

	while (i < n && left > 0)
		left -= wanted[i++];
	memset(wanted + i, 0, n - i);
	return left == 0;
}

/* One batch after the other: where there is a clock, it stands between. */
static enum verdict
pass_in_order(void *context, unsigned worker, struct batch *b)
{
	bool wanted[BATCH_MAX];
	const uint64_t *weight = shared.scan.has_weight ? b->weight : NULL;

	(void)context;
	if (!throttle_window()) {
		throttle_take(b->hash, weight, b->n, wanted);
	} else {
		if (!shared.scan.has_stamp) {
			int64_t now = window_now();
			for (size_t i = 0; i < b->n; i++)
				b->time[i] = now;
		}
		throttle_take_at(b->time, b->hash, weight, b->n, wanted);
	}
	bool last = opt.max < UINT64_MAX && is_last(wanted, b->n);
	print(worker, b, wanted);
	return last ? STOP : GO_ON;
}

static struct intake
pass(int argc, char *argv[])
{
	struct job job = opts_job();

	job.scan.want_lines = true;
	job.writes = true;
	job.go_on = true;
	if (throttle_window() || shared.scan.has_weight || opt.max < UINT64_MAX)
		job.inorder = pass_in_order;
	else
		job.block = pass_block;
	job.block_end = dropped_flush;
	return parallel_run(&job, argc, argv);
}

/*
 * What is said at the end.
 */

static double
share_lost(const struct limiter_stats *s)
{
	return s->due > 0 ? s->lost / s->due : 0;
}

/* Past -M an answer may be wrong: that is worth a line as soon as one is. */
static void
tell_losses(const struct limiter_stats *s, const char *what)
{
	static const char text[] = "more keys than fit in -M: about %.0f %s, %.2g%% of them";
	double percent = 100 * share_lost(s);

	if (share_lost(s) > LOSS_PROMISED)
		lament(text, s->lost, what, percent);
	else if (s->lost >= 0.5)
		note(text, s->lost, what, percent);
}

static void
tell_stats(const struct throttle_stats *stats, uint64_t items)
{
	const struct limiter_stats *lines = &stats->lines, *told = &stats->told;
	char memory[NUM_REAL_SIZE];
	uint64_t hashes = lines->hashes + told->hashes;

	num_bytes(memory, lines->bytes + told->bytes);
	note("%llu passed, %llu held back", (unsigned long long)lines->passed,
	    (unsigned long long)(items - lines->passed));
	if (lines->sketches == 0)
		note("exact: %llu keys in %s", (unsigned long long)lines->hashes, memory);
	else
		note("approximate: in %s, about %.0f lines that should pass were held back, "
		    "%.2g%% of them", memory, lines->lost, 100 * share_lost(lines));
	if (told->sketches > 0)
		note("approximate: about %.0f first lines were left out, %.2g%% of them",
		    told->lost, 100 * share_lost(told));
	note("chance that two keys have the same 64-bit hash: %.2g",
	    seen_collision((double)hashes));
}

static void
tell(const struct intake *tally)
{
	struct throttle_stats stats;

	throttle_stats(&stats);
	opts_tally(tally);
	if (throttle_window())
		window_tell(throttle_window(), tally->items, "from before the window");
	tell_losses(&stats.lines, "lines that should pass were held back");
	tell_losses(&stats.told, "first lines were left out");
	if (shared.stats)
		tell_stats(&stats, tally->items);
}

static void
start(void)
{
	struct throttle_form form = {
		.limit = opt.limit, .bytes = shared.memory, .window = (int64_t)shared.window,
		.tumble = (int64_t)shared.tumble, .arrival = !shared.scan.has_stamp,
		.offenders = opt.invert || opt.quiet, .once = opt.once,
	};

	throttle_start(&form);
	if (opt.dropped)
		dropped_open(opt.dropped);
	interrupt_catch();
}

int
main(int argc, char *argv[])
{
	tool_start("cms-limit");
	parse_options(&argc, &argv);
	output_start();
	start();
	struct intake tally = pass(argc, argv);
	if (opt.count) {
		output_count(chosen_so_far());
		output_byte(shared.scan.end);
	}
	output_flush();
	dropped_commit();
	tell(&tally);
	throttle_free();
	shards_free();

	bool asks = opt.invert || opt.quiet;
	int status = output_finish(asks && chosen_so_far() == 0 ? EXIT_NO : EXIT_YES);
	interrupt_die();
	return status;
}
