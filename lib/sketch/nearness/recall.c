/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/recall.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/pages.h"

/*
 * 2^16 places of 24 bytes, in memory that is taken only where it is touched.
 * Half of the key lies apart, so that a thread which only wants to know whether
 * it must look at a text never reads what another one is writing.
 */
#define PLACES (UINT64_C(1) << 16)

struct rest {
	uint64_t key;
	struct recalled answer;
};

struct recall {
	struct pages keys, rests;
};

enum status
recall_new(struct recall **out)
{
	struct recall *r = calloc(1, sizeof *r);

	if (!r || pages_map(&r->keys, PLACES * sizeof(uint64_t)) != OK ||
	    pages_map(&r->rests, PLACES * sizeof(struct rest)) != OK) {
		recall_free(r);
		return STATUS_MEMORY;
	}
	*out = r;
	return OK;
}

void
recall_free(struct recall *r)
{
	if (!r)
		return;
	pages_unmap(&r->keys);
	pages_unmap(&r->rests);
	free(r);
}

static uint64_t
place_of(const uint64_t key[2])
{
	return key[0] & (PLACES - 1);
}

static _Atomic uint64_t *
first_half(const struct recall *r, const uint64_t key[2])
{
	return (_Atomic uint64_t *)(void *)r->keys.at + place_of(key);
}

static struct rest *
rest_of(const struct recall *r, const uint64_t key[2])
{
	return (struct rest *)(void *)r->rests.at + place_of(key);
}

/* A place that nobody came to is zero, as is the half of one key in 2^64. */
bool
recall_knows(const struct recall *r, const uint64_t key[2])
{
	return key[0] != 0 &&
	    atomic_load_explicit(first_half(r, key), memory_order_relaxed) == key[0];
}

bool
recall_find(const struct recall *r, const uint64_t key[2], struct recalled *answer)
{
	const struct rest *rest = rest_of(r, key);

	if (!recall_knows(r, key) || rest->key != key[1])
		return false;
	*answer = rest->answer;
	return true;
}

void
recall_put(struct recall *r, const uint64_t key[2], struct recalled answer)
{
	*rest_of(r, key) = (struct rest){key[1], answer};
	atomic_store_explicit(first_half(r, key), key[0], memory_order_relaxed);
}
