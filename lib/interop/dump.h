/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_DUMP_H
#define INTEROP_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * Sketches on their way out of a system's table and into it: one row each, the
 * columns of its key before it or none. A key of several columns is one here, as
 * that of --by is: joined by a byte that ends lines elsewhere.
 */
enum dump_form {
	DUMP_NONE,
	DUMP_COPY,                   /* COPY of PostgreSQL, or psql -At: "\x" and hex digits */
	DUMP_CSV,                    /* RFC 4180, or columns with TABs between: base64 */
	DUMP_RESP,                   /* commands for redis-cli --pipe; written only */
	DUMP_LOG,                    /* not here: interop/hdr_log.h */
};

struct dump_row {
	bool keyed;
	bool null;                   /* there is no sketch in this row */
	struct buffer key, value;
};

/*
 * The row that a text of DUMP_COPY or DUMP_CSV begins with, to *row, whose
 * buffers are emptied first; *used is how long it is with its end. last: nothing
 * follows the text. OK; STATUS_TRUNCATED: it does not hold a whole row (and none
 * will come, if last); STATUS_DIGITS; STATUS_FOREIGN: no value where one should be;
 * STATUS_MEMORY.
 */
enum status dump_read(enum dump_form, struct slice text, bool last, unsigned char join,
    struct dump_row *row, size_t *used);

/* Append a row with this value to a buffer. key may be NULL, except for DUMP_RESP.
 * OK or STATUS_MEMORY. */
enum status dump_write(enum dump_form, const struct slice *key, unsigned char join,
    struct slice value, struct buffer *);

void dump_row_free(struct dump_row *);

#endif
