/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "base/reader.h"
#include "base/record.h"
#include "interop/systems.h"
#include "tool/foreign.h"

#define STEP (1 << 16)
#define MAGIC_SIZE (sizeof RECORD_MAGIC - 1)

/* More bytes, as many as there is room for; *last if there are none. */
static enum status
read_more(int fd, struct buffer *bytes, bool *last)
{
	size_t n;

	if (buffer_reserve(bytes, STEP) != OK)
		return STATUS_MEMORY;
	enum status st = reader_read(fd, bytes->at + bytes->len, bytes->room - bytes->len, &n);
	if (st != OK)
		return st;
	*last = n == 0;
	bytes->len += n;
	return OK;
}

/* Enough to tell bytes from text. */
static enum status
read_start(int fd, struct buffer *bytes, bool *last)
{
	enum status st = OK;

	while (st == OK && !*last && bytes->len < STEP)
		st = read_more(fd, bytes, last);
	return st == OK && bytes->len == 0 ? STATUS_EMPTY : st;
}

static bool
has_rows(const struct system *system)
{
	return system->dump == DUMP_COPY || system->dump == DUMP_CSV;
}

static enum status
hand_on(struct foreign *f, struct buffer *bytes, const struct slice *key)
{
	struct sketch sketch;
	uint64_t left_out;
	enum status st = f->system->read(bytes, &sketch, &left_out);

	if (st != OK)
		return st;
	f->any = true;
	f->sketch(f->context, &sketch, key, left_out);
	sketch_free(&sketch);
	return OK;
}

static enum status
read_bytes(struct foreign *f, int fd, struct buffer *bytes, bool last)
{
	enum status st = OK;

	while (st == OK && !last)
		st = read_more(fd, bytes, &last);
	return st == OK ? hand_on(f, bytes, NULL) : st;
}

static uint64_t
lines_in(struct slice s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.at[i] == '\n';
	return n;
}

/* The rows that are whole so far; *used bytes are done with. */
static enum status
take_rows(struct foreign *f, struct slice text, bool last, struct dump_row *row, size_t *used)
{
	enum status st = OK;

	*used = 0;
	while (*used < text.len) {
		struct slice rest = {text.at + *used, text.len - *used};
		size_t n;
		st = dump_read(f->system->dump, rest, last, f->join, row, &n);
		if (st == STATUS_TRUNCATED && !last)
			return OK;
		if (st == OK && !row->null) {
			struct slice key = {row->key.at, row->key.len};
			st = hand_on(f, &row->value, row->keyed ? &key : NULL);
		}
		if (st != OK)
			break;
		f->line += lines_in((struct slice){rest.at, n});
		*used += n;
	}
	return st;
}

static enum status
read_rows(struct foreign *f, int fd, struct buffer *text, bool last)
{
	struct dump_row row = {0};
	enum status st;
	size_t used;

	f->line = 1;
	for (;;) {
		st = take_rows(f, (struct slice){text->at, text->len}, last, &row, &used);
		if (st != OK || last)
			break;
		text->len -= used;
		memmove(text->at, text->at + used, text->len);
		st = read_more(fd, text, &last);
		if (st != OK)
			break;
	}
	dump_row_free(&row);
	return st;
}

enum status
foreign_each(struct foreign *f, int fd)
{
	struct buffer bytes = {0};
	bool last = false;

	f->line = 0;
	f->guess = NULL;
	f->any = false;
	enum status st = read_start(fd, &bytes, &last);
	struct slice start = {bytes.at, bytes.len};
	bool ours = start.len >= MAGIC_SIZE && memcmp(start.at, RECORD_MAGIC, MAGIC_SIZE) == 0;
	const char *guess = ours ? "it is a sketch of ours (leave --from out)" :
	    start.len > 0 ? system_guess(start) : NULL;
	if (st == OK && ours)
		st = STATUS_FOREIGN;
	if (st == OK)
		st = !has_rows(f->system) || f->system->raw(start) ?
		    read_bytes(f, fd, &bytes, last) : read_rows(f, fd, &bytes, last);
	if (st == STATUS_FOREIGN && f->line <= 1)
		f->guess = guess;
	if (st == OK && !f->any) {
		f->line = 0;
		st = STATUS_EMPTY;
	}
	buffer_free(&bytes);
	return st;
}

const char *
foreign_place(const struct foreign *f, char out[FOREIGN_PLACE_SIZE])
{
	*out = '\0';
	if (f->line > 0)
		snprintf(out, FOREIGN_PLACE_SIZE, ", line %llu", (unsigned long long)f->line);
	return out;
}
