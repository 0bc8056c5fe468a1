/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SEEN_KIND_H
#define SKETCH_SEEN_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/kind.h"

/*
 * The kind, whose body is a payload as it lies in a file. What one run has seen
 * and another united is what one run over both would have seen, byte for byte,
 * unless both are exact: then the union is, whatever memory it takes.
 */
struct seen_record;

size_t seen_record_has(const struct seen_record *, const uint64_t *hash, size_t n, bool *has);

extern const struct kind seen_kind;

#endif
