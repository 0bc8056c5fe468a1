/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_COMPARISON_H
#define SKETCH_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

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

	/* Of a kind whose sketches are samples: the share of each set that is in the
	 * other (0 of an empty one), and how many of the sampled elements of the union
	 * are in both. */
	bool sampled;
	struct estimate a_in_b, b_in_a;
	uint64_t shared, total;
};

/* An estimate of items or of a share from its value, which may be below 0 by
 * chance, and its variance. Bounds of items are whole numbers. */
struct estimate estimate_items(double value, double variance);
struct estimate estimate_share(double value, double variance);

/* The same from a sample that an item is in with a probability of share, more than 0:
 * of how many items found ones are there, and of how large a part are those who were
 * found among total ones? By the score interval, which is right for few of them, too.
 * Without any, no part is known. Exact if share is 1. */
struct estimate estimate_sampled(uint64_t found, double share);
struct estimate estimate_part(uint64_t found, uint64_t total, double share);

/* The comparison where both sets' sizes are known, and what is estimated is
 * how many items they have in common. */
struct comparison comparison_by_common(double a, double b, double both, double variance);

#endif
