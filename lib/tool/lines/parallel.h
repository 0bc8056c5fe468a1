/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PARALLEL_H
#define TOOL_PARALLEL_H

#include "base/bytes.h"
#include "tool/lines/job.h"
#include "tool/lines/turns.h"

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
 *   block    is called once a block, with all its batches, by any worker in any
 *            order, for what can be divided into parts that each have an
 *            order: they are behind gates, which blocks pass in the order of
 *            the input. Alone, each batch is a block of its own.
 *   writes   gives each worker a buffer (parallel_output) which goes to
 *            standard output in the order of the input.
 *
 * A worker is a number from 0 below parallel_workers(), for private state.
 */

/* An upper bound of the workers parallel_run will use with this job. */
unsigned parallel_workers(const struct job *);

/* Run over the operands; none means standard input. What was read in all. */
struct intake parallel_run(const struct job *, int count, char *const *operands);

/* The worker's buffer, in each or inorder of a job that writes. */
struct buffer *parallel_output(unsigned worker);

/*
 * In block, each of the gates 0..GATES-1 once: wait until all earlier blocks
 * have left it. False: all is over, and nothing of this block will be asked
 * for. gates is NULL for a worker that is alone: then there is no need.
 */
#define GATES (TURNS_GATES - 1)
bool gate_enter(struct gates *, unsigned gate);
void gate_leave(struct gates *, unsigned gate);

/* Append, or end the program if memory is short. */
void parallel_write(unsigned worker, const void *, size_t);

#endif
