/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/simhash_near.h"

#include "sketch/nearness/hamming.h"
#include "sketch/nearness/simhash.h"

/*
 * What should verification demand? Let s be the share of features in common
 * of two documents of one size, J = s / (2 - s). The distance of a pair
 * is Binomial(64, acos(s) / pi). For a given K the bound is the J at which
 * only one pair in 100 comes within K bits: what lies below is there by
 * accident, and what lies above has a right to be there.
 *
 *	K             0    3    6    8   10   12   16
 *	J at least  .95  .81  .65  .54  .44  .35  .19
 */

static bool
valid(const struct near_rule *rule)
{
	return rule->distance <= SIMHASH_BITS && rule->bands == 0 && rule->rows == 0;
}

static size_t
words(const struct near_rule *rule)
{
	(void)rule;
	return 1;
}

static void
sign(const struct near_rule *rule, const uint64_t *feature, size_t n, uint64_t *signature)
{
	(void)rule;
	*signature = simhash_sign(feature, n);
}

static enum status
open_index(void **finder, const struct near_rule *rule)
{
	struct hamming *h;
	enum status st = hamming_new(&h, rule->distance);

	if (st == OK)
		*finder = h;
	return st;
}

static void
close_index(void *finder)
{
	hamming_free(finder);
}

static enum status
reserve(void *finder, uint64_t most)
{
	return hamming_reserve(finder, most);
}

static void
add(void *finder, const uint64_t *signature, uint32_t number)
{
	hamming_add(finder, *signature, number);
}

static void
expect(const void *finder, const uint64_t *signature)
{
	hamming_expect(finder, *signature);
}

static enum status
find(void *finder, const uint64_t *signature, struct hits *hits, bool *cut)
{
	return hamming_find(finder, *signature, hits, cut);
}

__extension__ typedef unsigned __int128 product;

/* The share of all 2^64 signatures that lie within the distance of one. */
static uint64_t
strangers(const struct near_rule *rule, uint64_t documents)
{
	product ways = 1, sum = 1;

	for (unsigned i = 0; i < rule->distance; i++) {
		ways = ways * (SIMHASH_BITS - i) / (i + 1);
		sum += ways;
	}
	return (uint64_t)(sum * documents >> 64);
}

static uint64_t
memory(const void *finder)
{
	return hamming_memory(finder);
}

static uint32_t
largest(const void *finder)
{
	return hamming_largest(finder);
}

static uint64_t
work(const void *finder)
{
	return hamming_work(finder);
}

const struct nearness simhash_nearness = {
	.name = "simhash",
	.kind = KIND_SIMHASH,
	.few = SIMHASH_EXACT,
	.valid = valid,
	.words = words,
	.sign = sign,
	.open = open_index,
	.close = close_index,
	.reserve = reserve,
	.add = add,
	.expect = expect,
	.find = find,
	.strangers = strangers,
	.memory = memory,
	.largest = largest,
	.work = work,
};
