/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "base/reader.h"
#include "base/record.h"
#include "interop/systems.h"
#include "tool/files/foreign.h"
#include "tool/report.h"

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
	return system->dump == DUMP_COPY || system->dump == DUMP_CSV || system->dump == DUMP_LOG;
}

static enum status
hand_on(struct foreign *f, struct buffer *bytes, const struct slice *key)
{
	struct sketch sketch;
	uint64_t left_out;
	enum status st = f->system->read(bytes, &sketch, &left_out);

	if (st != OK)
		return st;
	if (f->unit != UNIT_NONE)
		f->system->numbers->set_unit(&sketch, f->unit);
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

static enum status
read_row(struct foreign *f, struct slice text, bool last, struct dump_row *row, size_t *used)
{
	if (f->system->dump != DUMP_LOG)
		return dump_read(f->system->dump, text, last, f->join, row, used);
	f->interval = &f->log.interval;
	return hdr_log_read(&f->log, text, row, used);
}

/* Can reading go on behind a line that is damaged so? It must be a log at all. */
static bool
pass_over(const struct foreign *f, enum status st)
{
	char place[FOREIGN_PLACE_SIZE];
	bool lasting = st == STATUS_UNSUPPORTED || st == STATUS_NO_ZLIB ||
	    status_exit(st) != EXIT_SKETCH;

	if (f->system->dump != DUMP_LOG || !(f->any || f->looks) || f->strict || lasting)
		return false;
	foreign_place(f, place);
	if (st == STATUS_FOREIGN)
		complain_exit(EXIT_SKETCH, "cannot read '%s'%s: not a line of a %s", f->name, place,
		    f->system->what);
	else
		complain(st, "cannot read the %s '%s'%s", f->system->what, f->name, place);
	return true;
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
		st = read_row(f, rest, last, row, &n);
		if (st == STATUS_TRUNCATED && !last)
			return OK;
		if (st == OK && !row->null) {
			struct slice key = {row->key.at, row->key.len};
			st = hand_on(f, &row->value, row->keyed ? &key : NULL);
		}
		if (st != OK && !pass_over(f, st))
			break;
		st = OK;
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

/* All lines of a log have keys if one has, so that all of it must be known. */
static enum status
read_log(struct foreign *f, int fd, struct buffer *text, bool last)
{
	enum status st = OK;

	while (st == OK && !last)
		st = read_more(fd, text, &last);
	if (st != OK)
		return st;
	f->log = (struct hdr_log){
		.join = f->join, .tagged = hdr_log_tagged((struct slice){text->at, text->len}),
	};
	return read_rows(f, fd, text, true);
}

enum status
foreign_each(struct foreign *f, int fd)
{
	struct buffer bytes = {0};
	bool last = false;

	f->line = 0;
	f->guess = NULL;
	f->interval = NULL;
	f->any = false;
	enum status st = read_start(fd, &bytes, &last);
	struct slice start = {bytes.at, bytes.len};
	bool ours = start.len >= MAGIC_SIZE && memcmp(start.at, RECORD_MAGIC, MAGIC_SIZE) == 0;
	const char *guess = ours ? "it is a sketch of ours (leave --from out)" :
	    start.len > 0 ? system_guess(start) : NULL;
	if (st == OK && ours)
		st = STATUS_FOREIGN;
	f->looks = st == OK && f->system->looks(start);
	if (st == OK)
		st = !has_rows(f->system) || f->system->raw(start) ? read_bytes(f, fd, &bytes, last) :
		    f->system->dump == DUMP_LOG ? read_log(f, fd, &bytes, last) :
		    read_rows(f, fd, &bytes, last);
	if (st == STATUS_FOREIGN && f->line <= 1 && !f->looks)
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
