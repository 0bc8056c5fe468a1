/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_ROWS_H
#define TOOL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* Another estimate of a row. In JSON it is NAME, NAME_low and NAME_high. */
struct row_also {
	const char *name;
	uint64_t estimate, low, high;
	double real[3];              /* is_real: these three instead */
	bool is_real;
};

/*
 * One row of an answer, the same in every program: the estimate, perhaps its
 * bounds, then what it belongs to, TAB between; or a flat JSON object. Numbers
 * come first so that sort -rn and cut -f2- work, whatever the item holds.
 */
struct row {
	uint64_t estimate, low, high;
	bool minus[3];               /* which of these are below 0, by so much */
	const double *real;          /* if not NULL: these three instead, not rounded */
	const struct row_also *also; /* what else is told of the item, next to these */
	size_t nalso;
	bool uncertain;              /* its place in the list is not sure */
	bool at_most;                /* no more than high is sure: it may be none */
	const char *time;            /* of an answer over time, in front; else NULL */
	const char *label;           /* JSON's name for the item; NULL: there is none */
	struct slice item;
	bool rest;                   /* in place of an item: of all those that have no row */
	const char *file;            /* JSON: where it came from; may be NULL */
};

/* Append the row as --bounds, --json and -z ask. Fields that were joined by
 * the end byte are shown with TAB between. On a terminal the bounds may follow,
 * and '~' marks an uncertain place. After bounds "at most" is a column of its
 * own. Ends the program if memory is short. Any
 * worker may call it. */
void row_append(struct buffer *, const struct row *);

/* The same to standard output. */
void row_print(const struct row *);

/* A row of more than one item is put together from these: the numbers of each,
 * TAB between, and what follows the last item, about one of them, with the row's
 * end. */
void row_numbers(struct buffer *, const struct row *);
void row_end(struct buffer *, const struct row *);

/* The item alone, as text or as the member of this name of a JSON object. */
void row_item(struct buffer *, struct slice item);
void row_json_item(struct buffer *, const char *label, struct slice item);

/* Is standard output a terminal, so that what is only for a person may follow? */
bool rows_for_a_person(void);

/* Before the first row: items are saved ones, whose fields were joined by this
 * byte, whatever ends records now. */
void rows_joined_by(unsigned char);

#endif
