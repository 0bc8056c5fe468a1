/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_NEARINDEX_BODY_H
#define SKETCH_NEARINDEX_BODY_H

#include "base/pages.h"
#include "sketch/nearness/nearness.h"

/* What an index of near-duplicates is made of: for nearindex.c,
 * nearindex_room.c and nearindex_file.c, and nobody else. */

struct near_kept {
	uint64_t content[2];
	uint32_t *id;                /* features, the low halves; NULL if not kept */
	uint32_t ids;
	bool sorted;                 /* and, if they are sets, each once */
	bool exact;                  /* no signature */
};

struct near_chunk {
	struct near_chunk *before;
	struct pages pages;          /* that this lies in */
	uint32_t id[];
};

struct nearindex {
	const struct nearness *row;
	struct near_rule rule;
	uint64_t most;
	size_t words;                /* of a signature */
	void *finder;
	struct near_kept *document;
	size_t n, room;
	bool saves;
	uint64_t *signature;         /* if so, of those that have one, in their order */
	size_t signatures, signatures_room;
	uint32_t *slot;              /* document + 1, by content; 0: free */
	size_t slots;                /* a power of two */
	struct near_chunk *chunk;
	uint32_t *free_id;
	size_t free_ids;
	uint32_t *asked, *spare;     /* the asker's ids; for sorting */
	size_t asked_n, asked_room;
	struct hits hits;
	uint64_t memory;             /* without the finder's and hits' */
	uint64_t offered, near, rejected, cut;
};

/* Where this content is in slot[], or would be. The table, which must be there, is
 * never full. */
size_t nearindex_slot(const struct nearindex *, const uint64_t content[2]);

/* Everything that can fail comes first: room for a document of so many ids, and for
 * sorting as many. OK, or STATUS_MEMORY: refused by the system or the ceiling. */
enum status nearindex_room(struct nearindex *, bool exact, size_t ids);
enum status nearindex_room_asked(struct nearindex *, size_t n);

/* A document as it stands in a file: ids are in order. exact: none, and no
 * signature. */
struct near_entry {
	uint64_t content[2];
	bool exact;
	const uint64_t *signature;
	const unsigned char *ids;    /* little-endian, 4 bytes each */
	size_t n;
};

/* Keep it, unless one of the documents before first has its content. OK or
 * STATUS_MEMORY; STATUS_INVARIANT: a later one has. */
enum status nearindex_take(struct nearindex *, const struct near_entry *, size_t first);

/* Sort a kept document's ids, as they stand in a file. OK or STATUS_MEMORY. */
enum status nearindex_sort(struct nearindex *, struct near_kept *);

#endif
