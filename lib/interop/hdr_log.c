/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/real.h"
#include "interop/digits.h"
#include "interop/hdr_log.h"

/* Java splits at commas and spaces, and its check for them in a tag is wrong, so
 * that there are some with commas: what counts are the last fields. */
#define FIELDS 4
#define TAG "Tag="

#define VERSION "#[Histogram log format version "
#define BASE "#[BaseTime: "
#define START "#[StartTime: "
#define LEGEND \
	"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"

#define YEAR_MS (INT64_C(365) * 86400 * 1000)
#define SECONDS_MAX 1e12

static bool
begins(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.len >= n && memcmp(s.at, text, n) == 0;
}

static struct slice
behind(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return (struct slice){s.at + n, s.len - n};
}

bool
hdr_log_looks(struct slice start)
{
	return begins(start, "#[") || begins(start, "\"StartTimestamp\"") || begins(start, TAG);
}

static struct slice
cut_line(struct slice text, size_t *used)
{
	const unsigned char *end = text.len > 0 ? memchr(text.at, '\n', text.len) : NULL;
	struct slice line = {text.at, end ? (size_t)(end - text.at) : text.len};

	*used = line.len + (end != NULL);
	while (line.len > 0 && (line.at[line.len - 1] == '\r' || line.at[line.len - 1] == ' '))
		line.len--;
	return line;
}

bool
hdr_log_tagged(struct slice text)
{
	size_t used;

	for (; text.len > 0; text.at += used, text.len -= used)
		if (begins(cut_line(text, &used), TAG))
			return true;
	return false;
}

/* Seconds as whole milliseconds. */
static bool
take_seconds(struct slice text, int64_t *out)
{
	double v;

	if (!real_parse(text, &v) || v < 0 || v > SECONDS_MAX)
		return false;
	*out = (int64_t)(v * 1000 + 0.5);
	return true;
}

/* The digits that a text begins with, and a point among them. */
static struct slice
number_in(struct slice text)
{
	size_t n = 0;

	while (n < text.len && ((text.at[n] >= '0' && text.at[n] <= '9') || text.at[n] == '.'))
		n++;
	return (struct slice){text.at, n};
}

static enum status
take_comment(struct hdr_log *log, struct slice line)
{
	if (begins(line, VERSION)) {
		struct slice version = behind(line, VERSION);
		const char *known[] = {"1.0]", "1.1]", "1.2]", "1.3]", "1.01]"};
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (slice_equal(version, slice_of(known[i])))
				return OK;
		return STATUS_UNSUPPORTED;
	}
	if (begins(line, BASE))
		log->has_base |= take_seconds(number_in(behind(line, BASE)), &log->base);
	if (begins(line, START))
		log->has_start |= take_seconds(number_in(behind(line, START)), &log->start);
	return OK;
}

/* The last field of a line, which is cut off with what stands before it. False if
 * nothing is left. */
static bool
take_last(struct slice *line, struct slice *field)
{
	size_t n = line->len;

	if (n == 0)
		return false;
	while (n > 0 && line->at[n - 1] != ',' && line->at[n - 1] != ' ')
		n--;
	*field = (struct slice){line->at + n, line->len - n};
	while (n > 0 && line->at[n - 1] == ' ')
		n--;
	if (n > 0 && line->at[n - 1] == ',')
		n--;
	while (n > 0 && line->at[n - 1] == ' ')
		n--;
	line->len = n;
	return field->len > 0;
}

/* Time and length, of fields that end with them. */
static bool
take_interval(struct hdr_log *log, const struct slice field[FIELDS])
{
	struct interval *i = &log->interval;

	if (!take_seconds(field[0], &i->start) || !take_seconds(field[1], &i->length))
		return false;
	if (log->has_base)
		i->start += log->base;
	else if (log->has_start && i->start < log->start - YEAR_MS)
		i->start += log->start;
	return true;
}

static enum status
take_tag(struct slice tag, unsigned char join, struct buffer *key)
{
	enum status st = buffer_append(key, tag.at, tag.len);

	for (size_t i = 0; i < key->len; i++)
		if (key->at[i] == '\t')
			key->at[i] = join;
	return st;
}

static enum status
take_line(struct hdr_log *log, struct slice line, struct dump_row *row)
{
	struct slice field[FIELDS];

	for (int i = FIELDS; i-- > 0;)
		if (!take_last(&line, &field[i]))
			return STATUS_FOREIGN;
	bool tag = begins(line, TAG);
	if ((line.len > 0 && !tag) || !take_interval(log, field))
		return STATUS_FOREIGN;
	row->keyed = log->tagged;
	enum status st = tag ? take_tag(behind(line, TAG), log->join, &row->key) : OK;
	return st == OK ? base64_decode(field[FIELDS - 1], &row->value) : st;
}

enum status
hdr_log_read(struct hdr_log *log, struct slice text, struct dump_row *row, size_t *used)
{
	struct slice line = cut_line(text, used);

	row->keyed = false;
	row->key.len = row->value.len = 0;
	row->null = line.len == 0 || line.at[0] == '#' || line.at[0] == '"';
	if (row->null)
		return line.len > 0 ? take_comment(log, line) : OK;
	return take_line(log, line, row);
}

bool
hdr_log_can_tag(struct slice key, unsigned char join)
{
	for (size_t i = 0; i < key.len; i++)
		if (key.at[i] != join && (key.at[i] == '\0' || strchr(", \r\n", key.at[i])))
			return false;
	return true;
}

/* As Java prints dates: there, and so here, nothing reads them. */
enum status
hdr_log_begin(const struct interval *interval, struct buffer *out)
{
	char start[120] = "", date[40] = "";

	if (interval) {
		time_t seconds = (time_t)(interval->start / 1000);
		struct tm tm;
		if (gmtime_r(&seconds, &tm))
			strftime(date, sizeof date, "%a %b %d %H:%M:%S UTC %Y", &tm);
		snprintf(start, sizeof start, START "%lld.%03lld (seconds since epoch), %s]\n",
		    (long long)(interval->start / 1000), (long long)(interval->start % 1000), date);
	}
	enum status st = buffer_append(out, VERSION "1.3]\n", strlen(VERSION "1.3]\n"));
	if (st == OK)
		st = buffer_append(out, start, strlen(start));
	return st == OK ? buffer_append(out, LEGEND, strlen(LEGEND)) : st;
}

enum status
hdr_log_write(const struct interval *interval, const struct slice *key, unsigned char join,
    double most, struct slice bytes, struct buffer *out)
{
	struct interval when = interval ? *interval : (struct interval){0};
	bool tag = key && key->len > 0;
	char fields[450];
	enum status st = tag ? buffer_append(out, TAG, strlen(TAG)) : OK;

	for (size_t i = 0; tag && st == OK && i < key->len; i++)
		st = buffer_append(out, key->at[i] == join ? "\t" : (const char *)key->at + i, 1);
	snprintf(fields, sizeof fields, "%s%lld.%03lld,%lld.%03lld,%.3f,", tag ? "," : "",
	    (long long)(when.start / 1000), (long long)(when.start % 1000),
	    (long long)(when.length / 1000), (long long)(when.length % 1000), most);
	if (st == OK)
		st = buffer_append(out, fields, strlen(fields));
	if (st == OK)
		st = base64_encode(bytes, out);
	return st == OK ? buffer_append(out, "\n", 1) : st;
}
