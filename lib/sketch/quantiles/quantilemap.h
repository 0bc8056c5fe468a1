/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_QUANTILEMAP_H
#define SKETCH_QUANTILEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sketch/kind.h"
#include "sketch/quantiles/quantiles.h"

/*
 * Percentiles per key: a table from keys to sketches of any kind that has a row in
 * sketch/quantiles/quantiles.h, made for many keys of which most see few samples. A key with
 * up to 31 samples of weight 1 has a list of them, and gets its sketch when there
 * are more. That is 50 to 100 bytes and the key, as tables double, and 8 to 16
 * bytes a sample. What an entry says and saves is what a sketch would that was
 * given its samples in the same order.
 *
 * A map is for one thread at a time. Programs with several keep some maps, chosen
 * by the top bits of the key's hash: a map itself uses the low 32 bits only.
 *
 * An entry is known by a number, 0, 1, ... in the order in which keys came. A
 * call that returns STATUS_MEMORY leaves a valid map that may have taken in a
 * part of what it was given.
 */
struct quantilemap;

/* settings: as for quantiles' make(). What that says, or STATUS_MEMORY. */
enum status quantilemap_new(struct quantilemap **, const struct record *settings);
void quantilemap_free(struct quantilemap *);

/* Add samples, each with its key and the key's hash; weight NULL: 1 each. Keys are
 * copied. OK, STATUS_MEMORY (also for a key of 4 GiB or more), or what add() of
 * these settings says. */
enum status quantilemap_add(struct quantilemap *, const struct slice *key,
    const uint64_t *key_hash, const double *value, const uint64_t *weight, size_t n);

/* Unite each entry of another map of the same settings with the key's own, behind
 * it. OK, STATUS_MEMORY, or what merge() says. */
enum status quantilemap_unite(struct quantilemap *into, const struct quantilemap *from);

uint32_t quantilemap_keys(const struct quantilemap *);
/* Bytes of memory in use, but for sketches. */
size_t quantilemap_memory(const struct quantilemap *);

/* List the entries in the order of the keys' bytes; the entry at place i of the
 * list, which holds until a key is added. OK or STATUS_MEMORY. */
enum status quantilemap_sort(struct quantilemap *);
uint32_t quantilemap_sorted(const struct quantilemap *, uint32_t i);

/* What an entry holds: how many samples were offered, how many there are (the sum
 * of their weights), and the sketch of them, until anything else is asked of the
 * map or added to it. OK or STATUS_MEMORY. */
struct slice quantilemap_key(const struct quantilemap *, uint32_t entry);
uint64_t quantilemap_items(const struct quantilemap *, uint32_t entry);
uint64_t quantilemap_total(const struct quantilemap *, uint32_t entry);
enum status quantilemap_sketch(struct quantilemap *, uint32_t entry, const void **body);

#endif
