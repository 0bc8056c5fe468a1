/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_KEPT_H
#define TOOL_KEPT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/scan.h"

/*
 * The lines of a batch that a filter keeps, as they came, each with its end
 * byte: appended to a worker's output. The batch's lines must still lie in the
 * block they were scanned from (scan.want_lines). wanted[i] for each of its n
 * lines. Without memory the program ends.
 */
void kept_lines(struct buffer *out, const struct batch *, const bool *wanted);

/* All lines of a batch, each behind one of two words of at most 8 bytes. */
void kept_tagged(struct buffer *out, const struct batch *, const bool *which,
    const char *no, const char *yes);

#endif
