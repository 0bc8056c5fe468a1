/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * What two cuckoo filters have in common.
 *
 * To filters of the same m and f an item is one of K = m (2^f - 1) / 2 keys: a
 * fingerprint and the even one of its buckets. Let a key have k items that are
 * in both filters, a that are only in A and b only in B. A holds k + a copies of
 * it and B k + b, and the smaller one is k + min(a, b). So over all keys
 *
 *	H = sum of min(copies in A, copies in B) = C + sum of min(a, b)
 *
 * where C is what we look for. The others fall on the keys at random: a follows
 * a Poisson law of mean (N_A - C) / K, and b likewise. So
 *
 *	H = C + K E[min(a, b)],  E[min(a, b)] = sum over j of P(a >= j) P(b >= j)
 *
 * The means are below 8 / (2^f - 1), and C follows in a few rounds of putting
 * it in on the right. Given H's scatter, that of K independent numbers which
 * are nearly always 0 or 1,
 *
 *	standard error = sqrt(K E[min(a, b)]) / (1 - (N_A - C)/K - (N_B - C)/K)
 */
#include <math.h>

#include "sketch/member/cuckoo.h"
#include "sketch/member/cuckoo_body.h"

/* A key's share of a sum over copies, so that the copies of one make up a whole
 * one: all of 1 to 10 divide it, and a key has 9 copies at most. */
#define WHOLE 2520

/* P(x >= j) for j = 1 to 4, x of a Poisson law of mean at most 8/255: summed
 * from the small end, as a difference from 1 would keep few digits. */
#define TAIL 4

static void
poisson_tail(double mean, double tail[TAIL + 1])
{
	double term[3 * TAIL + 1] = {exp(-mean)};
	double sum = 0;

	for (unsigned i = 1; i <= 3 * TAIL; i++)
		term[i] = term[i - 1] * mean / i;
	for (unsigned i = 3 * TAIL; i >= 1; i--) {
		sum += term[i];
		if (i <= TAIL)
			tail[i] = sum;
	}
}

static double
mean_of_smaller(double a, double b)
{
	double tail_a[TAIL + 1], tail_b[TAIL + 1];
	double sum = 0;

	poisson_tail(a, tail_a);
	poisson_tail(b, tail_b);
	for (unsigned j = TAIL; j >= 1; j--)
		sum += tail_a[j] * tail_b[j];
	return sum;
}

static unsigned
copies(const struct cuckoo *c, const struct cuckoo_key *key)
{
	return cuckoo_copies(&c->table, key) + cuckoo_is_victim(c, key);
}

/* H: each copy in a brings its share of the smaller number. */
static double
seemingly_common(const struct cuckoo *a, const struct cuckoo *b)
{
	struct cuckoo_key key[CUCKOO_KEYS];
	hash_wide shares = 0;
	uint64_t next = 0;
	size_t n;

	while ((n = cuckoo_keys(a, &next, key)) > 0) {
		for (size_t i = 0; i < n; i++) {
			cuckoo_prefetch(&a->table, &key[i]);
			cuckoo_prefetch(&b->table, &key[i]);
		}
		for (size_t i = 0; i < n; i++) {
			unsigned in_a = copies(a, &key[i]), in_b = copies(b, &key[i]);
			shares += WHOLE / in_a * (in_a < in_b ? in_a : in_b);
		}
	}
	return (double)(uint64_t)(shares / WHOLE);
}

bool
cuckoo_common(const struct cuckoo *a, const struct cuckoo *b, struct cuckoo_common *common)
{
	if (a->shape.buckets != b->shape.buckets || a->shape.bits != b->shape.bits)
		return false;
	double keys = (double)a->shape.buckets / 2 *
	    (double)((UINT64_C(1) << a->shape.bits) - 1);
	double n_a = (double)cuckoo_stored(a), n_b = (double)cuckoo_stored(b);
	double seeming = seemingly_common(a, b);
	double items = seeming, chance = 0, only_a = 0, only_b = 0;

	/* Each round leaves a sixteenth of the error at most. */
	for (unsigned round = 0; round < 16; round++) {
		only_a = fmax(n_a - items, 0) / keys;
		only_b = fmax(n_b - items, 0) / keys;
		chance = keys * mean_of_smaller(only_a, only_b);
		items = fmax(seeming - chance, 0);
	}
	common->items = items;
	common->error = sqrt(chance) / (1 - only_a - only_b);
	return true;
}
