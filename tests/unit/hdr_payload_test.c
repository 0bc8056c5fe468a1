/* sketchutils: BSD-2-Clause, see LICENSE */

/* Histograms of HdrHistogram made by hand, right and wrong. */
#include "interop/digits.h"
#include "interop/gunzip.h"
#include "interop/hdr_buckets.h"
#include "interop/hdr_payload.h"
#include "interop/hdr_table.h"
#include "interop/hdr_units.h"
#include "check.h"

#define V2 "1c849313"
#define ONE "3ff0000000000000"
/* Offset, digits, lowest 1, highest 1000. */
#define SHAPE "00000000" "00000001" "0000000000000001" "00000000000003e8" ONE

static struct buffer bytes;

static enum status
read_hex(const char *hex, struct hdr **out)
{
	bytes.len = 0;
	CHECK_EQ(hex_decode(slice_of(hex), &bytes), OK);
	return hdr_payload_read((struct slice){bytes.at, bytes.len}, out);
}

/* What came of it, slot by slot: "1:2 2:1". */
static const char *
content(const char *hex)
{
	static char text[400];
	struct hdr *h;
	struct bin bin;
	uint64_t at = 0;

	*text = '\0';
	CHECK_EQ(read_hex(hex, &h), OK);
	while (hdr_each(h, &at, &bin)) {
		size_t n = strlen(text);
		snprintf(text + n, sizeof text - n, "%s%.17g:%llu", n > 0 ? " " : "", bin.low,
		    (unsigned long long)bin.weight);
	}
	hdr_free(h);
	return text;
}

#define HAS(hex, want) CHECK(strcmp(content(hex), want) == 0)

static void
the_example_is_true(void)
{
	struct buffer out = {0};
	struct hdr *h;

	HAS(V2 "00000008" SHAPE "0004020302d10102", "1:2 2:1 5:1 992:1");
	/* One empty slot as 00 or as 01. */
	HAS(V2 "00000008" SHAPE "0104020302d10102", "1:2 2:1 5:1 992:1");
	CHECK_EQ(read_hex(V2 "00000008" SHAPE "0104020302d10102", &h), OK);
	CHECK_EQ(hdr_highest(h), 1000);
	CHECK_EQ(hdr_payload_write_plain(h, &out), OK);
	bytes.len = 0;
	CHECK_EQ(hex_decode(slice_of(V2 "00000008" SHAPE "0004020302d10102"), &bytes), OK);
	CHECK(slice_equal((struct slice){out.at, out.len}, (struct slice){bytes.at, bytes.len}));
	hdr_free(h);
	buffer_free(&out);
}

static void
all_forms_are_read(void)
{
	/* Nothing at all; slot 0; an offset that is to be ignored. */
	HAS(V2 "00000000" SHAPE, "");
	HAS(V2 "00000001" SHAPE "00", "");
	HAS(V2 "00000001" SHAPE "02", "0:1");
	HAS(V2 "00000003" "00002c00" "00000001" "0000000000000001" "00000000000003e8" ONE
	    "030002", "3:1");
	/* Words of 2, 4 and 8 bytes, with and without empty slots at the end. */
	HAS("1c849321" "00000006" SHAPE "000100000003", "0:1 2:3");
	HAS("1c849341" "00000008" SHAPE "0000000000000005", "1:5");
	HAS("1c849381" "00000010" SHAPE "00000000000000070000000000000000", "0:7");
	/* Version 0: a total that nobody believes. */
	HAS("1c849388" "00000001" "0000000000000001" "00000000000003e8" "00000000000000ff"
	    "00000000000000000000000000000009", "1:9");
	HAS("1c849388" "00000001" "0000000000000001" "00000000000003e8" "00000000000000ff", "");
	/* Doubles, not packed: four times the numbers; their range is not looked at. */
	HAS("0c72124e" "00000001" "0000000000000020"
	    V2 "00000003" "00000000" "00000001" "0000000000000001" "00000000000003e8"
	    "4010000000000000" "030202", "8:1 12:1");
	/* A lowest value of 7: units of 4. */
	HAS(V2 "00000003" "00000000" "00000001" "0000000000000007" "00000000000003e8" ONE
	    "000202", "4:1 8:1");
}

static void
counters_have_up_to_nine_bytes(void)
{
	/* 2^62 - 1, 2^62, 2^63 - 1: 9 bytes, the last with its 8 bits. */
	HAS(V2 "00000009" SHAPE "feffffffffffffff7f", "0:4611686018427387903");
	HAS(V2 "00000009" SHAPE "808080808080808080", "0:4611686018427387904");
	HAS(V2 "00000009" SHAPE "feffffffffffffffff", "0:9223372036854775807");
	HAS(V2 "0000000b" SHAPE "fcffffffffffffffff" "0002", "0:9223372036854775806 2:1");
	/* Not the shortest form, which is no harm. */
	HAS(V2 "00000002" SHAPE "8200", "0:1");

	const uint64_t counts[] = {1, 63, 64, 127, 128, 8191, 8192, UINT64_C(1) << 40,
		(UINT64_C(1) << 55) - 1, UINT64_C(1) << 55, (UINT64_C(1) << 62) - 1,
		UINT64_C(1) << 62, INT64_MAX};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct hdr *h, *again;
		struct buffer out = {0};
		double five = 5;
		CHECK_EQ(hdr_new(&h, 3), OK);
		CHECK_EQ(hdr_add(h, &five, &counts[i], 1), OK);
		CHECK_EQ(hdr_payload_write_plain(h, &out), OK);
		CHECK_EQ(hdr_payload_read((struct slice){out.at, out.len}, &again), OK);
		CHECK_EQ(hdr_total(again), counts[i]);
		hdr_free(h);
		hdr_free(again);
		buffer_free(&out);
	}
}

static void
what_is_wrong_is_refused(void)
{
	static const struct {
		const char *hex;
		enum status st;
	} wrong[] = {
		{"", STATUS_FOREIGN},
		{"1c8493", STATUS_FOREIGN},
		{"1c849415" "00000000" SHAPE, STATUS_FOREIGN},
		{"0c72125e" "00000001" "0000000000000020" V2 "00000001" SHAPE "00", STATUS_FOREIGN},
		{"0c72124e" "00000001" "0000000000000020", STATUS_TRUNCATED},
		{"0c72124e" "00000001" "0000000000000020" "0c72124e", STATUS_FOREIGN},
		{V2, STATUS_TRUNCATED},
		{V2 "00000001" SHAPE, STATUS_TRUNCATED},
		{V2 "00000001" SHAPE "0000", STATUS_SIZE},
		{V2 "ffffffff" SHAPE "00", STATUS_SIZE},
		{V2 "00001000" SHAPE "00", STATUS_SIZE},
		/* Digits, lowest, highest, ratio. */
		{V2 "00000001" "00000000" "00000000" "0000000000000001" "00000000000003e8" ONE "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000006" "0000000000000001" "00000000000003e8" ONE "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "80000001" "0000000000000001" "00000000000003e8" ONE "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "0000000000000000" "00000000000003e8" ONE "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "00000000000001f5" "00000000000003e8" ONE "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "0000000000000001" "80000000000003e8" ONE "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "1000000000000000" "7fffffffffffffff" ONE "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "0000000000000001" "00000000000003e8" "0000000000000000" "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "0000000000000001" "00000000000003e8" "bff0000000000000" "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "0000000000000001" "00000000000003e8" "7ff0000000000000" "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "0000000000000001" "00000000000003e8" "3ff8000000000000" "00", STATUS_PARAMETER},
		{V2 "00000001" "00000000" "00000001" "0000000000000001" "00000000000003e8" "7fe0000000000000" "00", STATUS_PARAMETER},
		/* A cut counter, a run or a count past the last slot, of 112. */
		{V2 "00000001" SHAPE "80", STATUS_TRUNCATED},
		{V2 "00000008" SHAPE "8080808080808080", STATUS_TRUNCATED},
		{V2 "00000003" SHAPE "df0102", STATUS_INVARIANT},
		{V2 "00000002" SHAPE "e101", STATUS_INVARIANT},
		{V2 "00000005" SHAPE "ffffffff0f", STATUS_INVARIANT},
		{V2 "00000009" SHAPE "ffffffffffffffffff", STATUS_INVARIANT},
		/* More than 2^63-1 in all. */
		{V2 "0000000a" SHAPE "feffffffffffffffff" "02", STATUS_INVARIANT},
		/* Words. */
		{"1c849301" "00000002" SHAPE "0001", STATUS_PARAMETER},
		{"1c849361" "00000006" SHAPE "000000000001", STATUS_PARAMETER},
		{"1c849321" "00000002" SHAPE "8001", STATUS_INVARIANT},
		{"1c849321" "00000003" SHAPE "000100", STATUS_TRUNCATED},
		{"1c849388" "00000001" "0000000000000001" "00000000000003e8" "0000000000000000" "00", STATUS_TRUNCATED},
		{"1c849388" "00000001" "0000000000000001" "00000000000003e8", STATUS_TRUNCATED},
		/* Packed. */
		{"1c849314" "0000", STATUS_TRUNCATED},
		{"1c849314" "00000002" "78", STATUS_TRUNCATED},
		{"1c849314" "00000001" "78da", STATUS_SIZE},
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct hdr *h;
		enum status st = read_hex(wrong[i].hex, &h);
		CHECK_EQ(st, wrong[i].st);
		if (st != wrong[i].st)
			printf("# %s\n", wrong[i].hex);
	}
	HAS(V2 "00000003" SHAPE "dd0102", "992:1");
	HAS(V2 "00000002" SHAPE "df01", "");
}

/* A million zeros that say they are a histogram, and more than the head says. */
static void
a_bomb_does_not_unpack(void)
{
	struct buffer plain = {0}, packed = {0};
	struct hdr *h;

	CHECK_EQ(hex_decode(slice_of(V2 "00000001" SHAPE "00"), &plain), OK);
	CHECK_EQ(buffer_zeros(&plain, 1000000), OK);
	CHECK_EQ(buffer_append(&packed, "\x1c\x84\x93\x14\0\0\0", 7), OK);
	CHECK_EQ(buffer_zeros(&packed, 1), OK);
	CHECK_EQ(zlib_pack((struct slice){plain.at, plain.len}, &packed), OK);
	packed.at[6] = (unsigned char)((packed.len - 8) >> 8);
	packed.at[7] = (unsigned char)(packed.len - 8);
	CHECK_EQ(hdr_payload_read((struct slice){packed.at, packed.len}, &h), STATUS_SIZE);
	packed.at[20] ^= 0xff;
	CHECK_EQ(hdr_payload_read((struct slice){packed.at, packed.len}, &h), STATUS_GZIP);
	buffer_free(&plain);
	buffer_free(&packed);
}

static void
buckets_divide_all_numbers(void)
{
	static const struct {
		uint64_t lowest, highest;
		unsigned digits;
		uint64_t slots;
	} known[] = {
		{1, 1000, 1, 112}, {1, 3600000000, 1, 464}, {1, 3600000000, 2, 3328},
		{1, 3600000000, 3, 23552}, {1, 3600000000, 4, 311296}, {1, 3600000000, 5, 2097152},
		{1000, 3600000000, 3, 14336}, {1, INT64_MAX, 5, 6160384},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct hdr_buckets b;
		CHECK(hdr_buckets_init(&b, known[i].lowest, known[i].highest, known[i].digits));
		CHECK_EQ(hdr_buckets_slots(&b), known[i].slots);
		uint64_t next = 0;
		for (uint64_t slot = 0; slot < known[i].slots; slot++) {
			uint64_t width = hdr_buckets_width(&b, slot);
			CHECK_EQ(hdr_buckets_least(&b, slot), next);
			CHECK_EQ(hdr_buckets_slot(&b, next), slot);
			CHECK_EQ(hdr_buckets_slot(&b, next + width - 1), slot);
			next += width;
		}
		CHECK_EQ(hdr_buckets_top(&b, known[i].highest), next - 1);
	}
}

/* No histogram that can be made here is too much for what is told of it. */
static void
whatever_it_was_it_can_be_written(void)
{
	static const uint64_t highest[] = {0, 1, 77, 1000, INT64_MAX, UINT64_MAX};
	static const double lowest[] = {0, 2.5, 1000, 0x1p61, 0x1p900};
	static const double most[] = {0, 5, 5000, 0x1p53, 0x1.fffp62};

	for (size_t i = 0; i < 6 * 5 * 5; i++) {
		const double value[] = {0, most[i % 5]};
		struct buffer out = {0};
		struct hdr *h, *again;
		CHECK_EQ(hdr_new(&h, 1 + (unsigned)i % 5), OK);
		CHECK_EQ(hdr_add(h, value, NULL, 2), OK);
		hdr_set_highest(h, highest[i / 25]);
		hdr_set_lowest(h, lowest[i / 5 % 5], false);
		CHECK_EQ(hdr_payload_write_plain(h, &out), OK);
		CHECK_EQ(hdr_payload_read((struct slice){out.at, out.len}, &again), OK);
		CHECK_EQ(hdr_total(again), 2);
		hdr_free(h);
		hdr_free(again);
		buffer_free(&out);
	}
}

static void
units_are_converted(void)
{
	const double seconds[] = {0.123, 0.0000005, 3, 3};
	struct mismatch why;
	struct hdr *h, *whole;
	struct bin bin;
	uint64_t at = 0;

	CHECK_EQ(hdr_new(&h, 3), OK);
	CHECK_EQ(hdr_add(h, seconds, NULL, 4), OK);
	CHECK(!hdr_units_can_be_whole(h, UNIT_NONE, &why) && strstr(why.text, "not whole"));
	CHECK(!hdr_units_can(h, UNIT_MS, &why) && strstr(why.text, "no unit"));
	CHECK(hdr_units_can(h, UNIT_NONE, &why));
	hdr_set_unit(h, UNIT_S);
	CHECK(hdr_units_usual(h) == UNIT_NS);
	CHECK(hdr_units_can_be_whole(h, UNIT_NS, &why));
	CHECK_EQ(hdr_units_whole(h, UNIT_NS, &whole), OK);
	CHECK(hdr_whole(whole) && hdr_unit(whole) == UNIT_NS);
	CHECK(hdr_each(whole, &at, &bin) && bin.low == 500 && bin.weight == 1);
	CHECK(hdr_each(whole, &at, &bin) && bin.low <= 123000000 && 123000000 <= bin.high);
	CHECK(hdr_each(whole, &at, &bin) && bin.low <= 3e9 && 3e9 <= bin.high && bin.weight == 2);
	CHECK(!hdr_each(whole, &at, &bin));
	hdr_free(whole);

	const double large[] = {1e10, -1};
	CHECK_EQ(hdr_add(h, large, NULL, 1), OK);
	CHECK(!hdr_units_can_be_whole(h, UNIT_NS, &why) && strstr(why.text, "above 2^63-1"));
	CHECK(hdr_units_can_be_whole(h, UNIT_US, &why));
	CHECK_EQ(hdr_add(h, large + 1, NULL, 1), OK);
	CHECK(!hdr_units_can(h, UNIT_US, &why) && strstr(why.text, "below 0"));
	hdr_free(h);

	const uint64_t many = UINT64_C(1) << 63;
	CHECK_EQ(hdr_new(&h, 3), OK);
	CHECK_EQ(hdr_add(h, seconds + 2, &many, 1), OK);
	CHECK(!hdr_units_can(h, UNIT_NONE, &why) && strstr(why.text, "samples"));
	hdr_free(h);
}

/* Where the last steps to 100 % are smaller than a double can tell. */
static void
tables_come_to_an_end(void)
{
	const struct slice last = slice_of("         2.0 1.000000000000 9223372036854775807\n");
	struct buffer out = {0};
	struct hdr *h;

	CHECK_EQ(read_hex(V2 "0000000b" SHAPE "fcffffffffffffffff" "0002", &h), OK);
	CHECK_EQ(hdr_table_write(h, UNIT_NONE, false, &out), OK);
	CHECK(out.len < 100000 && memmem(out.at, out.len, last.at, last.len));
	buffer_free(&out);
	hdr_free(h);
}

int
main(void)
{
	RUN(the_example_is_true);
	RUN(all_forms_are_read);
	RUN(counters_have_up_to_nine_bytes);
	RUN(what_is_wrong_is_refused);
	if (gunzip_can())
		RUN(a_bomb_does_not_unpack);
	RUN(buckets_divide_all_numbers);
	RUN(whatever_it_was_it_can_be_written);
	RUN(units_are_converted);
	RUN(tables_come_to_an_end);
	buffer_free(&bytes);
	return check_done();
}
