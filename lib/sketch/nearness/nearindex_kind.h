/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_NEARINDEX_KIND_H
#define SKETCH_NEARINDEX_KIND_H

#include "sketch/kind.h"

/* Saved indexes of near-duplicates (sketch/nearness/nearindex_file.h) as sketches that
 * are told about and united. */
extern const struct kind simhash_kind, bands_kind;

#endif
