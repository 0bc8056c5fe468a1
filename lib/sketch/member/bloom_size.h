/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_SIZE_H
#define SKETCH_BLOOM_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "sketch/member/bloom_block.h"

/*
 * How large a Bloom filter must be, and what one of a given size delivers.
 * Nothing here needs a filter, so a plan costs no memory.
 */
enum bloom_type {
	BLOOM_BLOCK,                 /* blocks of 256 bits, 8 of them set a probe */
	BLOOM_CLASSIC,               /* one field of bits, one of them set a probe */
	BLOOM_PARQUET,               /* blocks, as Apache Parquet has them */
	BLOOM_DCSO,                  /* a field of bits, as DCSO's bloom has it */
};

#define BLOOM_BLOCKS_MAX (UINT64_C(1) << 40)
#define BLOOM_BITS_MAX (UINT64_C(1) << 48)
#define BLOOM_BLOCK_PROBES_MAX 4
#define BLOOM_CLASSIC_PROBES_MAX 64
/* numBytes of a Parquet filter is an i32, and some readers want a power of two. */
#define BLOOM_PARQUET_BLOCKS_MAX ((UINT64_C(1) << 26) - 1)
#define BLOOM_DCSO_PROBES_MAX 255
#define BLOOM_FPP_MIN 1e-9
#define BLOOM_FPP_MAX 0.5

/* How far the union of unlike sizes may be over the wanted fpp. */
#define BLOOM_FOLD_SLACK 1.1

/* fpp, here and below, is the false-positive probability: the chance that an
 * item which was never added is reported as seen. */
struct bloom_shape {
	enum bloom_type type;
	uint64_t size;               /* blocks, or bits; at least 1 */
	unsigned probes;             /* blocks an item touches (J), or bits (k) */
	uint64_t capacity;           /* distinct items it was sized for */
	double fpp;                  /* wanted when it holds that many */
};

/*
 * The shape for this many distinct items (0 is sized as 1) at this fpp,
 * BLOOM_FPP_MIN..BLOOM_FPP_MAX. The same on every machine. A block filter's
 * expected fpp is at most the wanted one, and fewer than one in a hundred such
 * filters have more than 1.1 times the wanted one. False, and the shape
 * untouched, if fpp is out of range or the filter would pass BLOOM_BLOCKS_MAX
 * or BLOOM_BITS_MAX (32 TiB).
 */
bool bloom_shape_for(struct bloom_shape *, enum bloom_type, uint64_t capacity, double fpp);

/*
 * The shapes of other systems follow their own rules. Parquet's is what keeps
 * fpp with one block an item, rounded up to a power of two. DCSO's is
 * m = floor(-n ln p / (ln 2)^2), k = ceil(m ln 2 / n); but where its hash would
 * handle m badly (bloom_dcso_suits), it is that of the next larger n for which
 * it does not, and that is the capacity then.
 */

/* Does DCSO's hash spread over m bits as well as k of them need it? It does not
 * where a power of two makes up nearly all of m; see bloom_dcso.c. */
bool bloom_dcso_suits(uint64_t m, unsigned k);

/* Is it one of blocks, rather than of single bits? */
static inline bool
bloom_is_blocks(enum bloom_type type)
{
	return type == BLOOM_BLOCK || type == BLOOM_PARQUET;
}

/* Does a filter of half the size lie in a larger one? DCSO takes a remainder
 * where the others take a high half, so its sizes have nothing in common. */
static inline bool
bloom_folds(enum bloom_type type)
{
	return type != BLOOM_DCSO;
}

/* Is every number in its range? Asked of shapes that come from a file. */
bool bloom_shape_valid(const struct bloom_shape *);

/*
 * The same for one stage of a filter of stages, which is always a block one,
 * and to which only items are added that it does not find: capacity of those.
 * Together the stages keep an fpp, so later ones need less than BLOOM_FPP_MIN.
 * Below BLOOM_STAGE_FPP_MIN there is nothing to be had: n items of 64-bit
 * hashes are mistaken for another one in n of 2^64 cases.
 */
#define BLOOM_STAGE_FPP_MIN 1e-18
bool bloom_shape_for_stage(struct bloom_shape *, uint64_t capacity, double fpp);
bool bloom_stage_valid(const struct bloom_shape *);

/* The shape of the filter folded to this size, which divides the present one:
 * the capacity shrinks in proportion. */
struct bloom_shape bloom_shape_folded(const struct bloom_shape *, uint64_t size);

/* Two filters united hold what the larger capacity and the larger fpp promise
 * together: into has them then. */
void bloom_shape_unite(struct bloom_shape *into, const struct bloom_shape *from);

/* Bytes of the filter itself, which are also its payload in a file. */
uint64_t bloom_bytes(const struct bloom_shape *);

/* The fpp to expect, over all sets of n distinct items. For a block filter it
 * is never under the truth; for a classic one it is the textbook's formula,
 * a little under the truth below some 1,000 items. */
double bloom_expected_fpp(const struct bloom_shape *, uint64_t n);

/* The most distinct items at which the expected fpp is at most this one. */
uint64_t bloom_room(const struct bloom_shape *, double fpp);

#endif
