/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/moment.h"
#include "base/shape.h"
#include "check.h"

static void
every_shape_has_a_name_of_its_own(void)
{
	for (unsigned i = 0; i < SHAPES; i++)
		for (unsigned j = 0; j <= i; j++)
			CHECK((strcmp(shape_name((enum shape)i), shape_name((enum shape)j)) == 0) == (i == j));
}

static void
words_are_what_they_look_like(void)
{
	static const struct {
		enum shape shape;
		const char *words;
	} row[] = {
		{SHAPE_NUM, "5 -5 +5 5.5 .5 -.5 1e9 1E-9 2.5e+10 5% 99.9% 007 18446744073709551616"},
		{SHAPE_SIZE, "5B 10K 10KB 10kB 4GiB 1.5M 5Mb 3MB/s 100Mbps 7TiB/s 2Ki 1e3K -5MB 9E"},
		{SHAPE_DURATION, "5s 5S 12ms 3us 8ns 5m 1h30m 1h2m3.5s 5sec 5secs 7min 2mins 3hrs 1day "
		    "2days 12\xc2\xb5s 12\xce\xbcs 90seconds 4w 1.5h"},
		{SHAPE_VERSION, "1.2.3 v1.2 V1.2.3 1.2.3-rc1 1.2.3+git5 1.2.3.4.5 256.1.1.1 2.0.0_1"},
		{SHAPE_HEX, "0x0 0XdeadBEEF 0x1f deadbeef DEADBEEF0 abc123 a1b2c3 00ff00 12ab34cd56ef"},
		{SHAPE_UUID, "123e4567-e89b-12d3-a456-426614174000 FFFFFFFF-0000-0000-0000-000000000000"},
		{SHAPE_IP, "10.0.0.1 255.255.255.255 0.0.0.0 /10.0.0.1 10.0.0.0/8"},
		{SHAPE_MAC, "00-1a-2b-3c-4d-5e 00-1a-2b-3c-4d-5e-6f-70 0011.2233.44ff"},
		{SHAPE_EMAIL, "a@b.c bob5@example.com first.last+tag%5@mail-1.example.org"},
		{SHAPE_PATH, "/a/5 /usr/lib/x86.so and/or/5 //5 1.2.3-a/b/c"},
		{SHAPE_ID, "eth0 node12.example.com x5 5x 5th 5e+ +-5 5.5.  v1 1.2.3x 0x 0xg 12ab "
		    "3f2a 10.0.0.1/ 10.0.0.1/x 1.2. a@5 @b5.c a@.5 a@b5. a/5 5/s 5kk 5ms5 5%% -h5 "
		    "123e4567-e89b-12d3-a456-42661417400 00-1a-2b-3c-4d 5ibs 5KB/ - #5 \xff""5"},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (const char *p = row[i].words; *p; p += *p == ' ') {
			size_t n = strcspn(p, " ");
			if (n > 0 && shape_of((struct slice){(const unsigned char *)p, n}) != row[i].shape) {
				printf("# %.*s\n", (int)n, p);
				CHECK(false);
			}
			p += n;
		}
	CHECK(shape_of((struct slice){NULL, 0}) == SHAPE_ID);
	CHECK(!shape_is_letters(slice_of("deadbee")) && shape_is_letters(slice_of("DeadBeef")));
	CHECK(!shape_is_letters(slice_of("deadbeefs")));
}

/* The span of the first digit's word in a line, marked by brackets. */
static bool
found(const char *line, bool (*find)(struct slice, size_t, struct span *), const char *wanted)
{
	struct span s = {0};
	size_t at = strcspn(line, "0123456789");
	char got[200];

	while (at > 0 && !strchr(" :,[", line[at - 1]))
		at--;
	if (!find(slice_of(line), at, &s))
		s.from = s.to = 0;
	snprintf(got, sizeof got, "%.*s", (int)(s.to - s.from), line + s.from);
	if (strcmp(got, wanted) == 0)
		return true;
	printf("# %s: '%s'\n", line, got);
	return false;
}

static bool
find_moment(struct slice line, size_t at, struct span *span)
{
	return moment_find(line, 0, at, span);
}

static void
times_are_found_in_lines(void)
{
	/* A line, and of it what is a time; all of it. */
	static const char *const whole[] = {
		"2026-01-02", "2026/1/2", "2026.01.02", "02.01.2026", "1/2/2026", "02-Jan-2026",
		"2026-01-02T03:04:05.678Z", "2026-01-02t03:04:05z", "2026-01-02 03:04:05,678 +0100",
		"2026-01-02 03:04", "2026-01-02T03:04+01:00", "2026-01-02_03:04:05", "2026-01-02T030405Z",
		"2026-01-02T0304", "20260102T030405.5Z", "20260102-03:04:05:678", "20260102 03:04:05",
		"2026-01-02-03.04.05.678901", "26/01/02 03:04:05", "02-01-26 03:04:05",
		"Jan  2 03:04:05", "jan 2", "JANUARY 2, 2026", "May 5 2026", "Jan 2026",
		"2 Jan 2026", "2 January", "Fri, 02 Jan 2026 03:04:05 GMT", "Fri 2 May",
		"Fri Jan  2 03:04:05 UTC 2026", "Fri Jan  2 03:04:05 2026", "Friday, January 2, 2026",
		"1/2/2026, 3:04 PM", "3:04 pm", "3:04:05pm", "03:04:05", "3:04:05.678", "03:04:05,678",
		"02/Jan/2026:03:04:05 +0000", "03:04:05 CEST", "03:04 UTC+2", "03:04 UTC+02:00",
		"03:04:05+02", "24:00:00", "23:59:60", "Mon 03:04:05", "2026-02-31",
	};
	static const char *const part[][2] = {
		{"at 2026-01-02.", "2026-01-02"}, {"x 03:04:05: y", "03:04:05"},
		{"[2026-01-02 03:04:05 -5 units", "2026-01-02 03:04:05"},
		{"2026-01-02 03:04:05abc", "2026-01-02"}, {"2026-01-02 12 users", "2026-01-02"},
		{"2026-01-02T03:04:05Z 2048 bytes", "2026-01-02T03:04:05Z"},
		{"Jan 2 2026 03:04:05 2048", "Jan 2 2026 03:04:05"},
		{"20260102-03:04:05 2048", "20260102-03:04:05"},
		{"Jan 2 users", "Jan 2"}, {"Jan 2.", "Jan 2"}, {"Jan 2026.", "Jan 2026"}, {"03:04:05,6x", "03:04:05"}, {"Jan 2-3", ""}, {"xjan 2", ""}, {"x.Jan 2", ""}, {"Janu 2", ""}, {"Sept 2", ""},
		{"Mon 2", ""}, {"2 users", ""}, {"12:34", ""}, {"file.c:12:34 x", ""},
		{"2026", ""}, {"2026-13-02", ""}, {"2026-01-32", ""}, {"2026-01/02", ""}, {"32-01-2026", "32-01-2026"},
		{"25:00:00", ""}, {"03:60:00", ""}, {"03:04:61", ""}, {"26/01/02", ""}, {"20260102", ""},
		{"10.0.0.1", ""}, {"10.1.20.5", ""}, {"1.2.3", ""}, {"2026-01-02x", ""}, {"1800-01-02", ""},
		{"2026-01-02T", ""}, {"2026-01-02T03", ""}, {"03:04:05_1", ""}, {"3 Junk 2026", ""},
		{"03:04:05 PMX", "03:04:05"}, {"03:04:05 CETX", "03:04:05"}, {"03:04:05 2026x", "03:04:05"},
		{"2026-01-02...", "2026-01-02"}, {"2026-01-02.5", ""}, {"123:04:05", ""}, {"2", ""}, {"12345678901", ""},
	};

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		CHECK(found(whole[i], find_moment, whole[i]));
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		CHECK(found(part[i][0], find_moment, part[i][1]));

	/* Nothing from before the place that may be reached. */
	struct span s;
	CHECK(moment_find(slice_of("Fri Jan 2 2026"), 4, 8, &s) && s.from == 4 && s.to == 14);
	CHECK(moment_find(slice_of("2 Jan 2 2026"), 6, 8, &s) == false);
}

static enum shape shape;

static bool
find_colons(struct slice line, size_t at, struct span *span)
{
	struct span word = {at, at};

	while (word.to < line.len && !strchr(" :,]", line.at[word.to]))
		word.to++;
	return shape_of_colons(line, 0, word, span, &shape);
}

static void
addresses_hold_colons(void)
{
	static const struct {
		enum shape shape;
		const char *line, *wanted;
	} row[] = {
		{SHAPE_MAC, "00:1a:2b:3c:4d:5e", "00:1a:2b:3c:4d:5e"},
		{SHAPE_MAC, "x de:ad:be:ef:ca:01, y", "de:ad:be:ef:ca:01"},
		{SHAPE_MAC, "50:06:01:60:3b:a0:1f:c2", "50:06:01:60:3b:a0:1f:c2"},
		{SHAPE_IP, "fe80::1", "fe80::1"}, {SHAPE_IP, "::1", "::1"}, {SHAPE_IP, "2001:db8::", "2001:db8::"},
		{SHAPE_IP, "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
		{SHAPE_IP, "fe80::1%eth0: x", "fe80::1%eth0"}, {SHAPE_IP, "[::1]:80", "::1"},
		{SHAPE_IP, "2001:db8::/32.", "2001:db8::/32"}, {0, "2001:db8::/x", ""}, {SHAPE_IP, "fe80::1: x", "fe80::1"},
		{SHAPE_IP, "::ffff:10.0.0.1", "::ffff:10.0.0.1"},
		{SHAPE_IP, "1:2:3:4:5:6:10.0.0.1", "1:2:3:4:5:6:10.0.0.1"},
		{SHAPE_HEX, "12:ab:34:cd:ef:01:23:45:67", "12:ab:34:cd:ef:01:23:45:67"},
		{0, "12:34:56", ""}, {0, "std::vec::5", ""}, {0, "a::b::5", ""}, {0, "5:6", ""},
		{0, "00:1a:2b:3c:4d", ""}, {0, "00:1a:2b:3c:4d:5e:6f", ""}, {0, "00:1a:2b:3c:4d:5ex", ""},
		{0, "12345::1", ""}, {0, "1:2:3:4:5:6:7:8::", ""}, {0, "::1x", ""}, {0, "foo::5", ""},
		{0, "::ffff:10.0.0.x", ""}, {0, "5::", "5::"}, {0, ":5", ""}, {0, "5:", ""},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		shape = row[i].shape;
		CHECK(found(row[i].line, find_colons, row[i].wanted));
		CHECK(row[i].shape == 0 || shape == row[i].shape);
	}
}

int
main(void)
{
	RUN(every_shape_has_a_name_of_its_own);
	RUN(words_are_what_they_look_like);
	RUN(times_are_found_in_lines);
	RUN(addresses_hold_colons);
	return check_done();
}
