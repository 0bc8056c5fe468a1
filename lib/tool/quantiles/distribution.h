/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_DISTRIBUTION_H
#define TOOL_DISTRIBUTION_H

#include "base/bytes.h"
#include "tool/quantiles/figure.h"
#include "tool/answers/screen.h"

/*
 * What samples look like, for --plot: first how many there are at which number,
 * as columns, over the numbers or, if these go far apart, their logarithms; then
 * the percentiles as a curve over 1/(1-p), so that p90, p99 and p99.9 are equally
 * far apart, and the tail, which one asks about, has the room.
 */

/* Append both, of a sketch that holds samples. Ends the program if memory is
 * short. */
void distribution_plot(struct buffer *, const struct reading *, const void *body,
    const struct screen *);

#endif
