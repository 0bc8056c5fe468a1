/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_UNIT_H
#define BASE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Numbers with a unit of time behind them, as in "12ms" or "3.4s". What is kept
 * is a plain number in one unit; one that is written without a unit is in that
 * one already.
 */
enum unit {
	UNIT_NONE,                   /* plain numbers; one with a unit is no number */
	UNIT_NS,
	UNIT_US,
	UNIT_MS,
	UNIT_S,
	UNIT_MIN,                    /* "m" and "min" */
	UNIT_H,
	UNIT_D,
	UNITS
};

#define UNIT_NAME_MAX 3          /* bytes of the longest name */

/* "ms" for UNIT_MS; "" for UNIT_NONE. */
const char *unit_name(enum unit);

/* The same for people, who are told "none". */
const char *unit_label(enum unit);

/* The unit of this name, UNIT_NONE for one that is not known. "m" is a minute,
 * and a microsecond may be written with its Greek letter. */
enum unit unit_find(struct slice name);

/* A number of one unit is, in another, * times * 10^exponent / by. Each of these
 * keeps a decimal a decimal but by, which is 1 or, towards minutes, hours and
 * days, up to 864; then times is 1 and the exponent not above 0. */
struct unit_scale {
	unsigned times, by;
	int exponent;
};

struct unit_scale unit_scale(enum unit from, enum unit to);

/* How many of `to` one of `from` is; 1 if either is UNIT_NONE. */
double unit_ratio(enum unit from, enum unit to);

#endif
