/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_SYSTEMS_H
#define INTEROP_SYSTEMS_H

#include <stddef.h>
#include <stdint.h>

#include "interop/system.h"

/* The system of this name, or NULL; the one of this kind, or NULL if it is none that
 * hashes by itself; the i-th, NULL past the last. */
const struct system *system_find(const char *name);
const struct system *system_of(uint16_t kind);
const struct system *system_row(size_t i);

/* What a file that is no sketch seems to be instead, and what to do about it, as
 * the end of a message: "but it looks like a DCSO bloom filter (use --from
 * dcso)"; NULL: no idea. The first 64 bytes suffice. */
const char *system_guess(struct slice start);

#endif
