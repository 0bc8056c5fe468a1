/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_QUANTILES_H
#define SKETCH_QUANTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"

/*
 * What all sketches that answer "which percentile?" do alike, so that a program
 * need not know which one it holds. A body is what the kind's load() made, or
 * make() here; the kind unites two and frees one.
 *
 * A sample is a finite number with a weight: it counts as so many equal ones.
 * The n samples, in ascending order, have the ranks 1 to n; n is the sum of the
 * weights, which stops at 2^64-1. The quantile q of them, 0 <= q <= 1, is the
 * sample of rank max(1, ceil(q * n)), the nearest rank: never less than a share
 * q of the samples is at or below it.
 */

/* A number, and what it lies between for certain. */
struct span {
	double value, low, high;     /* low <= value <= high, finite */
};

/* Samples between two numbers, both included, in a walk from below. */
struct bin {
	double low, high;
	uint64_t weight;
};

struct quantiles {
	uint16_t kind;               /* enum record_kind */
	bool ordered;                /* samples have to come in the order of the input */
	bool certain;                /* spans hold for certain, else they are a guess */

	/* An empty one with the settings that the header's parameters tell; what
	 * they say of content is ignored. OK, STATUS_MEMORY, or STATUS_PARAMETER
	 * for a setting out of range. */
	enum status (*make)(void **body, const struct record *settings);

	/* Add samples; weight NULL: 1 each, a weight of 0 adds nothing. OK, or
	 * STATUS_MEMORY or STATUS_FULL (what is added for them is too much), and then some
	 * of them are in. */
	enum status (*add)(void *body, const double *value, const uint64_t *weight, size_t n);

	/* How many samples, and did their number stop at 2^64-1? */
	uint64_t (*total)(const void *body);
	bool (*saturated)(const void *body);

	/* Of none of the following may be asked while there is no sample. */

	void (*least)(const void *body, struct span *);
	void (*most)(const void *body, struct span *);
	void (*mean)(const void *body, struct span *);

	/* The sample of a rank, 1 <= rank <= n. discrete: a number that was a
	 * sample's, or as near as the sketch tells, never one between two. */
	void (*at_rank)(const void *body, uint64_t rank, bool discrete, struct span *);

	/* The quantile q. As at_rank of the nearest rank, but that a sketch which
	 * interpolates does so at q itself. */
	void (*quantile)(const void *body, double q, bool discrete, struct span *);

	/* The samples at or below a number: how many, 0 <= low <= value <= high <= n. */
	void (*below)(const void *body, double number, struct span *);

	/* The next bin from below, or false; *at is 0 at first, then its own. */
	bool (*each)(const void *body, uint64_t *at, struct bin *);
};

/* The row of this kind, or NULL: it knows no percentile. */
const struct quantiles *quantiles_find(uint16_t kind);

/* For records' only: how the names of these kinds begin. */
#define QUANTILES_KINDS "hdr|tdigest"

/* In the parameters of all these kinds. */
enum {
	QUANTILES_FINENESS = 0,      /* digits, compression: of unlike ones the least is left */
	QUANTILES_UNIT = 7,          /* enum unit (base/unit.h) of the numbers */
};

/*
 * The ranks between which the true quantile q of whatever the n samples were
 * drawn from lies with a probability of 95 %, whatever its distribution is: from
 * the binomial law of how many samples fall below it (the normal one, with a
 * correction for continuity, where that has a standard deviation above 100). *low
 * is 0 or *high n + 1 where no sample bounds it.
 */
void quantiles_confidence(double q, uint64_t n, uint64_t *low, uint64_t *high);

/* Of n samples, are there so few beyond the quantile q, on the side where fewer
 * are, that it hangs on single ones? */
#define QUANTILES_FEW 10
bool quantiles_few(double q, uint64_t n);

/* max(1, ceil(q * n)), without an error from rounding: q is taken for the decimal
 * fraction of up to 15 places that it is the nearest double of, if there is one. */
uint64_t quantiles_rank(double q, uint64_t n);

#endif
