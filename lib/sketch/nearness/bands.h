/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BANDS_H
#define SKETCH_BANDS_H

#include "sketch/nearness/nearness.h"

/*
 * Near-duplicates by MinHash: slots of a signature (sketch/nearness/minslots.h) make bands of
 * some rows each, and two documents are looked at if they agree in a whole band. Of
 * those with the Jaccard similarity J that are
 *
 *	1 - (1 - J^rows)^bands
 *
 * so with more rows fewer documents are looked at in vain, and with more bands fewer
 * are missed. An index takes 16 to 20 bytes a band for each document, and 12.
 */

/* Slots there are for them at most, and the most rows that anybody would need. */
#define BANDS_SLOTS 128
#define BANDS_ROWS_MAX 16

/* The share of pairs as similar as this that a rule should find. */
#define BANDS_RECALL 0.95

/* Into rule: as many rows as find it, with all the bands that the slots are enough
 * for. The same on every machine. */
void bands_choose(struct near_rule *, double similarity);

/* The share of pairs with this similarity that are looked at. */
double bands_recall(const struct near_rule *, double similarity);

extern const struct nearness minhash_nearness;

#endif
