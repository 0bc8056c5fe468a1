/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_BODY_H
#define SKETCH_BLOOM_BODY_H

#include "base/bytes.h"
#include "base/pages.h"
#include "sketch/member/bloom_size.h"
#include "sketch/kind.h"

/* What the files of the Bloom filter share among themselves, and with
 * counting.c: the filter (bloom.h). */

struct bloom {
	struct bloom_shape shape;
	uint64_t counted;            /* DCSO: items that set a bit */
	unsigned char *bits;         /* NULL if they may only be read */
	const unsigned char *read;   /* the same, or the caller's */
	struct pages pages;          /* they lie here, if made by us */
	struct buffer loaded;        /* or here, if they came in a record */
};

/* "block", "classic" ... */
const char *bloom_type_name(enum bloom_type);

/* "blocks" or "bits". */
const char *bloom_unit(const struct bloom_shape *);

extern const struct folding bloom_folding;

/* What a filter of this shape says about itself: as settings, and from its
 * bits. For counters too. */
void bloom_shape_facts(const char *type, const char *unit, const struct bloom_shape *,
    struct facts *);
void bloom_fill_facts(struct bloom_count, const struct bloom_shape *, struct facts *);

#endif
