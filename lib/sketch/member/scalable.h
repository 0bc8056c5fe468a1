/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SCALABLE_H
#define SKETCH_SCALABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"
#include "sketch/kind.h"
#include "sketch/promise.h"

/*
 * A Bloom filter for any number of items: it opens a larger and stricter stage
 * whenever the newest one is full, so that its fpp stays below the wanted one
 * for good. That costs about twice the bits of a filter of the right size, and
 * asking has to look into every stage.
 *
 * An item is added only if it is not found, so repeated ones take no room. The
 * stages depend on the order of the items. Asking is safe from any number of
 * threads, as long as nobody adds.
 */
struct scalable;

/* Of the first stage, where nobody says how many items to expect. */
#define SCALABLE_CAPACITY 100000

/* No file and no filter has more stages; a filter that was never united with
 * others gets to some fifty before the memory of any machine ends. */
#define SCALABLE_STAGES_MAX 4096

/* What a filter that was never united comes to with so many distinct items:
 * its stages, the bytes of its payload, and the fpp to expect. False, and
 * nothing changed, if capacity or fpp are out of range or a stage would be
 * larger than one can be. Takes no memory. */
struct scalable_plan {
	size_t stages;
	uint64_t bytes;
	double fpp;
};
bool scalable_plan(struct scalable_plan *, uint64_t capacity, double fpp, uint64_t items);

/* An empty filter, which takes no memory yet. capacity, 1 or more, is that of
 * the first stage; fpp, BLOOM_FPP_MIN..BLOOM_FPP_MAX, the wanted one over all
 * stages. STATUS_PARAMETER or STATUS_MEMORY. */
enum status scalable_new(struct scalable **, uint64_t capacity, double fpp);

/* A filter to ask over bytes that stay the caller's and outlive it. Reads the
 * stages' heads, which say how long each one is. STATUS_UNSUPPORTED (another
 * kind), what check() of the kind says, STATUS_INVARIANT, STATUS_MEMORY. It
 * must not be added to nor merged into. */
enum status scalable_map(struct scalable **, const struct record *head,
    const unsigned char *payload);

/* Its memory, unless it is the caller's. NULL is allowed. */
void scalable_free(struct scalable *);

/* What a record's header tells, or the filter itself. */
struct scalable_form {
	uint64_t capacity;           /* of the first stage */
	double fpp;                  /* wanted, over all stages */
};
struct scalable_form scalable_form(const struct scalable *);
struct scalable_form scalable_form_of(const struct record *head);

/* has[i] = was item i added?, and how many were. */
size_t scalable_has(const struct scalable *, const uint64_t *hash, size_t n, bool *has);

/* Ask and add, one item after the other: has[i] = was item i found?, and those
 * that were not are added. *done is how many were dealt with: fewer than n only
 * with STATUS_MEMORY (no memory for another stage) or STATUS_FULL (no further
 * stage), when what was added is safe. */
enum status scalable_meet(struct scalable *, const uint64_t *hash, size_t n, bool *has,
    size_t *done);

/* The same for those who do not ask. */
enum status scalable_add(struct scalable *, const uint64_t *hash, size_t n, size_t *done);

/*
 * into = the stages of into, then those of from. Of unlike capacities and fpps
 * the larger one is kept. The fpp then stays below the sum of what both
 * promised; nothing is united, so an item in both takes its room twice.
 * STATUS_MISMATCH, with why (more than SCALABLE_STAGES_MAX stages) or
 * STATUS_MEMORY, and into is as it was. from may be into.
 */
enum status scalable_merge(struct scalable *into, const struct scalable *from,
    struct mismatch *why);

/* Reads all bits for the fpp, which is at most this. Distinct items are those that
 * were added; after a merge one may be among them several times. */
struct fill scalable_fill(const struct scalable *);

/* The fpp that it can come to, however much is added. */
double scalable_most(const struct scalable *);

size_t scalable_stages(const struct scalable *);

/* How many more items fit before the next stage is opened. */
uint64_t scalable_room(const struct scalable *);

/* Memory of the stages' bits. */
uint64_t scalable_bytes(const struct scalable *);

extern const struct kind scalable_kind;

#endif
