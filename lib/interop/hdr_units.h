/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_HDR_UNITS_H
#define INTEROP_HDR_UNITS_H

#include <stdbool.h>

#include "base/status.h"
#include "base/unit.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/kind.h"

/*
 * A histogram for HdrHistogram, which has whole numbers from 0 to 2^63-1 and counts
 * that add up to 2^63-1 at most. What is not whole can be so in a smaller unit.
 */

/* The unit that ours are written in unless told otherwise: none if they have none,
 * else nanoseconds. */
enum unit hdr_units_usual(const struct hdr *);

/* Can it be a table of percentiles in this unit? Else why->text is the end of a
 * message: "it holds numbers below 0". */
bool hdr_units_can(const struct hdr *, enum unit, struct mismatch *why);

/* And can it be such a histogram? */
bool hdr_units_can_be_whole(const struct hdr *, enum unit, struct mismatch *why);

/* One with its samples in whole numbers of the unit, each where hdr_told() says:
 * to be freed by the caller. OK or STATUS_MEMORY. */
enum status hdr_units_whole(const struct hdr *, enum unit, struct hdr **);

#endif
