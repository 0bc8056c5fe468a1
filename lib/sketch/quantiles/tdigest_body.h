/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TDIGEST_BODY_H
#define SKETCH_TDIGEST_BODY_H

#include "sketch/kind.h"
#include "sketch/quantiles/tdigest_sweep.h"

/*
 * The inside of a t-digest, for lib/sketch/quantiles/tdigest*.c only.
 *
 * New samples wait in the tail, as keys. At every 4,096th they are swept into
 * the centroids, no matter who asked what in between: so what is stored depends
 * on the samples and their order alone. Whoever asks sees what a sweep would
 * make now; a digest of only points can take its tail in at any time, since
 * there is one form of a set of points.
 */
struct tdigest {
	struct centroid *at;         /* what has been swept */
	struct centroid *seen;       /* and with the tail; NULL: not needed so far */
	struct gap *gap;             /* for sweeps, with seen */
	uint64_t *tail;              /* keys, and room for as many again */
	uint64_t *weight;            /* theirs likewise; NULL: 1 each */
	uint64_t total;
	uint32_t n, room;            /* centroids in at; it and seen, if any, have room */
	uint32_t seen_n;
	uint16_t waiting, tail_room; /* in the tail */
	uint16_t since;              /* samples since the last sweep that counts */
	uint16_t compression;
	uint8_t unit;
	bool saturated;
	bool points;                 /* at holds nothing but points */
	bool fresh;                  /* seen is up to date */
};

/* All centroids there are, in their order. */
struct centroids {
	const struct centroid *at;
	size_t n;
};

/* What a sweep would make now. It is not more than it was, but may lie
 * elsewhere: asking is for one thread at a time. */
struct centroids tdigest_look(const struct tdigest *);

/* Bring what there is into order: all in at, or all and the tail in seen. */
void tdigest_settle(struct tdigest *);
/* The same, and what is seen now counts from here on. */
void tdigest_commit(struct tdigest *);

/* These centroids, which it then owns, in place of all it has. points: they are
 * nothing else. The total is the caller's affair. */
void tdigest_replace(struct tdigest *, struct centroid *, size_t n, bool points);

/* into = both; the compression is the smaller one. OK, STATUS_MEMORY, STATUS_FULL
 * or STATUS_MISMATCH. */
enum status tdigest_merge(struct tdigest *into, const struct tdigest *from,
    struct mismatch *why);

#endif
