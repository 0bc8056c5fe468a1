/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "base/json.h"
#include "check.h"

static void
check_text(struct buffer *b, const char *want)
{
	struct slice got = {b->at, b->len};

	if (!slice_equal(got, slice_of(want)))
		printf("# %.*s\n", (int)b->len, (const char *)b->at);
	CHECK(slice_equal(got, slice_of(want)));
	buffer_free(b);
}

#define BYTES(text) ((struct slice){(const unsigned char *)(text), sizeof(text) - 1})

static void
an_object_is_one_line(void)
{
	struct buffer b = {0};

	CHECK_EQ(json_open(&b), OK);
	CHECK_EQ(json_close(&b), OK);
	check_text(&b, "{}\n");

	json_open(&b);
	CHECK_EQ(json_count(&b, "n", 0), OK);
	CHECK_EQ(json_count(&b, "most", UINT64_MAX), OK);
	CHECK_EQ(json_real(&b, "p", 0.01), OK);
	CHECK_EQ(json_flag(&b, "certain", false), OK);
	CHECK_EQ(json_flag(&b, "exact", true), OK);
	CHECK_EQ(json_bytes(&b, "item", BYTES("a{")), OK);
	CHECK_EQ(json_bytes(&b, "key", BYTES("")), OK);
	CHECK_EQ(json_close(&b), OK);
	json_open(&b);
	json_count(&b, "n", 2);
	json_close(&b);
	check_text(&b, "{\"n\":0,\"most\":18446744073709551615,\"p\":0.01,\"certain\":false,"
	    "\"exact\":true,\"item\":\"a{\",\"key\":\"\"}\n{\"n\":2}\n");
}

static void
what_is_not_finite_is_null(void)
{
	struct buffer b = {0};

	json_open(&b);
	json_real(&b, "a", NAN);
	json_real(&b, "b", INFINITY);
	json_real(&b, "c", -INFINITY);
	json_real(&b, "d", 1e-9);
	json_close(&b);
	check_text(&b, "{\"a\":null,\"b\":null,\"c\":null,\"d\":1e-09}\n");
}

static void
strings_are_escaped(void)
{
	struct buffer b = {0};

	json_bytes(&b, "k", BYTES("a\"b\\c/d\b\f\n\r\te\0f\x01\x1f\x7f"));
	check_text(&b, ",\"k\":\"a\\\"b\\\\c/d\\b\\f\\n\\r\\te\\u0000f\\u0001\\u001f\\u007f\"");
	json_open(&b);
	json_bytes(&b, "k", BYTES("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
	check_text(&b, "{\"k\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

static void
bytes_that_are_no_text_become_base64(void)
{
	struct buffer b = {0};

	json_open(&b);
	json_bytes(&b, "key", BYTES("\xff"));
	json_bytes(&b, "key", BYTES("\xff\x00"));
	json_bytes(&b, "key", BYTES("\xfb\xff\xfe"));
	json_bytes(&b, "key", BYTES("caf\xe9"));
	check_text(&b, "{\"key_b64\":\"/w==\",\"key_b64\":\"/wA=\",\"key_b64\":\"+//+\","
	    "\"key_b64\":\"Y2Fm6Q==\"");
}

/* The plain definition: decode, then ask whether encoding gives it back. */
static bool
plain_valid(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned len = p[i] < 0x80 ? 1 : p[i] >> 5 == 6 ? 2 : p[i] >> 4 == 14 ? 3
		    : p[i] >> 3 == 30 ? 4 : 0;
		if (len == 0 || len > n - i)
			return false;
		uint32_t v = len == 1 ? p[i] : p[i] & (0x7fU >> len);
		for (unsigned k = 1; k < len; k++) {
			if (p[i + k] >> 6 != 2)
				return false;
			v = v << 6 | (p[i + k] & 63U);
		}
		unsigned need = v < 0x80 ? 1 : v < 0x800 ? 2 : v < 0x10000 ? 3 : 4;
		if (need != len || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
			return false;
		i += len;
	}
	return true;
}

static void
utf8_is_strict(void)
{
	unsigned char p[4];
	uint64_t state = 7;
	size_t good = 0;

	/* Every text of up to two bytes, and every first three at the borders of
	 * a fourth. */
	for (unsigned v = 0; v < 0x10000; v++) {
		p[0] = (unsigned char)(v >> 8);
		p[1] = (unsigned char)v;
		CHECK_EQ(utf8_valid((struct slice){p, 1}), plain_valid(p, 1));
		CHECK_EQ(utf8_valid((struct slice){p, 2}), plain_valid(p, 2));
		static const unsigned char edges[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
		for (size_t i = 0; i < sizeof edges; i++) {
			p[2] = edges[i];
			p[3] = edges[v % sizeof edges];
			CHECK_EQ(utf8_valid((struct slice){p, 3}), plain_valid(p, 3));
			CHECK_EQ(utf8_valid((struct slice){p, 4}), plain_valid(p, 4));
		}
	}
	for (int i = 0; i < 200000; i++) {
		uint64_t r = check_random(&state);
		p[0] = (unsigned char)(0xe0 | (r & 0x1f));
		for (int k = 1; k < 4; k++)
			p[k] = (unsigned char)(0x80 | (r >> (8 * k) & 0x3f));
		good += plain_valid(p, 4);
		CHECK_EQ(utf8_valid((struct slice){p, 4}), plain_valid(p, 4));
	}
	CHECK(good > 1000);
	CHECK(utf8_valid((struct slice){NULL, 0}));
}

int
main(void)
{
	RUN(an_object_is_one_line);
	RUN(what_is_not_finite_is_null);
	RUN(strings_are_escaped);
	RUN(bytes_that_are_no_text_become_base64);
	RUN(utf8_is_strict);
	return check_done();
}
