/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SHELF_H
#define TOOL_SHELF_H

#include <stddef.h>

#include "base/bytes.h"
#include "sketch/kinds.h"

/*
 * Sketches of any kind by their keys, in memory, for keyed ones that come in
 * no order. Without memory the program ends.
 */
struct shelf;

struct shelf *shelf_new(void);

/* The keys and all sketches. NULL is allowed. */
void shelf_free(struct shelf *);

/* The sketch of this key: all zero if it is new. Until the next call. */
struct sketch *shelf_at(struct shelf *, struct slice key);

/* Visit all in the order of their keys. */
void shelf_each(struct shelf *,
    void (*visit)(void *context, struct slice key, struct sketch *), void *context);

#endif
