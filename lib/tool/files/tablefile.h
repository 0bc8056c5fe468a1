/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_TABLEFILE_H
#define TOOL_TABLEFILE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "sketch/kinds.h"

/*
 * The end of a builder with --by: its sketches are written by ascending key to
 * where tool/files/build.h says, as tool/files/table.h does it. A file to be updated is in
 * that order as well, so the two are merged as streams, and no more than one of
 * its sketches is in memory.
 */
struct tablefile {
	const char *only;            /* the kinds, as for records */
	struct record head;          /* as for table_begin; the file's must match it */
	void *context;

	/* The least key that was not taken yet, or false. */
	bool (*peek)(void *context, struct slice *key);

	/* Take the key that was seen last: write it, or make a sketch of it, which is freed. */
	void (*write)(void *context);
	void (*take)(void *context, struct sketch *);

	/* The next one to be written is the file's, united with what was taken of its
	 * key. It may be changed. May be NULL. */
	void (*old)(void *context, struct slice key, struct sketch *);
};

/* From build_open to build_close. What fails ends the program. */
void tablefile_write(const struct tablefile *);

#endif
