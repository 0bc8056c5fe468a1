/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/lines/headline.h"
#include "tool/lines/input.h"
#include "tool/lines/interrupt.h"
#include "tool/output.h"
#include "tool/lines/parallel.h"
#include "tool/lines/progress.h"
#include "tool/report.h"
#include "tool/lines/run.h"

/*
 * Sizes that were measured: 256 KiB a read keeps a block in the second-level
 * cache; a worker that takes turns at a pipe gets more, so that turns are
 * rare; a range of 4 MiB costs one broken line each and balances well. Jobs
 * with an order hold a block's batches until their turn, so theirs are small.
 */
#define RANGE (4 << 20)
#define ORDERED_RANGE (512 << 10)
#define THREADS_FROM (16 << 20)
#define THREADS_DEFAULT 8

struct hand {
	struct run *run;
	unsigned worker;
	pthread_t thread;
};

struct buffer *
parallel_output(unsigned worker)
{
	return &workers[worker].output;
}

void
parallel_write(unsigned worker, const void *p, size_t n)
{
	if (buffer_append(&workers[worker].output, p, n) != OK)
		die(STATUS_MEMORY, "cannot gather output");
}

bool
gate_enter(struct gates *g, unsigned gate)
{
	return !g || turns_enter(g->turns, RUN_OUTPUT_GATE + 1 + gate, g->number);
}

void
gate_leave(struct gates *g, unsigned gate)
{
	if (g)
		turns_leave(g->turns, RUN_OUTPUT_GATE + 1 + gate);
}

static unsigned
processors(void)
{
	cpu_set_t allowed;
	int n = 1;

	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
		n = CPU_COUNT(&allowed);
	return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

unsigned
parallel_workers(const struct job *job)
{
	if (job->threads > 0 && job->threads != THREADS_ALL)
		return job->threads < WORKERS_MAX ? job->threads : WORKERS_MAX;
	unsigned n = processors();
	return n < THREADS_DEFAULT || job->threads == THREADS_ALL ? n : THREADS_DEFAULT;
}

static void *
work(void *p)
{
	struct hand *hand = p;

	run_work(hand->run, hand->worker);
	return NULL;
}

static void
complain_input(const struct run *run, enum status st)
{
	const char *name = input_name(run->input);

	errno = run->error;
	if (!run->job->go_on || st == STATUS_MEMORY)
		die(st, "cannot read '%s'", name);
	complain(st, "cannot read '%s'", name);
}

/* The first block is read before anybody works, for the header's sake. */
static void
run_header(struct run *run)
{
	struct block block;
	enum status st = stream_block(&run->stream, &workers[0].room, &block);

	if (st == STATUS_END)
		return;
	if (st != OK) {
		run_fail(run, st);
		return;
	}
	const unsigned char *at = block.at;
	bool more = headline_take(&run->scan, &run->job->scan, input_name(run->input), &block);
	if (run->ranges > 0) {
		run->start += block.at - at;
		return;
	}
	if (more) {
		unsigned all = run->workers;
		run->workers = 1;
		run_block(run, 0, &block);
		run->workers = all;
		if (run->ordered)
			output_flush();
	}
	turns_start(&run->turns, run->stream.number);
}

static int
before_wait(void *context)
{
	const struct job *job = context;

	output_flush();
	return job->tick ? job->tick(job->context) : -1;
}

/* How many workers this input is worth, and in which way they share it. */
static void
run_divide(struct run *run)
{
	const struct job *job = run->job;
	const struct input *in = run->input;
	/* A log that was cut short may end before our offset. */
	off_t left = in->regular && in->size > in->start ? in->size - in->start : 0;

	run->workers = parallel_workers(job);
	if (job->threads == 0 && left < THREADS_FROM)
		run->workers = 1;
	if (run->workers > 1 && in->regular) {
		run->range = run->ordered ? ORDERED_RANGE : RANGE;
		if (job->range > 0)
			run->range = (off_t)job->range;
		run->ranges = left / run->range + 1;
		run->start = in->start;
		if (run->ranges < run->workers)
			run->workers = (unsigned)run->ranges;
		if (run->workers == 1)
			run->ranges = 0;
	}
}

static enum status
run_input(const struct job *job, struct input *in)
{
	struct run run = {
		.job = job, .input = in, .scan = job->scan, .scan_batch = scan_choose(),
		.ordered = job->inorder || job->block || job->writes,
		.reading = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER,
	};
	struct hand hands[WORKERS_MAX];

	turns_init(&run.turns);
	run_divide(&run);
	stream_open(&run.stream, in, run.scan.end, run_step(&run));
	if (run.ranges > 0)
		run.stream.offset = in->start;
	if (run.ordered && run.workers == 1) {
		run.stream.before_wait = before_wait;
		run.stream.context = (void *)(uintptr_t)job;
	}
	if (job->header)
		run_header(&run);
	/* Ranges are laid from where the header ends. */
	struct input body = *in;
	if (run.ranges > 0) {
		body.start = run.start;
		run.input = &body;
	}

	unsigned started = 1;
	for (; started < run.workers; started++) {
		hands[started] = (struct hand){.run = &run, .worker = started};
		if (pthread_create(&hands[started].thread, NULL, work, &hands[started]) != 0)
			break;
	}
	hands[0] = (struct hand){.run = &run, .worker = 0};
	work(&hands[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(hands[i].thread, NULL);
	stream_close(&run.stream);
	turns_clear(&run.turns);
	pthread_mutex_destroy(&run.lock);
	pthread_mutex_destroy(&run.reading);

	/* Whoever shares our standard input goes on behind it. */
	if (run.ranges > 0 && in->fd == 0)
		lseek(in->fd, 0, SEEK_END);
	if (run.status != OK)
		complain_input(&run, run.status);
	return run.stop && run.status == OK ? STATUS_END : run.status;
}

/* Bytes in all inputs, or 0 if one of them cannot tell. */
static uint64_t
total_bytes(int count, char *const *operands)
{
	uint64_t sum = 0;

	for (int i = 0; i < count; i++) {
		struct stat st;
		bool standard = strcmp(operands[i], "-") == 0;
		if ((standard ? fstat(STDIN_FILENO, &st) : stat(operands[i], &st)) != 0 ||
		    !S_ISREG(st.st_mode))
			return 0;
		sum += (uint64_t)st.st_size;
	}
	return sum;
}

struct intake
parallel_run(const struct job *job, int count, char *const *operands)
{
	static char *const standard_input[] = {"-"};
	struct intake sum = {0};

	if (count == 0) {
		count = 1;
		operands = standard_input;
	}
	progress_start(job->progress, total_bytes(count, operands));
	for (int i = 0; i < count; i++) {
		struct input in;
		enum status st = input_open(&in, operands[i]);
		if (interrupted()) {
			if (st == OK)
				input_close(&in);
			break;
		}
		if (st != OK) {
			if (!job->go_on)
				die(st, "cannot open '%s'", input_name(&in));
			complain(st, "cannot open '%s'", input_name(&in));
			continue;
		}
		st = run_input(job, &in);
		if (job->input_end && (st == OK || st == STATUS_END))
			job->input_end(job->context, input_name(&in));
		input_close(&in);
		if (st == STATUS_END)
			break;
	}
	progress_end();
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		sum.lines += workers[i].tally.lines;
		sum.items += workers[i].tally.items;
		sum.rejected += workers[i].tally.rejected;
		sum.ignored += workers[i].tally.ignored;
		sum.bytes += workers[i].tally.bytes;
	}
	run_clear(job);
	return sum;
}
