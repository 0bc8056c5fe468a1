/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_H
#define SKETCH_HLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/comparison.h"
#include "sketch/distinct/hlltoken.h"
#include "sketch/kind.h"
#include "sketch/distinct/registers.h"

/*
 * HyperLogLog: how many distinct items, in 12 KiB for 0.81 %. A sketch of few
 * items holds their tokens and answers almost exactly; one of more than
 * hll_token_limit distinct tokens holds registers. Which of the two depends
 * on the set of items alone, never on their order, so sketches made in pieces
 * and merged are equal byte for byte to the one made at once.
 *
 * A call that returns STATUS_MEMORY leaves a valid sketch that may have taken
 * in a part of what it was given; to repeat the call does no harm.
 */
#define HLL_PRECISION_MIN REGISTERS_PRECISION_MIN
#define HLL_PRECISION_MAX REGISTERS_PRECISION_MAX

struct hll;

extern const struct kind hll_kind;

/* The first two parameters in a record's header. */
enum hll_param { HLL_PARAM_PRECISION, HLL_PARAM_ENCODING };
enum hll_encoding { HLL_TOKENS = 0, HLL_REGISTERS = 1 };

/* An empty sketch; the caller frees it. OK, STATUS_MEMORY, or
 * STATUS_PARAMETER for a precision not in 4..18. */
enum status hll_new(struct hll **, unsigned precision);
void hll_free(struct hll *);

/* Add a batch of items by their hashes. OK or STATUS_MEMORY. */
enum status hll_add(struct hll *, const uint64_t *hash, size_t n);

/* The number of distinct items, not rounded. Finite. */
double hll_estimate(const struct hll *);

/* The 95 % interval around it, low <= estimate <= high, none of them NaN.
 * While there are tokens, low is certain: their number. */
void hll_interval(const struct hll *, double *low, double *high);

/* into = union of both. Of unlike precisions the finer one folds to the
 * coarser, so into may end up coarser than it was. OK or STATUS_MEMORY. */
enum status hll_merge(struct hll *into, const struct hll *from);

/* Lower the precision: the result is the sketch that would have been built
 * at that one. OK, STATUS_MEMORY, or STATUS_PARAMETER for a finer precision
 * than it has or one below 4. */
enum status hll_fold(struct hll *, unsigned precision);

unsigned hll_precision(const struct hll *);

/* Does it hold this token, while it holds tokens? */
bool hll_has_token(const struct hll *, uint32_t token);

/* How much two sets have in common; see hll_compare.c. Of unlike precisions
 * the finer one is taken for the coarser one. OK, STATUS_MEMORY, or
 * STATUS_MISMATCH for full registers, as joint_compare() tells. */
enum status hll_compare(const struct hll *, const struct hll *, struct comparison *,
    struct mismatch *why);

/* The same of two sets of so many tokens, or of whatever else two items share
 * with probability 1/3 in 2^26, and so many that are in both. */
void hll_compare_tokens(size_t a, size_t b, size_t common, struct comparison *);

/* Bytes of memory it takes now. */
size_t hll_memory(const struct hll *);

/* One standard error, relative: 1.04 / sqrt(2^precision). */
double hll_error(unsigned precision);

/* The smallest precision whose relative standard error is at most error, or
 * with a confidence (0 < c < 1) whose two-sided interval of that confidence
 * stays within +-error. 0 if none does. */
unsigned hll_precision_for(double error, double confidence);

/* Bytes of the registers in a file: 6 bits each. */
size_t hll_bytes(unsigned precision);

/* The largest number of distinct tokens that stay tokens: one for 8
 * registers, but at least 128. */
size_t hll_token_limit(unsigned precision);

/*
 * What a HyperLogLog holds, wherever it lies: the sketch above is one place,
 * the entries of a struct hllmap are another. A view does not own anything.
 */
struct hll_view {
	unsigned precision;
	size_t tokens;               /* how many distinct ones */
	const uint32_t *token;       /* room places, zeros between the tokens */
	size_t room;
	const unsigned char *registers;    /* NULL while there are tokens */
};

struct hll_view hll_view(const struct hll *);
double hll_view_estimate(const struct hll_view *);
void hll_view_interval(const struct hll_view *, double *low, double *high);
/* Fill in the header's kind, version, param and size, append the payload. */
enum status hll_view_save(const struct hll_view *, struct record *, struct buffer *);
/* As hll_merge. */
enum status hll_unite(struct hll *into, const struct hll_view *);

#endif
