/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_FOLD_H
#define SKETCH_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/kinds.h"

/*
 * Sketches made smaller: to a number of bytes, or to the smallest that still
 * has a wanted false-positive probability. What a size can become are its
 * divisors, so the result is the largest, or the smallest, of those.
 */
struct fold {
	uint64_t bytes;              /* of payload, at most; or 0, and ... */
	double fpp;                  /* ... this fpp, at most */
};

/* Can sketches of this kind fold so? */
bool fold_can(const struct kind *, const struct fold *);

/*
 * Fold it. A size of less than half the bytes asked for is refused, since
 * nobody means that. With an fpp, that is the wanted one from now on, and the
 * capacity becomes what keeps it; what an fpp takes is one more copy of half
 * the sketch. STATUS_MISMATCH, and why tells what there is; STATUS_MEMORY.
 * Then it is as it was.
 */
enum status fold_sketch(struct sketch *, const struct fold *, struct mismatch *why);

/* Two of the same kind to the largest size they have in common, if theirs
 * differ; *folded is whether they did. STATUS_MEMORY. */
enum status fold_alike(struct sketch *, struct sketch *, bool *folded);

/* Does it keep within what is asked for as it is? With bytes, always: it can
 * fold further. STATUS_MISMATCH, why; STATUS_MEMORY. */
enum status fold_holds(const struct sketch *, const struct fold *, struct mismatch *why);

#endif
