/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * COPY text, as its manual in PostgreSQL has it ("File Formats", "Text Format"):
 * columns with TABs between, a newline at the end, and these written with a
 * backslash: \b \f \n \r \t \v, \\, \101 (octal), \x41. \N is NULL, and \. alone
 * is the end. A sketch, whose own text begins with a backslash, is \\x1189...;
 * psql -At prints the same columns without any of that, and so \x1189...
 *
 * CSV, as in RFC 4180: a column that holds a comma, a quote or an end of line is
 * in quotes, and a quote in it is two. Base64 never needs any. A row that does not
 * begin with a quote, and has nothing but base64 behind its last TAB, is one of
 * columns with TABs between, instead; so if a key holds a TAB, each column of it is
 * written in quotes.
 *
 * RESP, as redis-cli --pipe takes it: SET, the key and the value, each after its
 * length.
 */
#include <stdio.h>

#include "interop/digits.h"
#include "interop/dump.h"

void
dump_row_free(struct dump_row *row)
{
	buffer_free(&row->key);
	buffer_free(&row->value);
}

static enum status
put(struct buffer *to, unsigned char c)
{
	return buffer_append(to, &c, 1);
}

static bool
begins(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.len >= n && memcmp(s.at, text, n) == 0;
}

static const unsigned char *
last_of(struct slice s, unsigned char c)
{
	for (size_t i = s.len; i > 0; i--)
		if (s.at[i - 1] == c)
			return &s.at[i - 1];
	return NULL;
}

/* Text to its first end of line, without a CR before that. */
static enum status
cut_line(struct slice text, bool last, struct slice *line, size_t *used)
{
	const unsigned char *end = text.len > 0 ? memchr(text.at, '\n', text.len) : NULL;

	if (!end && !last)
		return STATUS_TRUNCATED;
	*line = (struct slice){text.at, end ? (size_t)(end - text.at) : text.len};
	*used = line->len + (end != NULL);
	if (line->len > 0 && line->at[line->len - 1] == '\r')
		line->len--;
	return OK;
}

/* Digits after a backslash: at most so many, to this base. */
static size_t
take_code(struct slice s, unsigned base, size_t most, unsigned *out)
{
	size_t n = 0;

	for (*out = 0; n < most && n < s.len; n++) {
		unsigned char c = s.at[n];
		unsigned digit = c >= '0' && c <= '9' ? c - (unsigned)'0' :
		    (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - (unsigned)'a' + 10 : 99;
		if (digit >= base)
			break;
		*out = *out * base + digit;
	}
	return n;
}

/* What stands behind a backslash, as one byte; returns how much of it that is. */
static size_t
take_escape(struct slice s, unsigned char *out)
{
	static const char letters[] = "bfnrtv", bytes[] = "\b\f\n\r\t\v";
	const char *letter = *s.at ? strchr(letters, *s.at) : NULL;
	unsigned code;
	size_t n;

	*out = *s.at;
	if (letter) {
		*out = (unsigned char)bytes[letter - letters];
		return 1;
	}
	if (*s.at == 'x') {
		n = take_code((struct slice){s.at + 1, s.len - 1}, 16, 2, &code);
		if (n > 0)
			*out = (unsigned char)code;
		return 1 + n;
	}
	n = take_code(s, 8, 3, &code);
	if (n == 0)
		return 1;
	*out = (unsigned char)code;
	return n;
}

/* Columns with TABs between, as a key; escaped ones if they come from COPY. */
static enum status
take_columns(struct slice s, bool escaped, unsigned char join, struct buffer *key)
{
	enum status st = OK;

	for (size_t i = 0; st == OK && i < s.len; i++) {
		unsigned char c = s.at[i] == '\t' ? join : s.at[i];
		if (escaped && c == '\\' && i + 1 < s.len)
			i += take_escape((struct slice){s.at + i + 1, s.len - i - 1}, &c);
		st = put(key, c);
	}
	return st;
}

/* A row is split at its last TAB: a key may hold some, a sketch holds none. False
 * if there is none, and all of it is the value. */
static bool
split_row(struct slice line, struct slice *key, struct slice *value)
{
	const unsigned char *tab = last_of(line, '\t');

	*value = line;
	if (!tab)
		return false;
	*key = (struct slice){line.at, (size_t)(tab - line.at)};
	*value = (struct slice){tab + 1, line.len - key->len - 1};
	return true;
}

static enum status
read_copy(struct slice text, bool last, unsigned char join, struct dump_row *row, size_t *used)
{
	struct slice line, key = {NULL, 0}, value;
	enum status st = cut_line(text, last, &line, used);

	if (st != OK)
		return st;
	row->keyed = split_row(line, &key, &value);
	row->null = slice_equal(value, slice_of("\\N")) || slice_equal(line, slice_of("\\."));
	if (row->null)
		return OK;
	bool escaped = begins(value, "\\\\x");
	size_t prefix = escaped ? 3 : 2;
	if (!escaped && !begins(value, "\\x"))
		return STATUS_FOREIGN;
	if (row->keyed)
		st = take_columns(key, escaped, join, &row->key);
	if (st == OK)
		st = hex_decode((struct slice){value.at + prefix, value.len - prefix}, &row->value);
	return st;
}

/* The column of CSV that a text begins with, appended; *used is its length. */
static enum status
take_column(struct slice text, bool last, struct buffer *out, size_t *used)
{
	enum status st = OK;
	size_t i = 0;

	if (text.len == 0 || *text.at != '"') {
		while (i < text.len && text.at[i] != ',' && text.at[i] != '\n')
			i++;
		*used = i;
		return buffer_append(out, text.at, i);
	}
	for (i = 1; st == OK && i < text.len; i++) {
		if (text.at[i] == '"' && i + 1 == text.len && !last)
			break;
		if (text.at[i] == '"' && (i + 1 == text.len || text.at[i + 1] != '"')) {
			*used = i + 1;
			return OK;
		}
		i += text.at[i] == '"';
		st = put(out, text.at[i]);
	}
	return st == OK ? STATUS_TRUNCATED : st;
}

/* The columns up to the end of line: the last is the value, the others the key. */
static enum status
read_csv_columns(struct slice text, bool last, unsigned char join, struct dump_row *row,
    struct buffer *column, size_t *used)
{
	size_t at = 0, n;

	for (;;) {
		struct slice rest = {text.at + at, text.len - at};
		column->len = 0;
		enum status st = take_column(rest, last, column, &n);
		if (st != OK)
			return st;
		at += n;
		if (at == text.len && !last)
			return STATUS_TRUNCATED;
		bool cr = at + 1 < text.len && text.at[at] == '\r' && text.at[at + 1] == '\n';
		if (at == text.len || text.at[at] == '\n' || cr) {
			*used = at + cr + (at < text.len);
			return base64_decode((struct slice){column->at, column->len}, &row->value);
		}
		if (text.at[at++] != ',')
			return STATUS_FOREIGN;
		if (row->keyed)
			st = put(&row->key, join);
		if (st == OK)
			st = buffer_append(&row->key, column->at, column->len);
		if (st != OK)
			return st;
		row->keyed = true;
	}
}

static enum status
read_csv(struct slice text, bool last, unsigned char join, struct dump_row *row, size_t *used)
{
	struct buffer column = {0};
	struct slice line, key = {NULL, 0}, value;
	enum status st = cut_line(text, last, &line, used);

	if (st != OK)
		return st;
	if (split_row(line, &key, &value) && *line.at != '"' && !last_of(value, ',') &&
	    !last_of(value, '"')) {
		row->keyed = true;
		st = take_columns(key, false, join, &row->key);
		return st == OK ? base64_decode(value, &row->value) : st;
	}
	st = read_csv_columns(text, last, join, row, &column, used);
	buffer_free(&column);
	return st;
}

enum status
dump_read(enum dump_form form, struct slice text, bool last, unsigned char join,
    struct dump_row *row, size_t *used)
{
	row->keyed = row->null = false;
	row->key.len = row->value.len = 0;
	enum status st = form == DUMP_COPY ? read_copy(text, last, join, row, used) :
	    form == DUMP_CSV ? read_csv(text, last, join, row, used) : STATUS_FOREIGN;
	/* An empty line is no row of anything. */
	return st == OK && !row->null && row->value.len == 0 ? STATUS_FOREIGN : st;
}

static enum status
put_text(struct buffer *out, const char *text)
{
	return buffer_append(out, text, strlen(text));
}

static enum status
write_copy(const struct slice *key, unsigned char join, struct slice value, struct buffer *out)
{
	static const char letters[] = "bfnrtv\\", bytes[] = "\b\f\n\r\t\v\\";
	enum status st = OK;

	for (size_t i = 0; key && st == OK && i < key->len; i++) {
		unsigned char c = key->at[i];
		const char *byte = c && c != join ? strchr(bytes, c) : NULL;
		if (byte)
			st = put(out, '\\');
		if (st == OK)
			st = put(out, byte ? (unsigned char)letters[byte - bytes] :
			    c == join ? '\t' : c);
	}
	if (st == OK)
		st = put_text(out, key ? "\t\\\\x" : "\\x");
	if (st == OK)
		st = hex_encode(value, out);
	return st == OK ? put(out, '\n') : st;
}

static enum status
write_column(struct slice column, bool quoted, struct buffer *out)
{
	enum status st = OK;

	for (size_t i = 0; i < column.len; i++)
		quoted |= column.at[i] == 0 || strchr(",\"\r\n", column.at[i]) != NULL;
	if (!quoted)
		return buffer_append(out, column.at, column.len);
	st = put(out, '"');
	for (size_t i = 0; st == OK && i < column.len; i++) {
		if (column.at[i] == '"')
			st = put(out, '"');
		if (st == OK)
			st = put(out, column.at[i]);
	}
	return st == OK ? put(out, '"') : st;
}

static enum status
write_csv(const struct slice *key, unsigned char join, struct slice value, struct buffer *out)
{
	bool tab = key && last_of(*key, '\t');
	enum status st = OK;

	for (size_t at = 0, n; key && st == OK && at <= key->len; at += n + 1) {
		for (n = 0; at + n < key->len && key->at[at + n] != join; n++)
			;
		/* An empty key may have no bytes to point to. */
		st = write_column((struct slice){at > 0 ? key->at + at : key->at, n},
		    tab || n == 0, out);
		if (st == OK)
			st = put(out, ',');
	}
	if (st == OK)
		st = base64_encode(value, out);
	return st == OK ? put(out, '\n') : st;
}

static enum status
write_argument(struct slice bytes, struct buffer *out)
{
	char length[32];

	snprintf(length, sizeof length, "$%zu\r\n", bytes.len);
	enum status st = put_text(out, length);
	if (st == OK)
		st = buffer_append(out, bytes.at, bytes.len);
	return st == OK ? put_text(out, "\r\n") : st;
}

/* Columns of the key have TABs between, as they are printed elsewhere. */
static enum status
write_resp(struct slice key, unsigned char join, struct slice value, struct buffer *out)
{
	struct buffer name = {0};
	enum status st = put_text(out, "*3\r\n$3\r\nSET\r\n");

	for (size_t i = 0; st == OK && i < key.len; i++)
		st = put(&name, key.at[i] == join ? '\t' : key.at[i]);
	if (st == OK)
		st = write_argument((struct slice){name.at, name.len}, out);
	if (st == OK)
		st = write_argument(value, out);
	buffer_free(&name);
	return st;
}

enum status
dump_write(enum dump_form form, const struct slice *key, unsigned char join, struct slice value,
    struct buffer *out)
{
	switch (form) {
	case DUMP_COPY:
		return write_copy(key, join, value, out);
	case DUMP_CSV:
		return write_csv(key, join, value, out);
	case DUMP_RESP:
		return write_resp(*key, join, value, out);
	default:
		return STATUS_FOREIGN;
	}
}
