/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_CANVAS_H
#define TOOL_CANVAS_H

#include <stddef.h>

#include "base/bytes.h"
#include "tool/answers/screen.h"

/*
 * A picture made of characters: curves and columns over two axes. In UTF-8 a
 * character has 2 by 4 dots (braille), in ASCII one above another ('.', '\'',
 * ':').
 *
 *	struct axis x = {AXIS_TAIL, 0, 0.9999}, y = {AXIS_EVEN, 0, worst};
 *	struct canvas *c = canvas_new(&x, &y, 16, &screen);
 *	for (...)
 *		canvas_line(c, p, value_of(p), next, value_of(next));
 *	canvas_print(c, &out);
 *	canvas_free(c);
 */

/* How values lie along an axis: evenly; by their logarithm; or, for shares
 * from 0 to below 1, by that of 1/(1-p), so that p90, p99 and p99.9 are equally
 * far apart. */
enum axis_scale { AXIS_EVEN, AXIS_LOG, AXIS_TAIL };

/* From low to high, which should differ. AXIS_LOG: both above 0. AXIS_TAIL: both
 * in [0, 1). */
struct axis {
	enum axis_scale scale;
	double low, high;
};

struct tick {
	double value;
	char label[24];
};

/* Where a value lies: 0 at low, 1 at high, and no further. */
double axis_place(const struct axis *, double value);

/* At most so many round values from low to high, in order, and their names:
 * numbers, or p50, p99.9 and the like. How many there are. */
size_t axis_ticks(const struct axis *, struct tick *, size_t most);

struct canvas;

/* As wide as the screen, with so many lines above the horizontal axis; the axes
 * are copied. All of these end the program if memory is short. */
struct canvas *canvas_new(const struct axis *x, const struct axis *y, unsigned lines,
    const struct screen *);
void canvas_free(struct canvas *);

/* A dot; the dots between two points; all dots from the horizontal axis up to y
 * over a range of x. In values of the axes. */
void canvas_dot(struct canvas *, double x, double y);
void canvas_line(struct canvas *, double x0, double y0, double x1, double y1);
void canvas_column(struct canvas *, double x0, double x1, double y);

/* Append the picture, with its axes and their ticks. */
void canvas_print(const struct canvas *, struct buffer *);

#endif
