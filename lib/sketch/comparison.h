/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_COMPARISON_H
#define SKETCH_COMPARISON_H

#include <stdbool.h>

/*
 * How much two sets have in common, as their sketches tell. Numbers of
 * distinct items but for the last; each with a 95 % interval, 0 <= low <= value
 * <= high. Where low is 0 and high is not, it is not known that there is any,
 * only that there are high at most.
 */
struct estimate {
	double value, low, high;
};

bool estimate_is_at_most(const struct estimate *);

struct comparison {
	struct estimate a, b;
	struct estimate either, both;        /* in the union, in the intersection */
	struct estimate only_a, only_b;
	struct estimate jaccard;             /* both / either; 0 if both are empty */
};

/* An estimate of items or of a share from its value, which may be below 0 by
 * chance, and its variance. Bounds of items are whole numbers. */
struct estimate estimate_items(double value, double variance);
struct estimate estimate_share(double value, double variance);

/* The comparison where both sets' sizes are known, and what is estimated is
 * how many items they have in common. */
struct comparison comparison_by_common(double a, double b, double both, double variance);

#endif
