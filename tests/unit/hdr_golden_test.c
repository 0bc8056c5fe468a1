/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Histograms that Java's HdrHistogram made, from tests/interop/hdr: they answer
 * what it answered, and become the same bytes and the same tables again.
 */
#include <math.h>

#include "interop/digits.h"
#include "interop/gunzip.h"
#include "interop/hdr_buckets.h"
#include "interop/hdr_payload.h"
#include "interop/hdr_table.h"
#include "check.h"

#define FOLDER "tests/interop/hdr/"
#define CASES 17

static const struct quantiles *const q = &hdr_quantiles;

/* A line of encoded.tsv. */
static struct golden {
	char name[40];
	struct buffer bytes;
	struct hdr *hdr;
} golden[CASES];

static size_t cases;

static bool
is_doubles(const struct golden *g)
{
	return strncmp(g->name, "double", 6) == 0;
}

static void
load(void)
{
	FILE *in = fopen(FOLDER "encoded.tsv", "r");
	static char line[1 << 16];
	char text[1 << 14];

	while (in && cases < CASES && fgets(line, sizeof line, in)) {
		struct golden *g = &golden[cases++];
		CHECK_EQ(sscanf(line, "%39s %16383s", g->name, text), 2);
		CHECK_EQ(base64_decode(slice_of(text), &g->bytes), OK);
		CHECK(hdr_payload_looks((struct slice){g->bytes.at, 8}));
		CHECK_EQ(hdr_payload_read((struct slice){g->bytes.at, g->bytes.len}, &g->hdr), OK);
	}
	CHECK_EQ(cases, CASES);
	if (in)
		fclose(in);
}

/* What stands behind the eight bytes that tell how long it is. */
static void
unpacked(const struct golden *g, struct buffer *out)
{
	struct slice packed = {g->bytes.at + 8, g->bytes.len - 8};

	out->len = 0;
	CHECK_EQ(unzlib(packed, 1 << 24, out), OK);
}

static void
they_are_written_as_they_were(void)
{
	struct buffer want = {0}, got = {0};

	for (size_t i = 0; i < cases; i++) {
		struct hdr *again;
		if (is_doubles(&golden[i]))
			continue;
		unpacked(&golden[i], &want);
		got.len = 0;
		CHECK_EQ(hdr_payload_write_plain(golden[i].hdr, &got), OK);
		CHECK(slice_equal((struct slice){want.at, want.len}, (struct slice){got.at, got.len}));
		/* And they are read so. */
		CHECK_EQ(hdr_payload_read((struct slice){got.at, got.len}, &again), OK);
		CHECK(hdr_total(again) == hdr_total(golden[i].hdr));
		hdr_free(again);
		got.len = 0;
		CHECK_EQ(hdr_payload_write(golden[i].hdr, &got), OK);
		CHECK(got.len > 8 && memcmp(got.at, golden[i].bytes.at, 4) == 0);
		CHECK_EQ(hdr_payload_read((struct slice){got.at, got.len}, &again), OK);
		CHECK(hdr_total(again) == hdr_total(golden[i].hdr));
		hdr_free(again);
	}
	buffer_free(&want);
	buffer_free(&got);
}

/* The columns of stats.tsv. */
enum { LOWEST, HIGHEST, DIGITS, TOTAL, DROPPED, LEAST, MOST, MEAN, DEVIATION, PERCENTILES,
	BUCKETS = PERCENTILES + 13, SUB_BUCKETS, COUNTERS, UNIT, COLUMNS };

static const double percentile[13] = {
	0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 1,
};

static void
compare_buckets(const struct hdr *h, const double *want)
{
	struct hdr_buckets b = hdr_payload_buckets(h);

	CHECK_EQ(hdr_digits(h), want[DIGITS]);
	CHECK(b.lowest == (uint64_t)want[LOWEST] && b.highest == (uint64_t)want[HIGHEST]);
	CHECK(b.buckets == (unsigned)want[BUCKETS] && b.unit == (unsigned)want[UNIT]);
	CHECK_EQ(UINT64_C(2) << b.half, want[SUB_BUCKETS]);
	CHECK_EQ(hdr_buckets_slots(&b), want[COUNTERS]);
}

static void
compare_answers(const struct hdr *h, const double *want)
{
	struct span s;

	CHECK_EQ(hdr_total(h), want[TOTAL]);
	if (hdr_total(h) == 0)
		return;
	q->least(h, &s);
	CHECK_IN(s.value, want[LEAST], want[LEAST]);
	q->most(h, &s);
	CHECK_IN(s.value, want[MOST], want[MOST]);
	q->mean(h, &s);
	CHECK(s.low <= want[MEAN] + 1e-6 && want[MEAN] - 1e-6 <= s.high);
	/* Of p0 it tells the least number of a slot. */
	for (int i = 1; i < 13; i++) {
		q->quantile(h, percentile[i], true, &s);
		CHECK_IN(s.value, want[PERCENTILES + i], want[PERCENTILES + i]);
	}
}

static void
they_answer_as_java_does(void)
{
	FILE *in = fopen(FOLDER "stats.tsv", "r");
	char line[1000];
	size_t rows = 0;

	CHECK(in && fgets(line, sizeof line, in));
	while (in && fgets(line, sizeof line, in)) {
		double want[COLUMNS];
		char *at = strchr(line, '\t');
		for (int i = 0; i < COLUMNS; i++)
			want[i] = strtod(at, &at);
		*strchr(line, '\t') = '\0';
		size_t i = 0;
		while (i < cases && strcmp(golden[i].name, line) != 0)
			i++;
		CHECK(i < cases);
		compare_buckets(golden[i].hdr, want);
		compare_answers(golden[i].hdr, want);
		rows++;
	}
	CHECK_EQ(rows, 14);
	if (in)
		fclose(in);
}

/* Is there such a table? */
static bool
compare_table(const struct golden *g, bool csv)
{
	struct buffer want = {0}, got = {0};
	char path[100];

	snprintf(path, sizeof path, FOLDER "%s.%s", g->name, csv ? "csv" : "hgrm");
	FILE *in = fopen(path, "r");
	if (!in)
		return false;
	CHECK_EQ(buffer_reserve(&want, 1 << 16), OK);
	want.len = fread(want.at, 1, 1 << 16, in);
	fclose(in);
	CHECK_EQ(hdr_table_write(g->hdr, UNIT_NONE, csv, &got), OK);
	CHECK(want.len > 0);
	CHECK(slice_equal((struct slice){want.at, want.len}, (struct slice){got.at, got.len}));
	buffer_free(&want);
	buffer_free(&got);
	return true;
}

static void
their_tables_are_the_same_bytes(void)
{
	size_t tables = 0;

	for (size_t i = 0; i < cases; i++) {
		tables += compare_table(&golden[i], false);
		tables += compare_table(&golden[i], true);
	}
	CHECK_EQ(tables, 17);
}

/* The bounds hold for what went in. */
static void
doubles_are_in_their_slots(void)
{
	const double shifted[] = {0.25, 0.5, 1000, 20000};
	const struct hdr *eighths = golden[cases - 2].hdr, *h = golden[cases - 1].hdr;
	struct span s;

	CHECK(is_doubles(&golden[cases - 2]) && is_doubles(&golden[cases - 1]));
	CHECK(hdr_total(eighths) == 100 && !hdr_whole(eighths));
	CHECK(hdr_lowest(eighths) == 0x1p-13 && hdr_highest(eighths) == 0);
	for (unsigned i = 1; i <= 100; i++) {
		q->at_rank(eighths, i, true, &s);
		CHECK_IN(i / 8.0, s.low, s.high);
		CHECK(s.high - s.low < s.low / 1000);
	}
	q->most(eighths, &s);
	CHECK(s.value == 12.5078125);
	CHECK_EQ(hdr_total(h), 4);
	for (unsigned i = 1; i <= 4; i++) {
		q->at_rank(h, i, true, &s);
		CHECK(s.low == shifted[i - 1]);
	}
}

/* What is added here fills the slots that it fills there. */
static void
ours_are_theirs(void)
{
	struct buffer want = {0}, got = {0};

	for (size_t i = 0; i < cases; i++) {
		struct hdr *h;
		if (strncmp(golden[i].name, "seq10000", 8) != 0 &&
		    strncmp(golden[i].name, "auto", 4) != 0)
			continue;
		CHECK_EQ(hdr_new(&h, hdr_digits(golden[i].hdr)), OK);
		for (unsigned v = 1; v <= 10000; v++) {
			double sample = v;
			CHECK_EQ(hdr_add(h, &sample, NULL, 1), OK);
		}
		if (strncmp(golden[i].name, "seq", 3) == 0)
			hdr_set_highest(h, 3600000000);
		unpacked(&golden[i], &want);
		got.len = 0;
		CHECK_EQ(hdr_payload_write_plain(h, &got), OK);
		CHECK(slice_equal((struct slice){want.at, want.len}, (struct slice){got.at, got.len}));
		hdr_free(h);
	}
	buffer_free(&want);
	buffer_free(&got);
}

int
main(void)
{
	if (!gunzip_can()) {
		printf("1..0 # skip built without zlib\n");
		return 0;
	}
	load();
	RUN(they_are_written_as_they_were);
	RUN(they_answer_as_java_does);
	RUN(their_tables_are_the_same_bytes);
	RUN(doubles_are_in_their_slots);
	RUN(ours_are_theirs);
	for (size_t i = 0; i < cases; i++) {
		hdr_free(golden[i].hdr);
		buffer_free(&golden[i].bytes);
	}
	return check_done();
}
