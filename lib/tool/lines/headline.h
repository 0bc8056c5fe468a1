/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_HEADLINE_H
#define TOOL_HEADLINE_H

#include <stdbool.h>

#include "base/scan.h"
#include "tool/lines/input.h"

/*
 * --header: the first line of an input names its fields. Take it off the
 * input's first block and put places where `from` has names, into `scan`.
 * Returns false if there was nothing behind it. A name that is missing ends
 * the program, with the input's name.
 */
bool headline_take(struct scan *scan, const struct scan *from, const char *name,
    struct block *);

#endif
