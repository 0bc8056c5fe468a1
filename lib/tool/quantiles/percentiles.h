/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PERCENTILES_H
#define TOOL_PERCENTILES_H

#include <stdbool.h>

#include "base/record.h"
#include "sketch/kinds.h"
#include "tool/options/opts.h"

/*
 * What hdr-quantile and tdigest-quantile do alike, which is nearly all: what is
 * asked for (tool/quantiles/asked.h), of lines, over time, for each key, or of saved sketches.
 *
 *	static const struct opts_row help[] = {
 *		{OPT_DIGITS, "digits", "N", "..."},
 *		PERCENTILES_ROWS,
 *		{0}
 *	};
 *	...
 *	opts_start(PERCENTILES_OPTIONS, help, usage, about, hints);
 *	while ((c = opts_next(&argc, &argv)) != -1)
 *		switch (c) {
 *		case OPT_DIGITS:
 *			...
 *		default:
 *			percentiles_take(c);
 *		}
 *	percentiles_settle();
 */

enum {
	PERCENTILES_RANK = 512,
	PERCENTILES_SLO,
	PERCENTILES_MIN,
	PERCENTILES_EACH,
	PERCENTILES_TOTAL,
	PERCENTILES_PLOT,
};

#define PERCENTILES_ROWS \
	{'Q', "quantile", "LIST", "print these: n min p50 0.99 p99.9 max mean"}, \
	{PERCENTILES_RANK, "rank", "LIST", "the share of samples at or below each number"}, \
	{PERCENTILES_SLO, "slo", "LIMIT:SHARE", "status 1 unless so many are within: 250ms:99%"}, \
	{'q', "quiet", NULL, "with --slo: the status alone"}, \
	{'k', "top", "K", "with --by: the K keys with most samples only"}, \
	{PERCENTILES_MIN, "min", "N", "with --by: keys with at least N samples only"}, \
	{PERCENTILES_EACH, "each", NULL, "one row per input, and a total"}, \
	{PERCENTILES_TOTAL, "total", NULL, "with -s: unite the keys of keyed sketches"}, \
	{PERCENTILES_PLOT, "plot", NULL, "and draw a histogram and a curve of percentiles"}

#define PERCENTILES_OPTIONS (OPTS_INPUT | OPTS_WEIGHT | OPTS_BY | OPTS_UNIT | OPTS_SKETCH | \
	OPTS_ANSWER | OPTS_STEPS)

/* An option of those rows; and then what can only be judged when all are known. */
void percentiles_take(int option);
void percentiles_settle(void);

/* What differs. */
struct percentiles {
	const char *only;            /* the kind of saved sketches: "hdr" */
	struct record settings;      /* of an empty sketch, for lines */
	bool discrete;

	/* What is to be told beside a sketch, made from it; the caller frees it. NULL:
	 * nothing. */
	void *(*second)(const void *body);

	/* Of each saved record: can it be read so? Ends the program if not. May be NULL. */
	void (*judge)(const char *name, const struct record *);
};

/* All of it. The exit status: 1 if a promise of --slo was not kept. */
int percentiles_run(const struct percentiles *, int argc, char *argv[]);

#endif
