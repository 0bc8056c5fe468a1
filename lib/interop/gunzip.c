/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * By zlib, where tests/flags.sh found one to link; what can be done without it
 * is to say so.
 */
#include <limits.h>
#include <string.h>

#include "interop/gunzip.h"

#define MAGIC "\x1f\x8b\x08"
#define MAGIC_SIZE (sizeof MAGIC - 1)

bool
gunzip_looks(struct slice in)
{
	return in.len >= MAGIC_SIZE && memcmp(in.at, MAGIC, MAGIC_SIZE) == 0;
}

#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>

/* The wrapper, and windows of up to 2^15 bytes. */
#define GZIP_ONLY (16 + 15)
#define ZLIB_ONLY 15
#define STEP ((size_t)1 << 16)

struct stream {
	int form;
	z_stream z;
	struct slice left;           /* of the input, not given to zlib yet */
	struct buffer *out;
	uint64_t limit;              /* of out's length */
};

static enum status
status_of(int code)
{
	switch (code) {
	case Z_OK:
	case Z_STREAM_END:
		return OK;
	case Z_MEM_ERROR:
		return STATUS_MEMORY;
	case Z_BUF_ERROR:
		return STATUS_TRUNCATED;
	default:
		return STATUS_GZIP;
	}
}

/* zlib counts in 32 bits. */
static void
give_input(struct stream *s)
{
	if (s->z.avail_in > 0)
		return;
	size_t n = s->left.len < UINT_MAX ? s->left.len : UINT_MAX;
	s->z.next_in = s->left.at;
	s->z.avail_in = (uInt)n;
	s->left.at += n;
	s->left.len -= n;
}

/* Behind a member: Z_STREAM_END if that was all, Z_OK if another follows. */
static int
next_member(struct stream *s)
{
	give_input(s);
	if (s->z.avail_in == 0)
		return Z_STREAM_END;
	bool more = s->form == GZIP_ONLY &&
	    gunzip_looks((struct slice){s->z.next_in, s->z.avail_in});
	return more ? inflateReset(&s->z) : Z_DATA_ERROR;
}

/* Some more bytes of this member: room grows with what really came out, and
 * when the limit is reached one byte too many is asked for, to see whether
 * there is one. */
static int
step(struct stream *s)
{
	unsigned char over;
	uint64_t allowed = s->limit - s->out->len;
	size_t room = allowed < STEP ? (size_t)allowed : STEP;

	give_input(s);
	if (room > 0 && buffer_reserve(s->out, room) != OK)
		return Z_MEM_ERROR;
	s->z.next_out = room > 0 ? s->out->at + s->out->len : &over;
	s->z.avail_out = room > 0 ? (uInt)room : 1;
	int code = inflate(&s->z, Z_NO_FLUSH);
	if (room > 0)
		s->out->len += room - s->z.avail_out;
	else if (s->z.avail_out == 0)
		return Z_NEED_DICT;
	return code;
}

static enum status
members(struct stream *s)
{
	int code = inflateInit2(&s->z, s->form);

	if (code != Z_OK)
		return status_of(code);
	do {
		code = step(s);
		if (code == Z_STREAM_END)
			code = next_member(s);
	} while (code == Z_OK);
	inflateEnd(&s->z);
	return code == Z_NEED_DICT && s->out->len == s->limit ? STATUS_SIZE : status_of(code);
}

static enum status
unpack_start(int form, struct slice in, size_t n, struct buffer *out)
{
	struct stream s = {.form = form, .left = in, .out = out, .limit = out->len + n};
	enum status st = members(&s);

	return out->len == s.limit ? OK : st;
}

static enum status
unpack(int form, struct slice in, uint64_t limit, struct buffer *out)
{
	struct stream s = {.form = form, .left = in, .out = out, .limit = limit};

	return members(&s);
}

enum status
zlib_pack(struct slice in, struct buffer *out)
{
	if (in.len > INT_MAX)
		return STATUS_SIZE;
	uLongf room = compressBound((uLong)in.len);
	if (buffer_reserve(out, room) != OK)
		return STATUS_MEMORY;
	int code = compress2(out->at + out->len, &room, in.at, (uLong)in.len, Z_BEST_COMPRESSION);
	if (code == Z_OK)
		out->len += room;
	return status_of(code);
}

bool
gunzip_can(void)
{
	return true;
}

#else

enum { GZIP_ONLY, ZLIB_ONLY };

static enum status
unpack_start(int form, struct slice in, size_t n, struct buffer *out)
{
	(void)form;
	(void)in;
	(void)n;
	(void)out;
	return STATUS_NO_ZLIB;
}

static enum status
unpack(int form, struct slice in, uint64_t limit, struct buffer *out)
{
	return unpack_start(form, in, (size_t)limit, out);
}

enum status
zlib_pack(struct slice in, struct buffer *out)
{
	return unpack_start(ZLIB_ONLY, in, 0, out);
}

bool
gunzip_can(void)
{
	return false;
}

#endif

enum status
gunzip_start(struct slice in, size_t n, struct buffer *out)
{
	return unpack_start(GZIP_ONLY, in, n, out);
}

enum status
gunzip(struct slice in, uint64_t limit, struct buffer *out)
{
	return unpack(GZIP_ONLY, in, limit, out);
}

enum status
unzlib_start(struct slice in, size_t n, struct buffer *out)
{
	return unpack_start(ZLIB_ONLY, in, n, out);
}

enum status
unzlib(struct slice in, uint64_t limit, struct buffer *out)
{
	return unpack(ZLIB_ONLY, in, limit, out);
}
