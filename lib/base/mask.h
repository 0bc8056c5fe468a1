/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * What varies in a line, masked, so that lines that say the same thing become
 * the same line. What each level masks is told in log-mask(1), to the byte: a
 * saved sketch of masked lines is of use only as long as that stays, so a
 * change of it is a new level.
 *
 * Only ASCII letters fold and only ASCII digits are digits; a byte above 127
 * is a letter. Levels from MASK_DIGITS up leave case alone; up to MASK_LOG,
 * masking a folded line gives the same as folding a masked one.
 */

/* The low bits of a record's transform. Part of the format. */
enum mask_level {
	MASK_NONE = 0,
	MASK_CASE = 1,               /* letters to lower case */
	MASK_DIGITS = 2,             /* a run of digits is # */
	MASK_LOG = 3,                /* a value is <*>, and so are several in a row */
	MASK_TYPED = 4,              /* it is what kind it is: <num> <ip> <time> ... */
};

#define MASK_LEVEL_MAX MASK_TYPED

/* "none", "case", "digits", "log", "typed"; of a number that is no level NULL.
 * The level of this name, or -1. */
const char *mask_level_name(unsigned level);
int mask_level_find(const char *name);

/* Memory for masking, of one thread; all zero is empty. */
struct masker {
	struct buffer text;          /* of the last line, by mask_line */
	uint64_t *bits;              /* of the bytes of a line, by class */
	size_t room;                 /* blocks of 64 bytes they are enough for */
};

/* The masked line: the line itself, or a copy that lives until the next call.
 * Linear in the line, whatever it holds, and at most five times as long.
 * OK, or STATUS_MEMORY. */
enum status mask_line(struct masker *, enum mask_level, struct slice line,
    struct slice *masked);

/* The same, appended to a buffer. */
enum status mask_append(struct masker *, enum mask_level, struct slice line,
    struct buffer *to);

void masker_clear(struct masker *);

#endif
