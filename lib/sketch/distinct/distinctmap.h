/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_DISTINCTMAP_H
#define SKETCH_DISTINCTMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sketch/distinct/hllmap.h"
#include "sketch/kind.h"

/*
 * How many distinct items per key, in sketches of any kind that has a row in
 * sketch/distinct/distinct.h: ours lie in a struct hllmap, those of other systems each
 * in memory of its own, some 100 bytes besides what it holds.
 *
 * The rules are those of sketch/distinct/hllmap.h: one thread at a time, entries are
 * known by numbers, of a key's hash the low 32 bits are used, and a call that
 * returns STATUS_MEMORY leaves a valid map that may have taken in a part.
 */
struct distinctmap;

/* settings: as for distinct's make(). What that says, or STATUS_MEMORY. */
enum status distinctmap_new(struct distinctmap **, const struct record *settings);
void distinctmap_free(struct distinctmap *);

/* The map of our own kind inside, or NULL. */
struct hllmap *distinctmap_ours(const struct distinctmap *);

/* As hllmap_add. */
enum status distinctmap_add(struct distinctmap *, const struct slice *key,
    const uint64_t *key_hash, const uint64_t *hash, size_t n);

/* Unite a sketch of the map's kind and so many items with the key's entry, which
 * is made if there is none. OK, STATUS_MEMORY, or STATUS_MISMATCH and why: they
 * do not unite. */
enum status distinctmap_merge(struct distinctmap *, struct slice key, uint64_t key_hash,
    const void *body, uint64_t items, struct mismatch *why);

/* Unite each entry of another map of the same settings with the key's own. OK or
 * STATUS_MEMORY. */
enum status distinctmap_unite(struct distinctmap *into, const struct distinctmap *from);

size_t distinctmap_keys(const struct distinctmap *);

/* List the entries in the order of the keys' bytes; the entry at place i of the
 * list, which holds until a key is added. OK or STATUS_MEMORY. */
enum status distinctmap_sort(struct distinctmap *);
uint32_t distinctmap_sorted(const struct distinctmap *, size_t i);

/* Visit all entries, in any order. */
void distinctmap_each(const struct distinctmap *,
    void (*visit)(void *context, const struct distinctmap *, uint32_t entry), void *context);

/* What an entry holds and says. */
struct slice distinctmap_key(const struct distinctmap *, uint32_t entry);
uint64_t distinctmap_items(const struct distinctmap *, uint32_t entry);
double distinctmap_estimate(const struct distinctmap *, uint32_t entry);
void distinctmap_interval(const struct distinctmap *, uint32_t entry, double *low, double *high);
/* As a kind's save. */
enum status distinctmap_payload(const struct distinctmap *, uint32_t entry, struct record *,
    struct buffer *);

#endif
