/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_IDS_H
#define BASE_IDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * The ids of the shards that were united into a sketch, as a record's extension
 * has them: texts that end in NUL each, ascending, none twice. No bytes at all are
 * the empty set.
 */
#define ID_BYTES 255                 /* of one, at most */
#define IDS_MAX 65536
#define IDS_BYTES_MAX (1 << 20)      /* of all, with their NULs */

/* One that may be: 1 to 255 bytes, no control characters. */
bool id_valid(struct slice);

/* A set that is not empty, in the form above and within the limits. */
bool ids_valid(struct slice);

/* Take the first off; false if there is none. */
bool ids_next(struct slice *left, struct slice *id);

size_t ids_count(struct slice);
bool ids_has(struct slice, struct slice id);

/* into = both. OK, STATUS_MEMORY, or STATUS_FULL: past the limits; then it is as
 * it was. */
enum status ids_unite(struct buffer *into, struct slice from);

/* The same for one that is valid. */
enum status ids_add(struct buffer *into, struct slice id);

/* Take others out of into. False if one is not in it, which then is *missing; then
 * it is as it was. */
bool ids_remove(struct buffer *into, struct slice others, struct slice *missing);

#endif
