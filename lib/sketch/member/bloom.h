/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_H
#define SKETCH_BLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"
#include "sketch/member/bloom_size.h"
#include "sketch/kind.h"

/*
 * A Bloom filter answers "was this item added?" in about ten bits an item:
 * never no for one that was, and yes with probability fpp for one that was
 * not. Items are given by their 64-bit hashes (base/hash.h), many at a time:
 * a call per item costs several times a call per batch.
 *
 * Adding is idempotent and commutes, so the bits depend on the set of items
 * alone. Nothing here locks; for many threads adding to one filter see
 * sketch/member/bloom_writer.h. Asking is safe from any number of threads.
 */
struct bloom;

/* An empty filter, aligned to 64 bytes, in huge pages when it is large.
 * STATUS_PARAMETER (a shape out of range) or STATUS_MEMORY. */
enum status bloom_new(struct bloom **, const struct bloom_shape *);

/* A filter to ask over bytes that stay the caller's and outlive it, such as a
 * mapped file's; head tells its shape. Only the last byte is
 * looked at. What check() of its kind says, STATUS_UNSUPPORTED (not a kind that
 * lies in a file as it is used), STATUS_INVARIANT, STATUS_MEMORY. It must not
 * be added to, merged into or folded. */
enum status bloom_map(struct bloom **, const struct record *head, const unsigned char *payload);

/* Its memory, unless it is the caller's. NULL is allowed. */
void bloom_free(struct bloom *);

const struct bloom_shape *bloom_shape(const struct bloom *);

/* The shape that a record's header tells, of a kind that lies here or of a
 * counting filter; in range if kind_check says so. */
struct bloom_shape bloom_shape_of(const struct record *head);
/* And into a header's parameters; those it has no use for become 0. */
void bloom_shape_put(const struct bloom_shape *, struct record *head);

/* The bits, for bloom_writer; NULL if they may only be read. */
unsigned char *bloom_bits(struct bloom *);

/* Add n items. */
void bloom_add(struct bloom *, const uint64_t *hash, size_t n);

/* has[i] = was item i added?, and how many were. */
size_t bloom_has(const struct bloom *, const uint64_t *hash, size_t n, bool *has);

/* The fpp of this filter as it is now, from its bits. Reads all of them. */
double bloom_fpp(const struct bloom *);

/* How many distinct items were added, estimated from the bits that are still
 * 0. At capacity the standard error is below 0.7 times the square root of the
 * answer. INFINITY if no bit is 0. Reads all of them. */
double bloom_distinct(const struct bloom *);

/* into |= from, which has the same type, size and probes: for copies private
 * to threads. */
void bloom_or(struct bloom *into, const struct bloom *from);

/*
 * into = into united with from. Of unlike capacities and wanted fpps the
 * larger one is kept. Unlike sizes are folded to their greatest common divisor
 * if the union's fpp then is at most 1.1 times the wanted one. Otherwise
 * STATUS_MISMATCH, why is filled in, and into stays as it was; also
 * STATUS_MEMORY. The result does not depend on which one is into.
 */
enum status bloom_merge(struct bloom *into, const struct bloom *from, struct mismatch *why);

/*
 * into = what would be found in both, by the AND of their bits: all common
 * items, and no item that one of them is sure not to hold. It is more than the
 * filter of the common items would be: an item of one side alone is reported
 * by it with the other side's probability, not with the one that its fill
 * tells. Sizes, capacities and failures as with bloom_merge.
 */
enum status bloom_intersect(struct bloom *into, const struct bloom *from, struct mismatch *why);

/* Are both of one type, with as many probes, and of a size if their type does not
 * fold? OK, or STATUS_MISMATCH. */
enum status bloom_match(const struct bloom *, const struct bloom *, struct mismatch *why);

/*
 * Compare the sets that two filters hold. Unlike sizes are folded, in copies,
 * to the largest they have in common. STATUS_MISMATCH, and why tells it: other
 * types or probes, a union without a bit that is 0, or one that after folding
 * would be off by more than a tenth; STATUS_MEMORY.
 */
enum status bloom_compare(const struct bloom *a, const struct bloom *b, struct comparison *,
    struct mismatch *why);

/* Become the filter of this smaller size that the same items would have made,
 * bit for bit; the capacity shrinks in proportion. STATUS_PARAMETER, and
 * nothing changed, unless size divides the present one. */
enum status bloom_fold(struct bloom *, uint64_t size);

/* The same as a new filter. Also STATUS_MEMORY. */
enum status bloom_folded(struct bloom **, const struct bloom *from, uint64_t size);

/* For writing a large filter without a second copy of it: what the kind's
 * save puts into the header, and the payload, which is the filter itself. */
void bloom_head(const struct bloom *, struct record *head);
struct slice bloom_payload(const struct bloom *);

/* How many items set a bit that no earlier one had set: of one filter of
 * BLOOM_DCSO that all items went into, one after the other. United filters add
 * theirs up. 0 for other types. */
uint64_t bloom_counted(const struct bloom *);

/* The kind of filters of this type, and the type of a kind that lies here. */
const struct kind *bloom_kind(enum bloom_type);

extern const struct kind bloom_block_kind, bloom_classic_kind, bloom_parquet_kind,
    bloom_dcso_kind;

#endif
