/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PLOT_H
#define TOOL_PLOT_H

#include <stddef.h>

#include "base/bytes.h"
#include "tool/answers/screen.h"

/*
 * Rows of an answer as horizontal bars: numbers, the item, and a bar from 0 to
 * the value, all on one scale:
 *
 *	945  /               ████████████████████████████████
 *	668  /api/v2/kelma   ██████████████████████▌
 *	 97  /docs/perta.…   ██├┼─┤
 *
 * Bars end in an eighth of a column. Where low and high are not in the same
 * column a whisker goes from the one to the other, and the bar ends where it
 * begins; the cross is the value, if that is neither end. In ASCII a bar is
 * made of '#', a whisker of '|', '-' and '+'. What is more than nothing has at
 * least the thinnest bar.
 */
struct bar {
	struct slice numbers;        /* as text, TAB between; each column is flush right */
	struct slice label;
	double value, low, high;     /* 0 <= low <= value <= high */
	bool uncertain;              /* its place: '~' follows the numbers */
};

/* Append n bars, a line each. The longest one fills the screen's width; labels
 * take half of what the numbers leave at most, and are cut to fit. Ends the
 * program if memory is short. */
void plot_bars(struct buffer *, const struct bar *, size_t n, const struct screen *);

#endif
