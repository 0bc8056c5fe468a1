/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_LAW_H
#define SKETCH_BLOOM_LAW_H

#include <stdint.h>

/*
 * The false-positive probability to expect of a Bloom filter, over all sets of
 * n distinct items. The same double on every machine.
 */

/* Of `size` blocks of 256 bits, of which an item touches 1..4. *scatter: the
 * relative standard deviation among filters of this size, 0 where it is not
 * worth a name. */
double bloom_law_blocks(uint64_t size, unsigned probes, uint64_t n, double *scatter);

/* Of `size` bits, of which an item sets so many: the textbook's formula, a
 * little under the truth below some 1,000 items. */
double bloom_law_bits(uint64_t size, unsigned probes, uint64_t n);

/* -ln x for x in 0..1. */
double bloom_law_minus_ln(double x);

#endif
