/* sketchutils: BSD-2-Clause, see LICENSE */

/* Lines of logs. "AAEC" and "AwQF" stand for histograms: 00 01 02 and 03 04 05. */
#include "interop/hdr_log.h"
#include "check.h"

static struct dump_row row;
static struct hdr_log hlog;

/* A line by itself. */
static enum status
take(const char *line)
{
	size_t used;
	enum status st = hdr_log_read(&hlog, slice_of(line), &row, &used);

	CHECK_EQ(used, strlen(line));
	return st;
}

static bool
is(const struct buffer *b, const char *text)
{
	return slice_equal((struct slice){b->at, b->len}, slice_of(text));
}

static bool
was(int64_t start, int64_t length)
{
	return hlog.interval.start == start && hlog.interval.length == length;
}

static void
fields_are_told_apart(void)
{
	static const char *const lines[] = {
		"12.5,1.000,3.031,AwQF\n", "12.5,1.000,3.031,AwQF", "12.5,1.000,3.031,AwQF\r\n",
		"12.5 1.000 3.031 AwQF\n", "12.5, 1.000 ,3.031 , AwQF \n", "12.5,1,no-number,AwQF",
	};

	hlog = (struct hdr_log){.join = '\n'};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		CHECK_EQ(take(lines[i]), OK);
		CHECK(!row.null && !row.keyed && is(&row.value, "\3\4\5") && was(12500, 1000));
	}
}

static void
tags_are_keys(void)
{
	static const struct {
		const char *line, *key;
	} lines[] = {
		{"Tag=api,0,1,2,AwQF\n", "api"}, {"Tag=,0,1,2,AwQF", ""}, {"0,1,2,AwQF", ""},
		{"Tag=a,b,c,0,1,2,AwQF", "a,b,c"}, {"Tag=a b,0,1,2,AwQF", "a b"},
		{"Tag=a\tb,0,1,2,AwQF", "a;b"}, {"Tag=Tag=x,0,1,2,AwQF", "Tag=x"},
	};

	hlog = (struct hdr_log){.join = ';', .tagged = true};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		CHECK_EQ(take(lines[i].line), OK);
		CHECK(row.keyed && is(&row.key, lines[i].key) && is(&row.value, "\3\4\5"));
	}
	CHECK(hdr_log_tagged(slice_of("#x\n0,1,2,A\nTag=a,0,1,2,A\n")));
	CHECK(!hdr_log_tagged(slice_of("#Tag=\n0,1,2,A\n Tag=a,0,1,2,A\n")));
	CHECK(!hdr_log_tagged(slice_of("")));
}

static void
what_is_no_line_is_told(void)
{
	static const struct {
		const char *line;
		enum status st;
	} lines[] = {
		{"x", STATUS_FOREIGN}, {"1,2,AwQF", STATUS_FOREIGN}, {"1,2,3,4,AwQF", STATUS_FOREIGN},
		{",1,2,AwQF", STATUS_FOREIGN}, {"0,1,2,", STATUS_FOREIGN}, {"0,,2,AwQF", STATUS_FOREIGN},
		{"Tag=a,1,2,AwQF", STATUS_FOREIGN}, {"-1,1,2,AwQF", STATUS_FOREIGN},
		{"0,-1,2,AwQF", STATUS_FOREIGN}, {"nan,1,2,AwQF", STATUS_FOREIGN},
		{"1e13,1,2,AwQF", STATUS_FOREIGN}, {"0,1,2,AwQ!", STATUS_DIGITS},
		{"0,1,2,AwQFA", STATUS_DIGITS},
		{"#[Histogram log format version 2.0]", STATUS_UNSUPPORTED},
		{"#[Histogram log format version 1.4]", STATUS_UNSUPPORTED},
		{"#[Histogram log format version 1]", STATUS_UNSUPPORTED},
	};

	hlog = (struct hdr_log){.join = '\n'};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		CHECK_EQ(take(lines[i].line), lines[i].st);
		CHECK_EQ(take("5,1,2,AAEC"), OK);
		CHECK(row.value.len == 3 && memcmp(row.value.at, "\0\1\2", 3) == 0);
	}
}

static void
comments_are_no_rows(void)
{
	static const char *const lines[] = {
		"", "\n", "\r\n", "#", "# 0,1,2,AAEC\n", "\"StartTimestamp\",\"EndTimestamp\"\n",
		"#[Histogram log format version 1.3]\n", "#[Histogram log format version 1.01]\r\n",
		"#[StartTime: nobody knows]", "#[BaseTime: ]",
	};

	hlog = (struct hdr_log){.join = '\n'};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		CHECK_EQ(take(lines[i]), OK);
		CHECK(row.null);
	}
	CHECK(!hlog.has_base && !hlog.has_start);
}

static void
times_are_counted_from_what_it_says(void)
{
	hlog = (struct hdr_log){.join = '\n'};
	CHECK_EQ(take("1700000000.1234,1.0006,2,AAEC"), OK);
	CHECK(was(1700000000123, 1001));

	/* Far before the start they count from it, near it they are absolute. */
	CHECK_EQ(take("#[StartTime: 1700000000.500 (seconds since epoch), Tue Nov]\n"), OK);
	CHECK_EQ(take("0.250,1,2,AAEC"), OK);
	CHECK(was(1700000000750, 1000));
	CHECK_EQ(take("1699999999.000,1,2,AAEC"), OK);
	CHECK(was(1699999999000, 1000));
	CHECK_EQ(take("1600000000.000,1,2,AAEC"), OK);
	CHECK(was(3300000000500, 1000));

	/* From a base always, and the last one counts. */
	CHECK_EQ(take("#[BaseTime: 1600000000.000 (seconds since epoch)]\n"), OK);
	CHECK_EQ(take("1.5,1,2,AAEC"), OK);
	CHECK(was(1600000001500, 1000));
	CHECK_EQ(take("#[BaseTime: 0.000 (seconds since epoch)]\n"), OK);
	CHECK_EQ(take("1.5,1,2,AAEC"), OK);
	CHECK(was(1500, 1000));
}

static void
lines_are_written(void)
{
	const struct interval when = {1700000000123, 60000};
	const struct slice api = slice_of("api"), both = slice_of("a;b"), none = {NULL, 0};
	const struct slice value = slice_of("\3\4\5");
	struct buffer out = {0};

	CHECK_EQ(hdr_log_begin(&when, &out), OK);
	CHECK_EQ(hdr_log_write(&when, NULL, ';', 100.031, value, &out), OK);
	CHECK_EQ(hdr_log_write(&when, &api, ';', 0, value, &out), OK);
	CHECK_EQ(hdr_log_write(NULL, &both, ';', 1e20, value, &out), OK);
	CHECK_EQ(hdr_log_write(NULL, &none, ';', 1, value, &out), OK);
	CHECK(is(&out, "#[Histogram log format version 1.3]\n"
	    "#[StartTime: 1700000000.123 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]\n"
	    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
	    "\"Interval_Compressed_Histogram\"\n"
	    "1700000000.123,60.000,100.031,AwQF\n"
	    "Tag=api,1700000000.123,60.000,0.000,AwQF\n"
	    "Tag=a\tb,0.000,0.000,100000000000000000000.000,AwQF\n"
	    "0.000,0.000,1.000,AwQF\n"));
	CHECK(hdr_log_looks((struct slice){out.at, 64}));
	out.len = 0;
	CHECK_EQ(hdr_log_begin(NULL, &out), OK);
	CHECK(out.len > 0 && !memmem(out.at, out.len, "#[StartTime", 11));
	buffer_free(&out);

	CHECK(hdr_log_can_tag(api, '\n') && hdr_log_can_tag(both, ';') && hdr_log_can_tag(none, 0));
	CHECK(hdr_log_can_tag(slice_of("a\nb"), '\n') && !hdr_log_can_tag(slice_of("a\nb"), 0));
	CHECK(!hdr_log_can_tag(slice_of("a,b"), '\n') && !hdr_log_can_tag(slice_of("a b"), '\n'));
	CHECK(!hdr_log_can_tag(slice_of("a\rb"), '\n'));
	CHECK(!hdr_log_can_tag((struct slice){(const unsigned char *)"a\0b", 3}, '\n'));
}

int
main(void)
{
	RUN(fields_are_told_apart);
	RUN(tags_are_keys);
	RUN(what_is_no_line_is_told);
	RUN(comments_are_no_rows);
	RUN(times_are_counted_from_what_it_says);
	RUN(lines_are_written);
	dump_row_free(&row);
	return check_done();
}
