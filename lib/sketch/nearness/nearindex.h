/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_NEARINDEX_H
#define SKETCH_NEARINDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/nearness/nearness.h"

/*
 * Near-duplicates in input order: a document is kept unless one that was kept
 * before is like it. It is only ever compared with kept ones, so likeness does
 * not creep along a chain, and the answer depends on nothing but the rule and
 * the order.
 *
 * Two documents are alike if
 *	- their contents are equal (see struct near_document), or
 *	- neither has too few features, their signatures are found near by the
 *	  row of sketch/nearness/nearness.h, and the features themselves bear it out: their
 *	  Jaccard similarity is at least the rule's.
 *
 * Kept documents are numbered from 0.
 */
struct nearindex;

struct near_match {
	bool found;
	bool equal;                  /* contents are equal; distance 0, similarity 1 */
	/* Of all matches the equal one, else the likeliest, of these the first.
	 * Not found, and offered: its own number. */
	uint32_t number;
	unsigned distance;           /* as the row counts it */
	double similarity;           /* -1: not verified */
};

struct near_stats {
	uint64_t offered, kept;
	uint64_t near;               /* candidates that were looked at */
	uint64_t rejected;           /* of these, by their features */
	uint64_t cut;                /* documents with so many that not all were looked at */
	uint64_t work;               /* signatures compared to find them */
	uint32_t largest;            /* place of the finder */
};

/* most: bytes, 0: no ceiling. OK or STATUS_MEMORY. */
enum status nearindex_new(struct nearindex **, const struct nearness *,
    const struct near_rule *, uint64_t most);
void nearindex_free(struct nearindex *);

/* While it is empty: it is to be saved (sketch/nearness/nearindex_file.h), which takes what
 * a signature has more in memory. */
void nearindex_saves(struct nearindex *);

const struct nearness *nearindex_row(const struct nearindex *);
const struct near_rule *nearindex_rule(const struct nearindex *);

/* Find what is like this document. OK or STATUS_MEMORY. */
enum status nearindex_find(struct nearindex *, const struct near_document *,
    struct near_match *);

/* The same, and keep the document if nothing is found. STATUS_MEMORY: refused
 * by the system or the ceiling; the document counts as not offered. */
enum status nearindex_offer(struct nearindex *, const struct near_document *,
    struct near_match *);

/* Bytes on the heap: for each kept document 32, 6 to 12 for its place in the
 * table of contents, what the finder says for its signature, and 4 a feature
 * if the rule verifies. */
uint64_t nearindex_memory(const struct nearindex *);

void nearindex_stats(const struct nearindex *, struct near_stats *);

#endif
