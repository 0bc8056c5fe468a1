/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_SHAPE_H
#define BASE_SHAPE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/moment.h"

/* What kind of value a word of a line looks like. */
enum shape {
	SHAPE_NUM,                   /* 5  -5  5.5  1e9  5% */
	SHAPE_SIZE,                  /* 10KB  4GiB  1.5M  3MB/s */
	SHAPE_DURATION,              /* 12ms  1h30m  5sec */
	SHAPE_VERSION,               /* 1.2.3  v1.2  1.2.3-rc1 */
	SHAPE_HEX,                   /* 0x1f  deadbeef  12:ab:34:... of nine pairs or more */
	SHAPE_UUID,
	SHAPE_IP,                    /* both versions; with /24, :port, %eth0 */
	SHAPE_MAC,
	SHAPE_TIME,                  /* base/moment.h */
	SHAPE_PATH,                  /* with two slashes or more; C:\ */
	SHAPE_URL,
	SHAPE_EMAIL,
	SHAPE_STR,                   /* what was quoted */
	SHAPE_ID,                    /* any other word with a digit in it */
};

#define SHAPES (SHAPE_ID + 1)

/* "num", "size", ... */
const char *shape_name(enum shape);

/* A word without the full stop behind it. SHAPE_ID also for one without a digit. */
enum shape shape_of(struct slice word);

/* Is it letters a to f alone, eight of them or more? */
bool shape_is_letters(struct slice word);
bool shape_is_email(struct slice word);
/* Does it hold two slashes or more, and something else? */
bool shape_is_path(struct slice word);

/*
 * Addresses that hold colons, which separate words elsewhere: is this word
 * part of one? It may reach back, but not before the place first.
 */
bool shape_of_colons(struct slice line, size_t first, struct span word, struct span *,
    enum shape *);

#endif
