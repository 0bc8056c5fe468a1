/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_KEYED_H
#define BASE_KEYED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/reader.h"
#include "base/record.h"
#include "base/status.h"

/*
 * A keyed record (--by) holds one sketch per key: the header once, then
 * entries by ascending key in chunks of about 64 KiB, each with its checksum,
 * then the totals. Both ends stream and keep one chunk in memory, so keyed
 * files of any size merge like sorted files. man/sketch.5 has the bytes.
 *
 * The header is that of an empty sketch with the same settings. An entry
 * repeats only the parameters that differ from it.
 */
#define KEYED_CHUNK 65536    /* the entry that reaches this closes the chunk */

struct keyed_totals {
	uint64_t items;              /* saturated */
	uint64_t keys;
};

struct keyed_writer {
	struct sink out;
	struct record head;
	struct buffer chunk, last;   /* last: the previous key */
	struct buffer sums;          /* the chunks' checksums so far */
	struct keyed_totals totals;
};

/* head: of an empty sketch, as kind->save fills it in; size and items do not
 * matter. Each call returns OK, STATUS_MEMORY or what the sink returned. */
enum status keyed_writer_begin(struct keyed_writer *, struct sink out,
    const struct record *head, struct slice extension);
/* One key's sketch: items, flags and parameters are taken from its head. Keys
 * must ascend: STATUS_INVARIANT if this one does not. */
enum status keyed_writer_add(struct keyed_writer *, struct slice key,
    const struct record *head, struct slice payload);
enum status keyed_writer_end(struct keyed_writer *);
/* Release; safe after any failure and after an end. */
void keyed_writer_free(struct keyed_writer *);

/* The same sketch as a line of text: KEY TAB sk1:... and end. An end within
 * the key, which joins its fields, is shown as a TAB. OK, what the sink
 * returned, or STATUS_PARAMETER if the key is too long for a line
 * (READER_KEY_MAX). ids: of its shards, or none. */
enum status keyed_line_write(struct sink, struct slice key, const struct record *head,
    struct slice ids, struct slice payload, unsigned char end);

struct keyed_reader {
	struct record_reader *from;
	struct record head;
	struct buffer chunk, last;
	struct buffer sums;
	size_t at, end;              /* of the entries not read yet, in chunk */
	bool closed;                 /* the chunk at hand reached KEYED_CHUNK */
	bool done;
	struct keyed_totals totals;  /* of what was read; all, after STATUS_END */
};

/* After record_reader_next returned this head with FLAG_KEYED. */
void keyed_reader_begin(struct keyed_reader *, struct record_reader *,
    const struct record *head);
/*
 * The next entry: its key, a header as if it were a record of its own (not
 * keyed; checked by the record reader's check) and its payload. The slices
 * hold until the next call. STATUS_END after the last entry, when totals and
 * checksums were found right; then the record reader may go on.
 */
enum status keyed_reader_next(struct keyed_reader *, struct slice *key,
    struct record *head, struct slice *payload);
/* After STATUS_END, of all chunks: their checksums' checksum, as the last one has it. */
uint64_t keyed_reader_sum(const struct keyed_reader *);
void keyed_reader_free(struct keyed_reader *);

#endif
