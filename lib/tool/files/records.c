/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>
#include <unistd.h>

#include "base/ids.h"
#include "base/keyed.h"
#include "base/reader.h"
#include "tool/files/foreign.h"
#include "tool/lines/input.h"
#include "tool/options/opts.h"
#include "tool/files/records.h"
#include "tool/report.h"

/* One operand under way. */
struct source {
	const struct records *records;
	const char *name;
	struct record_reader reader;
	struct buffer extension, payload;
};

/* Something else: say what it seems to be. */
static _Noreturn void
foreign(struct slice start, const char *name)
{
	const char *guess = system_guess(start);

	if (guess)
		die_exit(EXIT_SKETCH, "cannot read sketch '%s': not a sketch, %s", name, guess);
	die(STATUS_FOREIGN, "cannot read sketch '%s'", name);
}

static _Noreturn void
bad(const struct source *s, enum status st)
{
	if (st == STATUS_FOREIGN && s->reader.offset == 0)
		foreign((struct slice){s->reader.start, s->reader.start_len}, s->name);
	if (s->reader.number > 1 || s->reader.offset > 0)
		die(st, "cannot read sketch %llu of '%s', at byte %llu",
		    (unsigned long long)s->reader.number, s->name,
		    (unsigned long long)s->reader.offset);
	die(st, "cannot read sketch '%s'", s->name);
}

static void
want_kind(const struct source *s, const struct record *head)
{
	const char *only = s->records->only;
	const struct kind *k = kind_find(head->kind);

	if (!kind_begins(k, only))
		die_exit(EXIT_SKETCH, "cannot use sketch '%s': its kind is %s, not %.*s", s->name,
		    k->name, (int)strcspn(only, "|"), only);
}

static void
hand_on(struct source *s, const struct record *head, struct slice extension,
    struct buffer *payload, const struct slice *key)
{
	struct sketch sketch;
	enum status st = sketch_load(&sketch, head, payload);

	if (st == OK && (!s->records->parts || s->records->parts->apart))
		st = sketch_take_ids(&sketch, extension);
	if (st != OK)
		bad(s, st);
	s->records->sketch(s->records->context, s->name, &sketch, key);
	sketch_free(&sketch);
}

/* All entries of a keyed record. Returns the checksum of its chunks. */
static uint64_t
hand_on_keyed(struct source *s, const struct record *head)
{
	struct keyed_reader keyed;
	struct record entry;
	struct slice key, bytes;
	enum status st;

	if (s->records->keyed)
		s->records->keyed(s->records->context, s->name, head);
	keyed_reader_begin(&keyed, &s->reader, head);
	while ((st = keyed_reader_next(&keyed, &key, &entry, &bytes)) == OK) {
		s->payload.len = 0;
		if (buffer_append(&s->payload, bytes.at, bytes.len) != OK)
			die(STATUS_MEMORY, "cannot read sketch '%s'", s->name);
		hand_on(s, &entry, (struct slice){NULL, 0}, &s->payload, &key);
	}
	if (st != STATUS_END)
		bad(s, st);
	uint64_t sum = keyed_reader_sum(&keyed);
	keyed_reader_free(&keyed);
	return sum;
}

/* Its bytes, as they are. Returns the checksum of its chunks. */
static uint64_t
keep_keyed(struct source *s, const struct record *head, struct buffer *copy)
{
	struct keyed_writer writer;
	struct keyed_reader keyed;
	struct record entry;
	struct slice key, bytes;

	enum status st = keyed_writer_begin(&writer, buffer_sink(copy), head,
	    (struct slice){NULL, 0});
	keyed_reader_begin(&keyed, &s->reader, head);
	while (st == OK && (st = keyed_reader_next(&keyed, &key, &entry, &bytes)) == OK)
		st = keyed_writer_add(&writer, key, &entry, bytes);
	if (st == STATUS_END)
		st = keyed_writer_end(&writer);
	if (st != OK)
		bad(s, st);
	uint64_t sum = keyed_reader_sum(&keyed);
	keyed_reader_free(&keyed);
	keyed_writer_free(&writer);
	return sum;
}

static void
source_close(struct source *s)
{
	record_reader_close(&s->reader);
	buffer_free(&s->extension);
	buffer_free(&s->payload);
}

/* A keyed record whose shards came before. Whether it is the same one is known at its
 * end, and until then nothing of it may be used. */
static void
take_again(struct source *s, const struct record *head, struct arrival *arrival)
{
	struct source again = {.records = s->records, .name = s->name};
	struct buffer copy = {0};
	struct record same;

	arrival->sum[0] ^= keep_keyed(s, head, &copy);
	if (parts_take(s->records->parts, arrival)) {
		record_reader_memory(&again.reader, (struct slice){copy.at, copy.len});
		again.reader.check = kind_check;
		enum status st = record_reader_next(&again.reader, &same, &again.extension,
		    &again.payload);
		if (st != OK)
			bad(s, st);
		hand_on_keyed(&again, &same);
		source_close(&again);
	}
	buffer_free(&copy);
}

static void
take_keyed_record(struct source *s, const struct record *head, struct arrival *arrival)
{
	struct parts *parts = s->records->parts;

	if (parts && !s->records->looks && parts_met(parts, arrival->ids)) {
		take_again(s, head, arrival);
		return;
	}
	arrival->sum[0] ^= hand_on_keyed(s, head);
	if (parts)
		parts_take(parts, arrival);
}

/* What record_reader_next returned. */
static void
take_record(struct source *s, const struct record *head)
{
	const struct records *r = s->records;
	struct slice key, extension = {s->extension.at, s->extension.len};
	struct arrival arrival = {
		.name = s->name, .kind = head->kind, .sum = {s->reader.sum[0], s->reader.sum[1]},
	};

	want_kind(s, head);
	if (extension_find(extension, EXTENSION_KEY, &key))
		arrival.key = &key;
	extension_find(extension, EXTENSION_ID, &arrival.ids);
	if (r->shards)
		r->shards(r->context, s->name, arrival.ids);
	if (head->flags & FLAG_KEYED)
		take_keyed_record(s, head, &arrival);
	else if (!r->parts || parts_take(r->parts, &arrival))
		hand_on(s, head, extension, &s->payload, arrival.key);
}

static void
source_open(struct source *s, int fd)
{
	record_reader_open(&s->reader, fd);
	s->reader.check = kind_check;
	s->reader.end = s->records->end;
}

static uint64_t
source_run(struct source *s, int fd)
{
	struct record head;
	enum status st;

	source_open(s, fd);
	while ((st = record_reader_next(&s->reader, &head, &s->extension, &s->payload)) == OK)
		take_record(s, &head);
	if (st != STATUS_END && !(st == STATUS_EMPTY && s->records->may_be_empty))
		bad(s, st);

	uint64_t n = s->reader.number;
	source_close(s);
	if (s->records->input_end)
		s->records->input_end(s->records->context, s->name);
	return n;
}

/* Sketches in the bytes of another system. */

struct theirs {
	struct source *source;
	struct foreign file;
	uint64_t plain;
	bool keyed;
};

static void
take_foreign(void *context, struct sketch *sketch, const struct slice *key, uint64_t left_out)
{
	struct theirs *t = context;
	const struct source *s = t->source;
	const struct records *records = s->records;

	if (key)
		t->keyed = true;
	else
		t->plain++;
	want_kind(s, &sketch->head);
	if (left_out > 0 && records->left_out)
		records->left_out(records->context, s->name, left_out);
	if (t->file.interval && records->interval)
		records->interval(records->context, t->file.interval);
	records->sketch(records->context, s->name, sketch, key);
}

static uint64_t
run_foreign(struct source *s, int fd)
{
	struct theirs theirs = {
		.source = s,
		.file = {
			.system = shared.from, .name = s->name, .strict = shared.strict,
			.unit = shared.from_unit, .join = s->records->end, .context = &theirs,
			.sketch = take_foreign,
		},
	};
	struct foreign *f = &theirs.file;
	char place[FOREIGN_PLACE_SIZE];

	enum status st = foreign_each(f, fd);
	if (st == STATUS_EMPTY && s->records->may_be_empty)
		return 0;
	foreign_place(f, place);
	if (st == STATUS_FOREIGN)
		die_exit(EXIT_SKETCH, "cannot read '%s'%s: not a %s%s%s", s->name, place,
		    f->system->what, f->guess ? ", " : "", f->guess ? f->guess : "");
	if (st != OK)
		die(st, "cannot read the %s '%s'%s", f->system->what, s->name, place);
	if (s->records->input_end)
		s->records->input_end(s->records->context, s->name);
	if (s->records->parts)
		s->records->parts->plain += theirs.plain + theirs.keyed;
	return theirs.plain + theirs.keyed;
}

uint64_t
records_from(const struct records *records, int fd, const char *name)
{
	struct source s = {.records = records, .name = name};

	return shared.from ? run_foreign(&s, fd) : source_run(&s, fd);
}

uint64_t
records_run(const struct records *records, int count, char *const *operands)
{
	static char *const standard_input[] = {"-"};
	uint64_t n = 0;

	if (count == 0) {
		count = 1;
		operands = standard_input;
	}
	for (int i = 0; i < count; i++) {
		struct input in;
		enum status st = input_open(&in, operands[i]);
		if (st != OK)
			die(st, "cannot open '%s'", input_name(&in));
		n += records_from(records, in.fd, input_name(&in));
		input_close(&in);
	}
	return n;
}

void
records_ids(int fd, const char *name, const char *only, struct buffer *ids)
{
	struct records records = {.only = only, .end = shared.scan.end};
	struct source s = {.records = &records, .name = name};
	struct record head;
	struct slice found;
	off_t start = lseek(fd, 0, SEEK_CUR);

	source_open(&s, fd);
	enum status st = record_reader_next(&s.reader, &head, &s.extension, &s.payload);
	if (st != OK)
		bad(&s, st);
	if (extension_find((struct slice){s.extension.at, s.extension.len}, EXTENSION_ID, &found))
		st = ids_unite(ids, found);
	if (st != OK)
		bad(&s, st);
	source_close(&s);
	if (start < 0 || lseek(fd, start, SEEK_SET) < 0)
		die(STATUS_SYSTEM, "cannot read '%s'", name);
}

static struct record first;

/* Stop before the payload, which may be a gigabyte. */
static enum status
check_first(const struct record *head)
{
	enum status st = kind_check(head);

	first = *head;
	return st == OK ? STATUS_END : st;
}

void
records_head(int fd, const char *name, const char *only, struct record *head)
{
	struct records records = {.only = only, .end = shared.scan.end};
	struct source s = {.records = &records, .name = name};

	source_open(&s, fd);
	s.reader.check = check_first;
	enum status st = record_reader_next(&s.reader, head, &s.extension, &s.payload);
	if (st != OK && st != STATUS_END)
		bad(&s, st);
	want_kind(&s, &first);
	*head = first;
	source_close(&s);
}
