/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_HDR_PAYLOAD_H
#define INTEROP_HDR_PAYLOAD_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "sketch/quantiles/hdr.h"

/*
 * The bytes of a histogram of HdrHistogram: versions 0, 1 and 2, as they are or
 * packed by zlib, of whole numbers or of doubles. All of them are read; what is
 * written is version 2, packed.
 *
 * The slots of our histograms are the same ones or parts of them. A sample becomes
 * the least number of its slot, and nothing is lost: hdr_range(), hdr_highest()
 * and hdr_lowest() say the rest.
 */

/* Do bytes that begin so seem to be one? The first 8 suffice. */
bool hdr_payload_looks(struct slice start);

/* From all of these bytes. STATUS_FOREIGN, STATUS_TRUNCATED, STATUS_PARAMETER,
 * STATUS_SIZE, STATUS_INVARIANT, STATUS_GZIP, STATUS_NO_ZLIB, STATUS_MEMORY. */
enum status hdr_payload_read(struct slice, struct hdr **);

/* Append those of a histogram of whole numbers, 0 to 2^63-1, with counts up to
 * 2^63-1 in all. OK, STATUS_NO_ZLIB, STATUS_MEMORY. */
enum status hdr_payload_write(const struct hdr *, struct buffer *);

/* The same, not packed. */
enum status hdr_payload_write_plain(const struct hdr *, struct buffer *);

/* How such a histogram divides its numbers. */
struct hdr_buckets hdr_payload_buckets(const struct hdr *);

#endif
