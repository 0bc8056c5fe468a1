/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TDIGEST_H
#define SKETCH_TDIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/kind.h"
#include "sketch/quantiles.h"

/*
 * The merging t-digest (Dunning, Ertl, "Computing Extremely Accurate Quantiles
 * Using t-Digests", 2019): which percentile of any numbers, from a few hundred
 * centroids that are small where the quantiles are extreme. There is no proof of
 * its error; what it answers lies between the least sample and the greatest,
 * which are exact, and all is exact while few samples are held. Samples have to
 * come in the order of the input, or other centroids come of them.
 */
struct tdigest;

#define TDIGEST_COMPRESSION_MIN 20
#define TDIGEST_COMPRESSION_MAX 1000
#define TDIGEST_COMPRESSION 100  /* unless told otherwise */

/* Parameters of a record (QUANTILES_UNIT is 7). */
enum {
	TDIGEST_PARAM_COMPRESSION,
};

/* An empty one. STATUS_PARAMETER or STATUS_MEMORY. */
enum status tdigest_new(struct tdigest **, unsigned compression);
void tdigest_free(struct tdigest *);

/* Add n samples, finite ones; weight NULL: 1 each. OK or STATUS_MEMORY. */
enum status tdigest_add(struct tdigest *, const double *value, const uint64_t *weight,
    size_t n);

/* Is every sample still held as it came? */
bool tdigest_exact(const struct tdigest *);

extern const struct kind tdigest_kind;
extern const struct quantiles tdigest_quantiles;

#endif
