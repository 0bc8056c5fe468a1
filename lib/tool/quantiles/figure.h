/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_FIGURE_H
#define TOOL_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/unit.h"
#include "sketch/quantiles/quantiles.h"
#include "tool/quantiles/asked.h"

/*
 * One answer of a sketch of percentiles, ready to be printed: in the unit that was
 * asked for, and with as many digits as it knows. Bounds are rounded outward, so
 * that they still hold.
 */

/* How a sketch is read. */
struct reading {
	const struct quantiles *what;
	bool discrete;
	bool bounds;                 /* what a number lies between is wanted */
	bool confidence;             /* and the interval of a percentile */
	enum unit kept, shown;       /* of the sketch's numbers and of those printed */
};

/* The numbers of an answer. NAN: there is none, as no sample bounds it. Those that
 * are not wanted are 0. */
enum figure_column {
	FIGURE_VALUE,
	FIGURE_LOW, FIGURE_HIGH,
	FIGURE_CI_LOW, FIGURE_CI_HIGH,       /* of a percentile alone */
	FIGURE_COLUMNS
};

/* Was a promise kept? Only what is sure counts. */
enum promise_verdict { VERDICT_NONE, VERDICT_KEPT, VERDICT_BROKEN, VERDICT_UNCERTAIN };

struct figure {
	bool count;                  /* n, which is exact: all of its numbers */
	uint64_t n;
	double at[FIGURE_COLUMNS];
	unsigned columns;
	bool few;                    /* it hangs on single samples */
	enum promise_verdict verdict;
};

/* A number of the sketch in the unit to be shown. */
double figure_convert(const struct reading *, double);

/* Without samples all numbers but n are NAN. */
struct figure figure_of(const struct reading *, const void *body, const struct question *);

#endif
