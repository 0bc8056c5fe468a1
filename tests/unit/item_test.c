/* sketchutils: BSD-2-Clause, see LICENSE */

/* An item's text as the bytes that another system hashes. */

#include <string.h>

#include "base/hash.h"
#include "base/item.h"
#include "base/murmur.h"
#include "check.h"

static struct buffer out;

static enum status
encode(enum item_type type, const char *text, size_t len)
{
	out.len = 0;
	return item_encode(type, (struct slice){(const unsigned char *)text, len}, &out);
}

static bool
gives(enum item_type type, const char *text, const char *bytes, size_t n)
{
	return encode(type, text, strlen(text)) == OK && out.len == n &&
	    (n == 0 || memcmp(out.at, bytes, n) == 0);
}

static bool
is_number(const char *text, uint64_t bits)
{
	unsigned char bytes[8];

	put_le64(bytes, bits);
	return gives(ITEM_INT64, text, (const char *)bytes, 8);
}

static bool
is_refused(enum item_type type, const char *text, size_t len)
{
	return encode(type, text, len) == STATUS_PARAMETER;
}

static void
names_are_found(void)
{
	CHECK_EQ(item_type_find("text"), ITEM_TEXT);
	CHECK_EQ(item_type_find("int64"), ITEM_INT64);
	CHECK_EQ(item_type_find("utf16"), ITEM_UTF16);
	CHECK_EQ(item_type_find("int"), -1);
	CHECK_EQ(item_type_find(""), -1);
	CHECK(strcmp(item_type_name(ITEM_UTF16), "utf16") == 0);
	CHECK(!item_type_name(ITEM_TYPE_MAX + 1));
}

static void
text_stays(void)
{
	CHECK(gives(ITEM_TEXT, "", "", 0));
	CHECK(gives(ITEM_TEXT, "\xff x", "\xff x", 3));
}

static void
numbers_are_whole_and_fit(void)
{
	CHECK(is_number("0", 0));
	CHECK(is_number("-0", 0));
	CHECK(is_number("+7", 7));
	CHECK(is_number("007", 7));
	CHECK(is_number("-1", UINT64_MAX));
	CHECK(is_number("9223372036854775807", INT64_MAX));
	CHECK(is_number("-9223372036854775808", UINT64_C(1) << 63));
	CHECK(is_number("-9223372036854775807", (UINT64_C(1) << 63) + 1));
	static const char *const wrong[] = {
		"", "-", "+", "+-1", "1 ", " 1", "1.0", "1e3", "0x1", "x",
		"9223372036854775808", "-9223372036854775809", "18446744073709551616",
		"99999999999999999999999999", "9223372036854775810", "-9223372036854775810",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		CHECK(is_refused(ITEM_INT64, wrong[i], strlen(wrong[i])));
	CHECK(is_refused(ITEM_INT64, "1\0", 2));
}

/* hll_hash_bigint(1) and hll_hash_bigint(-1), as PostgreSQL says. */
static void
numbers_hash_as_in_postgresql(void)
{
	CHECK_EQ(encode(ITEM_INT64, "1", 1), OK);
	CHECK_EQ(murmur3((struct slice){out.at, out.len}, 0).h1, UINT64_C(0x004403b7fb05c44a));
	CHECK_EQ(encode(ITEM_INT64, "-1", 2), OK);
	CHECK_EQ(murmur3((struct slice){out.at, out.len}, 0).h1, UINT64_C(0xa0e4b27a1abaed73));
}

static void
text_becomes_utf16(void)
{
	CHECK(gives(ITEM_UTF16, "", "", 0));
	CHECK(gives(ITEM_UTF16, "aZ", "a\0Z\0", 4));
	CHECK(gives(ITEM_UTF16, "\xc3\xbc", "\xfc\0", 2));
	CHECK(gives(ITEM_UTF16, "\xe2\x82\xac", "\xac\x20", 2));
	CHECK(gives(ITEM_UTF16, "\xef\xbf\xbf", "\xff\xff", 2));
	CHECK(gives(ITEM_UTF16, "\xf0\x90\x80\x80", "\x00\xd8\x00\xdc", 4));
	CHECK(gives(ITEM_UTF16, "\xf0\x9f\x98\x80", "\x3d\xd8\x00\xde", 4));
	CHECK(gives(ITEM_UTF16, "\xf4\x8f\xbf\xbf", "\xff\xdb\xff\xdf", 4));
	CHECK_EQ(encode(ITEM_UTF16, "a\0b", 3), OK);
	CHECK_EQ(out.len, 6);
	static const char *const wrong[] = {
		"\xff", "a\x80", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		CHECK(is_refused(ITEM_UTF16, wrong[i], strlen(wrong[i])));
}

int
main(void)
{
	RUN(names_are_found);
	RUN(text_stays);
	RUN(numbers_are_whole_and_fit);
	RUN(numbers_hash_as_in_postgresql);
	RUN(text_becomes_utf16);
	buffer_free(&out);
	return check_done();
}
