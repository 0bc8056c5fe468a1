/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/keyed.h"
#include "sketch/distinct/hll.h"
#include "sketch/kinds.h"
#include "sketch/member/member.h"
#include "tool/lines/input.h"
#include "tool/files/join.h"
#include "tool/member/overfill.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/files/table.h"

/* A file, and the entry of it that is next. */
struct front {
	struct input in;
	struct record_reader reader;
	struct keyed_reader keyed;
	struct record head;
	struct slice key, payload;
	struct buffer copy;          /* of the payload, for loading it */
	bool skip;                   /* its shards came before */
};

struct join {
	const struct unite *unite;
	struct parts *parts;
	struct record head;          /* of the first file: what all must equal */
	bool any;
	bool unlike;                 /* entries of a key may turn out not to unite */
	bool settle;                 /* settings differ, and all get those of head */
	unsigned precision;          /* of HyperLogLogs: the coarsest */
	struct front *front;
	size_t n;
	struct front **heap;        /* those with entries left; heap[0] has the least key */
	size_t left;
};

static _Noreturn void
no_memory(void)
{
	die(STATUS_MEMORY, "cannot merge keyed sketches");
}

/* Is it a regular file that begins with a keyed record? */
static bool
begins_keyed(const struct input *in)
{
	unsigned char bytes[RECORD_HEADER];
	struct record head;
	uint32_t extended;
	uint64_t checksum;

	return in->regular && in->fd != STDIN_FILENO &&
	    pread(in->fd, bytes, sizeof bytes, in->start) == (ssize_t)sizeof bytes &&
	    record_decode(&head, &extended, &checksum, bytes) == OK &&
	    head.flags & FLAG_KEYED;
}

/* Each header, and that of each entry. Sketches of one kind and the same
 * parameters unite, if they have a size that is fixed. */
static void
take_head(void *context, const char *name, const struct record *head)
{
	struct join *j = context;

	if (!j->any) {
		unite_ask(j->unite, name, head, true);
		j->head = *head;
		j->any = true;
	}
	j->settle |= unite_head(&j->head, head, name);
	if (head->kind != KIND_HLL) {
		j->unlike |= !kind_find(head->kind)->fold || j->unite->folds ||
		    memcmp(j->head.param, head->param, sizeof head->param) != 0;
		return;
	}
	unsigned precision = (unsigned)head->param[HLL_PARAM_PRECISION];
	if (j->precision == 0 || precision < j->precision)
		j->precision = precision;
}

static void
take_entry(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	(void)key;
	take_head(context, name, &s->head);
}

static void
rewind_to_start(const struct input *in)
{
	if (lseek(in->fd, in->start, SEEK_SET) < 0)
		die(STATUS_SYSTEM, "cannot read '%s'", input_name(in));
}

/* Read every file once; false if one holds more than its keyed record. */
static bool
verify(struct join *j)
{
	struct records records = {
		.end = '\n', .context = j, .parts = j->parts, .looks = true,
		.sketch = take_entry, .keyed = take_head,
	};

	for (size_t i = 0; i < j->n; i++) {
		const struct input *in = &j->front[i].in;
		uint64_t skipped = j->parts->skipped;
		if (records_from(&records, in->fd, input_name(in)) != 1)
			return false;
		j->front[i].skip = j->parts->skipped > skipped;
		rewind_to_start(in);
	}
	if (j->precision > 0)
		j->precision = unite_precision(j->unite, j->precision);
	return true;
}

/* It was right when it was verified. */
static _Noreturn void
changed(const struct front *s, enum status st)
{
	die(st, "cannot read '%s', which changed while in use", input_name(&s->in));
}

/* The next entry; false after the last. */
static bool
advance(struct front *s)
{
	enum status st = keyed_reader_next(&s->keyed, &s->key, &s->head, &s->payload);

	if (st != OK && st != STATUS_END)
		changed(s, st);
	return st == OK;
}

static void
begin(struct front *s)
{
	struct record head;
	struct buffer extension = {0};

	record_reader_open(&s->reader, s->in.fd);
	s->reader.check = kind_check;
	enum status st = record_reader_next(&s->reader, &head, &extension, &s->copy);
	if (st == OK && !(head.flags & FLAG_KEYED))
		st = STATUS_MISMATCH;
	if (st != OK)
		changed(s, st);
	buffer_free(&extension);
	keyed_reader_begin(&s->keyed, &s->reader, &head);
}

static bool
before(const struct front *a, const struct front *b)
{
	return slice_compare(a->key, b->key) < 0;
}

/* Let the front at i sink to where both below it are not less. */
static void
sink(struct join *j, size_t i)
{
	struct front *s = j->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;
		if (child + 1 < j->left && before(j->heap[child + 1], j->heap[child]))
			child++;
		if (child >= j->left || !before(j->heap[child], s))
			break;
		j->heap[i] = j->heap[child];
		i = child;
	}
	j->heap[i] = s;
}

/* Past the least entry. */
static void
step(struct join *j)
{
	if (!advance(j->heap[0]))
		j->heap[0] = j->heap[--j->left];
	if (j->left > 0)
		sink(j, 0);
}

static void
load(struct front *s, struct sketch *out)
{
	s->copy.len = 0;
	enum status st = buffer_append(&s->copy, s->payload.at, s->payload.len);
	if (st == OK)
		st = sketch_load(out, &s->head, &s->copy);
	if (st != OK)
		changed(s, st);
}

/* All entries of the least key, as one. */
static void
unite_least(struct join *j, struct buffer *key, struct sketch *all)
{
	struct front *s = j->heap[0];

	key->len = 0;
	if (buffer_append(key, s->key.at, s->key.len) != OK)
		no_memory();
	struct slice name = {key->at, key->len};
	load(s, all);
	step(j);
	while (j->left > 0 && slice_equal(j->heap[0]->key, name)) {
		struct sketch one;
		s = j->heap[0];
		load(s, &one);
		unite_pair(j->unite, all, &one, input_name(&s->in));
		sketch_free(&one);
		step(j);
	}
	if (j->settle)
		unite_settle(&j->head, all, input_name(&s->in));
	/* All keys have one precision. */
	if (all->head.kind != KIND_HLL)
		unite_end(j->unite, all, input_name(&s->in));
	else if (hll_precision(all->body) > j->precision &&
	    hll_fold(all->body, j->precision) != OK)
		no_memory();
}

static void
open_fronts(struct join *j)
{
	for (size_t i = 0; i < j->n; i++) {
		if (j->front[i].skip)
			continue;
		begin(&j->front[i]);
		if (advance(&j->front[i]))
			j->heap[j->left++] = &j->front[i];
	}
	for (size_t i = j->left / 2; i-- > 0;)
		sink(j, i);
}

static void
close_fronts(struct join *j)
{
	for (size_t i = 0; i < j->n; i++) {
		struct front *s = &j->front[i];
		keyed_reader_free(&s->keyed);
		record_reader_close(&s->reader);
		s->keyed = (struct keyed_reader){0};
		s->reader = (struct record_reader){0};
	}
}

/* Unite all, but write nothing: what can fail fails here. */
static void
rehearse(struct join *j)
{
	struct buffer key = {0};

	open_fronts(j);
	while (j->left > 0) {
		struct sketch all;
		unite_least(j, &key, &all);
		sketch_free(&all);
	}
	close_fronts(j);
	for (size_t i = 0; i < j->n; i++)
		rewind_to_start(&j->front[i].in);
	buffer_free(&key);
}

struct join *
join_open(const struct unite *unite, struct parts *parts, int count, char *const *operands)
{
	/* Some descriptors are for the output. */
	if (count < 1 || count > sysconf(_SC_OPEN_MAX) - 16)
		return NULL;
	struct join *j = calloc(1, sizeof *j);
	if (!j)
		no_memory();
	j->unite = unite;
	j->parts = parts;
	j->front = calloc((size_t)count, sizeof *j->front);
	j->heap = calloc((size_t)count, sizeof(void *));
	if (!j->front || !j->heap)
		no_memory();
	for (int i = 0; i < count; i++) {
		struct input *in = &j->front[i].in;
		enum status st = input_open(in, operands[i]);
		if (st != OK)
			die(st, "cannot open '%s'", input_name(in));
		j->n++;
		if (!begins_keyed(in))
			goto other;
	}
	if (verify(j)) {
		if (j->unlike)
			rehearse(j);
		return j;
	}
other:
	join_free(j);
	parts_clear(parts);
	return NULL;
}

static bool
is_overfilled(const struct sketch *s)
{
	const struct member *m = member_find(s->head.kind);

	return m && overfill_is(m, s->body, &s->head);
}

uint64_t
join_write(struct join *j)
{
	struct buffer key = {0};
	uint64_t overfilled = 0;
	bool begun = false;

	open_fronts(j);
	while (j->left > 0) {
		struct sketch all;
		unite_least(j, &key, &all);
		if (!begun)
			table_begin_united(&j->head, j->precision, &all);
		begun = true;
		table_sketch((struct slice){key.at, key.len}, &all);
		overfilled += is_overfilled(&all);
		sketch_free(&all);
	}
	if (!begun)
		table_begin_united(&j->head, j->precision, NULL);
	table_end();
	close_fronts(j);
	buffer_free(&key);
	return overfilled;
}

void
join_free(struct join *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->n; i++) {
		struct front *s = &j->front[i];
		keyed_reader_free(&s->keyed);
		record_reader_close(&s->reader);
		buffer_free(&s->copy);
		input_close(&s->in);
	}
	free(j->front);
	free(j->heap);
	free(j);
}
