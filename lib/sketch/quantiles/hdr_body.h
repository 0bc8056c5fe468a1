/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HDR_BODY_H
#define SKETCH_HDR_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"
#include "base/unit.h"
#include "sketch/quantiles/hdr_cells.h"

/* What the files of the histogram share among themselves: the histogram (hdr.h). */
struct hdr {
	double least, most;          /* infinite, +- and -+, if there is no sample */
	uint64_t total;              /* of all counters, saturated */
	double interval;             /* samples are corrected by it; 0: they are not */
	uint64_t highest;            /* see hdr_highest() */
	double lowest;               /* see hdr_lowest() */
	struct hdr_cells cells;
	unsigned char digits, shift; /* 52 - hdr_bits(digits) */
	unsigned char unit;          /* enum unit */
	bool saturated;
	bool fractions;              /* some samples are not whole */
	bool loose;                  /* least and most are bounds of them: hdr_range() */
};

/* An empty one with the settings of a record: digits, interval and unit. OK,
 * STATUS_MEMORY or STATUS_PARAMETER. */
enum status hdr_new_as(struct hdr **, const struct record *settings);

/* Add a sample with a weight above 0. OK or STATUS_MEMORY. */
enum status hdr_add_one(struct hdr *, double value, uint64_t weight);

/* Samples in a slot lie between these. */
void hdr_bounds(const struct hdr *, int32_t slot, double *low, double *high);

/* Is it a whole number? */
bool hdr_is_whole(double);

#endif
