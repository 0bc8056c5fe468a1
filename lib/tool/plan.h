/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_PLAN_H
#define TOOL_PLAN_H

#include <stdint.h>

#include "sketch/kind.h"

/*
 * What a sketch will be like that does not exist yet: its size, its parameters
 * and its bound, in words and as facts. A plan takes no memory to speak of.
 */
struct plan {
	const char *structure, *question;
	uint64_t size;               /* of the payload; 0: there is none, and bound says why */
	double bits;                 /* for each item; 0: they do not depend on items */
	char parameters[80], bound[160];
	struct facts before, after;  /* what stands around the size */
};

/* A membership filter of this kind (sketch/member/form.h) for n items at this fpp. */
void plan_filter(struct plan *, uint16_t kind, uint64_t n, double fpp);

/* A Count-Min sketch. */
void plan_cms(struct plan *, uint64_t width, unsigned depth, double epsilon, double delta);

/* The heaviest of n items, without their bytes. */
void plan_heavy(struct plan *, uint64_t n);

/* A histogram of n samples, the greatest of which is range times the least, and
 * which are spread over all slots between them. */
void plan_hdr(struct plan *, unsigned digits, uint64_t range, uint64_t n);

/* A t-digest of n different samples. */
void plan_tdigest(struct plan *, unsigned compression, uint64_t n);

/* A MinHash of this size for n elements; size 0: the one that was asked for cannot be
 * had. */
void plan_minhash(struct plan *, uint64_t size, uint64_t n);

/* A HyperLogLog of this precision for n items, 0 being many; precision 0: the
 * one that was asked for cannot be had. */
void plan_hll(struct plan *, unsigned precision, uint64_t n);

#endif
