/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HLL_POSTGRES_H
#define SKETCH_HLL_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sketch/distinct/hll_explicit.h"
#include "sketch/distinct/hll_low.h"
#include "sketch/kind.h"

/*
 * The type hll of PostgreSQL's extension hll: the distinct hashes themselves,
 * HASH_MURMUR3, while they are few, then registers. Which of the two depends on
 * the set of items alone, never on their order, so sketches made in pieces and
 * merged are equal byte for byte to the one made at once.
 *
 * The empty item has the hash 0, of which no register takes notice: it counts
 * among few, and is lost when there are registers. So it is in PostgreSQL.
 *
 * A call that returns STATUS_MEMORY leaves a valid sketch that may have taken
 * in a part of what it was given; to repeat the call does no harm.
 */
struct hll_postgres;

extern const struct kind hll_postgres_kind;

/* The parameters in a record's header. Two unite only if the first four agree. */
enum hll_postgres_param {
	HLL_POSTGRES_LOG2M,          /* 2^log2m registers, 4..17 */
	HLL_POSTGRES_REGWIDTH,       /* bits of a register, 1..8 */
	HLL_POSTGRES_EXPTHRESH,      /* a code, see below */
	HLL_POSTGRES_SPARSEON,       /* 0 or 1 */
	HLL_POSTGRES_TYPE,           /* enum hll_postgres_type */
};

#define HLL_POSTGRES_LOG2M_MIN 4
#define HLL_POSTGRES_LOG2M_MAX 17
/* From 6 on PostgreSQL answers NaN for many items, since 2^(2^width - 2) and
 * more overflow there; nobody should make new ones. */
#define HLL_POSTGRES_REGWIDTH_SAFE 5
#define HLL_POSTGRES_REGWIDTH_MAX 8

/* How many hashes are kept: 0 none, 63 as many as take the memory of the
 * registers, else 2^(code - 1). */
#define HLL_POSTGRES_AUTO 63

enum hll_postgres_type {
	HLL_POSTGRES_EMPTY = 1,
	HLL_POSTGRES_EXPLICIT = 2,
	HLL_POSTGRES_SPARSE = 3,
	HLL_POSTGRES_FULL = 4,
};

struct hll_postgres_shape {
	unsigned log2m;
	unsigned regwidth;
	unsigned expthresh;          /* the code */
	bool sparseon;
};

/* 11,5,-1,1: what hll_empty() has. */
extern const struct hll_postgres_shape hll_postgres_default;

/* The code of expthresh as SQL has it: -1, 0, or a power of 2 up to 2^61.
 * False for any other. */
bool hll_postgres_code(int64_t expthresh, unsigned *code);
/* And back. */
int64_t hll_postgres_expthresh(unsigned code);

/* OK, or STATUS_PARAMETER: out of the ranges above. */
enum status hll_postgres_check(const struct hll_postgres_shape *);
/* How many hashes one of this shape keeps before it turns to registers. */
size_t hll_postgres_threshold(const struct hll_postgres_shape *);

/* The largest rank: no hash has one above 64 - log2m, however wide a register. */
unsigned hll_postgres_rank_max(const struct hll_postgres_shape *);

/* The parameters of a header, except for the type, and back. */
void hll_postgres_put(const struct hll_postgres_shape *, struct record *);
enum status hll_postgres_get(const struct record *, struct hll_postgres_shape *);

/* An empty sketch; the caller frees it. OK, STATUS_PARAMETER, STATUS_MEMORY. */
enum status hll_postgres_new(struct hll_postgres **, const struct hll_postgres_shape *);
/* NULL is allowed. */
void hll_postgres_free(struct hll_postgres *);

/* Add n items by their hashes. OK or STATUS_MEMORY. */
enum status hll_postgres_add(struct hll_postgres *, const uint64_t *hash, size_t n);

/* What hll_cardinality answers, but never NaN: where that is, REGISTERS_MOST or
 * the estimate without the correction that failed. */
double hll_postgres_estimate(const struct hll_postgres *);

/* The 95 % interval, low <= estimate <= high, none of them NaN. */
void hll_postgres_interval(const struct hll_postgres *, double *low, double *high);

/* into = union of both. OK, STATUS_MEMORY, or STATUS_MISMATCH and why: the first
 * parameter that differs, with both values. */
enum status hll_postgres_merge(struct hll_postgres *into, const struct hll_postgres *from,
    struct mismatch *why);

/* How much two have in common: exactly, while both hold hashes. Their regwidth
 * must agree; of unlike log2m the larger is taken for the smaller one. OK,
 * STATUS_MEMORY, or STATUS_MISMATCH and why. */
enum status hll_postgres_compare(const struct hll_postgres *, const struct hll_postgres *,
    struct comparison *, struct mismatch *why);

/* Fewer registers: what its items would have made at that log2m, except for an
 * item without a rank (2.2 in 10^16). OK, STATUS_MEMORY, or STATUS_PARAMETER for
 * more registers than it has, or for less than 16. */
enum status hll_postgres_fold(struct hll_postgres *, unsigned log2m);

const struct hll_postgres_shape *hll_postgres_shape(const struct hll_postgres *);

/* What it holds: the hashes, or NULL; else its registers, or NULL. */
const struct hll_explicit *hll_postgres_hashes(const struct hll_postgres *);
const struct hll_low *hll_postgres_registers(const struct hll_postgres *);

/* Turn to registers, and offer each of them a rank: 2^log2m bytes, each up to
 * 2^regwidth - 1 and 64 - log2m. OK or STATUS_MEMORY. */
enum status hll_postgres_raise(struct hll_postgres *, const unsigned char *rank);

/* Bytes of memory it takes now. */
size_t hll_postgres_memory(const struct hll_postgres *);

/*
 * The body of a value in PostgreSQL, which is the payload here: what follows its
 * header of 3 bytes. See hll_postgres_body.c.
 */

/* The bytes of a full one. */
size_t hll_postgres_full_size(const struct hll_postgres_shape *);
/* The type that the sketch has, in its one canonical form. */
enum hll_postgres_type hll_postgres_type(const struct hll_postgres *);

/* Append the body in its one canonical form; *type is which that is. OK or
 * STATUS_MEMORY. */
enum status hll_postgres_encode(const struct hll_postgres *, struct buffer *,
    enum hll_postgres_type *);

/* What a body holds, in any form that PostgreSQL reads, into an empty sketch.
 * OK, STATUS_MEMORY, STATUS_PARAMETER (no such type), STATUS_TRUNCATED,
 * STATUS_SIZE (bytes too many), STATUS_INVARIANT (hashes not ascending, bits
 * behind the last register, a rank that no hash has). */
enum status hll_postgres_decode(struct hll_postgres *, enum hll_postgres_type,
    struct slice body);

#endif
