/* sketchutils: BSD-2-Clause, see LICENSE */

/* Rows of tables and their digits, in and out. */

#include <string.h>

#include "check.h"
#include "interop/digits.h"
#include "interop/dump.h"

static uint64_t state = 1;
static struct buffer out, again;
static struct dump_row row;
static size_t used;

static struct slice
text_of(const struct buffer *b)
{
	return (struct slice){b->at, b->len};
}

static bool
is(const struct buffer *b, const char *text, size_t n)
{
	return slice_equal(text_of(b), (struct slice){(const unsigned char *)text, n});
}

#define IS(buffer, text) is(&(buffer), text, sizeof(text) - 1)

static void
digits_come_back(void)
{
	for (size_t n = 0; n <= 70; n++) {
		unsigned char bytes[70];
		struct slice s = {bytes, n};
		for (size_t i = 0; i < n; i++)
			bytes[i] = (unsigned char)check_random(&state);
		out.len = again.len = 0;
		CHECK_EQ(hex_encode(s, &out), OK);
		CHECK_EQ(out.len, 2 * n);
		CHECK_EQ(hex_decode(text_of(&out), &again), OK);
		CHECK(slice_equal(text_of(&again), s));
		out.len = again.len = 0;
		CHECK_EQ(base64_encode(s, &out), OK);
		CHECK_EQ(out.len, (n + 2) / 3 * 4);
		CHECK_EQ(base64_decode(text_of(&out), &again), OK);
		CHECK(slice_equal(text_of(&again), s));
	}
}

/* RFC 4648, section 10. */
static void
digits_are_those_of_the_rfc(void)
{
	static const char *const vectors[][3] = {
		{"", "", ""}, {"f", "Zg==", "66"}, {"fo", "Zm8=", "666f"}, {"foo", "Zm9v", "666f6f"},
		{"foob", "Zm9vYg==", "666f6f62"}, {"fooba", "Zm9vYmE=", "666f6f6261"},
		{"foobar", "Zm9vYmFy", "666f6f626172"}, {"\xfb\xff", "+/8=", "fbff"},
	};
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		out.len = 0;
		CHECK_EQ(base64_encode(slice_of(vectors[i][0]), &out), OK);
		CHECK(slice_equal(text_of(&out), slice_of(vectors[i][1])));
		out.len = 0;
		CHECK_EQ(hex_encode(slice_of(vectors[i][0]), &out), OK);
		CHECK(slice_equal(text_of(&out), slice_of(vectors[i][2])));
	}
}

static void
wrong_digits_are_refused(void)
{
	static const char *const hex[] = {"0", "0g", "g0", "0 ", "0x", "\xc3\xa4"};
	static const char *const base64[] = {
		"Z", "Zm9vZ", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9v=", "=", "====", "Zg==Zg==", "Zm-_",
		"Z g=", "Zm8=x", "Zm8\t",
	};
	for (size_t i = 0; i < sizeof hex / sizeof *hex; i++)
		CHECK_EQ(hex_decode(slice_of(hex[i]), &out), STATUS_DIGITS);
	for (size_t i = 0; i < sizeof base64 / sizeof *base64; i++)
		CHECK_EQ(base64_decode(slice_of(base64[i]), &out), STATUS_DIGITS);
	out.len = 0;
	CHECK_EQ(base64_decode(slice_of("Zm\r\n8=\r\n"), &out), OK);
	CHECK(IS(out, "fo"));
	out.len = 0;
	CHECK_EQ(base64_decode(slice_of("Zm9vZg"), &out), OK);
	CHECK(IS(out, "foof"));
	out.len = 0;
	CHECK_EQ(hex_decode(slice_of("aBCd"), &out), OK);
	CHECK(IS(out, "\xab\xcd"));
}

static enum status
read_text(enum dump_form form, const char *text, bool last)
{
	return dump_read(form, slice_of(text), last, '\n', &row, &used);
}

static bool
row_is(const char *key, const char *value)
{
	return !row.null && row.keyed == (key != NULL) &&
	    (!key || slice_equal(text_of(&row.key), slice_of(key))) &&
	    slice_equal(text_of(&row.value), slice_of(value));
}

static void
copy_is_read(void)
{
	CHECK_EQ(read_text(DUMP_COPY, "k\t\\x41\nmore", false), OK);
	CHECK(row_is("k", "A"));
	CHECK_EQ(used, 7);
	CHECK_EQ(read_text(DUMP_COPY, "\\x4142\r\n", false), OK);
	CHECK(row_is(NULL, "AB"));
	CHECK_EQ(used, 8);
	CHECK_EQ(read_text(DUMP_COPY, "\\\\x41", true), OK);
	CHECK(row_is(NULL, "A"));
	CHECK_EQ(read_text(DUMP_COPY, "\\x41", false), STATUS_TRUNCATED);
	/* Escapes of a key are those of COPY, if the value's is. */
	CHECK_EQ(read_text(DUMP_COPY, "a\\tb\\\\\\n\\101\\x42\\q\\b\\f\\r\\v\tc\t\\\\x41\n", false), OK);
	CHECK(row_is("a\tb\\\nABq\b\f\r\v\nc", "A"));
	CHECK_EQ(read_text(DUMP_COPY, "a\\tb\tc\t\\x41\n", false), OK);
	CHECK(row_is("a\\tb\nc", "A"));
	CHECK_EQ(read_text(DUMP_COPY, "\\xzz\\x4\\\t\\\\x41\n", false), OK);
	CHECK(row_is("xzz\4\\", "A"));
	CHECK_EQ(read_text(DUMP_COPY, "\t\\x41\n", false), OK);
	CHECK(row_is("", "A"));
	CHECK_EQ(read_text(DUMP_COPY, "k\t\\N\n", false), OK);
	CHECK(row.null && used == 5);
	CHECK_EQ(read_text(DUMP_COPY, "\\.\n", false), OK);
	CHECK(row.null);
	CHECK_EQ(read_text(DUMP_COPY, "\n", false), STATUS_FOREIGN);
	CHECK_EQ(read_text(DUMP_COPY, "k\t\n", false), STATUS_FOREIGN);
	CHECK_EQ(read_text(DUMP_COPY, "k\t\\x\n", false), STATUS_FOREIGN);
	CHECK_EQ(read_text(DUMP_COPY, "41\n", false), STATUS_FOREIGN);
	CHECK_EQ(read_text(DUMP_COPY, "\\x4\n", false), STATUS_DIGITS);
}

static void
csv_is_read(void)
{
	CHECK_EQ(read_text(DUMP_CSV, "k,QQ==\nmore", false), OK);
	CHECK(row_is("k", "A"));
	CHECK_EQ(used, 7);
	CHECK_EQ(read_text(DUMP_CSV, "QQ==\r\n", false), OK);
	CHECK(row_is(NULL, "A"));
	CHECK_EQ(used, 6);
	CHECK_EQ(read_text(DUMP_CSV, "\"a\"\"b,\nc\",d,\"QQ\r\n==\"\r\nx", false), OK);
	CHECK(row_is("a\"b,\nc\nd", "A"));
	CHECK_EQ(used, 22);
	CHECK_EQ(read_text(DUMP_CSV, "a,\"b\tc\",QQ==\n", false), OK);
	CHECK(row_is("a\nb\tc", "A"));
	CHECK_EQ(read_text(DUMP_CSV, "\"b\tc\",QQ==\n", false), OK);
	CHECK(row_is("b\tc", "A"));
	CHECK_EQ(read_text(DUMP_CSV, "a,\"b\tc\tQQ==\n", false), OK);
	CHECK(row_is("a,\"b\nc", "A"));
	CHECK_EQ(read_text(DUMP_CSV, ",QQ==", true), OK);
	CHECK(row_is("", "A"));
	CHECK_EQ(read_text(DUMP_CSV, "\"\",QQ==", true), OK);
	CHECK(row_is("", "A"));
	CHECK_EQ(read_text(DUMP_CSV, "k,QQ==", false), STATUS_TRUNCATED);
	CHECK_EQ(read_text(DUMP_CSV, "\"k\n", false), STATUS_TRUNCATED);
	CHECK_EQ(read_text(DUMP_CSV, "\"k\nQQ==", true), STATUS_TRUNCATED);
	CHECK_EQ(read_text(DUMP_CSV, "\"a\nb\"", false), STATUS_TRUNCATED);
	CHECK_EQ(read_text(DUMP_CSV, "\"k\"x,QQ==\n", false), STATUS_FOREIGN);
	CHECK_EQ(read_text(DUMP_CSV, "\n", false), STATUS_FOREIGN);
	CHECK_EQ(read_text(DUMP_CSV, "k,\n", false), STATUS_FOREIGN);
	CHECK_EQ(read_text(DUMP_CSV, "k,QQ=\n", false), STATUS_DIGITS);
	CHECK_EQ(read_text(DUMP_RESP, "k,QQ==\n", false), STATUS_FOREIGN);
}

static void
write_row(enum dump_form form, const char *key)
{
	struct slice k = slice_of(key ? key : "");

	out.len = 0;
	CHECK_EQ(dump_write(form, key ? &k : NULL, '\n', slice_of("A"), &out), OK);
}

static void
rows_are_written(void)
{
	write_row(DUMP_COPY, NULL);
	CHECK(IS(out, "\\x41\n"));
	write_row(DUMP_COPY, "a\tb\\\nc\r");
	CHECK(IS(out, "a\\tb\\\\\tc\\r\t\\\\x41\n"));
	write_row(DUMP_CSV, NULL);
	CHECK(IS(out, "QQ==\n"));
	write_row(DUMP_CSV, "a\"b\nc,d\n\ne");
	CHECK(IS(out, "\"a\"\"b\",\"c,d\",\"\",e,QQ==\n"));
	write_row(DUMP_CSV, "a\nb\tc");
	CHECK(IS(out, "\"a\",\"b\tc\",QQ==\n"));
	write_row(DUMP_CSV, "");
	CHECK(IS(out, "\"\",QQ==\n"));
	write_row(DUMP_RESP, "k\n1");
	CHECK(IS(out, "*3\r\n$3\r\nSET\r\n$3\r\nk\t1\r\n$1\r\nA\r\n"));
}

/* What is written reads as it was, whatever the key and whatever joins it. */
static void
rows_come_back(void)
{
	static const char some[] = "a\t\n\r\\\",\0N.x;\x80";
	static const enum dump_form forms[] = {DUMP_COPY, DUMP_CSV};

	for (int round = 0; round < 20000 && !check_failures; round++) {
		unsigned char key[12], value[40];
		struct slice k = {key, (size_t)(check_random(&state) % sizeof key)};
		struct slice v = {value, 1 + (size_t)(check_random(&state) % sizeof value)};
		unsigned char join = round & 1 ? '\n' : '\0';
		enum dump_form form = forms[round / 2 % 2];
		for (size_t i = 0; i < k.len; i++)
			key[i] = (unsigned char)some[check_random(&state) % (sizeof some - 1)];
		for (size_t i = 0; i < v.len; i++)
			value[i] = (unsigned char)check_random(&state);
		out.len = 0;
		CHECK_EQ(dump_write(form, &k, join, v, &out), OK);
		size_t whole = out.len;
		CHECK_EQ(buffer_append(&out, "rest\n", 5), OK);
		CHECK_EQ(dump_read(form, text_of(&out), false, join, &row, &used), OK);
		CHECK(row.keyed && !row.null && used == whole);
		CHECK(slice_equal(text_of(&row.key), k));
		CHECK(slice_equal(text_of(&row.value), v));
		/* Not before it is whole. */
		size_t cut = (size_t)(check_random(&state) % whole);
		enum status st = dump_read(form, (struct slice){out.at, cut}, false, join, &row, &used);
		CHECK(st != OK || used <= cut);
	}
}

int
main(void)
{
	RUN(digits_come_back);
	RUN(digits_are_those_of_the_rfc);
	RUN(wrong_digits_are_refused);
	RUN(copy_is_read);
	RUN(csv_is_read);
	RUN(rows_are_written);
	RUN(rows_come_back);
	buffer_free(&out);
	buffer_free(&again);
	dump_row_free(&row);
	return check_done();
}
