/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PERCENTILES_BODY_H
#define TOOL_PERCENTILES_BODY_H

#include "tool/quantiles/asked.h"
#include "tool/quantiles/figures.h"
#include "tool/quantiles/samples.h"

/* What percentiles.c, which takes lines, and percentiles_saved.c share. */

struct percentiles;

/* The run there is: what was asked for, and how it is going. */
struct percentiles_run {
	const struct percentiles *program;
	struct asked asked;
	uint64_t top, least;         /* keys to list, and how many samples they have */
	bool each, total, plot;
	struct figures figures;
	struct samples samples;
};

extern struct percentiles_run percentiles;

/* Answers come from sketches of these settings, in this unit. */
void percentiles_begin(const struct record *settings, enum unit shown);

/* The answers of one sketch, and what goes with it. */
void percentiles_print(const void *body, const struct whose *);

/* With --each the row of an input, or the total; without, the only answer: name is
 * NULL. */
void percentiles_print_input(const void *body, const char *name);

/* All of -s. */
void percentiles_saved(int argc, char *argv[]);

#endif
