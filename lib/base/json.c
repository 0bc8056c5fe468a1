/* sketchutils: BSD-2-Clause, see LICENSE */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/num.h"

/* How long is the character that starts here, or 0 if none does? The second
 * byte's range rules out overlong forms, surrogates and what is too large. */
size_t
utf8_length(struct slice s)
{
	const unsigned char *p = s.at;
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (*p < 0x80)
		return 1;
	if (*p >= 0xc2 && *p <= 0xdf)
		n = 2;
	else if (*p >= 0xe0 && *p <= 0xef)
		n = 3;
	else if (*p >= 0xf0 && *p <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > s.len)
		return 0;
	if (*p == 0xe0)
		low = 0xa0;
	else if (*p == 0xed)
		high = 0x9f;
	else if (*p == 0xf0)
		low = 0x90;
	else if (*p == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

bool
utf8_valid(struct slice s)
{
	while (s.len > 0) {
		size_t n = utf8_length(s);
		if (n == 0)
			return false;
		s.at += n;
		s.len -= n;
	}
	return true;
}

enum status
json_open(struct buffer *b)
{
	return buffer_append(b, "{", 1);
}

enum status
json_close(struct buffer *b)
{
	return buffer_append(b, "}\n", 2);
}

/* A comma unless this is the first member, and the name. Only an object just
 * opened ends in a brace: a member ends in a digit, a letter or a quote. */
static enum status
put_name(struct buffer *b, const char *name, const char *suffix)
{
	struct slice n = slice_of(name), s = slice_of(suffix);
	bool first = b->len > 0 && b->at[b->len - 1] == '{';
	enum status st = buffer_reserve(b, n.len + s.len + 4);

	if (st != OK)
		return st;
	if (!first)
		buffer_append(b, ",", 1);
	buffer_append(b, "\"", 1);
	buffer_append(b, n.at, n.len);
	buffer_append(b, s.at, s.len);
	return buffer_append(b, "\":", 2);
}

/* A member whose value is written as it is. */
static enum status
put_plain(struct buffer *b, const char *name, const char *value)
{
	size_t before = b->len;
	enum status st = put_name(b, name, "");

	if (st == OK)
		st = buffer_append(b, value, strlen(value));
	if (st != OK)
		b->len = before;
	return st;
}

enum status
json_count(struct buffer *b, const char *name, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, v);
	return put_plain(b, name, text);
}

enum status
json_minus(struct buffer *b, const char *name, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof text, "-%" PRIu64, v);
	return put_plain(b, name, text);
}

enum status
json_real(struct buffer *b, const char *name, double v)
{
	char text[NUM_REAL_SIZE];

	return put_plain(b, name, isfinite(v) ? num_real(text, v) : "null");
}

enum status
json_flag(struct buffer *b, const char *name, bool v)
{
	return put_plain(b, name, v ? "true" : "false");
}

static enum status
put_escape(struct buffer *b, unsigned char c)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	char text[8];

	for (const char *p = letters; *p; p += 2) {
		if (c == (unsigned char)*p) {
			text[0] = '\\';
			text[1] = p[1];
			return buffer_append(b, text, 2);
		}
	}
	snprintf(text, sizeof text, "\\u%04x", (unsigned)c);
	return buffer_append(b, text, 6);
}

static bool
needs_escape(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

static enum status
put_escaped(struct buffer *b, struct slice s)
{
	enum status st = OK;

	for (size_t i = 0, plain; i < s.len && st == OK; i++) {
		for (plain = i; i < s.len && !needs_escape(s.at[i]);)
			i++;
		st = buffer_append(b, s.at + plain, i - plain);
		if (st == OK && i < s.len)
			st = put_escape(b, s.at[i]);
	}
	return st;
}

static enum status
put_base64(struct buffer *b, struct slice s)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	enum status st = OK;

	for (size_t i = 0; i < s.len && st == OK; i += 3) {
		size_t left = s.len - i;
		uint32_t v = (uint32_t)s.at[i] << 16;
		if (left > 1)
			v |= (uint32_t)s.at[i + 1] << 8;
		if (left > 2)
			v |= s.at[i + 2];
		char four[4] = {digits[v >> 18], digits[v >> 12 & 63],
		    left > 1 ? digits[v >> 6 & 63] : '=', left > 2 ? digits[v & 63] : '='};
		st = buffer_append(b, four, 4);
	}
	return st;
}

enum status
json_bytes(struct buffer *b, const char *name, struct slice s)
{
	size_t before = b->len;
	bool text = utf8_valid(s);
	enum status st = put_name(b, name, text ? "" : "_b64");

	if (st == OK)
		st = buffer_append(b, "\"", 1);
	if (st == OK)
		st = text ? put_escaped(b, s) : put_base64(b, s);
	if (st == OK)
		st = buffer_append(b, "\"", 1);
	if (st != OK)
		b->len = before;
	return st;
}
