/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_CHART_H
#define TOOL_CHART_H

#include "tool/answers/rows.h"

/*
 * The rows of an answer as bars (tool/answers/plot.h) instead of lines, on standard
 * output: whatever it is, and as wide as its screen. The bars show the first
 * estimate and its bounds on one scale; all numbers stand before them. The rest
 * has no bar: beside it the others would be short.
 */

/* One row more; what it points to may change after that. Its time is left to
 * chart_draw(). */
void chart_add(const struct row *);

/* Draw the rows since the last call: none, nothing. time stands above them, unless
 * NULL, and a blank line between one picture and the next. */
void chart_draw(const char *time);

#endif
