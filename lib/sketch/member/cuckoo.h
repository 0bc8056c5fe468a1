/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CUCKOO_H
#define SKETCH_CUCKOO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/record.h"
#include "base/status.h"
#include "sketch/member/cuckoo_size.h"
#include "sketch/kind.h"
#include "sketch/promise.h"

/*
 * A cuckoo filter answers "was this item added?", never no for one that was,
 * and items can be taken out again. It is smaller than a Bloom filter below an
 * fpp of about 0.3 %, and instead of answering worse when it is too full it
 * refuses to take more. Items are given by their 64-bit hashes (base/hash.h).
 *
 * Copies are kept: an item that is added again takes another slot, and must be
 * removed as often as it was added. Its two buckets have 8 slots; once it fills
 * them all it is permanent: it can be added any number of times more, at no
 * cost, and not be removed.
 *
 * Copies crowd their two buckets, so 94 % of the slots are for distinct items.
 * With two of each a large table is full at 88 %, with three at 69 %, with four
 * at 49 %. With five or more it is full as soon as a few such items share their
 * buckets (5k copies of k items in a row have 4(k + 1) slots): so add an item
 * once, unless it is to be removed as often.
 *
 * Who removes an item that was not added robs others: then there may be a false
 * no. remove() refuses what surely was not added, all but a share of fpp.
 *
 * The table depends on the order of the items. Nothing here locks; asking is
 * safe from any number of threads while nobody adds.
 */
struct cuckoo;

/* An empty filter, aligned to 64 bytes, in huge pages when it is large.
 * STATUS_PARAMETER (a shape out of range) or STATUS_MEMORY. */
enum status cuckoo_new(struct cuckoo **, const struct cuckoo_shape *);

/* A filter to ask over bytes that stay the caller's and outlive it, such as a
 * mapped file's. Looks at none of them: whatever they are, asking is safe, and
 * how many items there are is the header's word. What check() of its kind says,
 * STATUS_UNSUPPORTED (another kind), STATUS_MEMORY. It must not be changed. */
enum status cuckoo_map(struct cuckoo **, const struct record *head,
    const unsigned char *payload);

/* Does the table keep what its header says? What a map has not looked at, and
 * what every file is loaded with. Reads all of it. */
bool cuckoo_sound(const struct cuckoo *);

/* Its memory, unless it is the caller's. NULL is allowed. */
void cuckoo_free(struct cuckoo *);

const struct cuckoo_shape *cuckoo_shape(const struct cuckoo *);

/* The shape that a record's header tells; in range if kind_check says so. */
struct cuckoo_shape cuckoo_shape_of(const struct record *head);

/* Add one copy of each of n items, in this order; *done is how many are in.
 * OK, or STATUS_FULL: the next one found no slot. All others are safe, and items
 * that find one can still be added. */
enum status cuckoo_add(struct cuckoo *, const uint64_t *hash, size_t n, size_t *done);

/* has[i] = was item i added?, and how many were. */
size_t cuckoo_has(const struct cuckoo *, const uint64_t *hash, size_t n, bool *has);

/* Take one copy out. */
enum removal cuckoo_remove(struct cuckoo *, uint64_t hash);

/* Copies in here. */
uint64_t cuckoo_stored(const struct cuckoo *);

/* As many distinct items as there are copies, though an item added k times is
 * min(k, 8) of them; and the fpp by the slots in use, exact to within its
 * scatter if there are no copies, and else less than this. */
struct fill cuckoo_fill(const struct cuckoo *);

/*
 * How many items two filters of the same buckets and fingerprint bits have in
 * common: an item with copies counts as often as in the filter with fewer. Less
 * what only seems to be in both, and with its standard error. False: they are
 * not alike. The same for (b, a). Reads all of both.
 */
struct cuckoo_common {
	double items;
	double error;
};

bool cuckoo_common(const struct cuckoo *a, const struct cuckoo *b, struct cuckoo_common *);

/*
 * into = into united with from: its copies are added one by one, by ascending
 * slot. Of unlike capacities and wanted fpps the larger one is kept.
 * STATUS_MISMATCH if buckets or fingerprint bits differ, STATUS_FULL if they do
 * not fit in; then why is filled in and into stays as it was. STATUS_MEMORY: it
 * works on a copy of into, so there are three tables for a while.
 */
enum status cuckoo_merge(struct cuckoo *into, const struct cuckoo *from, struct mismatch *why);

/* For writing without a second copy: what the kind's save puts into the header,
 * and the payload, which is the table itself. */
void cuckoo_head(const struct cuckoo *, struct record *head);
struct slice cuckoo_payload(const struct cuckoo *);

extern const struct kind cuckoo_kind;

#endif
