/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>

#include "sketch/distinct/hll_postgres.h"

/* Hashes are as good as items: two share one in 2^64 cases. */
static void
compare_hashes(const struct hll_explicit *a, const struct hll_explicit *b,
    struct comparison *c)
{
	uint64_t hash;
	size_t common = 0;

	for (size_t at = 0; hll_explicit_next(a, &at, &hash);)
		common += hll_explicit_has(b, hash);
	*c = comparison_by_common((double)hll_explicit_count(a), (double)hll_explicit_count(b),
	    (double)common, 0);
}

/* The registers it has, or would have if it kept no hashes. */
static enum status
registers_of(const struct hll_postgres *s, struct hll_low *low)
{
	const struct hll_postgres_shape *shape = hll_postgres_shape(s);
	const struct hll_explicit *few = hll_postgres_hashes(s);
	enum status st = OK;
	uint64_t hash;

	hll_low_init(low, shape->log2m, hll_postgres_rank_max(shape), 0);
	for (size_t at = 0; few && st == OK && hll_explicit_next(few, &at, &hash);)
		st = hll_low_add(low, &hash, 1);
	return few ? st : hll_low_merge(low, hll_postgres_registers(s));
}

static enum status
compare_registers(const struct hll_postgres *a, const struct hll_postgres *b,
    struct comparison *c, struct mismatch *why)
{
	struct hll_low of_a, of_b;
	enum status st = registers_of(a, &of_a), st_b = registers_of(b, &of_b);

	if (st == OK)
		st = st_b;
	if (st == OK)
		st = hll_low_compare(&of_a, &of_b, c, why);
	hll_low_clear(&of_a);
	hll_low_clear(&of_b);
	return st;
}

enum status
hll_postgres_compare(const struct hll_postgres *a, const struct hll_postgres *b,
    struct comparison *c, struct mismatch *why)
{
	const struct hll_postgres_shape *x = hll_postgres_shape(a), *y = hll_postgres_shape(b);

	if (x->regwidth != y->regwidth) {
		snprintf(why->text, sizeof why->text, "regwidth %u and %u", x->regwidth, y->regwidth);
		return STATUS_MISMATCH;
	}
	if (hll_postgres_hashes(a) && hll_postgres_hashes(b)) {
		compare_hashes(hll_postgres_hashes(a), hll_postgres_hashes(b), c);
		return OK;
	}
	return compare_registers(a, b, c, why);
}
