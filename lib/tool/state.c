/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/pages.h"
#include "sketch/kinds.h"
#include "tool/map.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/save.h"
#include "tool/state.h"

#define PIECE ((size_t)1 << 20)

static struct {
	const char *path;
	struct save save;
	uint64_t items;              /* of all runs before this one */
} state;

void
state_open(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		die_usage("cannot keep a state in standard input: it must be a file");
	if (stat(path, &st) == 0) {
		if (output_is(&st))
			die_usage("'%s' is both --state and standard output", path);
		/* Whoever waits for a fifo waits for ever. */
		if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			die_exit(EXIT_SYSTEM, "cannot keep a state in '%s': not a regular file", path);
	}
	state.path = path;
	enum status opened = save_open(&state.save, path);
	if (opened != OK)
		die(opened, "cannot write '%s'", path);
}

static _Noreturn void
cannot_read(enum status st)
{
	die(st, "cannot read state '%s'", state.path);
}

_Noreturn void
state_differs(const char *what, const char *in_file, const char *now)
{
	die_exit(EXIT_SKETCH, "cannot use state '%s': %s %s and %s", state.path, what, in_file, now);
}

/* Does this run's idea of an item agree with the record's? */
static void
must_match(const struct record *head)
{
	struct record mine = opts_identity();
	struct mismatch why;

	mine.kind = KIND_SEEN;
	if (record_compare(head, &mine, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot use state '%s': %s", state.path, why.text);
	if (head->flags & FLAG_KEYED)
		state_differs("kind", "keyed seen", "seen");
}

/* As record_verify, but never with all of it in memory. */
static enum status
verify(struct slice record, struct slice payload)
{
	struct record head;
	uint32_t extension;
	uint64_t checksum;
	XXH3_state_t hash;
	enum status st = record_decode(&head, &extension, &checksum, record.at);

	if (st != OK)
		return st;
	XXH3_64bits_reset(&hash);
	for (size_t at = RECORD_HEADER; at < record.len; at += PIECE) {
		size_t n = record.len - at < PIECE ? record.len - at : PIECE;
		XXH3_64bits_update(&hash, record.at + at, n);
		pages_drop((void *)(uintptr_t)(record.at + at), n);
	}
	if (XXH3_64bits_digest(&hash) != checksum)
		return STATUS_PAYLOAD;
	const unsigned char *end = record.at + record.len, *used = payload.at + payload.len;
	return record_zeros(used, (size_t)(end - used)) ? OK : STATUS_PADDING;
}

/* What has been taken over is dropped from memory: the file may be as large as
 * the set may become. */
static void
load_payload(struct seen *seen, const struct record *head, struct slice payload)
{
	struct seen_loader loader;

	enum status st = seen_load_start(&loader, seen, head, payload.at);
	if (st != OK)
		cannot_read(st);
	for (size_t at = 0; at < payload.len; at += PIECE) {
		size_t n = payload.len - at < PIECE ? payload.len - at : PIECE;
		st = seen_load_some(&loader, payload.at + at, n);
		if (st != OK)
			cannot_read(st);
		pages_drop((void *)(uintptr_t)(payload.at + at), n);
	}
	st = seen_load_end(&loader);
	if (st != OK)
		cannot_read(st);
}

/* The record that the bytes begin with. Returns its length. */
static size_t
load_record(struct slice bytes, struct seen *(*empty_set)(const struct record *head))
{
	struct record head;
	struct slice extension, payload;
	size_t used;

	enum status st = record_parse(bytes, &head, &extension, &payload, &used);
	if (st == OK)
		st = kind_check(&head);
	if (st != OK)
		cannot_read(st);
	must_match(&head);
	st = verify((struct slice){bytes.at, used}, payload);
	if (st != OK)
		cannot_read(st);
	load_payload(empty_set(&head), &head, payload);
	state.items = add_saturated(state.items, head.items);
	return used;
}

void
state_load(struct seen *(*empty_set)(const struct record *head))
{
	struct stat st;
	struct map map;

	if (stat(state.save.target, &st) != 0) {
		if (errno != ENOENT)
			cannot_read(STATUS_SYSTEM);
		return;
	}
	if (st.st_size == 0)
		cannot_read(STATUS_EMPTY);
	enum status opened = map_open(&map, state.save.target);
	if (opened != OK)
		cannot_read(opened == STATUS_END ? STATUS_EMPTY : opened);
	struct slice left = map.bytes;
	while (left.len > 0) {
		size_t used = load_record(left, empty_set);
		left.at += used;
		left.len -= used;
	}
	map_close(&map);
}

/*
 * Writing.
 */

static struct {
	size_t n;
	unsigned char at[256 << 10];
} gathered;

static void
must_write(enum status st)
{
	if (st != OK)
		die(st, "cannot write '%s'", state.path);
}

static enum status
flush_gathered(void)
{
	enum status st = save_write(&state.save, gathered.at, gathered.n);

	gathered.n = 0;
	return st;
}

static enum status
put(void *to, const void *bytes, size_t n)
{
	enum status st = OK;

	(void)to;
	if (n > sizeof gathered.at - gathered.n)
		st = flush_gathered();
	if (st == OK && n > sizeof gathered.at)
		return save_write(&state.save, bytes, n);
	if (st == OK && n > 0) {
		memcpy(gathered.at + gathered.n, bytes, n);
		gathered.n += n;
	}
	return st;
}

static enum status
digest(void *to, const void *bytes, size_t n)
{
	XXH3_64bits_update(to, bytes, n);
	return OK;
}

/* The checksum stands in front of what it is about: so the payload is made
 * twice, which is cheaper than a second copy of it in memory. */
static void
write_part(const struct state_part *part, uint64_t items)
{
	static const unsigned char zeros[RECORD_ALIGN];
	unsigned char header[RECORD_HEADER];
	struct record head = opts_identity();
	XXH3_state_t hash;

	head.items = items;
	seen_head(part->seen, part->use, &head);
	size_t padding = (size_t)(record_padded(head.size) - head.size);

	XXH3_64bits_reset(&hash);
	must_write(seen_write(part->seen, (struct sink){digest, &hash}));
	digest(&hash, zeros, padding);
	record_encode(&head, 0, XXH3_64bits_digest(&hash), header);
	must_write(put(NULL, header, sizeof header));
	must_write(seen_write(part->seen, (struct sink){put, NULL}));
	must_write(put(NULL, zeros, padding));
}

/* Items are the file's, not a pane's: they stand in the first record. */
static void
write_parts(const struct state_part *part, size_t n, uint64_t items)
{
	for (size_t i = 0; i < n; i++)
		write_part(&part[i], i == 0 ? add_saturated(state.items, items) : 0);
	must_write(flush_gathered());
}

void
state_save_now(const struct state_part *part, size_t n, uint64_t items)
{
	must_write(save_interim(&state.save));
	write_parts(part, n, items);
	must_write(save_interim_commit(&state.save));
}

void
state_save(const struct state_part *part, size_t n, uint64_t items)
{
	write_parts(part, n, items);
	must_write(save_commit(&state.save));
}
