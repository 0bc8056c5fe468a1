/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_DIGITS_H
#define INTEROP_DIGITS_H

#include "base/bytes.h"
#include "base/status.h"

/*
 * Bytes as text, as other systems print and read them: hex digits, and base64
 * with the usual alphabet and padding (RFC 4648, sections 8 and 4). Ours is
 * base/armor.h, which is stricter.
 *
 * Each appends. Decoding gives OK, STATUS_DIGITS, STATUS_MEMORY; hex digits are of
 * either case, ends of lines within base64 are passed over, for there are those
 * who fold it, and its padding may be missing.
 */
enum status hex_encode(struct slice bytes, struct buffer *);
enum status hex_decode(struct slice text, struct buffer *);
enum status base64_encode(struct slice bytes, struct buffer *);
enum status base64_decode(struct slice text, struct buffer *);

#endif
