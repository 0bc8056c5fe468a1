/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/armor.h"
#include "base/hash.h"
#include "base/reader.h"

#define READ_SIZE 65536
#define MAGIC_SIZE (sizeof RECORD_MAGIC - 1)

void
record_reader_open(struct record_reader *r, int fd)
{
	*r = (struct record_reader){.end = '\n', .verify_up_to = UINT64_MAX, .fd = fd};
}

void
record_reader_memory(struct record_reader *r, struct slice bytes)
{
	*r = (struct record_reader){
		.end = '\n', .verify_up_to = UINT64_MAX, .fd = -1, .ahead = bytes
	};
}

void
record_reader_close(struct record_reader *r)
{
	free(r->buffer);
	buffer_free(&r->line);
	buffer_free(&r->bytes);
	r->buffer = NULL;
	r->ahead = (struct slice){0};
	r->fd = -1;
}

enum status
reader_read(int fd, unsigned char *to, size_t n, size_t *got)
{
	ssize_t length;

	while ((length = read(fd, to, n)) < 0) {
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
		else if (errno != EINTR)
			return STATUS_SYSTEM;
	}
	*got = (size_t)length;
	return OK;
}

/* Up to n bytes; 0 is the end of the stream, after which nothing is read. */
static enum status
read_some(struct record_reader *r, unsigned char *to, size_t n, size_t *got)
{
	size_t length;
	enum status st = reader_read(r->fd, to, n, &length);

	if (st != OK)
		return st;
	if (length == 0)
		r->fd = -1;
	*got = length;
	return OK;
}

/* Have n bytes ahead, unless the stream ends before; n is at most READ_SIZE. */
static enum status
fill(struct record_reader *r, size_t n)
{
	while (r->ahead.len < n && r->fd >= 0) {
		size_t got;

		if (!r->buffer) {
			r->buffer = malloc(READ_SIZE);
			if (!r->buffer)
				return STATUS_MEMORY;
		}
		if (r->ahead.len > 0)
			memmove(r->buffer, r->ahead.at, r->ahead.len);
		r->ahead.at = r->buffer;
		enum status st = read_some(r, r->buffer + r->ahead.len,
		    READ_SIZE - r->ahead.len, &got);
		if (st != OK)
			return st;
		r->ahead.len += got;
	}
	return OK;
}

static void
take(struct record_reader *r, size_t n)
{
	r->ahead.at += n;
	r->ahead.len -= n;
	r->position += n;
}

/* Room for some of n more bytes: never more than twice what has come. */
static enum status
make_room(struct buffer *b, uint64_t n, size_t *room)
{
	if (b->room == b->len) {
		size_t more = b->len < READ_SIZE ? READ_SIZE : b->len;
		enum status st = buffer_reserve(b, more < n ? more : (size_t)n);
		if (st != OK)
			return st;
	}
	*room = b->room - b->len;
	if (*room > n)
		*room = (size_t)n;
	return OK;
}

/* Exactly n more bytes, appended, and hashed while they are in the cache. */
static enum status
read_bytes(struct record_reader *r, struct buffer *b, uint64_t n, XXH3_state_t *hash)
{
	while (n > 0) {
		size_t room, got;
		enum status st = make_room(b, n, &room);
		if (st != OK)
			return st;
		/* A large payload need not come through the small buffer. */
		if (r->ahead.len == 0 && r->fd >= 0 && room >= READ_SIZE) {
			st = read_some(r, b->at + b->len, room, &got);
			if (st != OK)
				return st;
			r->position += got;
		} else {
			st = fill(r, 1);
			if (st != OK)
				return st;
			got = r->ahead.len < room ? r->ahead.len : room;
			if (got > 0)
				memcpy(b->at + b->len, r->ahead.at, got);
			take(r, got);
		}
		if (got == 0)
			return STATUS_TRUNCATED;
		if (hash)
			XXH3_64bits_update(hash, b->at + b->len, got);
		b->len += got;
		n -= got;
	}
	return OK;
}

enum status
record_reader_bytes(struct record_reader *r, struct buffer *b, uint64_t n)
{
	return read_bytes(r, b, n, NULL);
}

static enum status
check_parameters(const struct record_reader *r, const struct record *head)
{
	if (!r->check)
		return OK;
	if (!(head->flags & FLAG_KEYED))
		return r->check(head);

	struct record empty = *head;
	empty.flags &= (uint16_t)~FLAG_KEYED;
	empty.size = empty.items = 0;
	enum status st = r->check(&empty);
	return st == STATUS_SIZE ? OK : st;
}

/* The zeros behind a payload of this size. They come into the buffer, since
 * they are hashed before they are judged, and do not stay. */
static enum status
read_padding(struct record_reader *r, struct buffer *payload, XXH3_state_t *hash, bool *zero)
{
	size_t size = payload->len, padding = record_padded(size) - size;
	enum status st = read_bytes(r, payload, padding, hash);

	if (st != OK)
		return st;
	*zero = padding == 0 || record_zeros(payload->at + size, padding);
	payload->len = size;
	return OK;
}

/* A record in memory of which only header and extension are looked at. */
static enum status
pass_over(struct record_reader *r, struct record *out, struct buffer *extension)
{
	struct slice ext, payload;
	size_t used;
	enum status st = record_parse(r->ahead, out, &ext, &payload, &used);

	if (st == OK)
		st = buffer_append(extension, ext.at, ext.len);
	if (st == OK)
		take(r, used);
	r->verified = false;
	return st;
}

static enum status
read_binary(struct record_reader *r, struct record *out, struct buffer *extension,
    struct buffer *payload)
{
	struct record head;
	uint32_t extended;
	uint64_t checksum;
	bool zero = true;
	XXH3_state_t hash;

	enum status st = fill(r, RECORD_HEADER);
	if (st != OK)
		return st;
	if (r->ahead.len < RECORD_HEADER)
		return STATUS_TRUNCATED;
	st = record_decode(&head, &extended, &checksum, r->ahead.at);
	if (st != OK)
		return st;
	record_sums(r->ahead.at, r->sum);
	st = check_parameters(r, &head);
	if (st != OK)
		return st;
	if (!r->buffer && !(head.flags & FLAG_KEYED) && head.size > r->verify_up_to)
		return pass_over(r, out, extension);
	take(r, RECORD_HEADER);

	XXH3_64bits_reset(&hash);
	st = read_bytes(r, extension, extended, &hash);
	if (st == OK && !(head.flags & FLAG_KEYED)) {
		st = read_bytes(r, payload, head.size, &hash);
		if (st == OK)
			st = read_padding(r, payload, &hash, &zero);
	}
	if (st != OK)
		return st;
	if (XXH3_64bits_digest(&hash) != checksum)
		return STATUS_PAYLOAD;
	if (!zero)
		return STATUS_PADDING;
	st = extension_check((struct slice){extension->at, extension->len});
	if (st != OK)
		return st;
	r->in_chunks = (head.flags & FLAG_KEYED) != 0;
	*out = head;
	return OK;
}

/* A line without its end. A file that is no sketch at all may be one endless
 * line: where "sk1:" does not show up in time, it is foreign. */
static enum status
read_line(struct record_reader *r)
{
	const size_t limit = READER_KEY_MAX + sizeof ARMOR_PREFIX;
	bool seen = false;

	r->line.len = 0;
	for (;;) {
		enum status st = fill(r, 1);
		if (st != OK || r->ahead.len == 0)
			return st;
		const unsigned char *end = memchr(r->ahead.at, r->end, r->ahead.len);
		size_t n = end ? (size_t)(end - r->ahead.at) : r->ahead.len;
		st = buffer_append(&r->line, r->ahead.at, n);
		if (st != OK)
			return st;
		take(r, end ? n + 1 : n);
		if (end)
			return OK;
		if (!seen && r->line.len >= limit) {
			seen = memmem(r->line.at, limit, ARMOR_PREFIX, strlen(ARMOR_PREFIX)) != NULL;
			if (!seen)
				return STATUS_FOREIGN;
		}
	}
}

/* The key before the TAB must be the one that the checksum covers, but for a
 * TAB where that has the byte that ends a line and joins fields. */
static bool
keys_agree(bool keyed, struct slice key, struct slice extension, unsigned char end)
{
	struct slice inside;

	if (!keyed)
		return true;
	if (!extension_find(extension, EXTENSION_KEY, &inside) || inside.len != key.len)
		return false;
	for (size_t i = 0; i < key.len; i++)
		if (key.at[i] != (inside.at[i] == end ? '\t' : inside.at[i]))
			return false;
	return true;
}

static enum status
read_armored(struct record_reader *r, struct record *out, struct buffer *extension,
    struct buffer *payload)
{
	struct record head;
	struct slice key, text, ext, body;
	size_t used;
	bool keyed;

	enum status st = read_line(r);
	if (st != OK)
		return st;
	if (!armor_split((struct slice){r->line.at, r->line.len}, &keyed, &key, &text) ||
	    key.len >= READER_KEY_MAX)
		return STATUS_FOREIGN;
	r->bytes.len = 0;
	st = armor_decode(&r->bytes, text);
	if (st != OK)
		return st;

	struct slice bytes = {r->bytes.at, r->bytes.len};
	st = record_parse(bytes, &head, &ext, &body, &used);
	if (st != OK)
		return st == STATUS_EMPTY ? STATUS_TRUNCATED : st;
	record_sums(bytes.at, r->sum);
	st = check_parameters(r, &head);
	if (st != OK)
		return st;
	/* Keyed sketches are armoured one by one, and a line holds one record. */
	if (head.flags & FLAG_KEYED || used != bytes.len)
		return STATUS_ARMOR;
	st = record_verify(bytes);
	if (st != OK)
		return st;
	if (!keys_agree(keyed, key, ext, r->end))
		return STATUS_INVARIANT;
	st = buffer_append(extension, ext.at, ext.len);
	if (st == OK)
		st = buffer_append(payload, body.at, body.len);
	if (st == OK)
		*out = head;
	return st;
}

/* Text it should be, but it may be anything. */
static enum status
keep_start(struct record_reader *r)
{
	enum status st = fill(r, sizeof r->start);

	if (st != OK)
		return st;
	r->start_len = r->ahead.len < sizeof r->start ? r->ahead.len : sizeof r->start;
	memcpy(r->start, r->ahead.at, r->start_len);
	return OK;
}

static enum status
read_record(struct record_reader *r, struct record *head, struct buffer *extension,
    struct buffer *payload)
{
	enum status st = fill(r, MAGIC_SIZE);

	if (st != OK)
		return st;
	if (r->ahead.len == 0)
		return r->number == 0 ? STATUS_EMPTY : STATUS_END;
	r->number++;
	r->offset = r->position;
	r->verified = true;
	/* What is cut inside the magic is a truncated record, not a text. */
	size_t n = r->ahead.len < MAGIC_SIZE ? r->ahead.len : MAGIC_SIZE;
	r->armored = memcmp(r->ahead.at, RECORD_MAGIC, n) != 0;
	if (r->armored && r->number == 1 && (st = keep_start(r)) != OK)
		return st;
	return r->armored ? read_armored(r, head, extension, payload)
	    : read_binary(r, head, extension, payload);
}

enum status
record_reader_next(struct record_reader *r, struct record *head,
    struct buffer *extension, struct buffer *payload)
{
	assert(!r->in_chunks || r->failure != OK);
	extension->len = payload->len = 0;
	if (r->failure == OK)
		r->failure = read_record(r, head, extension, payload);
	return r->failure;
}
