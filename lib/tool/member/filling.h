/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_FILLING_H
#define TOOL_FILLING_H

#include <stdbool.h>
#include <stdint.h>

#include "sketch/member/form.h"
#include "sketch/member/hashlist.h"
#include "tool/lines/parallel.h"

/*
 * One membership filter of any type from all lines of the inputs, filled by as
 * many workers as the options say; its bytes do not depend on how many. What
 * fails ends the program with a line.
 */
struct filling {
	/* What it is to be like. If it is not sized, kind and fpp are all that is
	 * known; the rest follows from the items and is filled in. */
	struct form form;
	bool sized;

	/* The items will go into another filter, by filling_into: where their order
	 * matters they are kept for it, as long as -M allows. */
	bool later;
	struct hashlist *kept;       /* or NULL: they are in the body */

	void *body;                  /* the filter, the caller's to free */
	struct intake tally;
};

/* Hashes of items are kept up to -M, or so much, to size a filter. */
#define FILLING_MEMORY (UINT64_C(1) << 30)

void filling_run(struct filling *, int count, char *const *operands);

/* Add the items that were kept to this filter of the same type, which name is
 * for messages; nothing if none were. */
void filling_into(struct filling *, void *body, const char *name);

/* The form for so many items; there being none ends the program. */
void filling_size(struct form *, uint64_t capacity);

#endif
