/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TDIGEST_SWEEP_H
#define SKETCH_TDIGEST_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * What a t-digest is made of, and how many samples become few centroids: for
 * lib/sketch/tdigest*.c only.
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

/*
 * Numbers whose order is that of the doubles they stand for. -0 is 0.
 */
static inline uint64_t
tdigest_key(double value)
{
	const uint64_t sign = UINT64_C(1) << 63;
	uint64_t bits;

	value += 0.0;
	memcpy(&bits, &value, sizeof bits);
	return bits & sign ? ~bits : bits | sign;
}

static inline double
tdigest_value(uint64_t key)
{
	const uint64_t sign = UINT64_C(1) << 63;
	double value;

	key = key & sign ? key ^ sign : ~key;
	memcpy(&value, &key, sizeof value);
	return value;
}

/* Bring n keys, at most 2^16-1, into ascending order, and their weights with
 * them unless these are NULL. spare has room for as many again; so has
 * spare_weight. Linear in n, whatever the keys are. */
void tdigest_sort(uint64_t *key, uint64_t *weight, uint64_t *spare, uint64_t *spare_weight,
    size_t n);

/* The largest gap between what came in for a centroid, from the sample before it
 * on, and how many samples are below the gap. */
struct gap {
	double size;
	uint64_t rank;
};

#define WALLS_MAX 7

/*
 * A sweep over all there is in ascending order, strictly: what fits into one
 * centroid becomes one. If it comes upon wide gaps, it asks for all of it again.
 *
 *	sweep_begin(&sweep, out, gap, compression, total);
 *	do
 *		for each centroid: sweep_put(&sweep, centroid);
 *	while (sweep_again(&sweep));
 *
 * Then out has sweep.n centroids. out and gap have room for
 * tdigest_room(compression).
 */
struct sweep {
	struct centroid *out;
	struct gap *gap;
	size_t n, room;
	uint64_t total;
	double z, delta;             /* of the scale function */
	uint64_t wall[WALLS_MAX + 1];        /* samples below each, and all there are */
	size_t walls, next;          /* the next one from where the sweep is */
	bool full, last_round;

	uint64_t begin;              /* samples below the wall or end before */
	uint64_t before;             /* and below the centroid at hand */
	double left, right;          /* samples from there to either wall */
	double scale, most;          /* of weights here; weight that the left allows */
	struct centroid now;         /* at hand: its mean is not up to date */
	double weight;               /* its own */
	double first, last, sum;     /* sum of what its samples are above the first */
	bool single;                 /* it is what came in */
};

void sweep_begin(struct sweep *, struct centroid *out, struct gap *, unsigned compression,
    uint64_t total);
void sweep_put(struct sweep *, struct centroid);
bool sweep_again(struct sweep *);

/* So many centroids there are at most; as many different samples are kept as
 * they came. */
static inline size_t
tdigest_room(unsigned compression)
{
	return 1000 + 10 * (size_t)compression;
}

#endif
