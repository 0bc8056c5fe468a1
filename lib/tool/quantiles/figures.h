/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_FIGURES_H
#define TOOL_FIGURES_H

#include <stdbool.h>

#include "base/bytes.h"
#include "tool/quantiles/asked.h"
#include "tool/quantiles/figure.h"

/*
 * What a sketch of percentiles answers to what was asked, as rows: of one sketch a
 * row each, its name in front; of one of many a row for all of them, and what it
 * belongs to at the end.
 *
 *	p99	250	[LOW	HIGH	[CI-LOW	CI-HIGH]]
 *
 * The same again follows each for a second sketch of the same samples.
 */
struct figures {
	const struct asked *asked;
	struct reading reading;
	bool quiet;                  /* promises are judged, and nothing is printed */

	/* Of all rows until now: was one of the promises not kept for certain, and
	 * was there any to judge? */
	bool broken, judged;
};

/* Whose row it is. */
struct whose {
	const char *time;            /* over time, else NULL */
	const char *label;           /* JSON's name for the item; NULL: it is the only one */
	struct slice item;
};

/* Print the answers of a sketch; second is NULL, or what is told beside it, and
 * then promises are for that one. */
void figures_print(struct figures *, const void *body, const void *second,
    const struct whose *);

/* The end of the program: 0, or 1 if not all promises were kept. */
int figures_status(const struct figures *);

#endif
