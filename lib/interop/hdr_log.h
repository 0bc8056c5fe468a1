/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_HDR_LOG_H
#define INTEROP_HDR_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "interop/dump.h"
#include "sketch/quantiles/hdr.h"

/*
 * A log of histograms (.hlog), one an interval and a line:
 *
 *	#[Histogram log format version 1.3]
 *	#[StartTime: 1700000000.123 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]
 *	"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
 *	1700000000.123,1.000,1.000,HISTFAAAACV42pNpmSzMwMBwggECmKE0I4i4NnkJg/0HiIAwk+Cw...
 *	Tag=api,1700000000.123,1.000,100.031,HISTFAAAAFZ42pNpmSzMwMBwkwECmKE0I4i4NnkJg/...
 */

/* When a histogram's samples were taken: milliseconds since 1970, and for how long. */
struct interval {
	int64_t start, length;
};

/* A log that is being read. All zero at first, but for these two. */
struct hdr_log {
	unsigned char join;          /* between the columns of a key; in a tag it is TAB */
	bool tagged;                 /* every line has a key, "" if it has no tag */
	bool has_base, has_start;
	int64_t base, start;         /* what its times are counted from, if it says so */
	struct interval interval;    /* of the last row */
};

/* Does a file that begins so seem to be one? */
bool hdr_log_looks(struct slice start);

/* Has any of these lines a tag? */
bool hdr_log_tagged(struct slice text);

/*
 * The line that a text begins with, as a row with the bytes of a histogram; null if
 * it is a comment, or empty. *used: how long it is, whatever comes back. OK;
 * STATUS_UNSUPPORTED: by this comment it is another format; STATUS_FOREIGN: it has
 * not the fields of such a line; STATUS_DIGITS; STATUS_MEMORY.
 */
enum status hdr_log_read(struct hdr_log *, struct slice text, struct dump_row *, size_t *used);

/* Can this key be a tag? */
bool hdr_log_can_tag(struct slice key, unsigned char join);

/*
 * Append the lines before the first one, and a line. interval may be NULL: it is not
 * known, and 0. key may be NULL, and no tag stands for an empty one. most: the
 * greatest sample, in milliseconds if its unit is known. bytes: of the histogram. OK
 * or STATUS_MEMORY.
 */
enum status hdr_log_begin(const struct interval *, struct buffer *);
enum status hdr_log_write(const struct interval *, const struct slice *key,
    unsigned char join, double most, struct slice bytes, struct buffer *);

#endif
