/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/shape.h"

/*
 * Is a word of a line a value, and how far does that reach? It may take in
 * words around it, as those of a date or a URL, but nothing before the place
 * first. Of the bytes that a value must hold (MASK_TRIGGER in base/mask_bits.h)
 * the one at place at is the word's first.
 *
 * Without typed, a shape that needs a closer look is SHAPE_ID; the span is the
 * same.
 */
bool value_find(struct slice line, size_t first, struct span word, size_t at, bool typed,
    struct span *, enum shape *);

#endif
