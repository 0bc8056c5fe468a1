/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TDIGEST_SWEEP_H
#define SKETCH_TDIGEST_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a t-digest is made of, and how many samples become few centroids: for
 * lib/sketch/quantiles/tdigest*.c only.
 */

/* Samples close together: their mean and how many they are. A point is so many
 * samples that are all equal to it. */
struct centroid {
	double mean;
	uint64_t weight;
	bool point;
};

/* Do these belong in this order? Means ascend; of equal ones the samples' mean
 * comes before the sample. So there are two of the same mean at most. */
static inline bool
centroid_before(const struct centroid *a, const struct centroid *b)
{
	return a->mean < b->mean || (a->mean == b->mean && !a->point && b->point);
}

/* The largest gap between what came in for a centroid, from the sample before it
 * on, and how many samples are below the gap. */
struct gap {
	double size;
	uint64_t rank;
};

#define WALLS_MAX 7

/* So many centroids there are at most; as many different samples are kept as they
 * came. */
static inline size_t
sweep_room(unsigned compression)
{
	return 1000 + 10 * (size_t)compression;
}

/* So many n different samples make, about. */
size_t sweep_expect(unsigned compression, uint64_t n);

/*
 * A sweep over all there is in ascending order, strictly: what fits into one
 * centroid becomes one. If it comes upon wide gaps, it asks for all of it again.
 *
 *	sweep_begin(&sweep, out, gap, compression, total);
 *	do
 *		sweep_put(&sweep, centroids, n);        (all, in turn)
 *	while (sweep_again(&sweep));
 *
 * Then out has sweep.n centroids. out has room for sweep_room(compression), and
 * gap for one more.
 */
struct sweep {
	struct centroid *out;
	struct gap *gap;
	size_t n, room;
	uint64_t total;
	double z, delta;             /* of the scale function */
	uint64_t wall[WALLS_MAX + 1];        /* samples below each, and all there are */
	size_t walls, next;          /* the next one from where the sweep is */
	bool full, looked;           /* out of room; looked for walls */

	uint64_t begin;              /* samples below the wall or end before */
	uint64_t before;             /* and below the centroid at hand */
	double left, right;          /* samples from there to either wall */
	double scale, most;          /* of weights here; weight that the left allows */
	uint64_t count;              /* samples at hand; 0: no centroid */
	double weight;               /* as many */
	double first, last, sum;     /* sum of what they are above the first */
	bool single, point;          /* nothing was added to what came in, a point */
	struct gap widest;
};

void sweep_begin(struct sweep *, struct centroid *out, struct gap *, unsigned compression,
    uint64_t total);
void sweep_put(struct sweep *, const struct centroid *, size_t n);
bool sweep_again(struct sweep *);

#endif
