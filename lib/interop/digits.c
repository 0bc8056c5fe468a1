/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdbool.h>

#include "base/word.h"
#include "interop/digits.h"

static const char hex[] = "0123456789abcdef";
static const char base64[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum status
hex_encode(struct slice bytes, struct buffer *out)
{
	if (bytes.len > SIZE_MAX / 4 || buffer_reserve(out, 2 * bytes.len + 1) != OK)
		return STATUS_MEMORY;
	for (size_t i = 0; i < bytes.len; i++) {
		out->at[out->len++] = (unsigned char)hex[bytes.at[i] >> 4];
		out->at[out->len++] = (unsigned char)hex[bytes.at[i] & 15];
	}
	return OK;
}

enum status
hex_decode(struct slice text, struct buffer *out)
{
	if (text.len % 2 != 0)
		return STATUS_DIGITS;
	if (buffer_reserve(out, text.len / 2 + 1) != OK)
		return STATUS_MEMORY;
	for (size_t i = 0; i < text.len; i += 2) {
		int high = hex_value(text.at[i]), low = hex_value(text.at[i + 1]);
		if (high < 0 || low < 0)
			return STATUS_DIGITS;
		out->at[out->len++] = (unsigned char)(high << 4 | low);
	}
	return OK;
}

enum status
base64_encode(struct slice bytes, struct buffer *out)
{
	if (bytes.len > SIZE_MAX / 4 || buffer_reserve(out, bytes.len / 3 * 4 + 5) != OK)
		return STATUS_MEMORY;
	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t n = bytes.len - i < 3 ? bytes.len - i : 3;
		uint32_t group = (uint32_t)bytes.at[i] << 16;
		if (n > 1)
			group |= (uint32_t)bytes.at[i + 1] << 8;
		if (n > 2)
			group |= bytes.at[i + 2];
		for (size_t k = 0; k < 4; k++)
			out->at[out->len++] = (unsigned char)(k > n ? '=' :
			    base64[group >> (18 - 6 * k) & 63]);
	}
	return OK;
}

static int
base64_value(unsigned char c)
{
	const char *at = c ? strchr(base64, c) : NULL;

	return at ? (int)(at - base64) : -1;
}

/* The bytes of a group in which so many digits are; the bits behind the last
 * whole byte must be 0. */
static bool
put_group(struct buffer *out, uint32_t group, unsigned digits)
{
	unsigned n = digits * 6 / 8;

	group <<= 6 * (4 - digits);
	if (n == 0 || (group & (0xffffffu >> 8 * n)) != 0)
		return false;
	for (unsigned i = 0; i < n; i++)
		out->at[out->len++] = (unsigned char)(group >> (16 - 8 * i));
	return true;
}

enum status
base64_decode(struct slice text, struct buffer *out)
{
	unsigned digits = 0, padding = 0;
	uint32_t group = 0;

	if (buffer_reserve(out, text.len / 4 * 3 + 4) != OK)
		return STATUS_MEMORY;
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = text.at[i];
		int value = base64_value(c);
		if (c == '\r' || c == '\n')
			continue;
		if (c == '=' && digits + padding++ < 4)
			continue;
		if (value < 0 || padding > 0)
			return STATUS_DIGITS;
		group = group << 6 | (uint32_t)value;
		if (++digits == 4) {
			put_group(out, group, 4);
			group = digits = 0;
		}
	}
	if (digits == 0 && padding == 0)
		return OK;
	bool whole = padding == 0 || digits + padding == 4;
	return whole && put_group(out, group, digits) ? OK : STATUS_DIGITS;
}
