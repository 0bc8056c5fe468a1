/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * One flat JSON object per line, appended to a buffer: json_open, members,
 * json_close (which adds the newline). Each returns OK or STATUS_MEMORY;
 * since a buffer that once failed keeps failing or is merely short, callers
 * may look at the last status only.
 */
enum status json_open(struct buffer *);
enum status json_count(struct buffer *, const char *name, uint64_t);
/* The number below 0 by so much. */
enum status json_minus(struct buffer *, const char *name, uint64_t);
/* Shortest form that reads back the same; not finite becomes null. */
enum status json_real(struct buffer *, const char *name, double);
enum status json_flag(struct buffer *, const char *name, bool);
/* A string if the bytes are UTF-8 (escaped as RFC 8259 asks, DEL and NUL
 * too), else a member "NAME_b64" with standard base64 of the bytes. */
enum status json_bytes(struct buffer *, const char *name, struct slice);
enum status json_close(struct buffer *);

/* How many bytes the character has that these begin with; 0: none does. Not of
 * nothing. */
size_t utf8_length(struct slice);

/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool utf8_valid(struct slice);

#endif
