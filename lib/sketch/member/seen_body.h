/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SEEN_BODY_H
#define SKETCH_SEEN_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pages.h"
#include "sketch/member/bloom_size.h"
#include "sketch/member/slots.h"

/* What seen.c, seen_file.c and seen_kind.c share. */
#define SEEN_ALIGN 64

struct shard {
	_Alignas(SEEN_ALIGN) struct slots set;
	bool filter;                 /* the set's memory is one now */
	uint64_t added;              /* to the filter, about */
	uint64_t reckon_at;          /* when added has come to this, reckon anew */
	double fpp, lost;
};

struct seen {
	struct shard shard[1 << SLOTS_TOP];      /* SEEN_SHARDS */
	struct pages pages;
	uint64_t size_max;           /* slots of a shard */
	struct bloom_shape shape;    /* of all shards' filters as one */
	const struct bloom_kernel *kernel;
};

/* 0 is no hash to a set: 1 stands for both. */
static inline uint64_t
seen_key(uint64_t h)
{
	return h + (h == 0);
}

/* An empty shard is to take n hashes in ascending order: make room for them, or
 * make it a filter if they are too many. */
enum status seen_expect(struct seen *, unsigned shard, uint64_t n);

/* Remember hashes that are known to be new, none of them 0. STATUS_MEMORY. */
enum status seen_take(struct seen *, const uint64_t *hash, size_t n);

/* Work out the fpp of a shard's filter from how many hashes it has. */
void seen_reckon(const struct seen *, struct shard *);

#endif
