/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_KINDS_H
#define SKETCH_KINDS_H

#include <stdint.h>

#include "base/record.h"
#include "base/status.h"
#include "sketch/kind.h"

/*
 * A sketch of any kind: a record's header, which says what its items are, and
 * the structure. This is what sketch-* and -s work with. The shards that were united
 * into it, if they have ids, are noted beside it (base/ids.h): they change no answer.
 */
struct sketch {
	struct record head;
	const struct kind *kind;
	void *body;
	struct buffer ids;
};

/* The i-th kind; NULL past the last. */
const struct kind *kind_row(size_t i);

/* The kind of this number, or NULL. */
const struct kind *kind_find(uint16_t id);

/* Does its name begin with one of the words in only, which '|' separates? NULL
 * is any kind. */
bool kind_begins(const struct kind *, const char *only);

/* Does this program know the kind, its version and parameters? For a
 * record_reader's check. OK, STATUS_UNSUPPORTED, STATUS_PARAMETER, STATUS_SIZE. */
enum status kind_check(const struct record *);

/* What messages and sketch-info call the numbers in a header. */
const char *kind_hash_name(uint8_t hash);
const char *kind_join_name(uint8_t join);

/* From a header that kind_check found right, and its payload, whose memory
 * may be taken over. OK, STATUS_MEMORY, STATUS_INVARIANT. */
enum status sketch_load(struct sketch *, const struct record *head, struct buffer *payload);

/* Write it as one binary record; ids are the extension's affair. OK, STATUS_MEMORY,
 * or what the sink says. */
enum status sketch_write(const struct sketch *, struct slice extension, struct sink);

/* Are the items of both the same kind of thing, hashed the same way? OK, or
 * STATUS_MISMATCH and the first field that differs, with both values. */
enum status record_compare(const struct record *a, const struct record *b,
    struct mismatch *why);

/* Note the ids in this extension, if there are any. OK or STATUS_MEMORY. */
enum status sketch_take_ids(struct sketch *, struct slice extension);

/* into = into united with from, in this order where it matters; items add up, and
 * so do ids, each once.
 * OK, STATUS_MEMORY, or STATUS_MISMATCH or STATUS_FULL with why; then into is as
 * it was. */
enum status sketch_merge(struct sketch *into, const struct sketch *from,
    struct mismatch *why);

/* into = what both hold; items are at most the fewer, and of shards none is whole.
 * As sketch_merge, and the result is flagged; its kind has an intersect(). */
enum status sketch_intersect(struct sketch *into, const struct sketch *from,
    struct mismatch *why);

/* into = what is left of it without from; items are the difference, and ids, of which
 * from has none that into lacks. As
 * sketch_merge; its kind has a subtract(). */
enum status sketch_subtract(struct sketch *into, const struct sketch *from,
    struct mismatch *why);

/* Release body and ids; all zero is fine. */
void sketch_free(struct sketch *);

#endif
