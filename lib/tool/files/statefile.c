/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/pages.h"
#include "sketch/kinds.h"
#include "tool/files/map.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/files/save.h"
#include "tool/files/statefile.h"

#define PIECE ((size_t)1 << 20)

static struct {
	const char *path;
	const struct statefile_names *names;
	struct save save;
} state;

static void
look_at(const char *path, const struct statefile_names *names)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		die_usage("cannot keep %s %s in standard input: it must be a file",
		    strchr("aeiou", names->noun[0]) ? "an" : "a", names->noun);
	if (stat(path, &st) == 0) {
		if (output_is(&st))
			die_usage("'%s' is both %s and standard output", path, names->option);
		/* Whoever waits for a fifo waits for ever. */
		if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			die_exit(EXIT_SYSTEM, "cannot keep %s %s in '%s': not a regular file",
			    strchr("aeiou", names->noun[0]) ? "an" : "a", names->noun, path);
	}
	state.path = path;
	state.names = names;
}

void
statefile_open(const char *path, const struct statefile_names *names)
{
	look_at(path, names);
	enum status opened = save_open(&state.save, path);
	if (opened != OK)
		die(opened, "cannot write '%s'", path);
}

void
statefile_open_to_read(const char *path, const struct statefile_names *names)
{
	struct stat st;

	look_at(path, names);
	/* One that is to be written may begin; one that is only read was mistyped. */
	if (stat(path, &st) != 0)
		die(STATUS_SYSTEM, "cannot read %s '%s'", names->noun, path);
}

/* Where it really is, once links are followed. */
static const char *
target(void)
{
	return state.save.target ? state.save.target : state.path;
}

static _Noreturn void
cannot_read(enum status st)
{
	die(st, "cannot read %s '%s'", state.names->noun, state.path);
}

_Noreturn void
statefile_differs(const char *format, ...)
{
	char text[200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	die_exit(EXIT_SKETCH, "cannot use %s '%s': %s", state.names->noun, state.path, text);
}

/* Does this run's idea of an item agree with the record's? */
static void
must_match(const struct record *head, const struct record *mine)
{
	const char *kind = kind_find(mine->kind)->name;
	const char *unlike = head->kind == mine->kind ? opts_key_unlike(head) : NULL;
	struct mismatch why;

	if (unlike)
		statefile_differs("%s", unlike);
	if (record_compare(head, mine, &why) != OK)
		statefile_differs("%s", why.text);
	if (head->flags & FLAG_KEYED)
		statefile_differs("kind keyed %s and %s", kind, kind);
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

uint64_t
statefile_load(const struct record *mine, void (*fits)(const struct record *head),
    enum status (*take)(const struct record *head, struct slice payload))
{
	uint64_t items = 0;
	struct stat st;
	struct map map;

	if (stat(target(), &st) != 0) {
		if (errno != ENOENT)
			cannot_read(STATUS_SYSTEM);
		return 0;
	}
	if (st.st_size == 0)
		cannot_read(STATUS_EMPTY);
	enum status status = map_open(&map, target());
	if (status != OK)
		cannot_read(status == STATUS_END ? STATUS_EMPTY : status);
	for (struct slice left = map.bytes; left.len > 0; ) {
		struct record head;
		struct slice extension, payload;
		size_t used;

		status = record_parse(left, &head, &extension, &payload, &used);
		if (status == OK)
			status = kind_check(&head);
		if (status != OK)
			cannot_read(status);
		must_match(&head, mine);
		fits(&head);
		status = verify((struct slice){left.at, used}, payload);
		if (status == OK)
			status = take(&head, payload);
		if (status != OK)
			cannot_read(status);
		items = add_saturated(items, head.items);
		left.at += used;
		left.len -= used;
	}
	map_close(&map);
	return items;
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
write_part(const struct statefile_part *part)
{
	static const unsigned char zeros[RECORD_ALIGN];
	unsigned char header[RECORD_HEADER];
	size_t padding = (size_t)(record_padded(part->head.size) - part->head.size);
	XXH3_state_t hash;

	XXH3_64bits_reset(&hash);
	must_write(part->write(part->body, (struct sink){digest, &hash}));
	digest(&hash, zeros, padding);
	record_encode(&part->head, 0, XXH3_64bits_digest(&hash), header);
	must_write(put(NULL, header, sizeof header));
	must_write(part->write(part->body, (struct sink){put, NULL}));
	must_write(put(NULL, zeros, padding));
}

static void
write_parts(statefile_source *source, const void *context, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct statefile_part part = source(context, i);
		write_part(&part);
	}
	must_write(flush_gathered());
}

void
statefile_save_now(statefile_source *source, const void *context, size_t n)
{
	must_write(save_interim(&state.save));
	write_parts(source, context, n);
	must_write(save_interim_commit(&state.save));
}

void
statefile_save(statefile_source *source, const void *context, size_t n)
{
	write_parts(source, context, n);
	must_write(save_commit(&state.save));
}
