/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_ASKED_H
#define TOOL_ASKED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/unit.h"

/*
 * What a program about percentiles is asked for, in the order of the options:
 *
 *	-Q n,min,p50,0.999,mean    quantities of the samples
 *	--rank 250ms               the share of samples at or below a number
 *	--slo 250ms:99%            the same, and a promise: it is at least the goal
 *
 * A share is the double that is nearest to the decimal that was typed, and 0.5,
 * 50% and p50 are the same. Limits are read when the unit of the numbers is known,
 * which for saved sketches is late.
 */
enum quantity {
	QUANTITY_N,
	QUANTITY_MIN,
	QUANTITY_MAX,
	QUANTITY_MEAN,
	QUANTITY_QUANTILE,
	QUANTITY_SHARE,
	QUANTITY_PROMISE,
};

#define ASKED_NAME 80
#define ASKED_LIMIT 48
#define ASKED_MAX 256

struct question {
	enum quantity what;
	double q;                    /* of a quantile; the goal of a promise */
	char name[ASKED_NAME];       /* "n", "p99.9", "rank 250ms", "slo 250ms:99%" */
	char limit[ASKED_LIMIT];     /* of a share or a promise, as it was typed */
	double number;               /* the same in the unit of the numbers */
};

struct asked {
	size_t n;
	struct question at[ASKED_MAX];
};

/* The value of the option at hand (tool/options/opts.h): a list of quantities, of limits,
 * or one promise. Anything else ends the program. */
void asked_quantiles(struct asked *);
void asked_ranks(struct asked *);
void asked_promise(struct asked *);

/* If nothing was asked for: n,min,p50,p90,p99,p99.9,max,mean. */
void asked_default(struct asked *);

/* Is there a promise to be kept? */
bool asked_promises(const struct asked *);

/* The numbers of the samples are in the first unit; a limit without one is in the
 * second. One that is no such number ends the program. */
void asked_units(struct asked *, enum unit kept, enum unit shown);

/* What was typed for an option such as --correct: a number above 0, in the first
 * unit; one without a unit is in the second. Any other ends the program. */
double asked_interval(const char *option, const char *text, enum unit kept, enum unit shown);

/* "p99.9" of 0.999: the shortest decimal that is this share. */
void asked_name(char out[ASKED_NAME], double q);

#endif
