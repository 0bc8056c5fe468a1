/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/input.h"
#include "tool/interrupt.h"
#include "tool/output.h"
#include "tool/parallel.h"
#include "tool/progress.h"
#include "tool/report.h"

/*
 * Sizes that were measured: 256 KiB a read keeps a block in the second-level
 * cache; a worker that takes turns at a pipe gets more, so that turns are
 * rare; a range of 4 MiB costs one broken line each and balances well. Jobs
 * with an order hold a block's batches until their turn, so theirs are small.
 */
#define STEP (256 << 10)
#define TURN_STEP (512 << 10)
#define RANGE (4 << 20)
#define ORDERED_RANGE (512 << 10)
#define THREADS_FROM (16 << 20)
#define THREADS_DEFAULT 8
#define OUTPUT_ENOUGH (256 << 10)

/* A worker's memory, kept from input to input. */
struct worker {
	struct room room;
	struct batch **batch;        /* of one block, while they wait for their turn */
	size_t batches;
	struct buffer output;
	struct intake tally;
};

/* One input under way. */
struct run {
	const struct job *job;
	const struct input *input;
	struct scan scan;
	bool ordered;                /* blocks have turns */
	unsigned workers;
	pthread_mutex_t reading;     /* the stream */
	pthread_mutex_t lock;        /* the turn and the failure */
	pthread_cond_t moved;
	struct stream stream;        /* taken in turns */
	off_t start, range, ranges;  /* or divided: 0 if not */
	_Atomic int64_t next_range;
	_Atomic uint64_t taken;      /* blocks of the stream that have been read */
	uint64_t turn;               /* the block that may go ahead */
	_Atomic bool stop;           /* by a verdict or a failure */
	enum status status;
	int error;
};

struct hand {
	struct run *run;
	unsigned worker;
	pthread_t thread;
};

static struct worker workers[WORKERS_MAX];
static scan_function *scan_batch;

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

/* The first failure is the one that is told; what is under way may end. */
static void
fail_at_end(struct run *run, enum status st)
{
	int error = errno;

	pthread_mutex_lock(&run->lock);
	if (run->status == OK) {
		run->status = st;
		run->error = error;
	}
	pthread_mutex_unlock(&run->lock);
}

static void
fail(struct run *run, enum status st)
{
	fail_at_end(run, st);
	pthread_mutex_lock(&run->lock);
	run->stop = true;
	pthread_cond_broadcast(&run->moved);
	pthread_mutex_unlock(&run->lock);
}

/* Wait until the blocks before this one are through; false if all is over. */
static bool
turn_wait(struct run *run, uint64_t number)
{
	if (run->workers == 1)
		return !run->stop;
	pthread_mutex_lock(&run->lock);
	while (run->turn != number && !run->stop)
		pthread_cond_wait(&run->moved, &run->lock);
	pthread_mutex_unlock(&run->lock);
	return !run->stop;
}

static void
turn_end(struct run *run, bool stop)
{
	pthread_mutex_lock(&run->lock);
	run->turn++;
	run->stop |= stop;
	pthread_cond_broadcast(&run->moved);
	pthread_mutex_unlock(&run->lock);
}

static struct batch *
batch_get(struct worker *w, size_t i)
{
	if (i < w->batches)
		return w->batch[i];

	struct batch **more = realloc(w->batch, (i + 1) * sizeof *more);
	if (!more)
		return NULL;
	w->batch = more;
	/* Not cleared: most of a batch is written before it is read. */
	struct batch *b = malloc(sizeof *b);
	if (!b)
		return NULL;
	b->scratch = (struct buffer){0};
	b->extra = NULL;
	w->batch[w->batches++] = b;
	return b;
}

static void
write_out(struct worker *w)
{
	output_bytes(w->output.at, w->output.len);
	w->output.len = 0;
}

/* The next batch of a block into b; false at its end or on a failure. */
static bool
scan_next(struct run *run, struct worker *w, const unsigned char **at, const unsigned char *end,
    struct batch *b)
{
	if (*at >= end || run->stop)
		return false;
	*at = scan_batch(&run->scan, *at, end, b);
	if (b->status != OK) {
		fail(run, b->status);
		return false;
	}
	w->tally.lines += b->lines;
	w->tally.items += b->n;
	w->tally.rejected += b->rejected;
	return true;
}

/* Alone, a block's batches can go through all stages one after another. */
static void
block_alone(struct run *run, const struct block *block)
{
	const struct job *job = run->job;
	struct worker *w = &workers[0];
	struct batch *b = batch_get(w, 0);
	const unsigned char *at = block->at;
	enum verdict v = GO_ON;

	if (!b) {
		fail(run, STATUS_MEMORY);
		return;
	}
	while (v == GO_ON && scan_next(run, w, &at, block->end, b)) {
		if (job->each)
			v = job->each(job->context, 0, b);
		if (v == GO_ON && job->inorder)
			v = job->inorder(job->context, 0, b);
		if (w->output.len >= OUTPUT_ENOUGH)
			write_out(w);
	}
	if (job->block_end)
		job->block_end(job->context, 0);
	if (w->output.len > 0)
		write_out(w);
	if (job->line_buffered)
		output_flush();
	if (v == STOP)
		run->stop = true;
}

/* The block's turn has come: what has an order, for n batches of it. */
static void
block_in_turn(struct run *run, unsigned worker, const struct block *block, size_t n, bool stop)
{
	const struct job *job = run->job;
	struct worker *w = &workers[worker];
	enum verdict v = GO_ON;

	for (size_t i = 0; job->inorder && v == GO_ON && i < n; i++)
		v = job->inorder(job->context, worker, w->batch[i]);
	if (job->block_end)
		job->block_end(job->context, worker);
	if (w->output.len > 0)
		write_out(w);
	/* If no block behind this one has been read, all others wait for input,
	 * and whoever feeds us may wait for our answer. */
	if (job->line_buffered || block->number + 1 == run->taken)
		output_flush();
	turn_end(run, stop || v == STOP);
}

/* Among others: what has an order waits for the block's turn. */
static void
block_shared(struct run *run, unsigned worker, const struct block *block)
{
	const struct job *job = run->job;
	struct worker *w = &workers[worker];
	const unsigned char *at = block->at;
	enum verdict v = GO_ON;
	size_t n = 0;

	while (v == GO_ON) {
		struct batch *b = batch_get(w, job->inorder ? n : 0);
		if (!b) {
			fail(run, STATUS_MEMORY);
			return;
		}
		if (!scan_next(run, w, &at, block->end, b))
			break;
		if (job->each)
			v = job->each(job->context, worker, b);
		/* As alone: a batch that each stops at is not handed on. */
		n += v == GO_ON;
	}
	if (run->ordered) {
		if (turn_wait(run, block->number))
			block_in_turn(run, worker, block, n, v == STOP);
		return;
	}
	if (job->block_end)
		job->block_end(job->context, worker);
	if (v == STOP)
		run->stop = true;
}

static void
work_block(struct run *run, unsigned worker, const struct block *block)
{
	size_t bytes = (size_t)(block->end - block->at);

	workers[worker].tally.bytes += bytes;
	if (run->workers == 1)
		block_alone(run, block);
	else
		block_shared(run, worker, block);
	progress_step(bytes);
}

static size_t
run_step(const struct run *run)
{
	if (run->job->range > 0)
		return run->job->range;
	return run->workers > 1 && run->ranges == 0 ? TURN_STEP : STEP;
}

/* A pipe, or any input of one worker: whoever is free reads the next block. */
static void
work_in_turns(struct run *run, unsigned worker)
{
	while (!run->stop) {
		struct block block;
		pthread_mutex_lock(&run->reading);
		enum status st = stream_block(&run->stream, &workers[worker].room, &block);
		run->taken = run->stream.number;
		run->stream.done |= st != OK;
		pthread_mutex_unlock(&run->reading);
		if (st == STATUS_END)
			return;
		if (st != OK) {
			/* The lines before the failure still count. */
			fail_at_end(run, st);
			return;
		}
		work_block(run, worker, &block);
	}
}

/* A large file: whoever is free takes the next range of it. An ordered job
 * needs a turn for each range, even one in which no line starts. */
static void
work_in_ranges(struct run *run, unsigned worker)
{
	struct stream s;

	stream_open(&s, run->input, run->scan.end,
	    run->ordered ? (size_t)run->range + STEP / 4 : run_step(run));
	/* A range that was taken is worked off, or there would be a hole. */
	while (!run->stop && !interrupted()) {
		int64_t i = run->next_range++;
		if (i >= run->ranges)
			break;
		bool last = i == run->ranges - 1;
		off_t from = run->start + i * run->range;
		stream_range(&s, from, last ? STREAM_NO_LIMIT : from + run->range, run->ordered);
		s.fresh = i == 0 && !run->job->header;
		s.number = (uint64_t)i;

		struct block block;
		enum status st;
		bool any = false;
		while ((st = stream_block(&s, &workers[worker].room, &block)) == OK) {
			any = true;
			work_block(run, worker, &block);
			if (run->stop)
				break;
		}
		if (st != OK && st != STATUS_END) {
			int error = errno;
			/* The lines before the failure still count. */
			if (run->ordered)
				turn_wait(run, (uint64_t)i);
			errno = error;
			fail(run, st);
			break;
		}
		if (run->ordered && !any && turn_wait(run, (uint64_t)i))
			turn_end(run, false);
	}
	stream_close(&s);
}

static void *
work(void *p)
{
	struct hand *hand = p;

	if (hand->run->ranges > 0)
		work_in_ranges(hand->run, hand->worker);
	else
		work_in_turns(hand->run, hand->worker);
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

/* Fields that the job gave by name, as places among a header's names. */
static const struct field_range *
find_names(struct run *run, const struct slice *names, size_t n)
{
	const struct scan *from = &run->job->scan;
	const struct field_range *missing = fields_resolve(&from->item, names, n, &run->scan.item);

	if (!missing)
		missing = fields_resolve(&from->key, names, n, &run->scan.key);
	if (!missing)
		missing = fields_resolve(&from->weight, names, n, &run->scan.weight);
	return missing;
}

/* Take the input's first line off the block. Returns false if that was all. */
static bool
take_header(struct run *run, struct block *block)
{
	struct buffer scratch = {0};
	const unsigned char *end = memchr(block->at, run->scan.end,
	    (size_t)(block->end - block->at));
	struct slice line = {block->at, (size_t)(end - block->at)};

	if (run->scan.crlf && line.len > 0 && line.at[line.len - 1] == '\r')
		line.len--;
	/* Spreadsheets begin a file with U+FEFF, which is part of no name. */
	if (line.len >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0) {
		line.at += 3;
		line.len -= 3;
	}
	/* No more names than bytes, and one. */
	struct slice *names = malloc((line.len + 1) * sizeof *names);
	if (!names)
		die(STATUS_MEMORY, "cannot read the header of '%s'", input_name(run->input));
	size_t n = scan_split(&run->scan, line, names, line.len + 1, &scratch);
	if (n == SIZE_MAX)
		die_usage("cannot read the header of '%s': a quote is open at its end",
		    input_name(run->input));
	const struct field_range *missing = find_names(run, names, n);
	if (missing)
		die_usage("cannot find field '%.*s' in the header of '%s'",
		    (int)missing->name_len, missing->name, input_name(run->input));
	free(names);
	buffer_free(&scratch);
	block->at = end + 1;
	return block->at < block->end;
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
		fail(run, st);
		return;
	}
	const unsigned char *at = block.at;
	bool more = take_header(run, &block);
	if (run->ranges > 0) {
		run->start += block.at - at;
		return;
	}
	if (more) {
		unsigned all = run->workers;
		run->workers = 1;
		work_block(run, 0, &block);
		run->workers = all;
		if (run->ordered)
			output_flush();
	}
	run->turn = run->stream.number;
}

static void
flush_before_wait(void)
{
	output_flush();
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
		.job = job, .input = in, .scan = job->scan,
		.ordered = job->inorder || job->writes,
		.reading = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER,
		.moved = PTHREAD_COND_INITIALIZER,
	};
	struct hand hands[WORKERS_MAX];

	run_divide(&run);
	stream_open(&run.stream, in, run.scan.end, run_step(&run));
	if (run.ranges > 0)
		run.stream.offset = in->start;
	if (run.ordered && run.workers == 1)
		run.stream.before_wait = flush_before_wait;
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
	pthread_cond_destroy(&run.moved);
	pthread_mutex_destroy(&run.lock);
	pthread_mutex_destroy(&run.reading);

	/* Whoever shares our standard input goes on behind it. */
	if (run.ranges > 0 && in->fd == 0)
		lseek(in->fd, 0, SEEK_END);
	if (run.status != OK)
		complain_input(&run, run.status);
	return run.stop && run.status == OK ? STATUS_END : run.status;
}

static void
workers_clear(const struct job *job)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct worker *w = &workers[i];
		for (size_t k = 0; k < w->batches; k++) {
			if (job->extra_free && w->batch[k]->extra)
				job->extra_free(w->batch[k]->extra);
			buffer_free(&w->batch[k]->scratch);
			free(w->batch[k]);
		}
		free(w->batch);
		room_free(&w->room);
		buffer_free(&w->output);
		*w = (struct worker){0};
	}
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

	scan_batch = scan_choose();
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
		sum.bytes += workers[i].tally.bytes;
	}
	workers_clear(job);
	return sum;
}
