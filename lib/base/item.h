/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_ITEM_H
#define BASE_ITEM_H

#include "base/bytes.h"
#include "base/status.h"

/*
 * Systems with columns hash a number or a string as they keep it, not as it is
 * printed. To make the same sketch from lines, an item's text has to become
 * those bytes before it is hashed.
 */

/* What the items of a record are, as its header says. Part of the format. */
enum item_type {
	ITEM_TEXT = 0,               /* bytes, as they are */
	ITEM_INT64 = 1,              /* a number: 8 bytes, two's complement, little-endian */
	ITEM_UTF16 = 2,              /* text as UTF-16, little-endian */
};

#define ITEM_TYPE_MAX ITEM_UTF16

/* "text", "int64", "utf16"; of a number that is no type NULL. The type of this
 * name, or -1. */
const char *item_type_name(unsigned type);
int item_type_find(const char *name);

/*
 * The bytes of an item into an empty buffer. OK; STATUS_PARAMETER: the text is
 * no such item, which is a decimal whole number -2^63..2^63-1 with or without a
 * sign, or well-formed UTF-8; STATUS_MEMORY.
 */
enum status item_encode(enum item_type, struct slice text, struct buffer *);

#endif
