/* sketchutils: BSD-2-Clause, see LICENSE */

/* Files of other systems: as they wrote them, and as nobody should. */

#include <math.h>

#include "base/hash.h"
#include "interop/gunzip.h"
#include "interop/systems.h"
#include "sketch/member/bloom.h"
#include "check.h"

/* A file to be read, and what came of it. */
static struct buffer file;
static struct sketch sketch;
static uint64_t left_out;

static enum status
read_as(const char *system)
{
	sketch_free(&sketch);
	left_out = UINT64_MAX;
	return system_find(system)->read(&file, &sketch, &left_out);
}

/* As read from bytes that are the caller's, and end where their memory does. */
static enum status
read_bytes(const char *system, const void *bytes, size_t n)
{
	buffer_free(&file);
	file = (struct buffer){malloc(n > 0 ? n : 1), n, n};
	memcpy(file.at, bytes, n);
	return read_as(system);
}

static bool
writes(const void *bytes, size_t n)
{
	struct buffer out = {0};
	const struct system *s = system_of(sketch.kind->id);
	bool same = s->write(&sketch, buffer_sink(&out)) == OK &&
	    slice_equal((struct slice){out.at, out.len}, (struct slice){bytes, n});

	buffer_free(&out);
	return same;
}

/* `bloom create -n 5 -p 0.01`, then `printf 'foo\nbar\nfoo\n' | bloom insert`. */
static const unsigned char dcso[] = {
	1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0,
	0x7b, 0x14, 0xae, 0x47, 0xe1, 0x7a, 0x84, 0x3f, 7, 0, 0, 0, 0, 0, 0, 0,
	47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
	0xb0, 0x02, 0x40, 0x0f, 0x10, 0x46, 0, 0,
};

static void
a_dcso_filter_comes_and_goes_as_it_was(void)
{
	CHECK_EQ(read_bytes("dcso", dcso, sizeof dcso), OK);
	CHECK_EQ(left_out, 0);
	CHECK_EQ(sketch.head.kind, KIND_BLOOM_DCSO);
	CHECK_EQ(sketch.head.hash, HASH_FNV1);
	CHECK_EQ(sketch.head.items, 2);
	const struct bloom_shape *shape = bloom_shape(sketch.body);
	CHECK_EQ(shape->size, 47);
	CHECK_EQ(shape->probes, 7);
	CHECK_EQ(shape->capacity, 5);
	CHECK(shape->fpp == 0.01);
	CHECK_EQ(bloom_counted(sketch.body), 2);

	struct slice item[] = {slice_of("foo"), slice_of("bar"), slice_of("nothing")};
	uint64_t hash[3];
	bool has[3];
	hash_items(HASH_FNV1, item, 3, hash);
	CHECK_EQ(bloom_has(sketch.body, hash, 3, has), 2);
	CHECK(has[0] && has[1]);
	CHECK(writes(dcso, sizeof dcso));
}

static void
text_behind_a_dcso_filter_is_left_out(void)
{
	unsigned char more[sizeof dcso + 9];

	memcpy(more, dcso, sizeof dcso);
	memcpy(more + sizeof dcso, "some text", 9);
	CHECK_EQ(read_bytes("dcso", more, sizeof more), OK);
	CHECK_EQ(left_out, 9);
	CHECK(writes(dcso, sizeof dcso));
}

static void
a_cut_dcso_filter_is_truncated(void)
{
	for (size_t n = 0; n < sizeof dcso; n++)
		CHECK_EQ(read_bytes("dcso", dcso, n), n < 8 ? STATUS_FOREIGN : STATUS_TRUNCATED);
}

/* The file with a number at this place changed. */
static enum status
with(size_t at, uint64_t value)
{
	unsigned char bytes[sizeof dcso];

	memcpy(bytes, dcso, sizeof dcso);
	put_le64(bytes + at, value);
	return read_bytes("dcso", bytes, sizeof bytes);
}

static void
odd_numbers_in_a_dcso_header_are_refused(void)
{
	static const uint64_t half = UINT64_C(0x3fe0000000000000);

	CHECK_EQ(with(0, 2), STATUS_FOREIGN);
	CHECK_EQ(with(0, 0x101), STATUS_FOREIGN);
	CHECK_EQ(with(8, UINT64_MAX), OK);
	CHECK_EQ(with(8, 0), OK);
	CHECK_EQ(with(16, half), OK);
	CHECK_EQ(with(16, 0), STATUS_PARAMETER);
	CHECK_EQ(with(16, UINT64_MAX), STATUS_PARAMETER);            /* not a number */
	CHECK_EQ(with(16, half | UINT64_C(1) << 63), STATUS_PARAMETER);
	CHECK_EQ(with(16, UINT64_C(0x3ff0000000000000)), STATUS_PARAMETER);
	CHECK_EQ(with(24, 0), STATUS_PARAMETER);
	CHECK_EQ(with(24, 256), STATUS_PARAMETER);
	CHECK_EQ(with(32, 0), STATUS_PARAMETER);
	CHECK_EQ(with(32, 64), OK);
	CHECK_EQ(with(32, 65), STATUS_TRUNCATED);
	CHECK_EQ(with(32, UINT64_C(1) << 48), STATUS_TRUNCATED);     /* 32 TiB, not asked for */
	CHECK_EQ(with(32, (UINT64_C(1) << 48) + 1), STATUS_PARAMETER);
	CHECK_EQ(with(32, UINT64_MAX), STATUS_PARAMETER);
	CHECK_EQ(with(40, UINT64_MAX), OK);
	CHECK_EQ(with(48, UINT64_MAX), STATUS_INVARIANT);            /* bits from m on */
}

/* The same, as gzip with a stored block. */
static size_t
wrap(const unsigned char *bytes, size_t n, unsigned char *to)
{
	static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1};
	uint32_t crc = ~(uint32_t)0;

	memcpy(to, head, sizeof head);
	put_le16(to + 11, (uint16_t)n);
	put_le16(to + 13, (uint16_t)~n);
	memcpy(to + 15, bytes, n);
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 8; k++)
			crc = crc >> 1 ^ ((crc ^ (uint32_t)bytes[i] >> k) & 1 ? 0xedb88320 : 0);
	put_le32(to + 15 + n, ~crc);
	put_le32(to + 19 + n, (uint32_t)n);
	return 23 + n;
}

static void
a_wrapped_dcso_filter_is_unwrapped(void)
{
	unsigned char wrapped[200];
	size_t n = wrap(dcso, sizeof dcso, wrapped);

	if (!gunzip_can()) {
		CHECK_EQ(read_bytes("dcso", wrapped, n), STATUS_NO_ZLIB);
		return;
	}
	CHECK_EQ(read_bytes("dcso", wrapped, n), OK);
	CHECK_EQ(left_out, 0);
	CHECK(writes(dcso, sizeof dcso));
	for (size_t cut = 3; cut < n; cut++) {
		enum status st = read_bytes("dcso", wrapped, cut);
		CHECK(st == STATUS_TRUNCATED || (cut < 15 + 8 && st == STATUS_FOREIGN));
	}
	wrapped[n] = 0;
	CHECK_EQ(read_bytes("dcso", wrapped, n + 1), STATUS_GZIP);
	wrapped[n - 1] ^= 1;
	CHECK_EQ(read_bytes("dcso", wrapped, n), STATUS_GZIP);
	n = wrap((const unsigned char *)"no filter at all", 16, wrapped);
	CHECK_EQ(read_bytes("dcso", wrapped, n), STATUS_FOREIGN);
	/* What it holds is as long as it should be, or longer by some text. */
	n = wrap(dcso, sizeof dcso - 1, wrapped);
	CHECK_EQ(read_bytes("dcso", wrapped, n), STATUS_TRUNCATED);
}

/* Parquet: one block, with "hello" in it. */
static const unsigned char parquet[15 + 32] = {
	0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0,
	0, 0, 0x10, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0x80, 0, 0, 0,
	0, 2, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x10, 0, 0, 0, 8,
};

static void
a_parquet_filter_comes_and_goes_as_it_was(void)
{
	struct slice item = slice_of("hello");
	uint64_t hash;
	bool has;

	CHECK_EQ(read_bytes("parquet", parquet, sizeof parquet), OK);
	CHECK_EQ(left_out, 0);
	CHECK_EQ(sketch.head.kind, KIND_BLOOM_PARQUET);
	CHECK_EQ(sketch.head.hash, HASH_XXH64);
	CHECK_EQ(bloom_shape(sketch.body)->size, 1);
	hash_items(HASH_XXH64, &item, 1, &hash);
	CHECK_EQ(bloom_has(sketch.body, &hash, 1, &has), 1);
	CHECK(bloom_fpp(sketch.body) > 0);
	CHECK_EQ(llround(bloom_distinct(sketch.body)), 1);
	CHECK(writes(parquet, sizeof parquet));
}

static void
the_number_of_a_parquet_header_grows(void)
{
	static unsigned char bytes[19 + (8 << 20)];
	static const struct {
		size_t size;
		unsigned char varint[4];
	} want[] = {
		{32, {0x40}}, {64, {0x80, 0x01}}, {8160, {0xc0, 0x7f}}, {8192, {0x80, 0x80, 0x01}},
		{1 << 20, {0x80, 0x80, 0x80, 0x01}}, {8 << 20, {0x80, 0x80, 0x80, 0x08}},
	};

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		size_t n = 1;
		memset(bytes, 0, sizeof bytes);
		bytes[0] = 0x15;
		do
			bytes[n] = want[i].varint[n - 1];
		while (bytes[n++] > 127);
		memcpy(bytes + n, parquet + 2, 13);
		n += 13 + want[i].size;
		CHECK_EQ(read_bytes("parquet", bytes, n), OK);
		CHECK_EQ(bloom_shape(sketch.body)->size, want[i].size / 32);
		CHECK(writes(bytes, n));
		CHECK_EQ(read_bytes("parquet", bytes, n - 1), STATUS_TRUNCATED);
		if (n < sizeof bytes)
			CHECK_EQ(read_bytes("parquet", bytes, n + 1), STATUS_SIZE);
	}
}

static enum status
headed(const char *number, size_t n, size_t rest)
{
	unsigned char bytes[200] = {0x15};

	memcpy(bytes + 1, number, n);
	memcpy(bytes + 1 + n, parquet + 2, 13);
	return read_bytes("parquet", bytes, 14 + n + rest);
}

static void
odd_parquet_headers_are_refused(void)
{
	unsigned char bytes[sizeof parquet];

	for (size_t n = 0; n < sizeof parquet; n++)
		CHECK_EQ(read_bytes("parquet", parquet, n), n == 0 ? STATUS_FOREIGN : STATUS_TRUNCATED);
	for (size_t i = 0; i < 15; i++) {
		if (i == 1)
			continue;
		memcpy(bytes, parquet, sizeof bytes);
		bytes[i] ^= 1;
		CHECK_EQ(read_bytes("parquet", bytes, sizeof bytes), STATUS_FOREIGN);
	}
	CHECK_EQ(headed("\x00", 1, 0), STATUS_PARAMETER);            /* no block */
	CHECK_EQ(headed("\x3f", 1, 32), STATUS_PARAMETER);           /* negative */
	CHECK_EQ(headed("\x3e", 1, 31), STATUS_PARAMETER);           /* not whole blocks */
	CHECK_EQ(headed("\xc0\x00", 2, 32), STATUS_PARAMETER);       /* longer than need be */
	CHECK_EQ(headed("\x80\x80\x80\x80\x10", 5, 32), STATUS_PARAMETER);
	CHECK_EQ(headed("\xc0\xff\xff\xff\x0f", 5, 32), STATUS_TRUNCATED);   /* 2 GiB less a block */
	CHECK_EQ(headed("\x80\x80\x80\x80\x80\x01", 6, 32), STATUS_FOREIGN);
}

static bool
guessed(const void *bytes, size_t n, const char *word)
{
	const char *guess = system_guess((struct slice){bytes, n});

	return word ? guess && strstr(guess, word) : !guess;
}

static void
what_is_no_sketch_is_told_by_its_start(void)
{
	CHECK(guessed(dcso, sizeof dcso, "--from dcso"));
	CHECK(guessed(dcso, 48, "--from dcso"));
	CHECK(guessed(dcso, 47, NULL));
	CHECK(guessed(parquet, sizeof parquet, "--from parquet"));
	CHECK(guessed("PAR1....", 8, "Parquet file"));
	CHECK(guessed("PWQ0", 4, "pwqfilter"));
	CHECK(guessed("\x1f\x8b\x08", 3, "gzip"));
	CHECK(guessed("\2\1\0\0\0\0\0\0....", 12, "poppy"));
	CHECK(guessed("HYLL\1\0\0\0\0\0\0\0\0\0\0\x80\x7f\xff", 18, "--from redis"));
	CHECK(guessed("HYLL\2\0\0\0\0\0\0\0\0\0\0\x80\x7f\xff", 18, NULL));
	CHECK(guessed("HYLLus", 6, NULL));
	CHECK(guessed("\2\1\7\14\3\10\1\10....", 12, "--from datasketches"));
	CHECK(guessed("\2\1\7\3\3\10\1\10....", 12, NULL));
	CHECK(guessed("\3\1\7\14\3\10\1\10....", 12, NULL));
	CHECK(guessed("\12\1\7\14\0\10\0", 7, NULL));
	CHECK(guessed("some text", 9, NULL));
	CHECK(guessed("", 0, NULL));
}

static void
systems_are_found_by_name_and_kind(void)
{
	CHECK(system_row(0) == system_find("dcso"));
	CHECK(system_of(KIND_BLOOM_PARQUET) == system_find("parquet"));
	CHECK(system_of(KIND_HLL_POSTGRES) == system_find("postgres"));
	CHECK(system_find("hlog")->kind == KIND_HDR && !system_of(KIND_HDR));
	CHECK(system_find("hgrm")->read == NULL && system_find("hlog")->read != NULL);
	CHECK(system_find("Redis") == NULL);
	CHECK(system_of(KIND_BLOOM_BLOCK) == NULL);
	for (size_t i = 0; system_row(i); i++) {
		CHECK(kind_find(system_row(i)->kind) != NULL);
		CHECK((system_row(i)->builder != NULL) ==
		    !hash_is_ours(kind_find(system_row(i)->kind)->hash));
	}
}

int
main(void)
{
	RUN(a_dcso_filter_comes_and_goes_as_it_was);
	RUN(text_behind_a_dcso_filter_is_left_out);
	RUN(a_cut_dcso_filter_is_truncated);
	RUN(odd_numbers_in_a_dcso_header_are_refused);
	RUN(a_wrapped_dcso_filter_is_unwrapped);
	RUN(a_parquet_filter_comes_and_goes_as_it_was);
	RUN(the_number_of_a_parquet_header_grows);
	RUN(odd_parquet_headers_are_refused);
	RUN(what_is_no_sketch_is_told_by_its_start);
	RUN(systems_are_found_by_name_and_kind);
	sketch_free(&sketch);
	buffer_free(&file);
	return check_done();
}
