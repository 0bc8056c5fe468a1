/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLLMAP_H
#define SKETCH_HLLMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sketch/distinct/hll.h"

/*
 * How many distinct items per key: a table from keys to HyperLogLogs of one
 * precision, made for a million keys of which most see few items. An entry
 * says and saves exactly what a struct hll would that was given the same
 * items; it takes some 30 bytes and the key while it has one or two.
 *
 * A map is for one thread at a time. Programs with several keep some maps,
 * chosen by the top bits of the key's hash, with a lock each: a map itself
 * uses the low 32 bits of that hash only, which is salt_shard_hash.
 *
 * An entry is known by a number, which holds until the map is freed.
 * A call that returns STATUS_MEMORY leaves a valid map that may have taken
 * in a part of what it was given; to repeat the call does no harm.
 */
struct hllmap;

/* OK, STATUS_MEMORY, or STATUS_PARAMETER for a precision not in 4..18. */
enum status hllmap_new(struct hllmap **, unsigned precision);
void hllmap_free(struct hllmap *);

/*
 * Add a batch of items, each by its key, the key's hash and its own hash.
 * Keys are copied. 128 to 256 items a call are best: the map fetches memory for all of
 * them ahead. OK or STATUS_MEMORY (also for a key of 4 GiB or more).
 */
enum status hllmap_add(struct hllmap *, const struct slice *key,
    const uint64_t *key_hash, const uint64_t *hash, size_t n);

/* Unite a sketch of so many items with the key's entry, which is made if there is none. One of
 * a finer precision is folded. OK, STATUS_MEMORY, or STATUS_MISMATCH for a
 * precision coarser than the map's. */
enum status hllmap_merge_hll(struct hllmap *, struct slice key, uint64_t key_hash,
    const struct hll *, uint64_t items);

/* Unite each entry of another map of the same precision with the key's own.
 * OK or STATUS_MEMORY. */
enum status hllmap_unite(struct hllmap *into, const struct hllmap *from);

size_t hllmap_keys(const struct hllmap *);
unsigned hllmap_precision(const struct hllmap *);
/* Bytes of memory in use. */
size_t hllmap_memory(const struct hllmap *);

/* The key's entry, or 0 if it has none. */
uint32_t hllmap_find(const struct hllmap *, struct slice key, uint64_t key_hash);

/* List the entries in the order of the keys' bytes. The list holds until a
 * key is added. OK or STATUS_MEMORY. */
enum status hllmap_sort(struct hllmap *);
/* The entry at place i of the list, 0 <= i < hllmap_keys(). */
uint32_t hllmap_sorted(const struct hllmap *, size_t i);
/* Visit all entries: in the order of the list if there is one, else in that
 * of their first items. Ends early with what visit returned if not OK. */
enum status hllmap_each(const struct hllmap *,
    enum status (*visit)(void *context, const struct hllmap *, uint32_t entry),
    void *context);

/* What an entry holds and says. Key and view last until the next addition. */
struct slice hllmap_key(const struct hllmap *, uint32_t entry);
uint64_t hllmap_items(const struct hllmap *, uint32_t entry);
struct hll_view hllmap_view(const struct hllmap *, uint32_t entry);
double hllmap_estimate(const struct hllmap *, uint32_t entry);
void hllmap_interval(const struct hllmap *, uint32_t entry, double *low, double *high);
/* As hll_kind.save. */
enum status hllmap_payload(const struct hllmap *, uint32_t entry, struct record *,
    struct buffer *);

/* into = union of it and all entries. OK or STATUS_MEMORY. */
enum status hllmap_total(const struct hllmap *, struct hll *into);

#endif
