/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_JOINT_H
#define SKETCH_HLL_JOINT_H

#include "sketch/comparison.h"
#include "sketch/distinct/hll_pairs.h"
#include "sketch/kind.h"

/*
 * How many items two HyperLogLogs have in common, by maximum likelihood of all
 * pairs of registers at once. That is better than |A| + |B| - |A or B|: the
 * error is that of what is sought and not that of the union. Each number comes
 * with the interval of its profile likelihood, 95 % (97.5 % where one end is
 * 0). All numbers fit together: a is only_a + intersection, and so on.
 *
 * Never NaN, 0 <= low <= value <= high <= REGISTERS_MOST.
 *
 * Takes 2^precision registers of each, of the same hash, whose last rank there
 * can be is last; see struct pairs. STATUS_MISMATCH, and why tells it, if all of
 * one are at that rank: such a set may be as large as one likes, and has no most
 * likely size.
 */
enum status joint_compare(const unsigned char *a, const unsigned char *b, unsigned precision,
    unsigned last, struct comparison *, struct mismatch *why);

#endif
