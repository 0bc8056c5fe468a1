/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SIMHASH_NEAR_H
#define SKETCH_SIMHASH_NEAR_H

#include "sketch/nearness/nearness.h"

/*
 * SimHash as a way to find near-duplicates (sketch/nearness/nearness.h): the signature is
 * one number, found by sketch/nearness/hamming.h, and similarity counts repeated
 * features as often as they occur.
 */
extern const struct nearness simhash_nearness;

/* That --distance may ask for. */
#define SIMHASH_DISTANCE_MAX 32

#endif
