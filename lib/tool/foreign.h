/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_FOREIGN_H
#define TOOL_FOREIGN_H

#include <stdint.h>

#include "interop/system.h"

/*
 * A file of another system, which is one sketch and ends where its bytes do.
 * From an open descriptor. *left_out: see interop/system.h. What its reader
 * says, STATUS_EMPTY, STATUS_SYSTEM; for STATUS_FOREIGN *guess is what it seems
 * to be instead, as the end of a message, or NULL.
 */
enum status foreign_read(const struct system *, int fd, struct sketch *, uint64_t *left_out,
    const char **guess);

#endif
