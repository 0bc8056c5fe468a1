/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_FILTERMAP_H
#define SKETCH_FILTERMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/record.h"
#include "base/status.h"
#include "sketch/member/form.h"

/*
 * One membership filter per key: a table from keys to what their filters are
 * made of, for many keys of which most see few items. A key keeps the hashes of
 * its items, 8 to 16 bytes for each distinct one, and gets its filter when
 * that takes less; or in the end, if its size is to follow from the items. A
 * key costs some 80 bytes and its own besides.
 *
 * For types that form_flat() knows; what a key's filter holds in the end does
 * not depend on the order of its items. A map is for one thread at a time:
 * programs with several keep some maps, chosen by the top bits of the key's
 * hash, of which a map itself uses the low 32 only.
 *
 * A call that returns STATUS_MEMORY leaves a map that can only be freed.
 */
struct filtermap;

/* form: what each filter is like; if it is not sized, kind and fpp are all that
 * counts of it. STATUS_MEMORY. */
enum status filtermap_new(struct filtermap **, const struct form *, bool sized);
/* NULL is allowed. */
void filtermap_free(struct filtermap *);

/* These keys come next: fetch what leads to their entries from memory. For the
 * sake of speed alone. */
void filtermap_fetch(const struct filtermap *, const uint64_t *key_hash, size_t n);

/* Add an item to a key's filter. The key is copied. Of key_hash all that
 * matters is that equal keys have equal ones. STATUS_MEMORY (also for a key of
 * 4 GiB or more). */
enum status filtermap_add(struct filtermap *, struct slice key, uint64_t key_hash,
    uint64_t hash);

size_t filtermap_keys(const struct filtermap *);
/* Bytes of memory in use. */
uint64_t filtermap_memory(const struct filtermap *);

/* Bring the keys into the order of their bytes. Then they are numbered by it,
 * from 0. STATUS_MEMORY. */
enum status filtermap_sort(struct filtermap *);
struct slice filtermap_key(const struct filtermap *, size_t i);

/* Make the filter of key i. *form is its form and head that of its record:
 * kind, version, parameters, size and items are filled in, the rest stays. The
 * payload is 64-byte aligned and holds until the next call. STATUS_MEMORY, or
 * STATUS_PARAMETER: it would be larger than a filter can be. */
enum status filtermap_filter(struct filtermap *, size_t i, struct form *,
    struct record *head, struct slice *payload);

#endif
