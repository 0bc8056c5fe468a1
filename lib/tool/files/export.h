/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_EXPORT_H
#define TOOL_EXPORT_H

#include <stdbool.h>

#include "interop/hdr_log.h"
#include "interop/system.h"

/*
 * Records on their way into another system's bytes, through build_sink(): one file
 * of one sketch; a row for each; or one table of all of them united. What cannot be
 * ends the program.
 *
 *	build_open();
 *	export_sketch("a.sk", &sketch, NULL);
 *	...
 *	export_end();
 *	build_close();
 */
struct export {
	const struct system *to;
	enum unit unit;              /* of the numbers; UNIT_NONE: not said */
	bool keyed;                  /* sketches with keys, a row each */
};

/* Text goes out, a line for each sketch: then a terminal may have it. */
bool export_is_text(const struct export *);

/* A keyed record begins: even one without a key says what its sketches would be. */
void export_keyed(const struct export *, const char *name, const struct record *);

/* When the next one was taken, if that is known. */
void export_interval(const struct interval *);

/* The sketch may be moved out. */
void export_sketch(const struct export *, const char *name, struct sketch *,
    const struct slice *key);

void export_end(const struct export *);

#endif
