/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any bytes as a histogram of HdrHistogram, as they are and packed, so that an edit
 * gets behind zlib's checksum. What is accepted has answers and a table, and what is
 * written of it, in whole numbers, is read as the same and written as the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interop/gunzip.h"
#include "interop/hdr_payload.h"
#include "interop/hdr_table.h"
#include "interop/hdr_units.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "hdr_payload_fuzz: %s\n", what);
	abort();
}

static void
answer(const struct hdr *h)
{
	const struct quantiles *q = &hdr_quantiles;
	struct span least, median, most;
	struct buffer out = {0};

	demand(hdr_total(h) <= INT64_MAX, "too many samples");
	if (hdr_total(h) == 0)
		return;
	q->least(h, &least);
	q->quantile(h, 0.5, true, &median);
	q->most(h, &most);
	demand(isfinite(most.high) && 0 <= least.low && least.low <= median.low &&
	    median.low <= median.value && median.value <= median.high &&
	    median.low <= most.high, "no answer");
	demand(hdr_table_write(h, UNIT_NONE, false, &out) == OK && out.len > 0, "no table");
	buffer_free(&out);
}

static void
come_back(const struct hdr *h)
{
	struct buffer out = {0}, again = {0};
	struct mismatch why;
	struct hdr *whole, *back;

	if (!hdr_units_can_be_whole(h, UNIT_NONE, &why)) {
		demand(!hdr_whole(h), "whole numbers cannot be written");
		return;
	}
	demand(hdr_units_whole(h, UNIT_NONE, &whole) == OK, "no memory");
	demand(hdr_payload_write_plain(whole, &out) == OK, "cannot write");
	enum status st = hdr_payload_read((struct slice){out.at, out.len}, &back);
	demand(st == OK && hdr_total(back) == hdr_total(h), "what was written is something else");
	demand(hdr_payload_write_plain(back, &again) == OK, "cannot write again");
	demand(slice_equal((struct slice){out.at, out.len}, (struct slice){again.at, again.len}),
	    "what was written is written as something else");
	hdr_free(whole);
	hdr_free(back);
	buffer_free(&out);
	buffer_free(&again);
}

static enum status
read_one(struct slice in)
{
	struct hdr *h;
	enum status st = hdr_payload_read(in, &h);

	if (st != OK) {
		demand(st == STATUS_FOREIGN || st == STATUS_TRUNCATED || st == STATUS_PARAMETER ||
		    st == STATUS_SIZE || st == STATUS_INVARIANT || st == STATUS_GZIP ||
		    st == STATUS_NO_ZLIB || st == STATUS_MEMORY, "an odd status");
		return st;
	}
	answer(h);
	come_back(h);
	hdr_free(h);
	return OK;
}

/* The same bytes in a zlib stream are as good. */
static void
read_packed(struct slice in, enum status plain)
{
	struct buffer out = {0};

	demand(buffer_append(&out, "\x1c\x84\x93\x14\0\0\0\0", 8) == OK, "no memory");
	demand(zlib_pack(in, &out) == OK, "cannot pack");
	size_t packed = out.len - 8;
	for (int i = 0; i < 4; i++)
		out.at[4 + i] = (unsigned char)(packed >> (24 - 8 * i));
	enum status st = read_one((struct slice){out.at, out.len});
	/* Packed doubles are none, and neither is what is packed twice. */
	demand(plain == OK || st != OK, "it is right when packed only");
	buffer_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice in = {data, size};
	enum status st = read_one(in);

	if (gunzip_can())
		read_packed(in, st);
	return 0;
}
