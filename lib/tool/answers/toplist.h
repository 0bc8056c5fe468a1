/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_TOPLIST_H
#define TOOL_TOPLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/frequency/frequency.h"
#include "sketch/frequency/top.h"
#include "tool/answers/rows.h"

/*
 * Which items are listed, out of any structure that knows how often they
 * occurred: the first K, or all that occurred at least so many times. Counts are
 * bounds, so it may be open whether an item belongs there; the list may hold what
 * surely does, or what may, or (the first K) just so many.
 */
enum toplist_choice {
	TOPLIST_LIKELY,              /* by the estimate, which is the high bound */
	TOPLIST_SURE,                /* only what belongs for certain */
	TOPLIST_ALL,                 /* whatever may belong */
};

struct toplist_wish {
	uint64_t k;                  /* at most so many; 0: any number, and then one of these */
	uint64_t min;                /* occurred at least so often; 0: not asked for */
	double share;                /* at least this share of the total; 0: not asked for */
	enum toplist_choice choice;
	bool rest;                   /* print what is left in a last row */

	/* Prints each row, which it may change: row_print() unless NULL. It is also
	 * told which counter the row is of; of the rest that is NULL. */
	void (*print)(struct row *, const struct counter *);
};

struct toplist {
	/* In the order of sketch/frequency/top.h. certain: it belongs here, whatever
	 * the counts are within their bounds. */
	struct counter *at;
	size_t n;

	/* An item that has no counter, and so is not in the list, may have occurred
	 * so often and belong there; 0: none does. */
	uint64_t escaped;

	/* All that is not listed: rest.high is the estimate. */
	uint64_t rest_low, rest_high;
};

/* From a structure that stays as it is and outlives the list. Ends the program
 * if memory is short. */
void toplist_make(struct toplist *, const struct toplist_wish *, const struct frequency *,
    const void *body);
void toplist_free(struct toplist *);

/* A row for each, and the rest if it is wished for; time in front of each, unless
 * NULL. */
void toplist_print(const struct toplist *, const struct toplist_wish *, const char *time);

/* Say on standard error that something may have escaped, and what helps
 * ("-M gives it more memory"); nothing if it cannot. */
void toplist_warn(const struct toplist *, const struct toplist_wish *, const char *help);

#endif
