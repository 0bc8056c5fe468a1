/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>

#include "base/hash.h"
#include "base/murmur.h"

/*
 * FNV-1 as Fowler, Noll and Vo published it (RFC 9923): multiply, then xor.
 * Its sibling FNV-1a does the two the other way round.
 */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t
fnv1(struct slice s)
{
	uint64_t h = FNV_BASIS;

	for (size_t i = 0; i < s.len; i++)
		h = h * FNV_PRIME ^ s.at[i];
	return h;
}

/* Of its HyperLogLog. */
#define REDIS_SEED 0xadc83b19

#define COUPON_SEED 9001
#define COUPON_PLACE ((1u << 26) - 1)

/*
 * The coupon of Apache DataSketches: above the low 26 bits of the first word the
 * leading zeros of the second one, at most 62, plus one. It has no coupon for the
 * empty item, and none is 0.
 */
static uint64_t
coupon(struct slice s)
{
	struct murmur3 h = murmur3(s, COUPON_SEED);

	if (s.len == 0)
		return 0;
	/* A bit that ends the zeros. */
	unsigned zeros = (unsigned)__builtin_clzll(h.h2 | 2);
	return (uint64_t)(zeros + 1) << 26 | (h.h1 & COUPON_PLACE);
}

void
hash_items(enum hash_id id, const struct slice *item, size_t n, uint64_t *hash)
{
	/* A loop each, into which the function is inlined. */
	switch (id) {
	case HASH_XXH64:
		/* Nothing may lie nowhere, but the library is not told so. */
		for (size_t i = 0; i < n; i++)
			hash[i] = XXH64(item[i].at ? item[i].at : (const void *)"", item[i].len, 0);
		break;
	case HASH_FNV1:
		for (size_t i = 0; i < n; i++)
			hash[i] = fnv1(item[i]);
		break;
	case HASH_MURMUR64A:
		for (size_t i = 0; i < n; i++)
			hash[i] = murmur64a(item[i], REDIS_SEED);
		break;
	case HASH_MURMUR3:
		for (size_t i = 0; i < n; i++)
			hash[i] = murmur3(item[i], 0).h1;
		break;
	case HASH_MURMUR3_COUPON:
		for (size_t i = 0; i < n; i++)
			hash[i] = coupon(item[i]);
		break;
	default:
		assert(!"a hash that is ours, or none");
	}
}
