/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_NAMES_H
#define TOOL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Names of any bytes, numbered 0, 1, ... in the order in which they first came.
 * All zero is empty. Copies are kept; without memory the program ends.
 */
struct names {
	struct slice *at;
	size_t n;
	size_t room;                 /* of at[] */
	uint32_t *slot;              /* a number + 1, or 0; twice as many as room */
};

/* The number of this name, which is n for a new one: then n grows. */
size_t names_number(struct names *, struct slice);

/* Is this one there? */
bool names_has(const struct names *, struct slice);

void names_free(struct names *);

#endif
