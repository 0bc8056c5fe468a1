/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_MEMBER_H
#define SKETCH_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"
#include "sketch/promise.h"

/*
 * What all structures that answer "was this item added?" do alike, so that a
 * program which asks, adds or removes need not know which one it holds. A
 * body is what the kind's load() made. Items are given by their 64-bit hashes.
 */

struct member {
	uint16_t kind;               /* enum record_kind */
	const char *type;            /* as --type calls it */

	/* A body to ask over bytes that stay the caller's and outlive it, such as
	 * a mapped file's: it must not be changed, and is freed by the kind's
	 * free(). head is one that check() of its kind found right, and payload has
	 * head->size bytes. Looks at next to nothing of them: whatever they are,
	 * asking is safe. OK, STATUS_INVARIANT, STATUS_MEMORY. */
	enum status (*map)(void **body, const struct record *head, const unsigned char *payload);

	/* Would the kind's load() take what was mapped? Reads all of it. NULL: map()
	 * has looked at all that there is to check. */
	bool (*sound)(const void *body);

	/* has[i] = was item i added?, and how many were. Safe from many threads. */
	size_t (*has)(const void *body, const uint64_t *hash, size_t n, bool *has);

	/* Add n items in this order; *done is how many are in. Fewer than n only
	 * with STATUS_FULL (the next one found no room; those before it and all
	 * older ones are safe) or STATUS_MEMORY. */
	enum status (*add)(void *body, const uint64_t *hash, size_t n, size_t *done);

	/* As member_meet, for a type that does it in a better way than by has()
	 * and add(). NULL: it does not. */
	enum status (*meet)(void *body, const uint64_t *hash, size_t n, bool *has, size_t *done);

	/* Take one copy of an item out. NULL: this type cannot. */
	enum removal (*remove)(void *body, uint64_t hash);

	struct promise (*promise)(const void *body);

	/* Reads all of it. */
	struct fill (*fill)(const void *body);
};

/* The row of this kind, or NULL: it is no such structure. */
const struct member *member_find(uint16_t kind);

/* The i-th row, NULL past the last. */
const struct member *member_row(size_t i);

/* For records' only: how the names of these kinds begin. */
#define MEMBER_KINDS "bloom|cuckoo"

/*
 * Ask and add in one pass: has[i] = was item i there before (added earlier, or
 * earlier among these n)?, and those that were not are added, in their order.
 * *done as for add(): has[] is filled in up to there.
 */
enum status member_meet(const struct member *, void *body, const uint64_t *hash, size_t n,
    bool *has, size_t *done);

#endif
