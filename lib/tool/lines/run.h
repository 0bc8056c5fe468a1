/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/scan.h"
#include "tool/lines/input.h"
#include "tool/lines/job.h"
#include "tool/lines/turns.h"

/*
 * One input under way, below tool/lines/parallel.h: its blocks, the workers that
 * take them, and the turns of what has an order.
 */

#define RUN_STEP (256 << 10)
#define RUN_TURN_STEP (512 << 10)

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
	scan_function *scan_batch;
	bool ordered;                /* blocks have turns */
	unsigned workers;
	pthread_mutex_t reading;     /* the stream */
	struct turns turns;          /* at the output, then at the job's gates */
	pthread_mutex_t lock;        /* the failure */
	struct stream stream;        /* taken in turns */
	off_t start, range, ranges;  /* or divided: 0 if not */
	_Atomic int64_t next_range;
	_Atomic uint64_t taken;      /* blocks of the stream that have been read */
	_Atomic bool stop;           /* by a verdict or a failure */
	enum status status;
	int error;
};

/* The turn to write, before the job's own gates. */
#define RUN_OUTPUT_GATE 0

/* A block on its way through them. */
struct gates {
	struct turns *turns;
	uint64_t number;
};

extern struct worker workers[WORKERS_MAX];

/* Bytes a read should ask for. */
size_t run_step(const struct run *);

/* Go through all stages with a block: in this thread. */
void run_block(struct run *, unsigned worker, const struct block *);

/* Take blocks and work them off until there are none, or all is over. */
void run_work(struct run *, unsigned worker);

/* This failure ends the run; the first one is told, with its errno. */
void run_fail(struct run *, enum status);

/* Release what workers keep from input to input. */
void run_clear(const struct job *);

#endif
