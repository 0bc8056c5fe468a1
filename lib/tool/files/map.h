/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_MAP_H
#define TOOL_MAP_H

#include "base/bytes.h"
#include "base/status.h"

/*
 * A file's bytes as memory, read only: a filter of a gigabyte then answers its
 * first question without being loaded. If the file shrinks or its disk fails
 * while it is looked at, the program ends with one line and status 3.
 */

/* Large filters are not verified before each use; this is where large begins. */
#define MAP_VERIFY_UP_TO (UINT64_C(64) << 20)

struct map {
	struct slice bytes;
	const char *name;
};

/* OK; STATUS_SYSTEM; STATUS_END if it must be read instead: it is no regular
 * file, or claims to be empty. Up to 1024 maps at a time. */
enum status map_open(struct map *, const char *path);
void map_close(struct map *);

#endif
