/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_ARMOR_H
#define BASE_ARMOR_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * Armour: a record as text on one line, "sk1:" and base64url (RFC 4648,
 * section 5) without padding. There is one such text for given bytes: a
 * decoder refuses any other alphabet, padding, blanks and spare bits set.
 */
#define ARMOR_PREFIX "sk1:"

/*
 * Encoding as a sink, so that a filter of a gigabyte needs no second one:
 *
 *	armor_begin(&armor, output);
 *	record_write(armor_sink(&armor), &head, extension, payload);
 *	armor_end(&armor);
 *
 * writes "sk1:...", without a newline. Each returns OK or what the sink said.
 */
struct armor {
	struct sink out;
	unsigned char rest[3];       /* bytes that do not fill a group yet */
	unsigned n;
};

enum status armor_begin(struct armor *, struct sink out);
struct sink armor_sink(struct armor *);
enum status armor_end(struct armor *);

/* The same at once, appended to a buffer. OK or STATUS_MEMORY. */
enum status armor_encode(struct buffer *, struct slice bytes);

/* Append the bytes that "sk1:..." stands for. OK, STATUS_FOREIGN (no prefix),
 * STATUS_ARMOR, STATUS_MEMORY; on failure the buffer is as it was. */
enum status armor_decode(struct buffer *, struct slice text);

/*
 * A line without its newline is "sk1:..." or "KEY TAB sk1:...", split at the
 * last TAB, since a key may hold TABs. False if it is neither. keyed tells an
 * empty key from none.
 */
bool armor_split(struct slice line, bool *keyed, struct slice *key, struct slice *text);

#endif
