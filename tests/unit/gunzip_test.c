/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * gzip files made by hand, bit by bit where need be; what gzip(1) writes comes
 * in tests/sketch-convert.bats.
 */

#include "interop/gunzip.h"
#include "check.h"

/* Bits, as DEFLATE packs them: numbers from the lowest bit, codes from the
 * highest. */
static struct {
	unsigned char at[1 << 12];
	unsigned bits;
} made;

static void
put_bit(unsigned bit)
{
	if (made.bits % 8 == 0)
		made.at[made.bits / 8] = 0;
	made.at[made.bits / 8] |= (unsigned char)(bit << made.bits % 8);
	made.bits++;
}

static void
put_number(unsigned value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_bit(value >> i & 1);
}

static void
put_code(unsigned code, unsigned n)
{
	for (unsigned i = n; i-- > 0;)
		put_bit(code >> i & 1);
}

static void
begin(void)
{
	static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};

	memcpy(made.at, head, sizeof head);
	made.bits = 8 * sizeof head;
}

/* Of the bytes that the stream stands for: a reference that is slow. */
static uint32_t
crc_of(const char *p, size_t n)
{
	uint32_t crc = ~(uint32_t)0;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 8; k++) {
			uint32_t odd = (crc ^ (uint32_t)(unsigned char)p[i] >> k) & 1;
			crc = crc >> 1 ^ (odd ? 0xedb88320 : 0);
		}
	return ~crc;
}

static struct slice
end(const char *text, size_t n)
{
	while (made.bits % 8 != 0)
		put_bit(0);
	put_number(crc_of(text, n) & 0xffff, 16);
	put_number(crc_of(text, n) >> 16, 16);
	put_number((unsigned)n, 32);
	return (struct slice){made.at, made.bits / 8};
}

static bool
gives(struct slice in, const char *text, size_t n)
{
	struct buffer out = {0};
	bool good = gunzip(in, n, &out) == OK && slice_equal((struct slice){out.at, out.len},
	    (struct slice){(const unsigned char *)text, n});

	buffer_free(&out);
	return good;
}

/* What this many bytes at most lead to, and nothing after a failure. */
static enum status
status_of(struct slice in, uint64_t limit)
{
	struct buffer out = {0};
	enum status st = gunzip(in, limit, &out);

	CHECK(out.len <= limit);
	buffer_free(&out);
	return st;
}

static void
put_fixed_literal(unsigned char c)
{
	if (c < 144)
		put_code(0x30 + c, 8);
	else
		put_code(0x190 + c - 144u, 9);
}

static void
put_stored(const char *text, size_t n, bool last)
{
	put_number(last, 1);
	put_number(0, 2);
	while (made.bits % 8 != 0)
		put_bit(1);
	put_number((unsigned)n, 16);
	put_number(~(unsigned)n & 0xffff, 16);
	for (size_t i = 0; i < n; i++)
		put_number((unsigned char)text[i], 8);
}

static struct slice
stored(const char *text)
{
	size_t n = strlen(text);

	begin();
	put_stored(text, n / 2, false);
	put_stored(text + n / 2, n - n / 2, true);
	return end(text, n);
}

static void
stored_blocks_are_copied(void)
{
	CHECK(gives(stored("two parts"), "two parts", 9));
	CHECK(gives(stored(""), "", 0));
}

static void
a_cut_file_is_truncated(void)
{
	struct slice s = stored("some text");
	struct buffer out = {0};

	for (size_t n = 3; n < s.len; n++)
		CHECK_EQ(status_of((struct slice){s.at, n}, 100), STATUS_TRUNCATED);
	/* The start is there all the same. */
	CHECK_EQ(gunzip_start((struct slice){s.at, s.len - 9}, 4, &out), OK);
	CHECK(slice_equal((struct slice){out.at, out.len}, slice_of("some")));
	buffer_free(&out);
}

static void
checksum_length_and_what_follows_are_held(void)
{
	struct slice s = stored("text");

	made.at[s.len - 1] ^= 1;
	CHECK_EQ(status_of(s, 100), STATUS_GZIP);
	s = stored("text");
	made.at[s.len - 8] ^= 1;
	CHECK_EQ(status_of(s, 100), STATUS_GZIP);
	s = stored("text");
	made.at[s.len] = 0;
	CHECK_EQ(status_of((struct slice){s.at, s.len + 1}, 100), STATUS_GZIP);
}

static void
members_follow_one_another(void)
{
	static unsigned char two[200];
	struct slice s = stored("one");
	size_t n = s.len;

	memcpy(two, s.at, n);
	s = stored("two");
	memcpy(two + n, s.at, s.len);
	CHECK(gives((struct slice){two, n + s.len}, "onetwo", 6));
}

/* All that a header can have, and the CRC of it. */
static void
optional_parts_of_the_header_are_skipped(void)
{
	unsigned char file[200] = {0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3,
	    3, 0, 'x', 'y', 'z', 'n', 'a', 'm', 'e', 0, 'n', 'o', 't', 'e', 0};
	size_t n = 25;
	uint32_t crc = crc_of((const char *)file, n);

	put_le16(file + n, (uint16_t)crc);
	struct slice s = stored("body");
	memcpy(file + n + 2, s.at + 10, s.len - 10);
	struct slice whole = {file, n + 2 + s.len - 10};
	CHECK(gives(whole, "body", 4));
	for (size_t i = 3; i < whole.len; i++)
		CHECK_EQ(status_of((struct slice){file, i}, 100), STATUS_TRUNCATED);
	file[n] ^= 1;
	CHECK_EQ(status_of(whole, 100), STATUS_GZIP);
	file[n] ^= 1;
	file[3] |= 0x20;
	CHECK_EQ(status_of(whole, 100), STATUS_GZIP);
}

/* A thousand times what it has: not past the limit, nor the memory for it. */
static void
a_bomb_stops_at_the_limit(void)
{
	begin();
	put_number(1, 1);
	put_number(1, 2);
	put_fixed_literal('a');
	for (unsigned i = 0; i < 1000; i++) {
		put_code(0xc0 + 285 - 280, 8);       /* length 258 */
		put_code(0, 5);
	}
	put_code(0, 7);
	struct slice s = {made.at, made.bits / 8 + 1};
	struct buffer out = {0};

	CHECK_EQ(gunzip(s, 1000, &out), STATUS_SIZE);
	CHECK(out.len <= 1000 && out.room <= 4000);
	buffer_free(&out);
	CHECK_EQ(gunzip_start(s, 1000, &out), OK);
	CHECK_EQ(out.len, 1000);
	for (size_t i = 0; i < out.len; i++)
		CHECK_EQ(out.at[i], 'a');
	buffer_free(&out);
	CHECK_EQ(status_of(stored("text"), 3), STATUS_SIZE);
	CHECK_EQ(status_of(stored("text"), 4), OK);
}

/* RFC 1950: its checksum is Adler-32, of "Wikipedia" 11e60398. */
static void
zlib_streams_come_and_go(void)
{
	const struct slice text = slice_of("Wikipedia");
	unsigned char end[] = {0x11, 0xe6, 0x03, 0x98};
	struct buffer packed = {0}, out = {0};

	CHECK_EQ(zlib_pack(text, &packed), OK);
	CHECK(packed.len > 6 && packed.at[0] == 0x78 && packed.at[1] == 0xda);
	CHECK(memcmp(packed.at + packed.len - 4, end, 4) == 0);
	struct slice s = {packed.at, packed.len};
	CHECK_EQ(unzlib(s, 9, &out), OK);
	CHECK(slice_equal((struct slice){out.at, out.len}, text));
	out.len = 0;
	CHECK_EQ(unzlib_start(s, 4, &out), OK);
	CHECK_EQ(out.len, 4);
	out.len = 0;
	CHECK_EQ(unzlib(s, 8, &out), STATUS_SIZE);
	for (size_t n = 0; n < packed.len; n++) {
		out.len = 0;
		CHECK_EQ(unzlib((struct slice){packed.at, n}, 9, &out), STATUS_TRUNCATED);
	}
	out.len = 0;
	CHECK_EQ(gunzip(s, 9, &out), STATUS_GZIP);
	packed.at[packed.len - 1] ^= 1;
	out.len = 0;
	CHECK_EQ(unzlib(s, 9, &out), STATUS_GZIP);
	packed.at[packed.len - 1] ^= 1;

	/* Nothing may follow, not even another one, or gzip. */
	CHECK_EQ(buffer_append(&packed, "\x1f\x8b\x08", 3), OK);
	out.len = 0;
	CHECK_EQ(unzlib((struct slice){packed.at, packed.len}, 9, &out), STATUS_GZIP);
	out.len = 0;
	CHECK_EQ(unzlib(stored("text"), 9, &out), STATUS_GZIP);
	buffer_free(&packed);
	buffer_free(&out);
}

static void
without_zlib_it_says_so(void)
{
	struct buffer out = {0};

	CHECK_EQ(zlib_pack(slice_of("text"), &out), STATUS_NO_ZLIB);
	CHECK_EQ(unzlib(slice_of("text"), 4, &out), STATUS_NO_ZLIB);
	CHECK_EQ(unzlib_start(slice_of("text"), 4, &out), STATUS_NO_ZLIB);
	CHECK_EQ(status_of(stored("text"), 100), STATUS_NO_ZLIB);
}

int
main(void)
{
	if (!gunzip_can()) {
		RUN(without_zlib_it_says_so);
		return check_done();
	}
	RUN(stored_blocks_are_copied);
	RUN(a_cut_file_is_truncated);
	RUN(checksum_length_and_what_follows_are_held);
	RUN(members_follow_one_another);
	RUN(optional_parts_of_the_header_are_skipped);
	RUN(a_bomb_stops_at_the_limit);
	RUN(zlib_streams_come_and_go);
	return check_done();
}
