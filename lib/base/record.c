/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/hash.h"
#include "base/ids.h"
#include "base/item.h"
#include "base/record.h"

/*
 * The header, field by field at the offsets of man/sketch.5. A struct never
 * reaches a file: bytes are put and got one by one, so that byte order and
 * padding of the machine do not matter.
 */
enum {
	AT_FORMAT = 8,
	AT_KIND = 10,
	AT_VERSION = 12,
	AT_FLAGS = 14,
	AT_HASH = 16,
	AT_ITEM_TYPE = 17,
	AT_TRANSFORM = 18,
	AT_JOIN = 19,
	AT_EXTENSION = 20,
	AT_SEED = 24,
	AT_ITEMS = 32,
	AT_SIZE = 40,
	AT_PARAM = 48,
	AT_CHECKSUM = 112,
	AT_HEADER_CHECKSUM = 120,
};

#define MAGIC_SIZE 8
#define FLAGS_CRITICAL 0xff00
#define FLAGS_KNOWN (FLAG_KEYED | FLAG_CONSERVATIVE)
#define EXTENSION_HEAD 6     /* tag and length */

static const unsigned char zeros[RECORD_ALIGN];

void
record_encode(const struct record *r, uint32_t extension, uint64_t checksum,
    unsigned char out[RECORD_HEADER])
{
	memcpy(out, RECORD_MAGIC, MAGIC_SIZE);
	put_le16(out + AT_FORMAT, RECORD_FORMAT);
	put_le16(out + AT_KIND, r->kind);
	put_le16(out + AT_VERSION, r->version);
	put_le16(out + AT_FLAGS, r->flags);
	out[AT_HASH] = r->hash;
	out[AT_ITEM_TYPE] = r->item_type;
	out[AT_TRANSFORM] = r->transform;
	out[AT_JOIN] = r->join;
	put_le32(out + AT_EXTENSION, extension);
	put_le64(out + AT_SEED, r->seed);
	put_le64(out + AT_ITEMS, r->items);
	put_le64(out + AT_SIZE, r->size);
	for (size_t i = 0; i < 8; i++)
		put_le64(out + AT_PARAM + 8 * i, r->param[i]);
	put_le64(out + AT_CHECKSUM, checksum);
	put_le64(out + AT_HEADER_CHECKSUM, hash_bytes(out, AT_HEADER_CHECKSUM, 0));
}

/* Values that a newer program may write and this one cannot honour. */
static bool
understood(const struct record *r)
{
	const uint16_t both = FLAG_KEYED | FLAG_CONSERVATIVE;

	return (r->flags & FLAGS_CRITICAL & ~FLAGS_KNOWN) == 0 && (r->flags & both) != both &&
	    r->hash >= HASH_XXH3 && r->hash <= HASH_MURMUR3_COUPON &&
	    r->item_type <= ITEM_TYPE_MAX &&
	    (r->transform & ~(TRANSFORM_FOLD | TRANSFORM_MASK)) == 0 &&
	    (r->transform & TRANSFORM_MASK) <= TRANSFORM_MASK_MAX && r->join <= JOIN_NUL;
}

enum status
record_decode(struct record *out, uint32_t *extension, uint64_t *checksum,
    const unsigned char in[RECORD_HEADER])
{
	if (memcmp(in, RECORD_MAGIC, MAGIC_SIZE) != 0)
		return STATUS_FOREIGN;
	if (get_le16(in + AT_FORMAT) != RECORD_FORMAT)
		return STATUS_UNSUPPORTED;
	if (get_le64(in + AT_HEADER_CHECKSUM) != hash_bytes(in, AT_HEADER_CHECKSUM, 0))
		return STATUS_HEADER;

	struct record r = {
		.kind = get_le16(in + AT_KIND),
		.version = get_le16(in + AT_VERSION),
		.flags = get_le16(in + AT_FLAGS),
		.hash = in[AT_HASH],
		.item_type = in[AT_ITEM_TYPE],
		.transform = in[AT_TRANSFORM],
		.join = in[AT_JOIN],
		.seed = get_le64(in + AT_SEED),
		.items = get_le64(in + AT_ITEMS),
		.size = get_le64(in + AT_SIZE),
	};
	uint32_t extended = get_le32(in + AT_EXTENSION);
	for (size_t i = 0; i < 8; i++)
		r.param[i] = get_le64(in + AT_PARAM + 8 * i);

	if (!understood(&r))
		return STATUS_UNSUPPORTED;
	if (extended % RECORD_ALIGN != 0)
		return STATUS_SIZE;
	if (r.flags & FLAG_KEYED) {
		if (r.size != RECORD_CHUNKED || r.items != RECORD_CHUNKED)
			return STATUS_SIZE;
	} else if (r.size > INT64_MAX) {
		return STATUS_SIZE;
	}
	*out = r;
	*extension = extended;
	*checksum = get_le64(in + AT_CHECKSUM);
	return OK;
}

void
record_sums(const unsigned char header[RECORD_HEADER], uint64_t sum[2])
{
	sum[0] = get_le64(header + AT_CHECKSUM);
	sum[1] = get_le64(header + AT_HEADER_CHECKSUM);
}

enum status
extension_add(struct buffer *b, uint16_t tag, struct slice value)
{
	unsigned char head[EXTENSION_HEAD];

	if (value.len > UINT32_MAX - 2 * RECORD_ALIGN)
		return STATUS_MEMORY;
	enum status st = buffer_reserve(b, sizeof head + value.len);
	if (st != OK)
		return st;
	put_le16(head, tag);
	put_le32(head + 2, (uint32_t)value.len);
	buffer_append(b, head, sizeof head);
	return buffer_append(b, value.at, value.len);
}

/* Step to the next entry of an extension. STATUS_END where only padding is
 * left, STATUS_INVARIANT if the length goes past the end. */
static enum status
extension_next(struct slice *left, uint16_t *tag, struct slice *value)
{
	if (left->len < EXTENSION_HEAD || get_le16(left->at) == 0)
		return STATUS_END;

	uint32_t len = get_le32(left->at + 2);
	if (len > left->len - EXTENSION_HEAD)
		return STATUS_INVARIANT;
	*tag = get_le16(left->at);
	*value = (struct slice){left->at + EXTENSION_HEAD, len};
	left->at += EXTENSION_HEAD + len;
	left->len -= EXTENSION_HEAD + len;
	return OK;
}

bool
extension_find(struct slice extension, uint16_t wanted, struct slice *value)
{
	struct slice at;
	uint16_t tag;

	while (extension_next(&extension, &tag, &at) == OK) {
		if (tag != wanted)
			continue;
		*value = at;
		return true;
	}
	return false;
}

/* Texts that each end in NUL, at least one, none empty, ascending. */
static bool
texts_valid(struct slice value)
{
	struct slice last = {0};

	if (value.len == 0)
		return false;
	while (value.len > 0) {
		const unsigned char *end = memchr(value.at, 0, value.len);
		if (!end)
			return false;
		struct slice text = {value.at, (size_t)(end - value.at)};
		/* The empty text equals the first last, so it fails here too. */
		if (slice_compare(text, last) <= 0)
			return false;
		last = text;
		value.at += text.len + 1;
		value.len -= text.len + 1;
	}
	return true;
}

enum status
extension_check(struct slice extension)
{
	enum status st;
	struct slice value;
	uint16_t tag, last = 0;

	while ((st = extension_next(&extension, &tag, &value)) == OK) {
		if (tag <= last)
			return STATUS_INVARIANT;
		last = tag;
		switch (tag) {
		case EXTENSION_KEY:
			break;
		case EXTENSION_ID:
			if (!ids_valid(value))
				return STATUS_INVARIANT;
			break;
		case EXTENSION_ALIAS:
			if (!texts_valid(value))
				return STATUS_INVARIANT;
			break;
		default:
			if (tag & 0x8000)
				return STATUS_UNSUPPORTED;
		}
	}
	if (st != STATUS_END)
		return st;
	/* A whole block of padding would be a second form of the same thing. */
	if (extension.len >= RECORD_ALIGN || !record_zeros(extension.at, extension.len))
		return STATUS_PADDING;
	return OK;
}

bool
record_zeros(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* What the header's field at 112 covers, without a copy of it. */
static uint64_t
checksum_of(struct slice extension, size_t extended, const struct slice *piece, size_t n)
{
	XXH3_state_t state;
	uint64_t size = 0;

	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, extension.at, extension.len);
	XXH3_64bits_update(&state, zeros, extended - extension.len);
	for (size_t i = 0; i < n; i++) {
		XXH3_64bits_update(&state, piece[i].at, piece[i].len);
		size += piece[i].len;
	}
	XXH3_64bits_update(&state, zeros, record_padded(size) - size);
	return XXH3_64bits_digest(&state);
}

static enum status
write_padded(struct sink out, const struct slice *piece, size_t n)
{
	enum status st = OK;
	uint64_t size = 0;

	for (size_t i = 0; i < n && st == OK; i++) {
		if (piece[i].len > 0)
			st = out.write(out.to, piece[i].at, piece[i].len);
		size += piece[i].len;
	}
	if (st == OK && record_padded(size) > size)
		st = out.write(out.to, zeros, record_padded(size) - size);
	return st;
}

enum status
record_write_pieces(struct sink out, const struct record *head, struct slice extension,
    const struct slice *piece, size_t n)
{
	unsigned char header[RECORD_HEADER];
	uint64_t extended = record_padded(extension.len);

	if (extended > UINT32_MAX)
		return STATUS_SIZE;
	record_encode(head, (uint32_t)extended,
	    checksum_of(extension, extended, piece, n), header);
	enum status st = out.write(out.to, header, sizeof header);
	if (st == OK)
		st = write_padded(out, &extension, 1);
	if (st == OK)
		st = write_padded(out, piece, n);
	return st;
}

enum status
record_write(struct sink out, const struct record *head, struct slice extension,
    struct slice payload)
{
	return record_write_pieces(out, head, extension, &payload, 1);
}

enum status
record_parse(struct slice in, struct record *head, struct slice *extension,
    struct slice *payload, size_t *used)
{
	struct record r;
	uint32_t extended;
	uint64_t checksum;

	if (in.len == 0)
		return STATUS_EMPTY;
	if (memcmp(in.at, RECORD_MAGIC, in.len < MAGIC_SIZE ? in.len : MAGIC_SIZE) != 0)
		return STATUS_FOREIGN;
	if (in.len < RECORD_HEADER)
		return STATUS_TRUNCATED;
	enum status st = record_decode(&r, &extended, &checksum, in.at);
	if (st != OK)
		return st;

	size_t left = in.len - RECORD_HEADER;
	if (extended > left)
		return STATUS_TRUNCATED;
	left -= extended;
	uint64_t size = r.flags & FLAG_KEYED ? 0 : r.size;
	if (record_padded(size) > left)
		return STATUS_TRUNCATED;

	struct slice ext = {in.at + RECORD_HEADER, extended};
	size_t whole = RECORD_HEADER + extended + record_padded(size);
	st = extension_check(ext);
	if (st != OK) {
		/* A damaged tag must not be taken for a newer program's. */
		enum status damage = record_verify((struct slice){in.at, whole});
		return damage != OK ? damage : st;
	}
	*head = r;
	*extension = ext;
	*payload = (struct slice){ext.at + extended, size};
	*used = whole;
	return OK;
}

enum status
record_verify(struct slice record)
{
	struct slice body = {record.at + RECORD_HEADER, record.len - RECORD_HEADER};

	if (get_le64(record.at + AT_CHECKSUM) != hash_bytes(body.at, body.len, 0))
		return STATUS_PAYLOAD;
	if (get_le16(record.at + AT_FLAGS) & FLAG_KEYED)
		return OK;

	uint64_t size = get_le64(record.at + AT_SIZE);
	size_t padding = record_padded(size) - size;
	if (!record_zeros(record.at + record.len - padding, padding))
		return STATUS_PADDING;
	return OK;
}
