/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The calendar is checked against one that is counted out day by day from
 * 1970, in both directions, with nothing but the rule for leap years.
 */
#include "base/time.h"
#include "check.h"

#define UNTOUCHED INT64_C(123454321)
#define SECOND INT64_C(1000000)
#define NOON_2026 (INT64_C(1796043600) * SECOND)     /* 2026-11-30T13:00:00Z */

static bool
leap(int year)
{
	return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
}

static int
days_in(int year, int month)
{
	if (month == 2)
		return leap(year) ? 29 : 28;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static struct time_format
format(const char *text)
{
	struct time_format f;
	const char *at, *wrong = time_compile(text, &f, &at);

	if (wrong)
		printf("# '%s': %s at '%s'\n", text, wrong, at);
	CHECK(!wrong);
	return f;
}

static bool
reads(const struct time_format *f, const char *text, int64_t want)
{
	int64_t got = UNTOUCHED;
	bool good = time_read(f, slice_of(text), &got) && got == want;

	if (!good)
		printf("# '%s': %lld, not %lld\n", text, (long long)got, (long long)want);
	return good;
}

static bool
refuses(const struct time_format *f, const char *text)
{
	int64_t got = UNTOUCHED;
	bool good = !time_read(f, slice_of(text), &got) && got == UNTOUCHED;

	if (!good)
		printf("# '%s' is %lld\n", text, (long long)got);
	return good;
}

/* So many digits of v; snprintf takes too long for all days there are. */
static void
put_digits(char *to, int v, int digits)
{
	for (; digits > 0; digits--, v /= 10)
		to[digits - 1] = (char)('0' + v % 10);
}

/* One day in all its forms: read, and printed where months begin and end. */
static void
check_day(int year, int month, int day, int64_t days)
{
	static const char *const names[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
	};
	static struct time_format date, apache;
	static const struct time_format usual;
	static int all = -1;
	char iso[] = "yyyy-mm-ddT23:59:59.999999Z", log[] = "dd/mmm/yyyy:12:00:00";
	int64_t midnight = days * 86400 * SECOND;

	if (all < 0) {
		all = check_long();
		date = format("%F");
		apache = format("%d/%b/%Y:%T");
	}
	put_digits(log, day, 2);
	memcpy(log + 3, names[month - 1], 3);
	put_digits(log + 7, year, 4);
	CHECK(reads(&apache, log, midnight + 43200 * SECOND));

	put_digits(iso, year, 4);
	put_digits(iso + 5, month, 2);
	put_digits(iso + 8, day, 2);
	CHECK(reads(&usual, iso, midnight + 86400 * SECOND - 1));
	if (all || day == 1 || day == days_in(year, month)) {
		char out[TIME_SIZE];
		CHECK(strcmp(time_print(out, midnight + 86400 * SECOND - 1), iso) == 0);
		CHECK(strncmp(time_print(out, midnight), iso, 10) == 0);
		CHECK(strcmp(out + 10, "T00:00:00Z") == 0);
	}
	iso[10] = '\0';
	CHECK(reads(&date, iso, midnight));
	if (day == days_in(year, month)) {
		put_digits(iso + 8, day + 1, 2);
		CHECK(refuses(&date, iso));
	}
}

static void
all_days_of_9999_years(void)
{
	int64_t days = 0;

	for (int year = 1970; year <= 9999; year++)
		for (int month = 1; month <= 12; month++)
			for (int day = 1; day <= days_in(year, month); day++)
				check_day(year, month, day, days++);
	CHECK_EQ(days * 86400 * SECOND - 1, INT64_C(253402300799999999));
	days = 0;
	for (int year = 1969; year >= 1; year--)
		for (int month = 12; month >= 1; month--)
			for (int day = days_in(year, month); day >= 1; day--)
				check_day(year, month, day, --days);
	CHECK_EQ(days * 86400 * SECOND, INT64_C(-62135596800000000));
}

static void
the_seconds_of_a_day(void)
{
	struct time_format f = format("%F %T");
	static const struct time_format usual;
	char text[64], out[TIME_SIZE];

	for (int s = 0; s < 86400; s += check_long() ? 1 : 7) {
		int64_t at = NOON_2026 - 46800 * SECOND + s * SECOND;
		snprintf(text, sizeof text, "2026-11-30 %02d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
		CHECK(reads(&f, text, at));
		CHECK(reads(&usual, text, at));
		text[10] = 'T';
		strcat(text, "Z");
		CHECK(strcmp(time_print(out, at), text) == 0);
	}
}

static void
fractions_are_kept_to_the_microsecond(void)
{
	static const struct { const char *text; int64_t micros; } rows[] = {
		{".1", 100000}, {".12", 120000}, {",123", 123000}, {".123456", 123456},
		{".123456789", 123456}, {".9999999999999999999999999999999999", 999999},
		{".000000", 0}, {".000001", 1},
	};
	struct time_format clock = format("%F %T"), zoned = format("%F %T%z"), unix_time = format("%s");
	static const struct time_format usual;
	char text[100];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "2026-11-30 13:00:00%s", rows[i].text);
		CHECK(reads(&clock, text, NOON_2026 + rows[i].micros));
		CHECK(reads(&usual, text, NOON_2026 + rows[i].micros));
		snprintf(text, sizeof text, "2026-11-30 13:00:00%s+01:00", rows[i].text);
		CHECK(reads(&zoned, text, NOON_2026 + rows[i].micros - 3600 * SECOND));
		snprintf(text, sizeof text, "1796043600%s", rows[i].text);
		CHECK(reads(&unix_time, text, NOON_2026 + rows[i].micros));
		CHECK(reads(&usual, text, NOON_2026 + rows[i].micros));
	}
	CHECK(refuses(&clock, "2026-11-30 13:00:00."));
	CHECK(refuses(&clock, "2026-11-30 13:00:00.x"));
	CHECK(refuses(&clock, "2026-11-30 13:00:00.1.2"));
	CHECK(refuses(&clock, "2026-11-30 13:00.5:00"));
	/* Where the format goes on with a point, there is no fraction. */
	struct time_format points = format("%H.%M.%S.%d.%m.%Y");
	CHECK(reads(&points, "13.00.00.30.11.2026", NOON_2026));
	struct time_format comma = format("%s, %%");
	CHECK(reads(&comma, "1796043600, %", NOON_2026));
	CHECK(refuses(&comma, "1796043600.5, %"));
}

static void
zones_are_east_of_greenwich(void)
{
	static const struct { const char *text; int minutes; } good[] = {
		{"Z", 0}, {"z", 0}, {"UTC", 0}, {"GMT", 0}, {"gmt", 0}, {"+0000", 0}, {"-0000", 0},
		{"-00:00", 0}, {"+02", 120}, {"+0200", 120}, {"+02:00", 120}, {"-0330", -210},
		{"+0545", 345}, {"+14:00", 840}, {"-12:00", -720}, {"+2359", 1439}, {"-2359", -1439},
	};
	static const char *const bad[] = {
		"", "+", "-", "+2", "+2:00", "+020", "+02:", "+02:0", "+02000", "+24", "+2400", "+0260",
		"+02:60", "0200", "Zulu", "UT", "EST", "CET", "+-0200", "++0200", "+ 0200", "ZZ",
	};
	struct time_format f = format("%d/%b/%Y:%H:%M:%S %z");
	char text[100];

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		snprintf(text, sizeof text, "30/Nov/2026:13:00:00 %s", good[i].text);
		CHECK(reads(&f, text, NOON_2026 - good[i].minutes * 60 * SECOND));
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text, "30/Nov/2026:13:00:00 %s", bad[i]);
		CHECK(refuses(&f, text));
	}
	/* A zone may lead over the edge of the years. */
	struct time_format iso = format("%FT%T%z");
	CHECK(reads(&iso, "0001-01-01T00:00:00+23:59", INT64_C(-62135596800000000) - 86340 * SECOND));
	CHECK(reads(&iso, "9999-12-31T23:59:60-23:59", INT64_C(253402300800000000) + 86340 * SECOND));
}

static void
a_format_is_all_there_may_be(void)
{
	static const struct { const char *format, *good, *bad[12]; } rows[] = {
		{"%Y-%m-%d %H:%M:%S", "2026-11-30 13:00:00", {
			"", "2026", "2026-11-30", "2026-11-30 13:00", "2026-11-30 13:00:00 ",
			" 2026-11-30 13:00:00", "2026-11-3013:00:00", "2026/11/30 13:00:00",
			"2026-11-30T13:00:00", "2026-11-30 13:00:00Z", "026-11-30 13:00:00",
			"12026-11-30 13:00:00"}},
		{"%Y-%m-%d %H:%M:%S", "2026-11-30 \t 13:00:00", {
			"2026-00-30 13:00:00", "2026-13-30 13:00:00", "2026-11-00 13:00:00",
			"2026-11-31 13:00:00", "2026-02-29 13:00:00", "2026-11-30 24:00:00",
			"2026-11-30 13:60:00", "2026-11-30 13:00:61", "0000-11-30 13:00:00",
			"-026-11-30 13:00:00", "2026-+1-30 13:00:00", "2026-11-30 13:00:000"}},
		{"%Y%m%d%H%M%S", "20261130130000", {
			"202611301300", "202611301300000x", "2026113013000x", "2026-1130130000"}},
		{"%b %d %Y %H", "nOV 30 2026 13", {
			"No 30 2026 13", "November 30 2026 13", "Nvo 30 2026 13", "11 30 2026 13",
			"Nov30 2026 13", "\x0eov 30 2026 13", "Nov 30 2026 13:00"}},
		{"%b %d %Y %H:%M", "Nov  30  2026 13:0", {"Nov 30 2026 13:", "Nov 30 2026 13"}},
		{"[%d/%b/%Y:%T %z]", "[30/Nov/2026:13:00:00 +0000]", {
			"30/Nov/2026:13:00:00 +0000", "[30/Nov/2026:13:00:00 +0000",
			"[30/Nov/2026:13:00:00]", "[30/Nov/2026:13:00:00 +0000]]"}},
		{"%s", "1796043600", {
			"", "-1796043600", "+1796043600", "1796043600 ", " 1796043600", "1.", ".5",
			"253402300800", "1796043600000", "0x1", "1e9"}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct time_format f = format(rows[i].format);
		CHECK(reads(&f, rows[i].good, NOON_2026));
		for (size_t k = 0; k < 12 && rows[i].bad[k]; k++)
			CHECK(refuses(&f, rows[i].bad[k]));
	}
	/* Only len bytes are looked at, and a NUL is a byte. */
	struct time_format f = format("%s");
	int64_t got;
	CHECK(time_read(&f, (struct slice){(const unsigned char *)"123", 2}, &got));
	CHECK_EQ(got, 12 * SECOND);
	CHECK(!time_read(&f, (struct slice){(const unsigned char *)"12\0", 3}, &got));
	CHECK(!time_read(&f, (struct slice){NULL, 0}, &got));
	CHECK(reads(&f, "0", 0));
	CHECK(reads(&f, "253402300799.999999", INT64_C(253402300799999999)));
}

static void
a_leap_second_is_the_next_one(void)
{
	struct time_format f = format("%F %T");

	CHECK(reads(&f, "2016-12-31 23:59:60", INT64_C(1483228800) * SECOND));
	CHECK(reads(&f, "2017-01-01 00:00:00", INT64_C(1483228800) * SECOND));
	CHECK(reads(&f, "2016-12-31 23:59:60.5", INT64_C(1483228800) * SECOND + 500000));
}

static void
wrong_formats_say_where(void)
{
	static const struct { const char *text, *at, *wrong; } rows[] = {
		{"", "", "the year is missing (%Y, or %s for all)"},
		{"abc", "abc", "the year is missing (%Y, or %s for all)"},
		{"%b %d %T", "%b %d %T", "the year is missing (%Y, or %s for all)"},
		{"%Y %d", "%Y %d", "the month is missing (%b or %m)"},
		{"%Y-%m", "%Y-%m", "the day is missing (%d)"},
		{"%F %M", "%F %M", "the hour is missing (%H)"},
		{"%F %H %S", "%F %H %S", "the minute is missing (%M)"},
		{"%s %z", "%s %z", "%s goes with no other"},
		{"%F %s", "%F %s", "%s goes with no other"},
		{"%F %q", "%q", "not one of %Y %m %b %d %H %M %S %z %s %F %T %%"},
		{"%F %y", "%y", "not one of %Y %m %b %d %H %M %S %z %s %F %T %%"},
		{"%F %", "%", "not one of %Y %m %b %d %H %M %S %z %s %F %T %%"},
		{"%F %-d", "%-d", "not one of %Y %m %b %d %H %M %S %z %s %F %T %%"},
		{"%F %Y", "%Y", "said twice"},
		{"%d %F", "%F", "said twice"},
		{"%b %F", "%F", "said twice"},
		{"%T %T", "%T", "said twice"},
		{"%s%s", "%s", "said twice"},
	};
	struct time_format f;
	const char *at = NULL;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *wrong = time_compile(rows[i].text, &f, &at);
		bool good = wrong && strcmp(wrong, rows[i].wrong) == 0 && strcmp(at, rows[i].at) == 0;
		if (!good)
			printf("# '%s': %s at '%s'\n", rows[i].text, wrong ? wrong : "fine", at);
		CHECK(good);
	}

	char text[TIME_STEPS_MAX + 20];
	memset(text, 'x', sizeof text);
	strcpy(text + TIME_STEPS_MAX - 1, "%s");
	CHECK(!time_compile(text, &f, &at));
	CHECK_EQ(f.n, TIME_STEPS_MAX);
	strcpy(text + TIME_STEPS_MAX, "%s");
	text[TIME_STEPS_MAX - 1] = 'x';
	CHECK(strcmp(time_compile(text, &f, &at), "too long") == 0 && strcmp(at, "%s") == 0);
}

static void
the_usual_shapes(void)
{
	static const struct { const char *text; int64_t micros; } good[] = {
		{"2026-11-30T13:00:00Z", 0}, {"2026-11-30t13:00:00z", 0}, {"2026-11-30T13:00:00", 0},
		{"2026-11-30 13:00:00", 0}, {"2026-11-30 13:00:00,250", 250000},
		{"2026-11-30 15:00:00 +0200", 0}, {"2026-11-30 15:00:00.5+02:00", 500000},
		{"2026-11-30 13:00:00 UTC", 0}, {"[2026-11-30T13:00:00Z]", 0},
		{"[30/Nov/2026:13:00:00 +0000]", 0}, {"30/Nov/2026:13:00:00 +0000", 0},
		{"[30/Nov/2026:13:00:00", 0}, {"30/Nov/2026:08:00:00 -0500", 0},
		{"30/nov/2026:13:00:00.000001", 1}, {"1796043600", 0}, {"1796043600.000001", 1},
		{"[1796043600,5]", 500000}, {"1796043600001", 1000}, {"999999999", INT64_C(-796043601) * SECOND},
	};
	static const char *const bad[] = {
		"", "[", "]", "[]", "-", "-1", "1", "12345678", "12345678901", "123456789012",
		"17960436000011", "1796043600.", "1796043600001.5", "20261130", "202611301300",
		"20261130130000", "2026-11-30", "2026-11-30T13:00", "2026-11-30T13:00:00 ",
		"2026-11-30T13:00:00 Z ", "2026-11-30T3:00:00", "2026-1-30T13:00:00",
		"2026-11-30X13:00:00", "2026/11/30 13:00:00", "30/11/2026:13:00:00",
		"Nov 30 13:00:00", "30 Nov 2026 13:00:00", "30/Nov/26:13:00:00", "31/Nov/2026:13:00:00",
		"30/Nov/2026:13:00:00 +000", "[30/Nov/2026:13:00:00 +0000]]", "[[1796043600]", "13:00:00",
		"1796043600x", "17960436\0000", " 1796043600", "1796043600 ",
	};
	static const struct time_format usual;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		CHECK(reads(&usual, good[i].text, NOON_2026 + good[i].micros));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(refuses(&usual, bad[i]));
}

static void
instants_of_any_size_are_printed(void)
{
	static const struct { int64_t instant; const char *text; } rows[] = {
		{0, "1970-01-01T00:00:00Z"}, {1000, "1970-01-01T00:00:00.001Z"},
		{1, "1970-01-01T00:00:00.000001Z"}, {-1, "1969-12-31T23:59:59.999999Z"},
		{-1000, "1969-12-31T23:59:59.999Z"}, {NOON_2026, "2026-11-30T13:00:00Z"},
		{INT64_C(253402300800000000), "10000-01-01T00:00:00Z"},
		{INT64_C(-62135596800000001), "0000-12-31T23:59:59.999999Z"},
		{INT64_MAX, "294247-01-10T04:00:54.775807Z"},
		{INT64_MIN, "-290308-12-21T19:59:05.224192Z"},
	};
	char out[TIME_SIZE];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(time_print(out, rows[i].instant), rows[i].text) != 0)
			printf("# %s, not %s\n", out, rows[i].text);
		CHECK(strcmp(out, rows[i].text) == 0);
	}
}

int
main(void)
{
	RUN(all_days_of_9999_years);
	RUN(the_seconds_of_a_day);
	RUN(fractions_are_kept_to_the_microsecond);
	RUN(zones_are_east_of_greenwich);
	RUN(a_format_is_all_there_may_be);
	RUN(a_leap_second_is_the_next_one);
	RUN(wrong_formats_say_where);
	RUN(the_usual_shapes);
	RUN(instants_of_any_size_are_printed);
	return check_done();
}
