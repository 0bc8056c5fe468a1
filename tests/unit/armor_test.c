/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/armor.h"
#include "check.h"

static struct slice
slice_from(const void *p, size_t n)
{
	return (struct slice){p, n};
}

static enum status
decode(const char *text)
{
	struct buffer out = {0};
	enum status st = armor_decode(&out, slice_of(text));

	if (st != OK)
		CHECK_EQ(out.len, 0);
	buffer_free(&out);
	return st;
}

/* RFC 4648, section 10, without padding; and the two digits of its section 5. */
static void
published_vectors_hold(void)
{
	static const struct {
		const char *bytes, *text;
	} row[] = {
		{"", "sk1:"}, {"f", "sk1:Zg"}, {"fo", "sk1:Zm8"}, {"foo", "sk1:Zm9v"},
		{"foob", "sk1:Zm9vYg"}, {"fooba", "sk1:Zm9vYmE"}, {"foobar", "sk1:Zm9vYmFy"},
		{"\xfb\xff\xbf", "sk1:-_-_"}, {"\x8askch\r\n\x1a", "sk1:inNrY2gNCho"},
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct buffer text = {0}, bytes = {0};
		CHECK_EQ(armor_encode(&text, slice_of(row[i].bytes)), OK);
		CHECK(slice_equal(slice_from(text.at, text.len), slice_of(row[i].text)));
		CHECK_EQ(armor_decode(&bytes, slice_of(row[i].text)), OK);
		CHECK(slice_equal(slice_from(bytes.at, bytes.len), slice_of(row[i].bytes)));
		buffer_free(&text);
		buffer_free(&bytes);
	}
}

static void
all_lengths_come_back_from_any_pieces(void)
{
	unsigned char bytes[5000];
	uint64_t state = 1;

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)check_random(&state);
	for (size_t n = 0; n <= sizeof bytes; n = n < 300 ? n + 1 : n + 941) {
		struct buffer whole = {0}, pieces = {0}, back = {0};
		struct armor armor;

		CHECK_EQ(armor_encode(&whole, slice_from(bytes, n)), OK);
		CHECK_EQ(armor_begin(&armor, buffer_sink(&pieces)), OK);
		struct sink sink = armor_sink(&armor);
		for (size_t at = 0, step; at < n; at += step) {
			step = 1 + check_random(&state) % 7;
			if (step > n - at)
				step = n - at;
			CHECK_EQ(sink.write(sink.to, bytes + at, step), OK);
		}
		CHECK_EQ(armor_end(&armor), OK);
		CHECK(slice_equal(slice_from(whole.at, whole.len),
		    slice_from(pieces.at, pieces.len)));
		CHECK_EQ(armor_decode(&back, slice_from(whole.at, whole.len)), OK);
		CHECK(slice_equal(slice_from(back.at, back.len), slice_from(bytes, n)));
		buffer_free(&whole);
		buffer_free(&pieces);
		buffer_free(&back);
	}
}

static void
other_texts_are_refused(void)
{
	CHECK_EQ(decode("Zg"), STATUS_FOREIGN);
	CHECK_EQ(decode("sk1"), STATUS_FOREIGN);
	CHECK_EQ(decode("sk2:Zg"), STATUS_FOREIGN);
	CHECK_EQ(decode("SK1:Zg"), STATUS_FOREIGN);
	/* One digit is no byte; padding, blanks and line ends are not ours. */
	CHECK_EQ(decode("sk1:Z"), STATUS_ARMOR);
	CHECK_EQ(decode("sk1:Zm9vY"), STATUS_ARMOR);
	CHECK_EQ(decode("sk1:A"), STATUS_ARMOR);
	CHECK_EQ(decode("sk1:Zm9vA"), STATUS_ARMOR);
	CHECK_EQ(decode("sk1:Zg=="), STATUS_ARMOR);
	CHECK_EQ(decode("sk1:Zm8="), STATUS_ARMOR);
	CHECK_EQ(decode("sk1: Zg"), STATUS_ARMOR);
	CHECK_EQ(decode("sk1:Zm9v\r"), STATUS_ARMOR);
	CHECK_EQ(decode("sk1:Zm8\r"), STATUS_ARMOR);
	CHECK_EQ(decode("sk1:Zm8\n"), STATUS_ARMOR);
	/* The digits of plain base64. */
	CHECK_EQ(decode("sk1:+/+/"), STATUS_ARMOR);
}

/* Of the 64 digits in the last place, only those with all spare bits 0. */
static void
spare_bits_are_zero(void)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	char two[] = "sk1:Zg", three[] = "sk1:Zm8";

	for (unsigned i = 0; i < 64; i++) {
		two[5] = three[6] = digits[i];
		CHECK_EQ(decode(two), i % 16 == 0 ? OK : STATUS_ARMOR);
		CHECK_EQ(decode(three), i % 4 == 0 ? OK : STATUS_ARMOR);
	}
}

static void
only_digits_are_digits(void)
{
	unsigned good = 0;

	for (int c = 0; c < 256; c++) {
		char text[] = "sk1:AAAA";
		struct buffer out = {0};
		text[6] = (char)c;
		good += armor_decode(&out, slice_from(text, 8)) == OK;
		buffer_free(&out);
	}
	CHECK_EQ(good, 64);
}

static void
lines_split_at_the_last_tab(void)
{
	struct slice key, text;
	bool keyed;

	CHECK(armor_split(slice_of("sk1:AA"), &keyed, &key, &text) && !keyed);
	CHECK(slice_equal(text, slice_of("sk1:AA")));
	CHECK(armor_split(slice_of("k\tsk1:AA"), &keyed, &key, &text) && keyed);
	CHECK(slice_equal(key, slice_of("k")) && slice_equal(text, slice_of("sk1:AA")));
	CHECK(armor_split(slice_of("\tsk1:"), &keyed, &key, &text) && keyed && key.len == 0);
	CHECK(armor_split(slice_of("a\tsk1:AA\tsk1:BB"), &keyed, &key, &text) && keyed);
	CHECK(slice_equal(key, slice_of("a\tsk1:AA")) && slice_equal(text, slice_of("sk1:BB")));
	CHECK(armor_split(slice_of("sk1:k\tsk1:AA"), &keyed, &key, &text) && keyed);
	CHECK(slice_equal(key, slice_of("sk1:k")));

	CHECK(!armor_split(slice_of(""), &keyed, &key, &text));
	CHECK(!armor_split(slice_of("sk1"), &keyed, &key, &text));
	CHECK(!armor_split(slice_of("k sk1:AA"), &keyed, &key, &text));
	CHECK(!armor_split(slice_of("sk1:AA\tk"), &keyed, &key, &text));
	CHECK(!armor_split(slice_of("k\t"), &keyed, &key, &text));
}

int
main(void)
{
	RUN(published_vectors_hold);
	RUN(all_lengths_come_back_from_any_pieces);
	RUN(other_texts_are_refused);
	RUN(spare_bits_are_zero);
	RUN(only_digits_are_digits);
	RUN(lines_split_at_the_last_tab);
	return check_done();
}
