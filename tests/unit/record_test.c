/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/hash.h"
#include "base/record.h"
#include "check.h"

/* The first example of man/sketch.5. */
static const unsigned char example[192] = {
	0x8a, 0x73, 0x6b, 0x63, 0x68, 0x0d, 0x0a, 0x1a, 0x01, 0x00, 0x08, 0x00, 0x01,
	[0x10] = 0x01,
	[0x20] = 0x02, [0x28] = 0x08,
	[0x30] = 0x0e,
	[0x70] = 0x39, 0x83, 0x80, 0x48, 0x5b, 0x6f, 0xf0, 0xdd,
	0xfe, 0x9c, 0x5a, 0xe3, 0x42, 0x6a, 0xf9, 0x47,
	0x82, 0x5f, 0xaf, 0x78, 0x81, 0x32, 0xc6, 0xe6,
};

static const struct record example_head = {
	.kind = KIND_HLL, .version = 1, .hash = HASH_XXH3, .items = 2, .size = 8,
	.param = {14},
};

static struct slice
slice_from(const void *p, size_t n)
{
	return (struct slice){p, n};
}

static enum status
parse(const unsigned char *p, size_t n)
{
	struct record head;
	struct slice extension, payload;
	size_t used;
	enum status st = record_parse(slice_from(p, n), &head, &extension, &payload, &used);

	return st == OK ? record_verify(slice_from(p, used)) : st;
}

/* Make a changed header's own checksum right again. */
static void
sign(unsigned char *p)
{
	put_le64(p + 120, hash_bytes(p, 120, 0));
}

static void
written_bytes_are_those_of_the_manual(void)
{
	struct buffer out = {0};

	CHECK_EQ(record_write(buffer_sink(&out), &example_head, (struct slice){0},
	    slice_from(example + 128, 8)), OK);
	CHECK_EQ(out.len, sizeof example);
	CHECK(memcmp(out.at, example, sizeof example) == 0);
	buffer_free(&out);
}

/* A payload of 200 bytes, cut in three at all places; some pieces are empty. */
static void
pieces_are_one_payload(void)
{
	struct record head = example_head;
	struct buffer whole = {0}, out = {0};
	unsigned char payload[200];

	for (unsigned i = 0; i < sizeof payload; i++)
		payload[i] = (unsigned char)(i * 7);
	head.size = sizeof payload;
	CHECK_EQ(record_write(buffer_sink(&whole), &head, slice_of("x"),
	    slice_from(payload, sizeof payload)), OK);
	for (unsigned a = 0; a <= sizeof payload; a += 8)
		for (unsigned b = a; b <= sizeof payload; b++) {
			struct slice piece[] = {{payload, a}, {payload + a, b - a},
				{payload + b, sizeof payload - b}};

			out.len = 0;
			CHECK_EQ(record_write_pieces(buffer_sink(&out), &head, slice_of("x"), piece, 3), OK);
			CHECK(slice_equal(slice_from(out.at, out.len), slice_from(whole.at, whole.len)));
		}
	buffer_free(&out);
	head.size = 0;
	CHECK_EQ(record_write_pieces(buffer_sink(&out), &head, (struct slice){0}, NULL, 0), OK);
	CHECK_EQ(out.len, RECORD_HEADER);
	buffer_free(&out);
	buffer_free(&whole);
}

static void
every_field_comes_back(void)
{
	struct record in = {
		.kind = 0x0102, .version = 0x0304, .flags = 0x0003, .hash = HASH_XXH3,
		.transform = TRANSFORM_FOLD, .join = JOIN_NUL, .seed = 0x0506070809101112,
		.items = 0x1314151617181920, .size = 3,
		.param = {1, 2, 3, 4, 5, 6, UINT64_MAX, 0x2122232425262728},
	};
	struct buffer extension = {0}, out = {0};
	struct record head;
	struct slice ext, payload, value;
	size_t used;

	CHECK_EQ(extension_add(&extension, EXTENSION_ID, slice_from("a\0b", 4)), OK);
	CHECK_EQ(extension_add(&extension, EXTENSION_KEY, slice_of("k\tey")), OK);
	CHECK_EQ(record_write(buffer_sink(&out), &in, slice_from(extension.at, extension.len),
	    slice_of("abc")), OK);
	CHECK_EQ(out.len, 128 + 64 + 64);
	CHECK_EQ(out.at[0x20], 0x20);
	CHECK_EQ(out.at[0x27], 0x13);
	CHECK_EQ(buffer_append(&out, "next", 4), OK);
	CHECK_EQ(record_parse(slice_from(out.at, out.len), &head, &ext, &payload, &used), OK);
	CHECK_EQ(used, 256);
	CHECK_EQ(record_verify(slice_from(out.at, used)), OK);
	CHECK_EQ(head.kind, in.kind);
	CHECK_EQ(head.version, in.version);
	CHECK_EQ(head.flags, in.flags);
	CHECK_EQ(head.hash, in.hash);
	CHECK_EQ(head.item_type, in.item_type);
	CHECK_EQ(head.transform, in.transform);
	CHECK_EQ(head.join, in.join);
	CHECK_EQ(head.seed, in.seed);
	CHECK_EQ(head.items, in.items);
	CHECK_EQ(head.size, in.size);
	CHECK(memcmp(head.param, in.param, sizeof in.param) == 0);
	CHECK(slice_equal(payload, slice_of("abc")));
	CHECK_EQ(ext.len, 64);
	CHECK(extension_find(ext, EXTENSION_KEY, &value) && slice_equal(value, slice_of("k\tey")));
	CHECK(extension_find(ext, EXTENSION_ID, &value) && value.len == 4);
	CHECK(!extension_find(ext, EXTENSION_ALIAS, &value));
	buffer_free(&extension);
	buffer_free(&out);
}

static void
every_truncation_fails(void)
{
	unsigned char *copy;

	for (size_t n = 0; n < sizeof example; n++) {
		/* From the heap, so that a read past the end is seen. */
		copy = malloc(n ? n : 1);
		memcpy(copy, example, n);
		CHECK_EQ(parse(copy, n), n == 0 ? STATUS_EMPTY : STATUS_TRUNCATED);
		free(copy);
	}
	CHECK_EQ(parse(example, sizeof example), OK);
}

static void
every_flipped_bit_fails(void)
{
	unsigned char bytes[sizeof example];

	for (size_t i = 0; i < 8 * sizeof example; i++) {
		memcpy(bytes, example, sizeof bytes);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		enum status st = parse(bytes, sizeof bytes);
		enum status want = i / 8 < 8 ? STATUS_FOREIGN
		    : i / 8 < 10 ? STATUS_UNSUPPORTED
		    : i / 8 < 128 ? STATUS_HEADER : STATUS_PAYLOAD;
		CHECK_EQ(st, want);
	}
}

/* What a header says when byte at is value and its checksum is right. */
static enum status
with_byte(size_t at, unsigned char value)
{
	unsigned char bytes[sizeof example];

	memcpy(bytes, example, sizeof bytes);
	bytes[at] = value;
	sign(bytes);
	return parse(bytes, sizeof bytes);
}

static void
checks_have_an_order(void)
{
	unsigned char bytes[sizeof example];

	/* Foreign before unsupported before a wrong checksum. */
	memcpy(bytes, example, sizeof bytes);
	bytes[0] ^= 1, bytes[8] ^= 2, bytes[30] ^= 1;
	CHECK_EQ(parse(bytes, sizeof bytes), STATUS_FOREIGN);
	bytes[0] ^= 1;
	CHECK_EQ(parse(bytes, sizeof bytes), STATUS_UNSUPPORTED);
	bytes[8] ^= 2;
	CHECK_EQ(parse(bytes, sizeof bytes), STATUS_HEADER);
}

static void
what_is_newer_is_refused(void)
{
	CHECK_EQ(with_byte(8, 2), STATUS_UNSUPPORTED);
	CHECK_EQ(with_byte(14, 0x80), OK);
	CHECK_EQ(with_byte(15, FLAG_CONSERVATIVE >> 8), OK);
	CHECK_EQ(with_byte(15, (FLAG_CONSERVATIVE | FLAG_KEYED) >> 8), STATUS_UNSUPPORTED);
	for (unsigned bit = 2; bit < 8; bit++)
		CHECK_EQ(with_byte(15, (unsigned char)(1u << bit)), STATUS_UNSUPPORTED);
	CHECK_EQ(with_byte(16, 0), STATUS_UNSUPPORTED);
	CHECK_EQ(with_byte(16, HASH_SIPHASH), OK);
	CHECK_EQ(with_byte(16, HASH_MURMUR3_COUPON + 1), STATUS_UNSUPPORTED);
	CHECK_EQ(with_byte(17, 3), STATUS_UNSUPPORTED);
	CHECK_EQ(with_byte(18, TRANSFORM_FOLD), OK);
	CHECK_EQ(with_byte(18, TRANSFORM_FOLD | TRANSFORM_MASK_MAX), OK);
	CHECK_EQ(with_byte(18, TRANSFORM_MASK_MAX + 1), STATUS_UNSUPPORTED);
	CHECK_EQ(with_byte(18, 8), STATUS_UNSUPPORTED);
	CHECK_EQ(with_byte(19, JOIN_NUL), OK);
	CHECK_EQ(with_byte(19, 3), STATUS_UNSUPPORTED);
}

static void
lengths_are_checked(void)
{
	/* An extension that is no multiple of 64, or is not there. */
	CHECK_EQ(with_byte(20, 1), STATUS_SIZE);
	CHECK_EQ(with_byte(20, 128), STATUS_TRUNCATED);
	CHECK_EQ(with_byte(23, 255), STATUS_TRUNCATED);
	CHECK_EQ(with_byte(40, 65), STATUS_TRUNCATED);
	CHECK_EQ(with_byte(45, 1), STATUS_TRUNCATED);
	CHECK_EQ(with_byte(46, 127), STATUS_TRUNCATED);
	CHECK_EQ(with_byte(47, 127), STATUS_TRUNCATED);
	CHECK_EQ(with_byte(47, 128), STATUS_SIZE);
	/* Keyed means chunks, and no number of items. */
	CHECK_EQ(with_byte(15, 1), STATUS_SIZE);
}

static void
padding_is_zero(void)
{
	unsigned char bytes[sizeof example];

	for (size_t i = 136; i < sizeof bytes; i++) {
		memcpy(bytes, example, sizeof bytes);
		bytes[i] = 1;
		put_le64(bytes + 112, hash_bytes(bytes + 128, 64, 0));
		sign(bytes);
		CHECK_EQ(parse(bytes, sizeof bytes), STATUS_PADDING);
	}
}

/* A record around an extension given byte by byte, all checksums right. */
static enum status
with_extension(const char *text, size_t n)
{
	unsigned char bytes[128 + 128 + 64] = {0};
	size_t extended = record_padded(n);
	struct record head = example_head;

	memcpy(bytes + 128, text, n);
	memcpy(bytes + 128 + extended, example + 128, 8);
	record_encode(&head, (uint32_t)extended,
	    hash_bytes(bytes + 128, extended + 64, 0), bytes);
	return parse(bytes, 128 + extended + 64);
}

static void
extensions_are_checked(void)
{
	static const char block[65] = "\1\0\2\0\0\0a";

	CHECK_EQ(with_extension("\1\0\2\0\0\0a\0", 8), OK);
	CHECK_EQ(with_extension("\1\0\4\0\0\0a\0b\0", 10), OK);
	CHECK_EQ(with_extension("\2\0\2\0\0\0a\0\1\x80\0\0\0\0", 14), OK);
	/* Unknown: skipped, or refused if it must be understood. */
	CHECK_EQ(with_extension("\3\0\1\0\0\0x", 7), OK);
	CHECK_EQ(with_extension("\2\x80\1\0\0\0x", 7), STATUS_UNSUPPORTED);
	/* Out of order, twice, too long. */
	CHECK_EQ(with_extension("\2\0\2\0\0\0a\0\1\0\2\0\0\0a\0", 16), STATUS_INVARIANT);
	CHECK_EQ(with_extension("\3\0\0\0\0\0\3\0\0\0\0\0", 12), STATUS_INVARIANT);
	CHECK_EQ(with_extension("\3\0\x3b\0\0\0", 6), STATUS_INVARIANT);
	CHECK_EQ(with_extension("\3\0\xff\xff\xff\xff", 6), STATUS_INVARIANT);
	CHECK_EQ(with_extension("\3\0\x3a\0\0\0", 6), OK);
	/* Ids: none, not ended, empty, not ascending. */
	CHECK_EQ(with_extension("\1\0\0\0\0\0", 6), STATUS_INVARIANT);
	CHECK_EQ(with_extension("\1\0\1\0\0\0a", 7), STATUS_INVARIANT);
	CHECK_EQ(with_extension("\1\0\1\0\0\0\0", 7), STATUS_INVARIANT);
	CHECK_EQ(with_extension("\1\0\4\0\0\0a\0a\0", 10), STATUS_INVARIANT);
	CHECK_EQ(with_extension("\2\0\4\0\0\0b\0a\0", 10), STATUS_INVARIANT);
	/* Rubbish in the padding, or a block of padding too many. */
	CHECK_EQ(with_extension("\3\0\0\0\0\0\0\0\0\1", 10), STATUS_PADDING);
	CHECK_EQ(with_extension(block, 64), OK);
	CHECK_EQ(with_extension(block, 65), STATUS_PADDING);
	CHECK_EQ(with_extension("\0", 1), STATUS_PADDING);
}

static void
damage_in_an_extension_is_called_damage(void)
{
	unsigned char bytes[256];
	struct buffer extension = {0}, out = {0};

	CHECK_EQ(extension_add(&extension, EXTENSION_ALIAS, slice_from("a", 2)), OK);
	CHECK_EQ(record_write(buffer_sink(&out), &example_head,
	    slice_from(extension.at, extension.len), slice_from(example + 128, 8)), OK);
	CHECK_EQ(out.len, sizeof bytes);
	for (size_t i = 8 * 128; i < 8 * sizeof bytes; i++) {
		memcpy(bytes, out.at, sizeof bytes);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		CHECK_EQ(parse(bytes, sizeof bytes), STATUS_PAYLOAD);
	}
	buffer_free(&extension);
	buffer_free(&out);
}

/* The vectors of man/sketch.5. */
static void
hashes_are_those_of_the_manual(void)
{
	static const struct {
		const char *item;
		uint64_t seed, h, s1, s2;
	} row[] = {
		{"", 0, 0x2d06800538d394c2, 0x59b0ed710b28abee, 0x97fcceb23526f9ec},
		{"a", 0, 0xe6c632b61e964e1f, 0xdbac1e875f4d0340, 0x9e8d7fa925e84efa},
		{"abc", 0, 0x78af5f94892f3950, 0x76d0303315c77ef8, 0x4d9eda2fe403062e},
		{"192.0.2.1", 0, 0xd5f33d205a82b1d0, 0xd73fac9d9b12bd59, 0xa25502686cb46f1d},
		{"", 42, 0xb029411ff43d84d2, 0xa0809fc7cd860cca, 0x859a044f6d61378f},
		{"a", 42, 0x4c437dd47f0716f4, 0x0eb449a0e1fbbd1e, 0x3fbbfc5368ecd0db},
		{"abc", 42, 0xd8438def21bbdcc3, 0x6158e02ff9475c27, 0xdda18a4db1e6799a},
		{"192.0.2.1", 42, 0x6db99c0dec03a331, 0xe0dd97f7c6b0a7bc, 0xda59db4fbbab91f6},
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		uint64_t h = hash_bytes(row[i].item, strlen(row[i].item), row[i].seed);
		CHECK_EQ(h, row[i].h);
		CHECK_EQ(hash_step(h, 1), row[i].s1);
		CHECK_EQ(hash_step(h, 2), row[i].s2);
	}
}

static enum status
refuse_after(void *calls, const void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return (*(int *)calls)-- > 0 ? OK : STATUS_SYSTEM;
}

static void
a_failing_sink_is_reported(void)
{
	for (int calls = 0; calls < 3; calls++) {
		int left = calls;
		struct sink sink = {refuse_after, &left};
		CHECK_EQ(record_write(sink, &example_head, (struct slice){0},
		    slice_from(example + 128, 8)), STATUS_SYSTEM);
	}
}

int
main(void)
{
	RUN(written_bytes_are_those_of_the_manual);
	RUN(pieces_are_one_payload);
	RUN(every_field_comes_back);
	RUN(every_truncation_fails);
	RUN(every_flipped_bit_fails);
	RUN(checks_have_an_order);
	RUN(what_is_newer_is_refused);
	RUN(lengths_are_checked);
	RUN(padding_is_zero);
	RUN(extensions_are_checked);
	RUN(damage_in_an_extension_is_called_damage);
	RUN(hashes_are_those_of_the_manual);
	RUN(a_failing_sink_is_reported);
	return check_done();
}
