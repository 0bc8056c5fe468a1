/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "sketch/distinct/hll.h"
#include "sketch/distinct/hll_datasketches.h"
#include "sketch/distinct/hll_joint.h"

/* A coupon tells as much of a hash as one of our tokens: 26 bits and a rank. */
static void
compare_coupons(const struct hll_explicit *a, const struct hll_explicit *b,
    struct comparison *c)
{
	uint64_t coupon;
	size_t common = 0;

	for (size_t at = 0; hll_explicit_next(a, &at, &coupon);)
		common += hll_explicit_has(b, coupon);
	hll_compare_tokens(hll_explicit_count(a), hll_explicit_count(b), common, c);
}

/* As registers of an lgk that it has or a smaller one; the caller frees them.
 * NULL: no memory. A fold leaves ranks as they are: no bit is part of both. */
static unsigned char *
registers_at(const struct hll_datasketches *s, unsigned lgk)
{
	const struct hll_explicit *few = hll_datasketches_coupons(s);
	const unsigned char *finer = hll_datasketches_registers(s);
	unsigned char *registers = calloc((size_t)1 << lgk, 1);
	size_t mask = ((size_t)1 << lgk) - 1;
	uint64_t coupon;

	if (!registers)
		return NULL;
	for (size_t at = 0; few && hll_explicit_next(few, &at, &coupon);)
		registers_raise(&registers[coupon & mask],
		    (unsigned)(coupon >> HLL_DATASKETCHES_PLACE_BITS));
	for (size_t i = 0; finer && i >> hll_datasketches_lgk(s) == 0; i++)
		registers_raise(&registers[i & mask], finer[i]);
	return registers;
}

enum status
hll_datasketches_compare(const struct hll_datasketches *a, const struct hll_datasketches *b,
    struct comparison *c, struct mismatch *why)
{
	const struct hll_explicit *few_a = hll_datasketches_coupons(a);
	const struct hll_explicit *few_b = hll_datasketches_coupons(b);
	unsigned lgk = hll_datasketches_lgk(a);

	if (few_a && few_b) {
		compare_coupons(few_a, few_b, c);
		return OK;
	}
	if (hll_datasketches_lgk(b) < lgk)
		lgk = hll_datasketches_lgk(b);

	unsigned char *ra = registers_at(a, lgk), *rb = registers_at(b, lgk);
	enum status st = ra && rb ? OK : STATUS_MEMORY;
	if (st == OK)
		st = joint_compare(ra, rb, lgk, REGISTERS_RANK_MAX, c, why);
	free(ra);
	free(rb);
	return st;
}
