/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PARALLEL_H
#define TOOL_PARALLEL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "base/status.h"
#include "tool/progress.h"

/*
 * The line engine's upper half: all lines of all inputs, cut into batches and
 * handed to workers. A large regular file is divided into ranges, a pipe is
 * read in turn; what comes out never depends on which, nor on the number of
 * workers, provided the job keeps its side:
 *
 *   each     is called by any worker in any order: for what commutes, and for
 *            the costly part of what does not.
 *   inorder  is called for every batch in the order of the input, by one
 *            worker at a time.
 *   writes   gives each worker a buffer (parallel_output) which goes to
 *            standard output in the order of the input.
 *
 * A worker is a number from 0 below parallel_workers(), for private state.
 */

#define WORKERS_MAX 64
#define THREADS_ALL UINT_MAX     /* one for each processor we are allowed */

enum verdict { GO_ON, STOP };

struct job {
	struct scan scan;            /* its names are resolved for each input */
	bool header;                 /* the first line of each input names its fields */
	unsigned threads;            /* 0: as the inputs suggest */
	bool writes;
	bool line_buffered;          /* flush what is written after every block */
	enum progress_when progress;
	size_t range;                /* bytes of a range and of a read; 0: as measured */
	bool go_on;                  /* an input that fails is complained about, else it ends the program */
	void *context;
	enum verdict (*each)(void *context, unsigned worker, struct batch *);
	enum verdict (*inorder)(void *context, unsigned worker, struct batch *);
	/* After the last batch of a block, by the worker that had it. */
	void (*block_end)(void *context, unsigned worker);
	/* After each operand is through, or was stopped: for one answer per input. */
	void (*input_end)(void *context, const char *name);
	/* Release what batch->extra points to. */
	void (*extra_free)(void *extra);
};

struct intake {
	uint64_t lines, items, rejected, bytes;
};

/* An upper bound of the workers parallel_run will use with this job. */
unsigned parallel_workers(const struct job *);

/* Run over the operands; none means standard input. What was read in all. */
struct intake parallel_run(const struct job *, int count, char *const *operands);

/* The worker's buffer, in each or inorder of a job that writes. */
struct buffer *parallel_output(unsigned worker);

/* Append, or end the program if memory is short. */
void parallel_write(unsigned worker, const void *, size_t);

#endif
