/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/*
 * Which fields of a line make an item: "1", "2,5", "3-5", "4-", "-1" (the
 * last), or names from a header line. Cutting them out of a line is the
 * scanner's work (scan.h), since it must be fast; here is what was asked for.
 */

enum field_mode {
	FIELD_BLANK,         /* runs of space and TAB, leading ones skipped */
	FIELD_DELIMITER,     /* one byte between fields, which may be empty */
	FIELD_QUOTED,        /* blanks; "..." and [...] are whole fields */
	FIELD_QUOTED_DELIMITER,
	FIELD_CSV,           /* RFC 4180 within one line, "" is one quote */
};

#define FIELDS_MAX 64
#define FIELD_OPEN 0         /* as a last: to the end of the line */

struct field_range {
	int first;           /* 1..; or negative, counted from the end */
	int last;            /* the same as first, or larger, or FIELD_OPEN */
	const char *name;    /* to be resolved from a header; borrowed */
	size_t name_len;
};

struct fields {
	unsigned n;          /* 0: the whole line */
	bool joined;         /* more than one field, so joined by the end byte */
	bool named;          /* some range still bears a name */
	struct field_range at[FIELDS_MAX];
};

/* Parse a LIST; it is borrowed while names are unresolved. Returns NULL, or
 * what is wrong with it ("fields are numbered from 1"). */
const char *fields_parse(const char *list, struct fields *);

/* The same with each name replaced by its place in a header's names (the
 * first of equal ones). Returns NULL, or the range whose name is not there. */
const struct field_range *fields_resolve(const struct fields *,
    const struct slice *names, size_t n, struct fields *out);

#endif
