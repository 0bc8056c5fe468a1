/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_PAIRS_H
#define SKETCH_HLL_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "sketch/distinct/registers.h"

/*
 * Two HyperLogLogs register by register, and how likely that is for sets of
 * given sizes. All that the likelihood looks at are five histograms of ranks:
 * where A's is below B's, both; where B's is below A's, both; where they are
 * equal. Which bits of a hash choose the register does not matter, so this
 * serves other systems' registers too, as long as ranks are leading or trailing
 * zeros plus one.
 */
enum pairs_ranks { PAIRS_A_BELOW, PAIRS_B_ABOVE, PAIRS_B_BELOW, PAIRS_A_ABOVE, PAIRS_EQUAL };
#define PAIRS_RANKS 5

struct pairs {
	unsigned precision;
	unsigned last;               /* the largest rank there can be */
	uint32_t count[PAIRS_RANKS][REGISTERS_RANK_MAX + 1];
};

/* 2^precision registers each, of the same hash. last is at most
 * REGISTERS_RANK_MAX; what is above it counts as last. */
void pairs_count(struct pairs *, const unsigned char *a, const unsigned char *b,
    unsigned precision, unsigned last);

/* A's histogram, B's, that of the union. */
enum pairs_set { PAIRS_A, PAIRS_B, PAIRS_UNION };
void pairs_histogram(const struct pairs *, enum pairs_set, struct histogram *);

/* Are all registers at the last rank? The likelihood of such a set grows with its
 * size, and has no peak. That takes many items for registers of few bits, as
 * PostgreSQL's of regwidth 1 to 3, and for others a sketch that was made by hand. */
bool pairs_full(const struct pairs *, enum pairs_set);

/* The three numbers that are sought: items in A alone, in B alone, in both. */
enum pairs_part { PAIRS_ONLY_A, PAIRS_ONLY_B, PAIRS_BOTH };
#define PAIRS_PARTS 3

/* The logarithm of the likelihood, its slopes and its curvatures. */
struct pairs_likelihood {
	double log;
	double slope[PAIRS_PARTS];
	double curve[PAIRS_PARTS][PAIRS_PARTS];
};

/* At these rates, the expected number of items of each part (a Poisson number
 * of them), all above 0. */
void pairs_likelihood(const struct pairs *, const double rate[PAIRS_PARTS],
    struct pairs_likelihood *);

#endif
