/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/item.h"
#include "base/json.h"

static const char *const names[] = {
	[ITEM_TEXT] = "text", [ITEM_INT64] = "int64", [ITEM_UTF16] = "utf16",
};

const char *
item_type_name(unsigned type)
{
	return type <= ITEM_TYPE_MAX ? names[type] : NULL;
}

int
item_type_find(const char *name)
{
	for (int i = 0; i <= ITEM_TYPE_MAX; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

/* A decimal as the bits of its two's complement. */
static bool
parse_int64(struct slice text, uint64_t *out)
{
	bool minus = text.len > 0 && *text.at == '-';
	uint64_t most = (UINT64_C(1) << 63) - !minus, n = 0;
	size_t i = minus || (text.len > 0 && *text.at == '+');

	if (i == text.len)
		return false;
	for (; i < text.len; i++) {
		unsigned digit = text.at[i] - (unsigned)'0';
		if (digit > 9 || n > (most - digit) / 10)
			return false;
		n = 10 * n + digit;
	}
	*out = minus ? -n : n;
	return true;
}

/* The character whose well-formed UTF-8 of so many bytes begins here. */
static uint32_t
character(const unsigned char *at, size_t n)
{
	uint32_t c = n == 1 ? *at : *at & (0x7fu >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (at[i] & 0x3f);
	return c;
}

static unsigned char *
put_unit(unsigned char *to, uint32_t unit)
{
	to[0] = (unsigned char)unit;
	to[1] = (unsigned char)(unit >> 8);
	return to + 2;
}

/* Of n bytes of UTF-8 there are at most 2 n of UTF-16. */
static enum status
encode_utf16(struct slice text, struct buffer *out)
{
	if (text.len > SIZE_MAX / 4 || buffer_reserve(out, 2 * text.len + 1) != OK)
		return STATUS_MEMORY;
	unsigned char *to = out->at;
	for (size_t n; text.len > 0; text.at += n, text.len -= n) {
		n = utf8_length(text);
		if (n == 0)
			return STATUS_PARAMETER;
		uint32_t c = character(text.at, n);
		if (c >= 0x10000) {
			to = put_unit(to, 0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		to = put_unit(to, c);
	}
	out->len = (size_t)(to - out->at);
	return OK;
}

enum status
item_encode(enum item_type type, struct slice text, struct buffer *out)
{
	uint64_t number;

	switch (type) {
	case ITEM_INT64:
		if (!parse_int64(text, &number))
			return STATUS_PARAMETER;
		if (buffer_reserve(out, 8) != OK)
			return STATUS_MEMORY;
		put_le64(out->at, number);
		out->len = 8;
		return OK;
	case ITEM_UTF16:
		return encode_utf16(text, out);
	default:
		return buffer_append(out, text.at, text.len);
	}
}
