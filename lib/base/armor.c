/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/armor.h"

#define PREFIX_SIZE (sizeof ARMOR_PREFIX - 1)

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Value of a digit plus 1; 0 for every other byte. */
static const unsigned char values[256] = {
	['A'] = 1, ['B'] = 2, ['C'] = 3, ['D'] = 4, ['E'] = 5, ['F'] = 6, ['G'] = 7,
	['H'] = 8, ['I'] = 9, ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13,
	['N'] = 14, ['O'] = 15, ['P'] = 16, ['Q'] = 17, ['R'] = 18, ['S'] = 19,
	['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24, ['Y'] = 25,
	['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31,
	['f'] = 32, ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37,
	['l'] = 38, ['m'] = 39, ['n'] = 40, ['o'] = 41, ['p'] = 42, ['q'] = 43,
	['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48, ['w'] = 49,
	['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55,
	['3'] = 56, ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61,
	['9'] = 62, ['-'] = 63, ['_'] = 64,
};

/* Three bytes are four digits, the first byte's high bits first. */
static void
encode_group(const unsigned char in[3], char out[4])
{
	uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];

	out[0] = digits[bits >> 18];
	out[1] = digits[bits >> 12 & 63];
	out[2] = digits[bits >> 6 & 63];
	out[3] = digits[bits & 63];
}

enum status
armor_begin(struct armor *a, struct sink out)
{
	*a = (struct armor){.out = out};
	return out.write(out.to, ARMOR_PREFIX, PREFIX_SIZE);
}

static enum status
sink_to_armor(void *to, const void *bytes, size_t n)
{
	struct armor *a = to;
	const unsigned char *p = bytes, *end = p + n;
	char text[4096];
	size_t len = 0;

	while (p < end) {
		while (a->n < 3 && p < end)
			a->rest[a->n++] = *p++;
		if (a->n < 3)
			break;
		encode_group(a->rest, text + len);
		a->n = 0;
		len += 4;
		if (len == sizeof text) {
			enum status st = a->out.write(a->out.to, text, len);
			if (st != OK)
				return st;
			len = 0;
		}
	}
	return len > 0 ? a->out.write(a->out.to, text, len) : OK;
}

struct sink
armor_sink(struct armor *a)
{
	return (struct sink){sink_to_armor, a};
}

enum status
armor_end(struct armor *a)
{
	char text[4];

	if (a->n == 0)
		return OK;
	memset(a->rest + a->n, 0, 3 - a->n);
	encode_group(a->rest, text);
	return a->out.write(a->out.to, text, a->n + 1);
}

enum status
armor_encode(struct buffer *out, struct slice bytes)
{
	struct armor a;

	if (bytes.len > SIZE_MAX / 2)
		return STATUS_MEMORY;
	enum status st = buffer_reserve(out, PREFIX_SIZE + (bytes.len + 2) / 3 * 4);
	if (st != OK)
		return st;
	armor_begin(&a, buffer_sink(out));
	sink_to_armor(&a, bytes.at, bytes.len);
	return armor_end(&a);
}

/* n = 2, 3 or 4 digits to n - 1 bytes. False if one is no digit, or if bits
 * are set that no byte takes. */
static bool
decode_group(const unsigned char *in, size_t n, unsigned char *out)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < n; i++) {
		if (values[in[i]] == 0)
			return false;
		bits |= (uint32_t)(values[in[i]] - 1) << (18 - 6 * i);
	}
	for (size_t i = 0; i + 1 < n; i++)
		out[i] = (unsigned char)(bits >> (16 - 8 * i));
	return n == 4 || (bits & (0xffffff >> 8 * (n - 1))) == 0;
}

enum status
armor_decode(struct buffer *out, struct slice text)
{
	if (text.len < PREFIX_SIZE || memcmp(text.at, ARMOR_PREFIX, PREFIX_SIZE) != 0)
		return STATUS_FOREIGN;
	text.at += PREFIX_SIZE;
	text.len -= PREFIX_SIZE;
	if (text.len % 4 == 1)
		return STATUS_ARMOR;
	enum status st = buffer_reserve(out, text.len / 4 * 3 + 3);
	if (st != OK)
		return st;

	size_t len = out->len;
	while (text.len > 0) {
		size_t n = text.len < 4 ? text.len : 4;
		if (!decode_group(text.at, n, out->at + len))
			return STATUS_ARMOR;
		len += n - 1;
		text.at += n;
		text.len -= n;
	}
	out->len = len;
	return OK;
}

bool
armor_split(struct slice line, bool *keyed, struct slice *key, struct slice *text)
{
	const unsigned char *tab = line.len ? memrchr(line.at, '\t', line.len) : NULL;
	struct slice rest = line, before = {line.at, 0};

	if (tab) {
		before.len = (size_t)(tab - line.at);
		rest.at = tab + 1;
		rest.len = line.len - before.len - 1;
	}
	if (rest.len < PREFIX_SIZE || memcmp(rest.at, ARMOR_PREFIX, PREFIX_SIZE) != 0)
		return false;
	*keyed = tab != NULL;
	*key = before;
	*text = rest;
	return true;
}
