/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any text as a log of histograms. Every line comes to an end, and one that is
 * accepted and written again is read as the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interop/hdr_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "hdr_log_fuzz: %s\n", what);
	abort();
}

static struct slice
all_of(const struct buffer *b)
{
	return (struct slice){b->at, b->len};
}

/* A tag with a comma or a NUL, which some have, is read but not written. */
static void
come_back(const struct hdr_log *from, const struct dump_row *row)
{
	struct hdr_log log = {.join = from->join, .tagged = true};
	struct slice key = all_of(&row->key);
	struct dump_row again = {0};
	struct buffer out = {0};
	size_t used;

	if (row->keyed && !hdr_log_can_tag(key, from->join))
		return;
	demand(hdr_log_write(&from->interval, row->keyed ? &key : NULL, from->join, 1,
	    all_of(&row->value), &out) == OK, "no memory");
	demand(hdr_log_read(&log, all_of(&out), &again, &used) == OK && used == out.len,
	    "what was written is no line");
	demand(slice_equal(all_of(&again.value), all_of(&row->value)) &&
	    slice_equal(all_of(&again.key), key), "another key or value");
	demand(log.interval.start == from->interval.start &&
	    log.interval.length == from->interval.length, "another time");
	buffer_free(&out);
	dump_row_free(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = {data, size};
	struct hdr_log log = {.join = '\n', .tagged = hdr_log_tagged(text)};
	struct dump_row row = {0};

	while (text.len > 0) {
		size_t used;
		enum status st = hdr_log_read(&log, text, &row, &used);
		demand(0 < used && used <= text.len, "a line without an end");
		demand(st == OK || st == STATUS_UNSUPPORTED || st == STATUS_FOREIGN ||
		    st == STATUS_DIGITS || st == STATUS_MEMORY, "an odd status");
		if (st == OK && !row.null)
			come_back(&log, &row);
		text.at += used;
		text.len -= used;
	}
	dump_row_free(&row);
	return 0;
}
