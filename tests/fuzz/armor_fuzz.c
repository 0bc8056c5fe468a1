/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any bytes: as a line of armour, which stands for bytes whose armour it is, or
 * is refused and leaves nothing behind; and as bytes, which armour brings back,
 * written at once or in pieces.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/armor.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "armor_fuzz: %s\n", what);
	abort();
}

static struct slice
slice_in(const struct buffer *b)
{
	return (struct slice){b->at, b->len};
}

static void
check_text(struct slice text)
{
	struct buffer bytes = {0}, again = {0};

	demand(buffer_append(&bytes, "before", 6) == OK, "no memory");
	enum status st = armor_decode(&bytes, text);
	if (st == OK) {
		struct slice decoded = {bytes.at + 6, bytes.len - 6};
		demand(armor_encode(&again, decoded) == OK, "no memory");
		demand(slice_equal(slice_in(&again), text), "bytes have a second armour");
	} else {
		demand(st == STATUS_FOREIGN || st == STATUS_ARMOR || st == STATUS_MEMORY,
		    "an odd status");
		demand(bytes.len == 6, "what was refused is there");
	}
	demand(memcmp(bytes.at, "before", 6) == 0, "what was there is gone");
	buffer_free(&bytes);
	buffer_free(&again);
}

static void
check_bytes(struct slice bytes)
{
	struct buffer whole = {0}, pieces = {0}, back = {0};
	struct armor armor;

	demand(armor_encode(&whole, bytes) == OK, "no memory");
	demand(armor_decode(&back, slice_in(&whole)) == OK, "its own armour is refused");
	demand(slice_equal(slice_in(&back), bytes), "other bytes come back");

	demand(armor_begin(&armor, buffer_sink(&pieces)) == OK, "no memory");
	struct sink sink = armor_sink(&armor);
	for (size_t at = 0, n = 1; at < bytes.len; at += n, n = n % 7 + 1) {
		if (n > bytes.len - at)
			n = bytes.len - at;
		demand(sink.write(sink.to, bytes.at + at, n) == OK, "no memory");
	}
	demand(armor_end(&armor) == OK, "no memory");
	demand(slice_equal(slice_in(&pieces), slice_in(&whole)), "pieces make another text");
	buffer_free(&whole);
	buffer_free(&pieces);
	buffer_free(&back);
}

/* A line is split at its last TAB, or not at all. */
static void
check_line(struct slice line)
{
	struct slice key, text;
	bool keyed;

	if (!armor_split(line, &keyed, &key, &text))
		return;
	demand(text.len >= strlen(ARMOR_PREFIX) &&
	    memcmp(text.at, ARMOR_PREFIX, strlen(ARMOR_PREFIX)) == 0, "it is no armour");
	demand(!keyed || (key.at == line.at && key.at[key.len] == '\t' &&
	    key.len + 1 + text.len == line.len), "it is not all of the line");
	demand(keyed || slice_equal(text, line), "it is not all of the line");
	demand(!memchr(text.at, '\t', text.len), "it is not the last TAB");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice bytes = {data, size};

	check_text(bytes);
	check_bytes(bytes);
	check_line(bytes);
	return 0;
}
