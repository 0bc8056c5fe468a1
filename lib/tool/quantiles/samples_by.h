/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SAMPLES_BY_H
#define TOOL_SAMPLES_BY_H

#include "base/scan.h"
#include "sketch/kinds.h"
#include "tool/lines/job.h"
#include "tool/answers/ranking.h"

/*
 * One sketch of percentiles per key, for --by: a table in shards, each of which
 * sees its samples in the order of the input, so that several workers can fill it
 * whatever the kind is. Failures of memory end the program.
 *
 *	struct samples_by *table = samples_by_new(&settings);
 *	struct job job = samples_by_job(table);
 *	tally = parallel_run(&job, argc, argv);
 *	struct ranked *row = samples_by_top(table, opt.top, opt.least, &n);
 *	for (i = 0; i < n; i++)
 *		print(samples_by_sketch(table, &row[i]), samples_by_key(table, &row[i]));
 */
struct samples_by;

/* settings: kind, and parameters as for quantiles' make(). */
struct samples_by *samples_by_new(const struct record *settings);
void samples_by_free(struct samples_by *);

/* A job that adds the lines' values to those of their keys, with their weights if
 * there are any: opts_job's, with what else it takes. */
struct job samples_by_job(struct samples_by *);

/* One after another as time goes on (tool/time/overtime.h): called for each row, with
 * the table of what ends at that time. */
void samples_by_over_time(const struct record *settings,
    void (*rows)(const char *time, struct samples_by *), int argc, char *argv[]);

/* The keys with most samples, k at most, of those with `least` at least; ties by
 * the keys' bytes. count is how many samples. The caller frees the array. */
struct ranked *samples_by_top(struct samples_by *, uint64_t k, uint64_t least, size_t *n);

/* Row i of such n is next. */
void samples_by_fetch(const struct samples_by *, const struct ranked *, size_t i, size_t n);

/* Of such a row: the key, and the sketch, which lives until the next one is asked
 * for. */
struct slice samples_by_key(const struct samples_by *, const struct ranked *);
const void *samples_by_sketch(struct samples_by *, const struct ranked *);

/* For builders: write all to where tool/files/build.h says, in the order of the keys, or
 * with --update unite them with the keyed file's, behind them. identity: hash,
 * transform and join of all items; only: as for records. From build_open to
 * build_close. true: a sum of weights has stopped at 2^64-1. */
bool samples_by_write(struct samples_by *, const struct record *identity, const char *only);

#endif
