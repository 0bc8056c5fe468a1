/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_OVERLAP_H
#define SKETCH_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * How much two multisets of 32-bit numbers have in common.
 */

/* Sort, smallest first. spare has room for n as well. */
void overlap_sort(uint32_t *at, size_t n, uint32_t *spare);

/* Of sorted ones each once, in front; returns how many. */
size_t overlap_distinct(uint32_t *at, size_t n);

/* Multiset Jaccard similarity of two sorted ones, neither empty: the sum of
 * the smaller counts over the sum of the larger ones; or -1 as soon as it
 * cannot reach least. */
double overlap_similarity(const uint32_t *a, size_t a_n, const uint32_t *b, size_t b_n,
    double least);

#endif
