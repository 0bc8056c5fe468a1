/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TDIGEST_H
#define SKETCH_TDIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/kind.h"
#include "sketch/quantiles/quantiles.h"

/*
 * The merging t-digest (Dunning, Ertl, "Computing Extremely Accurate Quantiles
 * Using t-Digests", 2019): which percentile of any numbers, from a few hundred
 * centroids that are small where the quantiles are extreme. There is no proof of
 * its error; what it answers lies between the least sample and the greatest,
 * which are exact.
 *
 * Up to 1000 + 10 * compression different samples are kept as they came, and
 * all is exact. A sample with a weight is so many equal ones, and never comes
 * apart.
 *
 * Samples have to come in the order of the input, or other centroids come of them.
 * Whatever is asked or saved in between changes nothing of what comes later, and a
 * digest that was loaded answers as the one that was saved; but when either goes
 * on, their centroids are not the same. Asking sorts what is not sorted yet, so
 * it is for one thread at a time.
 */
struct tdigest;

#define TDIGEST_COMPRESSION_MIN 20
#define TDIGEST_COMPRESSION_MAX 1000
#define TDIGEST_COMPRESSION 100  /* unless told otherwise */

/* Parameters of a record (QUANTILES_UNIT is 7). */
enum {
	TDIGEST_PARAM_COMPRESSION,
};

/* So many different samples are kept as they came; and so many centroids there
 * are at most. */
size_t tdigest_room(unsigned compression);

/* So many centroids n different samples make, about. */
size_t tdigest_expect(unsigned compression, uint64_t n);

/* An empty one. STATUS_PARAMETER or STATUS_MEMORY. */
enum status tdigest_new(struct tdigest **, unsigned compression);
void tdigest_free(struct tdigest *);

/* Add n samples, finite ones; weight NULL: 1 each. Once they are 2^64-1, no more
 * is added. OK or STATUS_MEMORY. */
enum status tdigest_add(struct tdigest *, const double *value, const uint64_t *weight,
    size_t n);

/* Is every sample still kept as it came? */
bool tdigest_exact(const struct tdigest *);

extern const struct kind tdigest_kind;
extern const struct quantiles tdigest_quantiles;

#endif
