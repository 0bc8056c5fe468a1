/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_GUNZIP_H
#define INTEROP_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * Out of a gzip file that lies in memory, or of a zlib stream (RFC 1950), and into
 * such a stream. A program that was built where there was no zlib answers
 * STATUS_NO_ZLIB.
 */
bool gunzip_can(void);

/* Does it begin as a gzip file does? */
bool gunzip_looks(struct slice);

/* Append the first n bytes of what is in there, or all of it if it is less;
 * what follows is not looked at. STATUS_TRUNCATED, STATUS_GZIP, STATUS_MEMORY. */
enum status gunzip_start(struct slice, size_t n, struct buffer *out);

/* Append all of it, of all members of the file, to an empty buffer.
 * STATUS_SIZE as soon as it is more than limit bytes; the same failures, and
 * STATUS_GZIP also if a checksum or length differs or anything follows. */
enum status gunzip(struct slice, uint64_t limit, struct buffer *out);

/* The same of a zlib stream, of which there is but one. */
enum status unzlib_start(struct slice, size_t n, struct buffer *out);
enum status unzlib(struct slice, uint64_t limit, struct buffer *out);

/* Append a zlib stream of these bytes, as short as zlib makes it. STATUS_SIZE: they
 * are more than 2^31; STATUS_MEMORY. */
enum status zlib_pack(struct slice, struct buffer *out);

#endif
