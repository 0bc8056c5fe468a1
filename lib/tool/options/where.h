/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_WHERE_H
#define TOOL_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/num.h"

/*
 * A condition on a count, as --where has it: ">=1000", "<10", "=0", "!=1". What
 * is asked about may be known by its bounds alone; so the condition may hold for
 * the estimate, for sure, or perhaps.
 */
struct where {
	uint64_t from, to;           /* it holds in here, or nowhere if from > to */
	bool outside;                /* it holds everywhere else */
};

enum where_holds {
	WHERE_LIKELY,                /* for the estimate, which is high */
	WHERE_SURE,                  /* whatever the count is in low..high */
	WHERE_ALL,                   /* for some count in low..high */
};

/* One of >= > <= < = == !=, blanks perhaps, and a count. NUM_OK, NUM_JUNK,
 * NUM_RANGE (the count does not fit 64 bits). */
enum num where_parse(const char *text, struct where *);

/* Does it hold for a count that is in low..high? */
bool where_holds(const struct where *, enum where_holds, uint64_t low, uint64_t high);

#endif
