/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CMS_H
#define SKETCH_CMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "sketch/frequency/cms_size.h"
#include "sketch/kind.h"
#include "sketch/frequency/spacesaving.h"
#include "sketch/frequency/top.h"

/*
 * Count-Min: how often did any given item occur? The answer is never too low,
 * and with probability 1 - delta at most epsilon * total too high. Counters
 * add up, so sketches of parts merge into the sketch of the whole.
 *
 * The counters do not know any item. So the heaviest ones, the candidates, are
 * kept by their bytes with bounds of their own, which hold for certain: they
 * are what "which are the most frequent" is answered from. They come from a
 * Space-Saving table that saw the same items.
 *
 * Asking is safe from any number of threads, changing is for one.
 */
struct cms;

#define CMS_CANDIDATES 1024      /* unless told otherwise */

/* An empty sketch. epsilon and delta are remembered as given, for the bound;
 * they must not promise more than the geometry keeps. candidates is how many
 * are kept at most, 0 for plain counters.
 * STATUS_PARAMETER (out of range), STATUS_MEMORY. */
enum status cms_new(struct cms **, uint64_t width, unsigned depth, double epsilon,
    double delta, unsigned candidates);
/* From now on add by the rule of conservative update: a counter is raised only
 * as far as the item's new estimate. All bounds hold, and estimates are closer.
 * But the counters depend on the order of the items, and nothing can be taken
 * away again. For an empty sketch. */
void cms_conserve(struct cms *);
/* An empty one with the same parameters. OK or STATUS_MEMORY. */
enum status cms_new_like(struct cms **, const struct cms *);
void cms_free(struct cms *);

/* What cms_new() was told, of a sketch or of one whose header was read. */
struct cms_parameters {
	uint64_t width;
	unsigned depth;
	double epsilon, delta;
	unsigned candidates;
	bool conservative;
};
struct cms_parameters cms_parameters(const struct cms *);
struct cms_parameters cms_parameters_of(const struct record *);

/* May two such sketches be united? OK or STATUS_MISMATCH. */
enum status cms_match(struct cms_parameters, struct cms_parameters, struct mismatch *why);

/* Add n items by their hashes, with weights; 1 each if weight is NULL. For
 * sketches that have no candidates yet: theirs would no longer be right. */
void cms_add(struct cms *, const uint64_t *hash, const uint64_t *weight, size_t n);

/*
 * Add items to the sketch and to the table that candidates will be taken from; both
 * must have been empty before the first such call. While the table is exact, it
 * alone does the counting, and the counters get each item's sum once: nothing may be
 * asked of the sketch until cms_take_candidates() was called. Conservative counters
 * get each item as it comes. STATUS_MEMORY: neither is of any more use.
 */
enum status cms_feed(struct cms *, struct spacesaving *, const struct slice *item,
    const uint64_t *hash, const uint64_t *weight, size_t n);

/* Make the table's heaviest items, with their bounds, the candidates. The
 * table must have seen exactly what the sketch has, by cms_feed() or by adding
 * everything to both. OK, or STATUS_MEMORY and the sketch is as it was. */
enum status cms_take_candidates(struct cms *, const struct spacesaving *);

/* The smallest of the item's counters: at least its count. */
uint64_t cms_estimate(const struct cms *, uint64_t hash);

/* low <= count <= high, for certain. high is the estimate to print: never more
 * than cms_estimate(), less where a candidate's bounds say so. */
void cms_bounds(const struct cms *, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high);

/* With probability 1 - delta the estimate of an item is at most this much too
 * high: ceil(epsilon * total). */
uint64_t cms_excess(const struct cms *);

/* And so the item's count is at least this: estimate - excess, or 0. */
uint64_t cms_probable_low(const struct cms *, uint64_t estimate);

/* Sum of all weights; it and the counters stop at 2^64-1, and saturated says
 * that they did. */
uint64_t cms_total(const struct cms *);
bool cms_saturated(const struct cms *);

/* The largest count that an item which is no candidate may have. */
uint64_t cms_missing(const struct cms *);

/* How many candidates there are, and how many there may be. */
size_t cms_candidates(const struct cms *);
unsigned cms_candidates_max(const struct cms *);
/* Bytes of the counters. */
uint64_t cms_bytes(const struct cms *);

/* The next candidate, by item bytes, with bounds as cms_bounds() gives them,
 * or false at the end; *at is 0 at first. */
bool cms_each(const struct cms *, size_t *at, struct counter *);

/* The k heaviest candidates in the order of top.h, in an array that the caller
 * frees; their bytes are the sketch's. OK or STATUS_MEMORY. */
enum status cms_top(const struct cms *, size_t k, struct counter **out, size_t *n);

/*
 * into = into united with from. Widths and depths must be equal. Of unlike
 * epsilons and deltas the larger, which both keep, and of unlike numbers of
 * candidates the larger too. Bounds stay certain; united with conservative
 * counters, plain ones are no longer plain. The result does not depend
 * on which one is into; that of several merges may depend on their order in
 * the candidates, never in the counters.
 */
enum status cms_merge(struct cms *into, const struct cms *from, struct mismatch *why);

/*
 * Take a part of what was counted away again, as if it had never been: of like
 * widths and depths, both plain, and neither saturated. Bounds stay certain if
 * it truly was a part, of which a count that would fall below 0 is the only
 * proof to the contrary. OK, STATUS_MEMORY, or STATUS_MISMATCH and why; then
 * the whole is as it was.
 */
enum status cms_subtract(struct cms *whole, const struct cms *part, struct mismatch *why);

extern const struct kind cms_kind;

#endif
