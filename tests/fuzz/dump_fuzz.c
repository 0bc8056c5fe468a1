/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any bytes as the rows of a table: the first byte chooses the form. Each row that
 * is accepted is written and read as the same; a text that goes on is never judged
 * otherwise than when it is whole.
 */
#include <stdio.h>
#include <stdlib.h>

#include "interop/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "dump_fuzz: %s\n", what);
	abort();
}

static struct slice
bytes_of(const struct buffer *b)
{
	return (struct slice){b->at, b->len};
}

static void
write_again(enum dump_form form, const struct dump_row *row, unsigned char join)
{
	struct slice key = bytes_of(&row->key), value = bytes_of(&row->value);
	struct dump_row other = {0};
	struct buffer out = {0};
	size_t used;

	demand(dump_write(form, row->keyed ? &key : NULL, join, value, &out) == OK, "cannot write");
	demand(dump_read(form, bytes_of(&out), false, join, &other, &used) == OK && used == out.len,
	    "what was written is refused");
	demand(other.keyed == row->keyed && slice_equal(bytes_of(&other.value), value) &&
	    (!row->keyed || slice_equal(bytes_of(&other.key), key)),
	    "what was written reads as something else");
	dump_row_free(&other);
	buffer_free(&out);
}

/* The first row; how long it is, 0 if it is none. */
static size_t
one_row(enum dump_form form, struct slice text, unsigned char join)
{
	struct dump_row row = {0};
	size_t whole = 0, part = 0;

	enum status early = dump_read(form, text, false, join, &row, &part);
	enum status st = dump_read(form, text, true, join, &row, &whole);
	demand(early == STATUS_TRUNCATED || early == st, "a whole row is judged in two ways");
	demand(early != OK || part == whole, "a row has two lengths");
	demand(st != OK || (whole > 0 && whole <= text.len), "a row has no length");
	demand(st == OK || st == STATUS_TRUNCATED || st == STATUS_DIGITS || st == STATUS_FOREIGN,
	    "an odd status");
	if (st == OK && !row.null)
		write_again(form, &row, join);
	dump_row_free(&row);
	return st == OK ? whole : 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	enum dump_form form = *data & 1 ? DUMP_COPY : DUMP_CSV;
	unsigned char join = *data & 2 ? '\0' : '\n';
	struct slice text = {data + 1, size - 1};
	size_t n;

	while (text.len > 0 && (n = one_row(form, text, join)) > 0)
		text = (struct slice){text.at + n, text.len - n};
	return 0;
}
