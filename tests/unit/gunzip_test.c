/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * gzip files made by hand, bit by bit where need be, and those of gzip(1) and
 * zlib, which tests/interop/dcso.bats brings.
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

/* "ab\xff" and then six bytes from three before, and one from one before. */
static void
fixed_codes_and_copies_that_overlap(void)
{
	begin();
	put_number(1, 1);
	put_number(1, 2);
	put_fixed_literal('a');
	put_fixed_literal('b');
	put_fixed_literal(0xff);
	put_code(260 - 256, 7);      /* length 6 */
	put_code(2, 5);              /* distance 3 */
	put_code(257 - 256, 7);      /* length 3 */
	put_code(0, 5);              /* distance 1 */
	put_code(0, 7);
	CHECK(gives(end("ab\xff" "ab\xff" "ab\xff\xff\xff\xff", 12),
	    "ab\xff" "ab\xff" "ab\xff\xff\xff\xff", 12));
}

static void
put_dynamic_head(unsigned literals, unsigned distances)
{
	put_number(1, 1);
	put_number(2, 2);
	put_number(literals - 257, 5);
	put_number(distances - 1, 5);
	put_number(19 - 4, 4);
}

/*
 * Literals 'A' to 'N' have 1 to 14 bits, 'O' and the end of the block 15, more
 * than a table of 9 holds; there is a single distance, of 1 bit. In the code of
 * lengths 17 and 18 have 2 bits, 00 and 01, and 0 to 15 have 5, from 10000 on.
 */
static void
put_length(unsigned length)
{
	put_code(0x10 + length, 5);
}

static void
put_zeros(unsigned n)
{
	while (n >= 11) {
		unsigned some = n > 138 ? 138 : n;
		put_code(1, 2);              /* 18 */
		put_number(some - 11, 7);
		n -= some;
	}
	while (n-- > 0)
		put_length(0);
}

static void
put_long_codes(bool complete)
{
	static const unsigned char order[19] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
	};

	put_dynamic_head(257, 1);
	for (unsigned i = 0; i < 19; i++)
		put_number(order[i] == 16 ? 0 : order[i] > 16 ? 2 : 5, 3);
	put_zeros('A');
	for (unsigned i = 1; i <= 14; i++)
		put_length(i);
	put_length(complete ? 15 : 14);      /* 'O' */
	put_zeros(256 - 'O' - 1);
	put_length(15);
	put_length(1);
}

static void
codes_of_every_length(void)
{
	begin();
	put_long_codes(true);
	put_code(0, 1);                      /* A */
	put_code(0x3ffe, 14);                /* N */
	put_code(0x7ffe, 15);                /* O */
	put_code(0xffe, 12);                 /* L */
	put_code(0x7fff, 15);                /* end */
	CHECK(gives(end("ANOL", 4), "ANOL", 4));
}

static void
impossible_codes_are_refused(void)
{
	/* Oversubscribed: 'O' takes what the end of the block needs. */
	begin();
	put_long_codes(false);
	CHECK_EQ(status_of(end("", 0), 100), STATUS_GZIP);
	/* A block of type 3. */
	begin();
	put_number(1, 1);
	put_number(3, 2);
	CHECK_EQ(status_of(end("", 0), 100), STATUS_GZIP);
	/* A copy from before the start. */
	begin();
	put_number(1, 1);
	put_number(1, 2);
	put_fixed_literal('a');
	put_code(257 - 256, 7);
	put_code(1, 5);
	put_code(0, 7);
	CHECK_EQ(status_of(end("aaaa", 4), 100), STATUS_GZIP);
	/* Symbols that stand for nothing: length 286, distance 30. */
	begin();
	put_number(1, 1);
	put_number(1, 2);
	put_fixed_literal('a');
	put_code(0xc0 + 286 - 280, 8);
	CHECK_EQ(status_of(end("a", 1), 100), STATUS_GZIP);
	begin();
	put_number(1, 1);
	put_number(1, 2);
	put_fixed_literal('a');
	put_code(257 - 256, 7);
	put_code(30, 5);
	CHECK_EQ(status_of(end("a", 1), 100), STATUS_GZIP);
	/* A length whose complement differs. */
	struct slice s = stored("x");
	made.at[11] ^= 1;
	CHECK_EQ(status_of(s, 100), STATUS_GZIP);
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

int
main(void)
{
	RUN(stored_blocks_are_copied);
	RUN(fixed_codes_and_copies_that_overlap);
	RUN(codes_of_every_length);
	RUN(impossible_codes_are_refused);
	RUN(a_cut_file_is_truncated);
	RUN(checksum_length_and_what_follows_are_held);
	RUN(members_follow_one_another);
	RUN(optional_parts_of_the_header_are_skipped);
	RUN(a_bomb_stops_at_the_limit);
	return check_done();
}
