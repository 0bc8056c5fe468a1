/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SAMPLES_H
#define TOOL_SAMPLES_H

#include "base/scan.h"
#include "sketch/kinds.h"
#include "sketch/quantiles/quantiles.h"
#include "tool/lines/job.h"

/*
 * The numbers of lines in a sketch of percentiles of any kind: one for each worker,
 * united in the end, or if their order matters one alone. Failures of memory end
 * the program.
 */
struct samples {
	const struct quantiles *what;
	const struct kind *kind;
	struct record settings;      /* kind, and parameters as for quantiles' make() */
	void *part[WORKERS_MAX];     /* NULL until the worker has a batch */
};

/* What is told, once, of weights that do not fit. */
#define SAMPLES_SATURATED "the sum of weights passed 2^64-1 and stopped there"

/* Once the options are known: the items of the lines are numbers. */
void samples_options(void);

void samples_begin(struct samples *, const struct record *settings);

/* A job that adds the lines' values, which the options ask for (samples_options);
 * its context is the samples. */
struct job samples_job(struct samples *);

/* What all workers have, in new memory; the samples are at their beginning again. */
void *samples_take(struct samples *);

/* An empty sketch of these settings. */
void *samples_empty(const struct samples *);

/* The same by parts, for sketches of the samples' settings: n items of a batch go
 * in, and into = both united. */
void samples_put(const struct samples *, void *into, const struct batch *, size_t from, size_t n);
void samples_merge(const struct samples *, void *into, const void *from);

/* What kinds that cannot stop at 2^64-1 when they unite come to. */
_Noreturn void samples_full(void);

/* One after another as time goes on (tool/time/overtime.h): called for each row, with
 * what ends at that time. */
void samples_over_time(struct samples *, void (*row)(const char *time, const void *body),
    int argc, char *argv[]);

#endif
