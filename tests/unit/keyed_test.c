/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/hash.h"
#include "base/keyed.h"
#include "check.h"

static struct slice
slice_from(const void *p, size_t n)
{
	return (struct slice){p, n};
}

static struct slice
slice_in(const struct buffer *b)
{
	return (struct slice){b->at, b->len};
}

static const struct record empty = {
	.kind = KIND_HLL, .version = 1, .hash = HASH_XXH3, .param = {14},
};

/* A sketch's header with so many items, whose parameter 1 may differ. */
static struct record
head_of(uint64_t items, uint64_t param)
{
	struct record head = empty;

	head.items = items;
	head.param[1] = param;
	return head;
}

/* The second example of man/sketch.5. */
static const unsigned char example[256] = {
	0x8a, 0x73, 0x6b, 0x63, 0x68, 0x0d, 0x0a, 0x1a, 0x01, 0x00, 0x08, 0x00, 0x01,
	[0x0f] = 0x01, 0x01,
	[0x20] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0e,
	[0x70] = 0xc2, 0x94, 0xd3, 0x38, 0x05, 0x80, 0x06, 0x2d,
	0x17, 0x82, 0xd1, 0xbd, 0x2f, 0x43, 0x11, 0x43,
	[0x80] = 0xf8, 0x3f, 0xff, 0x97, 0x81, 0xfa, 0x06, 0x5a, 0x16,
	[0x90] = 0x01, 0x04, 0x01, 0x00, 0x78, 0x81, 0x32, 0xc6, 0xe6,
	0x01, 0x08, 0x03, 0x00, 0x79, 0x82, 0x5f, 0xaf, 0x78, 0x81, 0x32, 0xc6, 0xe6,
	[0xc0] = 0x70, 0x6c, 0x32, 0x1c, 0xc6, 0xe3, 0x2f, 0xe9,
	[0xd0] = 0x04, [0xd8] = 0x02,
	[0xe0] = 0xd4, 0x7d, 0xb6, 0x61, 0xff, 0xfa, 0x15, 0xed,
};

/* Read a file that is one keyed record; the status it ends with. */
static enum status
drain(struct slice file, enum status (*check)(const struct record *),
    struct keyed_totals *totals)
{
	struct buffer extension = {0}, payload = {0};
	struct record_reader r;
	struct keyed_reader k;
	struct record head;
	struct slice key, body;

	record_reader_memory(&r, file);
	r.check = check;
	enum status st = record_reader_next(&r, &head, &extension, &payload);
	if (st == OK && head.flags & FLAG_KEYED) {
		keyed_reader_begin(&k, &r, &head);
		while ((st = keyed_reader_next(&k, &key, &head, &body)) == OK) {
			CHECK_EQ(body.len, head.size);
			CHECK((head.flags & FLAG_KEYED) == 0);
			CHECK(key.at >= k.chunk.at && body.at + body.len <= k.chunk.at + k.chunk.len);
		}
		if (totals)
			*totals = k.totals;
		if (st == STATUS_END) {
			CHECK_EQ(keyed_reader_next(&k, &key, &head, &body), STATUS_END);
			st = record_reader_next(&r, &head, &extension, &payload);
			if (st == STATUS_END)
				CHECK_EQ(r.position, file.len);
		} else {
			CHECK_EQ(record_reader_next(&r, &head, &extension, &payload), st);
		}
		keyed_reader_free(&k);
	}
	record_reader_close(&r);
	buffer_free(&extension);
	buffer_free(&payload);
	return st;
}

static void
written_bytes_are_those_of_the_manual(void)
{
	struct buffer out = {0};
	struct keyed_writer w;
	struct record a = head_of(1, 0), b = head_of(3, 0);

	CHECK_EQ(keyed_writer_begin(&w, buffer_sink(&out), &empty, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("x"), &a, slice_from(example + 0x95, 4)), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("y"), &b, slice_from(example + 0x9e, 8)), OK);
	CHECK_EQ(keyed_writer_end(&w), OK);
	keyed_writer_free(&w);
	CHECK_EQ(out.len, sizeof example);
	CHECK(memcmp(out.at, example, sizeof example) == 0);
	CHECK_EQ(drain(slice_in(&out), NULL, NULL), STATUS_END);
	buffer_free(&out);
}

static void
no_keys_are_a_record_too(void)
{
	struct buffer out = {0};
	struct keyed_writer w;
	struct keyed_totals totals;

	CHECK_EQ(keyed_writer_begin(&w, buffer_sink(&out), &empty, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_end(&w), OK);
	keyed_writer_free(&w);
	CHECK_EQ(out.len, 128 + 64);
	CHECK_EQ(drain(slice_in(&out), NULL, &totals), STATUS_END);
	CHECK_EQ(totals.keys, 0);
	buffer_free(&out);
}

/* Key i of many: ascending, the first one empty. */
static size_t
make_key(char out[32], unsigned i)
{
	return i == 0 ? 0 : (size_t)snprintf(out, 32, "key %08u", i);
}

/* Payloads of many sizes; two are larger than a chunk. */
static size_t
size_of(unsigned i)
{
	return i == 500 ? 300000 : i == 501 ? 65536 : i % 97 == 0 ? 12288 : i % 50;
}

static struct record
varied_head(unsigned i)
{
	struct record head = head_of(i * UINT64_C(1000003), i % 97 == 0);

	head.param[7] = i % 3 == 0 ? UINT64_MAX : i % 3;
	if (i % 5 == 0)
		head.flags |= FLAG_SATURATED;
	return head;
}

#define MANY 3000

static void
write_many(struct buffer *out)
{
	static unsigned char body[300000];
	struct keyed_writer w;
	char key[32];

	CHECK_EQ(keyed_writer_begin(&w, buffer_sink(out), &empty, (struct slice){0}), OK);
	for (unsigned i = 0; i < MANY; i++) {
		struct record head = varied_head(i);
		memset(body, (int)(i & 255), size_of(i));
		CHECK_EQ(keyed_writer_add(&w, slice_from(key, make_key(key, i)), &head,
		    slice_from(body, size_of(i))), OK);
	}
	CHECK_EQ(keyed_writer_end(&w), OK);
	CHECK_EQ(out->len % 64, 0);
	keyed_writer_free(&w);
}

static void
many_keys_come_back(void)
{
	struct buffer out = {0}, extension = {0}, payload = {0};
	struct record_reader r;
	struct keyed_reader k;
	struct record head;
	struct slice key, body;
	char want[32];

	write_many(&out);
	record_reader_memory(&r, slice_in(&out));
	CHECK_EQ(record_reader_next(&r, &head, &extension, &payload), OK);
	keyed_reader_begin(&k, &r, &head);
	for (unsigned i = 0; i < MANY; i++) {
		struct record expected = varied_head(i);

		CHECK_EQ(keyed_reader_next(&k, &key, &head, &body), OK);
		CHECK(slice_equal(key, slice_from(want, make_key(want, i))));
		CHECK_EQ(body.len, size_of(i));
		CHECK(body.len == 0 || (body.at[0] == (i & 255) && body.at[body.len - 1] == (i & 255)));
		CHECK_EQ(head.items, expected.items);
		CHECK_EQ(head.flags, expected.flags);
		CHECK_EQ(head.size, body.len);
		CHECK(memcmp(head.param, expected.param, sizeof head.param) == 0);
	}
	CHECK_EQ(keyed_reader_next(&k, &key, &head, &body), STATUS_END);
	CHECK_EQ(k.totals.keys, MANY);
	/* One chunk in memory: 64 KiB and its last entry, at most doubled. */
	CHECK(k.chunk.room <= 2 * (300000 + 65536 + 64));
	keyed_reader_free(&k);
	record_reader_close(&r);
	buffer_free(&out);
	buffer_free(&extension);
	buffer_free(&payload);
}

static void
items_saturate(void)
{
	struct buffer out = {0};
	struct keyed_writer w;
	struct keyed_totals totals;
	struct record a = head_of(UINT64_MAX - 1, 0), b = head_of(5, 0);

	CHECK_EQ(keyed_writer_begin(&w, buffer_sink(&out), &empty, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("a"), &a, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("b"), &b, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_end(&w), OK);
	keyed_writer_free(&w);
	CHECK_EQ(drain(slice_in(&out), NULL, &totals), STATUS_END);
	CHECK_EQ(totals.items, UINT64_MAX);
	buffer_free(&out);
}

static void
the_writer_wants_order(void)
{
	struct buffer out = {0};
	struct keyed_writer w;
	struct record head = head_of(1, 0);

	CHECK_EQ(keyed_writer_begin(&w, buffer_sink(&out), &empty, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("b"), &head, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("b"), &head, (struct slice){0}), STATUS_INVARIANT);
	CHECK_EQ(keyed_writer_add(&w, slice_of("a"), &head, (struct slice){0}), STATUS_INVARIANT);
	CHECK_EQ(keyed_writer_add(&w, slice_of(""), &head, (struct slice){0}), STATUS_INVARIANT);
	CHECK_EQ(keyed_writer_add(&w, slice_of("ba"), &head, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("b\xff"), &head, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_end(&w), OK);
	keyed_writer_free(&w);
	CHECK_EQ(drain(slice_in(&out), NULL, NULL), STATUS_END);
	buffer_free(&out);
}

static void
every_truncation_and_flip_fails(void)
{
	unsigned char bytes[sizeof example];

	for (size_t n = 0; n < sizeof example; n++)
		CHECK_EQ(drain(slice_from(example, n), NULL, NULL),
		    n == 0 ? STATUS_EMPTY : STATUS_TRUNCATED);
	for (size_t i = 0; i < 8 * sizeof example; i++) {
		memcpy(bytes, example, sizeof bytes);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		enum status st = drain(slice_from(bytes, sizeof bytes), NULL, NULL);
		CHECK(st != OK && st != STATUS_END && st != STATUS_MEMORY);
	}
	CHECK_EQ(drain(slice_from(example, sizeof example), NULL, NULL), STATUS_END);
}

/* A keyed record around one or two chunks of entries given byte by byte, all
 * checksums right. */
static void
add_chunk(struct buffer *out, struct slice entries, struct buffer *sums)
{
	size_t at = out->len, len = record_padded(16 + entries.len);

	CHECK_EQ(buffer_zeros(out, len), OK);
	put_le64(out->at + at + 8, entries.len);
	memcpy(out->at + at + 16, entries.at, entries.len);
	put_le64(out->at + at, hash_bytes(out->at + at + 8, len - 8, 0));
	CHECK_EQ(buffer_append(sums, out->at + at, 8), OK);
}

static enum status
forged(struct slice first, struct slice second, uint64_t items, uint64_t keys)
{
	struct buffer out = {0}, sums = {0};
	struct record head = empty;

	head.flags = FLAG_KEYED | FLAG_AUTO;
	head.size = head.items = RECORD_CHUNKED;
	CHECK_EQ(record_write(buffer_sink(&out), &head, (struct slice){0}, (struct slice){0}), OK);
	add_chunk(&out, first, &sums);
	if (second.len > 0)
		add_chunk(&out, second, &sums);
	size_t at = out.len;
	CHECK_EQ(buffer_zeros(&out, 64), OK);
	put_le64(out.at + at + 16, items);
	put_le64(out.at + at + 24, keys);
	put_le64(out.at + at + 32, hash_bytes(sums.at, sums.len, 0));
	put_le64(out.at + at, hash_bytes(out.at + at + 8, 56, 0));
	enum status st = drain(slice_in(&out), NULL, NULL);
	buffer_free(&out);
	buffer_free(&sums);
	return st;
}

/* One chunk given as a literal, with one key and seven items. */
#define FORGED(text) forged(slice_from(text, sizeof text - 1), (struct slice){0}, 7, 1)

static void
other_forms_are_refused(void)
{
	const struct slice none = {0};

	CHECK_EQ(FORGED("\1\2\7\0kab"), STATUS_END);
	CHECK_EQ(FORGED("\0\0\7\0"), STATUS_END);
	/* Cut entries, and lengths past the chunk. */
	CHECK_EQ(FORGED("\1\2\7\0ka"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1\2\7\0kabc"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1\2\7"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0\7\0"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\7\0k"), STATUS_INVARIANT);
	/* Numbers that are longer than need be, or larger than a u64. */
	CHECK_EQ(FORGED("\x81\0\2\7\0kab"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1\2\x87\x80\0\0kab"), STATUS_INVARIANT);
	CHECK_EQ(forged(slice_from("\1\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0kab", 16), none,
	    UINT64_MAX, 1), STATUS_END);
	CHECK_EQ(forged(slice_from("\1\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\3\0kab", 16), none,
	    UINT64_MAX, 1), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1\2\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1\0kab"), STATUS_INVARIANT);
	/* Variation: parameter 1, flag SATURATED, both; the header's own value,
	 * the header's own flag, too many bits. */
	CHECK_EQ(FORGED("\1\2\7\2\1kab"), STATUS_END);
	CHECK_EQ(FORGED("\1\2\7\x80\2kab"), STATUS_END);
	CHECK_EQ(FORGED("\1\2\7\x82\2\1kab"), STATUS_END);
	CHECK_EQ(FORGED("\1\2\7\2\0kab"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1\2\7\1\x0ekab"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1\2\7\x80\4kab"), STATUS_INVARIANT);
	CHECK_EQ(FORGED("\1\2\7\x80\x80\4kab"), STATUS_INVARIANT);
	/* Keys that do not ascend, within a chunk. */
	CHECK_EQ(forged(slice_from("\1\0\3\0a\1\0\4\0b", 10), none, 7, 2), STATUS_END);
	CHECK_EQ(forged(slice_from("\1\0\3\0b\1\0\4\0b", 10), none, 7, 2), STATUS_INVARIANT);
	CHECK_EQ(forged(slice_from("\1\0\3\0b\1\0\4\0a", 10), none, 7, 2), STATUS_INVARIANT);
	CHECK_EQ(forged(slice_from("\0\0\3\0\0\0\4\0", 8), none, 7, 2), STATUS_INVARIANT);
	/* Totals that are not the sums. */
	CHECK_EQ(forged(slice_from("\1\2\7\0kab", 7), none, 8, 1), STATUS_INVARIANT);
	CHECK_EQ(forged(slice_from("\1\2\7\0kab", 7), none, 7, 2), STATUS_INVARIANT);
}

/* An entry "c" whose payload fills its chunk to exactly n bytes of entries. */
static struct slice
filled(struct buffer *b, size_t n)
{
	static const char head[] = "\1\xff\xff\3\7\0c";

	b->len = 0;
	CHECK_EQ(buffer_append(b, head, 7), OK);
	CHECK_EQ(buffer_zeros(b, n - 7), OK);
	size_t body = n - 7;
	b->at[1] = (unsigned char)((body & 127) | 128);
	b->at[2] = (unsigned char)((body >> 7 & 127) | 128);
	b->at[3] = (unsigned char)(body >> 14);
	return slice_in(b);
}

static void
chunks_close_where_the_content_says(void)
{
	struct buffer b = {0};
	const struct slice none = {0};
	struct slice next = slice_from("\1\0\3\0d", 5), back = slice_from("\1\0\3\0a", 5);

	CHECK_EQ(forged(filled(&b, 65536), next, 10, 2), STATUS_END);
	CHECK_EQ(forged(filled(&b, 65536), back, 10, 2), STATUS_INVARIANT);
	/* Closed one byte too early, and not closed at all. */
	CHECK_EQ(forged(filled(&b, 65535), next, 10, 2), STATUS_INVARIANT);
	filled(&b, 65536);
	CHECK_EQ(buffer_append(&b, next.at, next.len), OK);
	CHECK_EQ(forged(slice_in(&b), none, 10, 2), STATUS_INVARIANT);
	filled(&b, 65535);
	CHECK_EQ(buffer_append(&b, next.at, next.len), OK);
	CHECK_EQ(forged(slice_in(&b), none, 10, 2), STATUS_END);
	buffer_free(&b);
}

/* An entry of so many bytes, and a small one: the first chunk's bytes of entries. */
static uint64_t
first_chunk(size_t entry)
{
	struct buffer out = {0}, payload = {0};
	struct keyed_writer w;
	struct record head = head_of(7, 0);

	CHECK_EQ(buffer_zeros(&payload, entry - 7), OK);
	CHECK_EQ(keyed_writer_begin(&w, buffer_sink(&out), &empty, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("c"), &head, slice_in(&payload)), OK);
	CHECK_EQ(keyed_writer_add(&w, slice_of("d"), &head, (struct slice){0}), OK);
	CHECK_EQ(keyed_writer_end(&w), OK);
	uint64_t entries = get_le64(out.at + RECORD_HEADER + 8);
	CHECK_EQ(drain(slice_in(&out), NULL, NULL), STATUS_END);
	keyed_writer_free(&w);
	buffer_free(&payload);
	buffer_free(&out);
	return entries;
}

static void
the_writer_closes_chunks_there_too(void)
{
	CHECK_EQ(first_chunk(65535), 65535 + 5);
	CHECK_EQ(first_chunk(65536), 65536);
	CHECK_EQ(first_chunk(65537), 65537);
}

/* Whole by themselves, and yet not those that were written together. */
static void
the_totals_know_their_chunks(void)
{
	unsigned char bytes[sizeof example];

	memcpy(bytes, example, sizeof bytes);
	bytes[0xe0] ^= 1;
	put_le64(bytes + 0xc0, hash_bytes(bytes + 0xc8, 56, 0));
	CHECK_EQ(drain(slice_from(bytes, sizeof bytes), NULL, NULL), STATUS_PAYLOAD);
}

static void
padding_is_zero(void)
{
	unsigned char bytes[sizeof example];

	for (size_t i = 0xa6; i < sizeof bytes; i = i == 0xbf ? 0xe8 : i + 1) {
		memcpy(bytes, example, sizeof bytes);
		bytes[i] = 1;
		put_le64(bytes + 0x80, hash_bytes(bytes + 0x88, 56, 0));
		put_le64(bytes + 0xe0, hash_bytes(bytes + 0x80, 8, 0));
		put_le64(bytes + 0xc0, hash_bytes(bytes + 0xc8, 56, 0));
		CHECK_EQ(drain(slice_from(bytes, sizeof bytes), NULL, NULL), STATUS_PADDING);
	}
}

static enum status
precision_in_range(const struct record *head)
{
	if (head->param[0] != 14 || head->param[1] > 1 || head->flags & FLAG_KEYED)
		return STATUS_PARAMETER;
	return head->size == 4 || head->size == 8 ? OK : STATUS_SIZE;
}

static void
header_and_entries_are_checked(void)
{
	struct buffer out = {0};
	struct keyed_writer w;
	struct record good = head_of(1, 1), bad = head_of(1, 2);

	CHECK_EQ(drain(slice_from(example, sizeof example), precision_in_range, NULL), STATUS_END);
	for (int i = 0; i < 4; i++) {
		struct record base = empty;
		base.param[0] = i == 3 ? 15 : 14;
		out.len = 0;
		CHECK_EQ(keyed_writer_begin(&w, buffer_sink(&out), &base, (struct slice){0}), OK);
		CHECK_EQ(keyed_writer_add(&w, slice_of("a"), i == 1 ? &bad : &good,
		    slice_from("abcde", i == 2 ? 5 : 4)), OK);
		CHECK_EQ(keyed_writer_end(&w), OK);
		keyed_writer_free(&w);
		CHECK_EQ(drain(slice_in(&out), precision_in_range, NULL),
		    i == 0 ? STATUS_END : i == 2 ? STATUS_SIZE : STATUS_PARAMETER);
	}
	buffer_free(&out);
}

static void
a_chunk_that_claims_a_terabyte_costs_nothing(void)
{
	unsigned char bytes[144];
	struct buffer extension = {0}, payload = {0};
	struct record_reader r;
	struct keyed_reader k;
	struct record head;
	struct slice key, body;

	memcpy(bytes, example, sizeof bytes);
	for (unsigned shift = 20; shift < 64; shift++) {
		put_le64(bytes + 136, UINT64_C(1) << shift);
		record_reader_memory(&r, slice_from(bytes, sizeof bytes));
		CHECK_EQ(record_reader_next(&r, &head, &extension, &payload), OK);
		keyed_reader_begin(&k, &r, &head);
		CHECK_EQ(keyed_reader_next(&k, &key, &head, &body),
		    shift >= 62 ? STATUS_SIZE : STATUS_TRUNCATED);
		CHECK(k.chunk.room <= 2 * 65536);
		keyed_reader_free(&k);
		record_reader_close(&r);
	}
	buffer_free(&extension);
	buffer_free(&payload);
}

static void
a_key_that_no_line_can_hold_is_refused(void)
{
	struct buffer out = {0}, key = {0};
	struct record head = head_of(1, 0);

	CHECK_EQ(buffer_zeros(&key, READER_KEY_MAX), OK);
	CHECK_EQ(keyed_line_write(buffer_sink(&out), slice_in(&key), &head,
	    (struct slice){0}, (struct slice){0}, '\n'), STATUS_PARAMETER);
	CHECK_EQ(out.len, 0);
	/* The longest one that a line does hold. */
	key.len--;
	CHECK_EQ(keyed_line_write(buffer_sink(&out), slice_in(&key), &head,
	    (struct slice){0}, (struct slice){0}, '\n'), OK);
	CHECK_EQ(drain(slice_in(&out), NULL, NULL), OK);
	buffer_free(&out);
	buffer_free(&key);
}

int
main(void)
{
	RUN(written_bytes_are_those_of_the_manual);
	RUN(no_keys_are_a_record_too);
	RUN(many_keys_come_back);
	RUN(items_saturate);
	RUN(the_writer_wants_order);
	RUN(every_truncation_and_flip_fails);
	RUN(other_forms_are_refused);
	RUN(chunks_close_where_the_content_says);
	RUN(the_writer_closes_chunks_there_too);
	RUN(the_totals_know_their_chunks);
	RUN(padding_is_zero);
	RUN(header_and_entries_are_checked);
	RUN(a_chunk_that_claims_a_terabyte_costs_nothing);
	RUN(a_key_that_no_line_can_hold_is_refused);
	return check_done();
}
