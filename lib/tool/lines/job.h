/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_JOB_H
#define TOOL_JOB_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/scan.h"
#include "tool/lines/progress.h"

/* What a program wants done with the lines of its inputs: tool/lines/parallel.h
 * tells how. */

#define WORKERS_MAX 64
#define THREADS_ALL UINT_MAX     /* one for each processor we are allowed */

enum verdict { GO_ON, STOP };

struct gates;

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
	void (*block)(void *context, unsigned worker, struct batch *const *, size_t n,
	    struct gates *);
	/* After the last batch of a block, by the worker that had it. */
	void (*block_end)(void *context, unsigned worker);
	/* What is due by the clock, of a job with one thread: asked after each
	 * block and before input is waited for. Milliseconds until it wants to be
	 * asked again, -1: not until there is input. */
	int (*tick)(void *context);
	/* After each operand is through, or was stopped: for one answer per input. */
	void (*input_end)(void *context, const char *name);
	/* Release what batch->extra points to. */
	void (*extra_free)(void *extra);
};

struct intake {
	uint64_t lines, items, rejected, ignored, bytes;
};

#endif
