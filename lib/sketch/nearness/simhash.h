/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SIMHASH_H
#define SKETCH_SIMHASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * SimHash: 64 bits that differ in few places where two documents share most
 * of their features. What a feature is, and its hash, is in features.h.
 */
#define SIMHASH_BITS 64

/* A document with fewer features says too little for 64 bits: one changed
 * word is a quarter of it. Such documents are alike only if they are equal. */
#define SIMHASH_EXACT 4

/* The signature of n features, at least one. */
uint64_t simhash_sign(const uint64_t *feature, size_t n);

/* Bits that differ. */
unsigned simhash_distance(uint64_t a, uint64_t b);

/*
 * What a distance means. edits is the share of words (characters for char:N)
 * that were replaced at random, n the length of a run: word:2 is 2.
 */

/* The distance to expect: 64 / pi * acos((1 - edits)^n). */
double simhash_expected(double edits, unsigned n);

/* The share of such pairs that lie within this distance. */
double simhash_recall(double edits, unsigned n, unsigned distance);

/* The least distance that finds this share of them, e.g. 0.9. */
unsigned simhash_distance_for(double edits, unsigned n, double recall);

/* The chance that two unrelated documents lie within this distance. */
double simhash_chance(unsigned distance);

/*
 * What verification should demand, as the share of features in common: the
 * multiset Jaccard similarity J, sum of the smaller counts over sum of the
 * larger ones.
 */

/* For a distance: the J below which fewer than 1 pair in 100 would come so
 * near. What was found nearby with a smaller J was found by accident. */
double simhash_similarity_for(unsigned distance);

/* For a share of edits: the J of one and a half times as many, so that pairs
 * whose edits happen to lie far apart are not lost. */
double simhash_similarity_for_edits(double edits, unsigned n);

#endif
