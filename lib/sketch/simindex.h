/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SIMINDEX_H
#define SKETCH_SIMINDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/simhash.h"

/*
 * Near-duplicates in input order: a document is kept unless one that was kept
 * before is like it. It is only ever compared with kept ones, so likeness does
 * not creep along a chain, and the answer depends on nothing but the rule and
 * the order.
 *
 * Two documents are alike if
 *	- their contents are equal (see struct simhash), or
 *	- both have SIMHASH_EXACT features or more, their signatures differ in at
 *	  most distance bits, and the features themselves bear it out: the
 *	  multiset Jaccard similarity is at least similarity.
 * No pair within the distance is missed.
 */
struct simindex;

struct simindex_rule {
	unsigned distance;           /* 0..SIMHASH_BITS */
	/* Features of both over features of either, repeats counted, 0..1; 0:
	 * not verified. simhash_similarity_for(distance) unless told. */
	double similarity;
	uint64_t most;               /* bytes; 0: no ceiling */
};

struct simindex_match {
	bool found;
	bool equal;                  /* contents are equal; distance 0, similarity 1 */
	/* Of all matches the equal one, else the nearest, of these the first:
	 * its place among the documents offered, from 0. */
	uint64_t leader;
	unsigned distance;
	double similarity;           /* -1: not verified */
};

struct simindex_stats {
	uint64_t offered, kept;
	uint64_t near;               /* pairs within the distance that were looked at */
	uint64_t rejected;           /* of these, by their features */
	uint64_t work;               /* signatures compared to find those pairs */
	uint32_t largest;            /* bucket of the signature index */
};

/* OK or STATUS_MEMORY. */
enum status simindex_new(struct simindex **, struct simindex_rule);
void simindex_free(struct simindex *);

/* Find what is like this document. OK or STATUS_MEMORY. */
enum status simindex_find(struct simindex *, const struct simhash *, struct simindex_match *);

/* The same, and keep the document if nothing is found. STATUS_MEMORY: refused
 * by the system or the ceiling; the document counts as not offered. */
enum status simindex_offer(struct simindex *, const struct simhash *, struct simindex_match *);

/* Bytes on the heap: for each kept document 40, 6 to 12 for its place in the table
 * of contents, what hamming.c says for its signature, and 4 a feature if the
 * rule verifies. */
uint64_t simindex_memory(const struct simindex *);

void simindex_stats(const struct simindex *, struct simindex_stats *);

#endif
