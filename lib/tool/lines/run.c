/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool/lines/interrupt.h"
#include "tool/output.h"
#include "tool/lines/progress.h"
#include "tool/lines/run.h"

/* What one worker has gathered is written at once from this many bytes on. */
#define OUTPUT_ENOUGH (256 << 10)

struct worker workers[WORKERS_MAX];

static void
run_stop(struct run *run)
{
	run->stop = true;
	turns_over(&run->turns);
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

void
run_fail(struct run *run, enum status st)
{
	fail_at_end(run, st);
	run_stop(run);
}

/* Wait until the blocks before this one are written; false if all is over. */
static bool
turn_wait(struct run *run, uint64_t number)
{
	if (run->workers == 1)
		return !run->stop;
	return turns_enter(&run->turns, RUN_OUTPUT_GATE, number);
}

static void
turn_end(struct run *run, bool stop)
{
	if (stop)
		run_stop(run);
	turns_leave(&run->turns, RUN_OUTPUT_GATE);
}

/* A range in which no line starts goes through every gate all the same. */
static void
pass_empty(struct run *run, uint64_t number)
{
	unsigned gates = run->job->block ? TURNS_GATES : 1;

	for (unsigned i = 0; i < gates && turns_enter(&run->turns, i, number); i++)
		turns_leave(&run->turns, i);
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
	b->scratch = b->encoded = (struct buffer){0};
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
	*at = run->scan_batch(&run->scan, *at, end, b);
	if (b->status != OK) {
		run_fail(run, b->status);
		return false;
	}
	w->tally.lines += b->lines;
	w->tally.items += b->n;
	w->tally.rejected += b->rejected;
	w->tally.ignored += b->ignored;
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
		run_fail(run, STATUS_MEMORY);
		return;
	}
	while (v == GO_ON && scan_next(run, w, &at, block->end, b)) {
		if (job->each)
			v = job->each(job->context, 0, b);
		if (v == GO_ON && job->inorder)
			v = job->inorder(job->context, 0, b);
		if (v == GO_ON && job->block)
			job->block(job->context, 0, &b, 1, NULL);
		if (w->output.len >= OUTPUT_ENOUGH)
			write_out(w);
	}
	if (job->block_end)
		job->block_end(job->context, 0);
	if (w->output.len > 0)
		write_out(w);
	if (job->line_buffered)
		output_flush();
	if (job->tick)
		job->tick(job->context);
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
		struct batch *b = batch_get(w, job->inorder || job->block ? n : 0);
		if (!b) {
			run_fail(run, STATUS_MEMORY);
			return;
		}
		if (!scan_next(run, w, &at, block->end, b))
			break;
		if (job->each)
			v = job->each(job->context, worker, b);
		/* As alone: a batch that each stops at is not handed on. */
		n += v == GO_ON;
	}
	if (job->block) {
		struct gates gates = {&run->turns, block->number};
		job->block(job->context, worker, w->batch, n, &gates);
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

void
run_block(struct run *run, unsigned worker, const struct block *block)
{
	size_t bytes = (size_t)(block->end - block->at);

	workers[worker].tally.bytes += bytes;
	if (run->workers == 1)
		block_alone(run, block);
	else
		block_shared(run, worker, block);
	progress_step(bytes);
}

size_t
run_step(const struct run *run)
{
	if (run->job->range > 0)
		return run->job->range;
	return run->workers > 1 && run->ranges == 0 ? RUN_TURN_STEP : RUN_STEP;
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
		run_block(run, worker, &block);
	}
}

/* A large file: whoever is free takes the next range of it. An ordered job
 * needs a turn for each range, even one in which no line starts. */
static void
work_in_ranges(struct run *run, unsigned worker)
{
	struct stream s;

	stream_open(&s, run->input, run->scan.end,
	    run->ordered ? (size_t)run->range + RUN_STEP / 4 : run_step(run));
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
			run_block(run, worker, &block);
			if (run->stop)
				break;
		}
		if (st != OK && st != STATUS_END) {
			int error = errno;
			/* The lines before the failure still count. */
			if (run->ordered)
				turn_wait(run, (uint64_t)i);
			errno = error;
			run_fail(run, st);
			break;
		}
		if (run->ordered && !any && run->workers > 1)
			pass_empty(run, (uint64_t)i);
	}
	stream_close(&s);
}

void
run_work(struct run *run, unsigned worker)
{
	if (run->ranges > 0)
		work_in_ranges(run, worker);
	else
		work_in_turns(run, worker);
}

void
run_clear(const struct job *job)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct worker *w = &workers[i];
		for (size_t k = 0; k < w->batches; k++) {
			if (job->extra_free && w->batch[k]->extra)
				job->extra_free(w->batch[k]->extra);
			buffer_free(&w->batch[k]->scratch);
			buffer_free(&w->batch[k]->encoded);
			free(w->batch[k]);
		}
		free(w->batch);
		room_free(&w->room);
		buffer_free(&w->output);
		*w = (struct worker){0};
	}
}
