/* sketchutils: BSD-2-Clause, see LICENSE */
#include <float.h>
#include <math.h>

#include "base/num.h"
#include "check.h"

#define UNTOUCHED UINT64_C(0xdeadbeef)

struct row {
	const char *text;
	enum num result;
	uint64_t value;
};

typedef enum num reader(const char *, uint64_t, uint64_t, uint64_t *);

static void
check_rows(reader *read, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t got = UNTOUCHED;
		enum num result = read(rows[i].text, 0, UINT64_MAX, &got);
		uint64_t want = rows[i].result == NUM_OK ? rows[i].value : UNTOUCHED;
		if (result != rows[i].result || got != want)
			printf("# '%s'\n", rows[i].text);
		CHECK_EQ(result, rows[i].result);
		CHECK_EQ(got, want);
	}
}

#define ROWS(rows) (rows), sizeof (rows) / sizeof *(rows)

static void
counts_are_decimal_and_come_out_whole(void)
{
	static const struct row rows[] = {
		{"0", NUM_OK, 0}, {"1", NUM_OK, 1}, {"007", NUM_OK, 7},
		{"10k", NUM_OK, 10000}, {"10K", NUM_OK, 10000}, {"1M", NUM_OK, 1000000},
		{"2G", NUM_OK, UINT64_C(2000000000)}, {"3T", NUM_OK, UINT64_C(3000000000000)},
		{"4P", NUM_OK, UINT64_C(4000000000000000)}, {"1e9", NUM_OK, 1000000000},
		{"1E3", NUM_OK, 1000}, {"1e+3", NUM_OK, 1000}, {"1500e-2", NUM_OK, 15},
		{"2.5M", NUM_OK, 2500000}, {".5k", NUM_OK, 500}, {"1.50e1", NUM_OK, 15},
		{"1.0", NUM_OK, 1}, {"0.000", NUM_OK, 0}, {"0e999999999999", NUM_OK, 0},
		{"1e3k", NUM_OK, 1000000}, {"0.001k", NUM_OK, 1},
		{"18446744073709551615", NUM_OK, UINT64_MAX},
		{"18446744073709551.615k", NUM_OK, UINT64_MAX},
		{"0.00000000000000000000000000001e29", NUM_OK, 1},
		{"100000000000000000000000000000000e-32", NUM_OK, 1},
		{"18446744073709551616", NUM_RANGE, 0}, {"1e20", NUM_RANGE, 0},
		{"99999999999999999999", NUM_RANGE, 0}, {"1e99999999999999999999", NUM_RANGE, 0},
		{"18446744073709551616k", NUM_RANGE, 0}, {"20000P", NUM_RANGE, 0},
		{"1.5", NUM_JUNK, 0}, {"0.0001k", NUM_JUNK, 0}, {"1e-1", NUM_JUNK, 0},
		{"99999999999999999999.5", NUM_JUNK, 0}, {"1e-99999999999999999999", NUM_JUNK, 0},
		{"", NUM_JUNK, 0}, {" 1", NUM_JUNK, 0}, {"1 ", NUM_JUNK, 0}, {"+1", NUM_JUNK, 0},
		{"-1", NUM_JUNK, 0}, {"-0", NUM_JUNK, 0}, {"0x10", NUM_JUNK, 0}, {"1kk", NUM_JUNK, 0},
		{"1m", NUM_JUNK, 0}, {"1Ki", NUM_JUNK, 0}, {"1KB", NUM_JUNK, 0}, {"k", NUM_JUNK, 0},
		{".", NUM_JUNK, 0}, {"1.", NUM_JUNK, 0}, {"1.k", NUM_JUNK, 0}, {".e1", NUM_JUNK, 0},
		{"1e", NUM_JUNK, 0}, {"1e+", NUM_JUNK, 0}, {"1ek", NUM_JUNK, 0}, {"e9", NUM_JUNK, 0},
		{"nan", NUM_JUNK, 0}, {"inf", NUM_JUNK, 0}, {"1,5", NUM_JUNK, 0}, {"1.2.3", NUM_JUNK, 0},
		{"1e1.5", NUM_JUNK, 0}, {"1_000", NUM_JUNK, 0}, {"1%", NUM_JUNK, 0}, {"1\n", NUM_JUNK, 0},
	};
	check_rows(num_count, ROWS(rows));
}

static void
sizes_are_what_coreutils_reads(void)
{
	static const struct row rows[] = {
		{"0", NUM_OK, 0}, {"4096", NUM_OK, 4096}, {"12B", NUM_OK, 12},
		{"1K", NUM_OK, 1024}, {"1k", NUM_OK, 1024}, {"1KiB", NUM_OK, 1024},
		{"1KB", NUM_OK, 1000}, {"64M", NUM_OK, 67108864}, {"64MB", NUM_OK, 64000000},
		{"1G", NUM_OK, 1073741824}, {"1T", NUM_OK, UINT64_C(1) << 40},
		{"1P", NUM_OK, UINT64_C(1) << 50}, {"1.5G", NUM_OK, 1610612736},
		{"0.5K", NUM_OK, 512}, {"0.0009765625K", NUM_OK, 1}, {"1e6", NUM_OK, 1000000},
		{"1e2K", NUM_OK, 102400}, {"16383P", NUM_OK, UINT64_C(16383) << 50},
		{"16384P", NUM_RANGE, 0}, {"18446744073709551616", NUM_RANGE, 0},
		{"0.3K", NUM_JUNK, 0}, {"0.00048828125K", NUM_JUNK, 0}, {"1.5", NUM_JUNK, 0},
		{"1iB", NUM_JUNK, 0}, {"1Ki", NUM_JUNK, 0}, {"1KBB", NUM_JUNK, 0}, {"1b", NUM_JUNK, 0},
		{"B", NUM_JUNK, 0}, {"", NUM_JUNK, 0}, {"-1K", NUM_JUNK, 0}, {"1 K", NUM_JUNK, 0},
		{"1BK", NUM_JUNK, 0}, {"0x1K", NUM_JUNK, 0},
	};
	check_rows(num_size, ROWS(rows));
}

static void
durations_need_a_unit(void)
{
	static const struct row rows[] = {
		{"0s", NUM_OK, 0}, {"1ms", NUM_OK, 1000}, {"250ms", NUM_OK, 250000},
		{"90s", NUM_OK, 90000000}, {"5m", NUM_OK, UINT64_C(300000000)},
		{"12h", NUM_OK, UINT64_C(43200000000)}, {"7d", NUM_OK, UINT64_C(604800000000)},
		{"1.5h", NUM_OK, UINT64_C(5400000000)}, {".25s", NUM_OK, 250000},
		{"0.001s", NUM_OK, 1000}, {"1e3s", NUM_OK, 1000000000},
		{"0.00001d", NUM_OK, 864000}, {"100000000000000000000e-20m", NUM_OK, 60000000},
		{"18446744073709551ms", NUM_OK, UINT64_C(18446744073709551000)},
		{"18446744073709552ms", NUM_RANGE, 0}, {"213503983d", NUM_RANGE, 0},
		{"213503982d", NUM_OK, UINT64_C(213503982) * 86400 * 1000000},
		{"1e99s", NUM_RANGE, 0}, {"99999999999999999999d", NUM_RANGE, 0},
		{"300000000000000000d", NUM_RANGE, 0},
		{"0.5ms", NUM_JUNK, 0}, {"0.0001s", NUM_JUNK, 0}, {"1us", NUM_JUNK, 0},
		{"90", NUM_JUNK, 0}, {"0", NUM_JUNK, 0}, {"", NUM_JUNK, 0}, {"s", NUM_JUNK, 0},
		{"1 s", NUM_JUNK, 0}, {" 1s", NUM_JUNK, 0}, {"1s ", NUM_JUNK, 0}, {"1M", NUM_JUNK, 0},
		{"1S", NUM_JUNK, 0}, {"1mss", NUM_JUNK, 0}, {"1sec", NUM_JUNK, 0}, {"1w", NUM_JUNK, 0},
		{"1h30m", NUM_JUNK, 0}, {"+1s", NUM_JUNK, 0}, {"-1s", NUM_JUNK, 0}, {"1.s", NUM_JUNK, 0},
		{"infs", NUM_JUNK, 0}, {"0x1s", NUM_JUNK, 0}, {"1:30", NUM_JUNK, 0}, {"1,5h", NUM_JUNK, 0},
	};
	check_rows(num_duration, ROWS(rows));
}

static void
spans_read_back(void)
{
	static const struct { uint64_t value; const char *text; } rows[] = {
		{0, "0ms"}, {1000, "1ms"}, {1500000, "1500ms"}, {90000000, "90s"},
		{UINT64_C(3600000000), "1h"}, {UINT64_C(172800000000), "2d"},
		{UINT64_C(5400000000), "90m"}, {UINT64_C(18446744073709551000), "18446744073709551ms"},
	};
	char out[NUM_REAL_SIZE];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t back = UNTOUCHED;
		CHECK(strcmp(num_span(out, rows[i].value), rows[i].text) == 0);
		CHECK_EQ(num_duration(out, 0, UINT64_MAX, &back), NUM_OK);
		CHECK_EQ(back, rows[i].value);
	}
}

static void
bounds_are_inclusive(void)
{
	uint64_t v = UNTOUCHED;
	double share = -1;

	CHECK_EQ(num_duration("1s", 1000000, 60000000, &v), NUM_OK);
	CHECK_EQ(num_duration("1m", 1000000, 60000000, &v), NUM_OK);
	CHECK_EQ(num_duration("999ms", 1000000, 60000000, &v), NUM_RANGE);
	CHECK_EQ(num_duration("61s", 1000000, 60000000, &v), NUM_RANGE);
	CHECK_EQ(v, 60000000);
	CHECK_EQ(num_count("4", 4, 18, &v), NUM_OK);
	CHECK_EQ(num_count("18", 4, 18, &v), NUM_OK);
	CHECK_EQ(num_count("3", 4, 18, &v), NUM_RANGE);
	CHECK_EQ(num_count("19", 4, 18, &v), NUM_RANGE);
	CHECK_EQ(num_size("2K", 0, 2047, &v), NUM_RANGE);
	CHECK_EQ(v, 18);
	CHECK_EQ(num_share("50%", 1e-9, 0.5, &share), NUM_OK);
	CHECK_EQ(num_share("1e-9", 1e-9, 0.5, &share), NUM_OK);
	CHECK_EQ(num_share("0.51", 1e-9, 0.5, &share), NUM_RANGE);
	CHECK_EQ(num_share("0", 1e-9, 0.5, &share), NUM_RANGE);
	CHECK(share == 1e-9);
}

static void
a_percent_is_the_same_double_as_its_share(void)
{
	static const struct { const char *text; double value; } rows[] = {
		{"0.01", 0.01}, {"1%", 0.01}, {"1e-4", 1e-4}, {"0.01%", 1e-4}, {".5", 0.5},
		{"7%", 0.07}, {"29%", 0.29}, {"57%", 0.57}, {"58%", 0.58}, {"1.1%", 0.011},
		{"99.9%", 0.999}, {"0.1e1%", 0.01}, {"100%", 1.0}, {"1", 1.0}, {"0", 0.0},
		{"0.3e-2", 0.003}, {"0.30000000000000000000000000000001", 0.3},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double got = -1;
		CHECK_EQ(num_share(rows[i].text, 0, 1, &got), NUM_OK);
		CHECK(got == rows[i].value);
	}
	for (int i = 0; i <= 10000; i++) {
		char percent[32], share[32];
		double a = -1, b = -2;
		snprintf(percent, sizeof percent, "%d.%02d%%", i / 100, i % 100);
		snprintf(share, sizeof share, "%d.%04d", i / 10000, i % 10000);
		CHECK_EQ(num_share(percent, 0, 1, &a), NUM_OK);
		CHECK_EQ(num_share(share, 0, 1, &b), NUM_OK);
		CHECK(a == b);
	}
}

static void
shares_are_only_plain_decimals(void)
{
	static const char *const junk[] = {"", "%", "+1", "-1", "-0", " 1", "1 ", "1 %",
		"1%%", "%1", "0x1p-4", "inf", "nan", "INF", "1e", "1.", ".", "1e%", "0,5",
		"1k", "0.1f", "1\t"};
	char many[400];
	double v = -1;

	for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
		if (num_share(junk[i], 0, DBL_MAX, &v) != NUM_JUNK)
			printf("# '%s'\n", junk[i]);
		CHECK_EQ(num_share(junk[i], 0, DBL_MAX, &v), NUM_JUNK);
	}
	/* Neither infinity nor a zero that was none comes out of an exponent. */
	CHECK_EQ(num_share("1e400", 0, DBL_MAX, &v), NUM_RANGE);
	CHECK_EQ(num_share("1e-400", 0, 1, &v), NUM_RANGE);
	CHECK_EQ(num_share("1e-99999999999999999999", 0, 1, &v), NUM_RANGE);
	memset(many, '9', sizeof many - 1);
	many[sizeof many - 1] = '\0';
	CHECK_EQ(num_share(many, 0, DBL_MAX, &v), NUM_JUNK);
	CHECK(v == -1);
}

static void
fields_are_digits_up_to_63_bits(void)
{
	static const struct { const char *text; bool good; uint64_t value; } rows[] = {
		{"0", true, 0}, {"00012", true, 12}, {"9223372036854775807", true, INT64_MAX},
		{"000000000000000000000000009223372036854775807", true, INT64_MAX},
		{"0000000000000000000000000", true, 0},
		{"9223372036854775808", false, 0}, {"18446744073709551617", false, 0},
		{"9999999999999999999", false, 0}, {"99999999999999999999", false, 0},
		{"", false, 0}, {"-1", false, 0}, {"+1", false, 0}, {"1.0", false, 0},
		{"1e3", false, 0}, {" 1", false, 0}, {"1 ", false, 0}, {"1k", false, 0},
		{"/", false, 0}, {":", false, 0}, {"\xb1", false, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t got = UNTOUCHED;
		CHECK_EQ(num_field(slice_of(rows[i].text), &got), rows[i].good);
		CHECK_EQ(got, rows[i].good ? rows[i].value : UNTOUCHED);
	}
	/* Only len bytes are looked at, and a NUL is no end. */
	uint64_t got = 0;
	CHECK(num_field((struct slice){(const unsigned char *)"1234", 2}, &got));
	CHECK_EQ(got, 12);
	CHECK(!num_field((struct slice){(const unsigned char *)"1\0002", 3}, &got));
}

static void
reals_are_short_and_read_back(void)
{
	static const struct { double value; const char *text; } rows[] = {
		{0.01, "0.01"}, {1e-9, "1e-09"}, {0, "0"}, {1, "1"}, {0.1, "0.1"}, {100, "100"},
		{1e6, "1000000"}, {0.1 + 0.2, "0.30000000000000004"}, {1.0 / 3, "0.3333333333333333"},
		{5e-324, "5e-324"}, {DBL_MAX, "1.7976931348623157e+308"}, {-2.5, "-2.5"},
		{-0.0, "-0"}, {-5, "-5"}, {999999999999999, "999999999999999"},
		{-999999999999999, "-999999999999999"}, {1e15, "1e+15"}, {-1e15, "-1e+15"},
		{1234567890123456, "1234567890123456"}, {9007199254740992, "9007199254740992"},
		{INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"},
	};
	char out[NUM_REAL_SIZE];
	uint64_t state = 1;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		CHECK(strcmp(num_real(out, rows[i].value), rows[i].text) == 0);
	}
	for (int i = 0; i < 50000; i++) {
		uint64_t bits = check_random(&state);
		double v;
		memcpy(&v, &bits, sizeof v);
		if (isfinite(v))
			CHECK(strtod(num_real(out, v), NULL) == v);
	}
}

static void
whole_numbers_have_all_their_digits(void)
{
	static const struct { uint64_t value; const char *text; } rows[] = {
		{0, "0"}, {9, "9"}, {10, "10"}, {907, "907"}, {UINT64_MAX, "18446744073709551615"},
	};
	char out[NUM_WHOLE_SIZE];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		CHECK_EQ(num_whole(out, rows[i].value), strlen(rows[i].text));
		CHECK(strcmp(out, rows[i].text) == 0);
	}
}

static void
bytes_are_rounded_into_the_right_unit(void)
{
	static const struct { uint64_t value; const char *text; } rows[] = {
		{0, "0 B"}, {95, "95 B"}, {1023, "1023 B"}, {1024, "1.0 KiB"}, {12288, "12.0 KiB"},
		{1536, "1.5 KiB"}, {1048524, "1023.9 KiB"}, {1048525, "1.0 MiB"},
		{1048575, "1.0 MiB"}, {1181116006, "1.1 GiB"},
		{UINT64_C(1) << 60, "1.0 EiB"}, {UINT64_MAX, "16.0 EiB"},
	};
	char out[NUM_REAL_SIZE];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(num_bytes(out, rows[i].value), rows[i].text) != 0)
			printf("# %s, not %s\n", out, rows[i].text);
		CHECK(strcmp(out, rows[i].text) == 0);
	}
}

int
main(void)
{
	RUN(counts_are_decimal_and_come_out_whole);
	RUN(sizes_are_what_coreutils_reads);
	RUN(durations_need_a_unit);
	RUN(spans_read_back);
	RUN(bounds_are_inclusive);
	RUN(a_percent_is_the_same_double_as_its_share);
	RUN(shares_are_only_plain_decimals);
	RUN(fields_are_digits_up_to_63_bits);
	RUN(whole_numbers_have_all_their_digits);
	RUN(reals_are_short_and_read_back);
	RUN(bytes_are_rounded_into_the_right_unit);
	return check_done();
}
