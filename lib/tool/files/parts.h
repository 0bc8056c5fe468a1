/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PARTS_H
#define TOOL_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/record.h"
#include "tool/names.h"

/*
 * Which shards have come, so that one that comes twice, as a job that was tried
 * again may deliver it, counts once. What tells shards apart are the ids in the
 * records (base/ids.h); those without any are taken as they come.
 *
 * Of records that share an id, one that is byte for byte the one before is passed
 * over. Another is taken if its kind can be united twice without harm, and then the
 * one that got further adds what it has more; else the program ends, for which of
 * the two is right nobody here knows. The lines of a keyed sketch are compared key
 * by key.
 *
 * All zero but for what is said below is the beginning. It costs memory for each id,
 * and for each line that has one 50 to 100 bytes: no record is kept, only its checksums.
 */
struct parts {
	const char *verb;            /* of messages: "cannot VERB 'NAME': ..." */
	bool apart;                  /* ids do not matter: each record counts, and keeps them */
	bool rows;                   /* each record has a row, so that none may be passed over */

	/* To look at. */
	uint64_t plain;              /* records without ids */
	uint64_t skipped;            /* records and lines */

	/* The rest is its own. */
	struct names ids, sets, files;
	struct part_set *set;        /* one for each of sets */
	struct part_line *line;      /* open addressing, at most half full */
	size_t set_room, lines, line_room;
	struct part_note *note;
	size_t notes;
	uint64_t overlap;            /* of sets */
};

/* What comes: a record, or a line that has a key. */
struct arrival {
	const char *name;            /* of its file */
	uint16_t kind;
	struct slice ids;            /* as in its extension; none: no bytes */
	const struct slice *key;     /* NULL: a record */
	uint64_t sum[2];             /* equal: the same bytes */
};

/* Has any of these shards come before? */
bool parts_met(const struct parts *, struct slice ids);

/* Note it; false if it is to be passed over. */
bool parts_take(struct parts *, const struct arrival *);

/* All have come: say what was passed over, and end the program if --expect was given
 * and they are not as many. */
void parts_end(const struct parts *);

/* All ids, as an extension has them. Ends the program if they are too many. */
void parts_ids(const struct parts *, struct buffer *out);

/* As at the beginning. */
void parts_clear(struct parts *);

#endif
