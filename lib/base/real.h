/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/unit.h"

/*
 * From decimal digits to doubles: [+-]digits[.digits][e[+-]digits], with a digit
 * on at least one side of the dot, nothing before and nothing behind it but
 * blanks. Always the nearest double, ties to even (IEEE 754), whatever the
 * locale. Hexadecimal, "inf" and "nan" are no numbers, and neither is what would
 * overflow. What is too small becomes the nearest subnormal number, or 0.
 */

/* false: it is no number. */
bool real_parse(struct slice text, double *);

/* The same for a number that is to be kept in a unit: one with another unit
 * behind it, perhaps after blanks, is converted. That is the nearest double to
 * what is written, too, for up to 16 digits and but for a conversion to minutes,
 * hours or days from something shorter, which rounds twice. UNIT_NONE: as
 * real_parse. */
bool real_parse_unit(struct slice text, enum unit, double *);

/* The same for a text with eight bytes behind it that can be read, and faster. */
bool real_parse_inside(struct slice text, enum unit, double *);

#endif
