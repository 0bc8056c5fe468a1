/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_MINHASH_H
#define SKETCH_MINHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/record.h"
#include "base/status.h"
#include "sketch/comparison.h"
#include "sketch/nearness/features.h"
#include "sketch/kind.h"

/*
 * MinHash of a set: the k smallest of its elements' hashes. Two sets are compared
 * by those of both that lie below what either of them had to leave out, which is a
 * fair sample of their union: at least k - 1 elements, all of it if neither left
 * anything out. So the Jaccard similarity J is exact for sets of up to k elements,
 * and else unbiased, with a standard deviation of at most sqrt(J (1 - J) / (k - 1)).
 * minhash.c explains.
 */
struct minhash;

#define MINHASH_SIZE 1024            /* k, unless told */
#define MINHASH_SIZE_MIN 16
#define MINHASH_SIZE_MAX 65536

/* Parameters of a record. The first three are settings, and all that make()
 * of sketch/distinct/distinct.h looks at. */
enum {
	MINHASH_PARAM_SIZE = 0,      /* k */
	MINHASH_PARAM_UNIT = 1,      /* what the elements are: */
	MINHASH_PARAM_RUN = 2,       /* 0; or the N of word:N, char:N */
	MINHASH_PARAM_MORE = 3,      /* 1: the set has elements whose hashes are not here */
};

enum minhash_unit { MINHASH_ITEMS = 0, MINHASH_WORDS = 1, MINHASH_CHARS = 2 };

/* An element that is a feature of a text is known by this. A feature's own hash
 * is quick, and its smallest values are not looked at elsewhere. */
static inline uint64_t
minhash_of_feature(uint64_t feature)
{
	return hash_step(feature, 1);
}

/* Put into the parameters, or take from them, which features are the elements.
 * False: items are. The seed stays as it is. */
void minhash_put_features(struct record *settings, const struct feature_rule *);
bool minhash_get_features(const struct record *settings, struct feature_rule *);

/* STATUS_PARAMETER (a setting out of range), STATUS_MEMORY. */
enum status minhash_new(struct minhash **, const struct record *settings);
void minhash_free(struct minhash *);

/* Add elements by their hashes, in any order. STATUS_MEMORY: some of them may be
 * in, and to repeat the call does no harm. */
enum status minhash_add(struct minhash *, const uint64_t *hash, size_t n);

/* The number of distinct elements, and a 95 % interval around it. */
double minhash_estimate(const struct minhash *);
void minhash_interval(const struct minhash *, double *low, double *high);

/* Are all hashes of the set in it? */
bool minhash_exact(const struct minhash *);

/* into = the sketch of both sets, with the smaller k. OK, STATUS_MEMORY, or
 * STATUS_MISMATCH and why: their elements differ in kind. */
enum status minhash_merge(struct minhash *into, const struct minhash *from,
    struct mismatch *why);

/* OK, STATUS_MEMORY, or STATUS_MISMATCH and why. */
enum status minhash_compare(const struct minhash *, const struct minhash *,
    struct comparison *, struct mismatch *why);

/* The largest standard deviation that J can have, that of J = 1/2; and the least k
 * that keeps it below an error, 0 if none does. */
double minhash_error(uint64_t size);
uint64_t minhash_size_for(double error);

/* Bytes on the heap. */
size_t minhash_memory(const struct minhash *);

extern const struct kind minhash_kind;

#endif
