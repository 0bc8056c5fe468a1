/* sketchutils: BSD-2-Clause, see LICENSE */

/* Registers by the low bits, beside an array that is filled the plain way. */

#include "sketch/distinct/hll_explicit.h"
#include "sketch/distinct/hll_low.h"
#include "check.h"

#define REGISTERS_MANY (1 << 18)

static unsigned char plain[REGISTERS_MANY], got[REGISTERS_MANY];

static void
plain_add(unsigned precision, unsigned cap, unsigned none, uint64_t hash)
{
	unsigned index = (unsigned)(hash & ((UINT64_C(1) << precision) - 1)), rank = 0;

	for (uint64_t rest = hash >> precision; rest != 0; rest >>= 1) {
		rank++;
		if (rest & 1)
			break;
	}
	if (hash >> precision == 0)
		rank = none;
	if (rank > cap)
		rank = cap;
	if (rank > plain[index])
		plain[index] = (unsigned char)rank;
}

static bool
is_plain(const struct hll_low *l)
{
	size_t m = (size_t)1 << l->precision;
	struct histogram h, want;
	uint32_t used = 0;

	memset(got, 0xee, m);
	hll_low_spread(l, got);
	registers_histogram(&want, plain, l->precision);
	hll_low_histogram(l, &h);
	for (size_t i = 0; i < m; i++)
		used += plain[i] != 0;
	return memcmp(got, plain, m) == 0 && hll_low_used(l) == used && h.last == l->cap &&
	    h.precision == l->precision && memcmp(h.count, want.count, sizeof h.count) == 0;
}

/* Hashes with long runs of zeros among them, so that high ranks occur. */
static uint64_t
draw(uint64_t *seed)
{
	uint64_t h = check_random(seed);

	return h << (check_random(seed) % 4 == 0 ? check_random(seed) % 64 : 0);
}

static void
registers_are_those_of_a_plain_array(void)
{
	uint64_t seed = 1;

	for (unsigned precision = 4; precision <= 18; precision += 1 + precision % 3) {
		unsigned cap = precision % 2 ? 15 : 64 - precision + 1, none = precision % 2 ? 0 : cap;
		size_t m = (size_t)1 << precision, n = 0;
		struct hll_low l;

		hll_low_init(&l, precision, cap, none);
		memset(plain, 0, m);
		CHECK(is_plain(&l));
		/* From few to many, past where the table becomes an array. */
		for (size_t to = 1; to <= 2 * m; to *= 2) {
			for (; n < to; n++) {
				uint64_t some[3] = {draw(&seed), draw(&seed), n < m ? n : 0};
				CHECK_EQ(hll_low_add(&l, some, 3), OK);
				for (size_t k = 0; k < 3; k++)
					plain_add(precision, cap, none, some[k]);
			}
			CHECK(is_plain(&l));
			/* A byte each is the most it takes, but for a first few. */
			CHECK(hll_low_memory(&l) <= (m > 64 ? m : 64));
		}
		hll_low_clear(&l);
		CHECK(hll_low_used(&l) == 0 && hll_low_memory(&l) == 0);
	}
}

/* Of few and of many, in every combination, equal or finer. */
static void
unions_and_folds_are_those_of_the_items(void)
{
	static const size_t many[] = {0, 1, 50, 700, 6000};
	uint64_t seed = 2;

	for (size_t a = 0; a < 5; a++)
		for (size_t b = 0; b < 5; b++)
			for (unsigned finer = 0; finer <= 5; finer += 1 + finer) {
				struct hll_low into, from;

				hll_low_init(&into, 11, 54, 54);
				hll_low_init(&from, 11 + finer, 54 - finer, 54 - finer);
				memset(plain, 0, 1 << 11);
				for (size_t i = 0; i < many[a]; i++) {
					uint64_t h = draw(&seed);
					CHECK_EQ(hll_low_add(&into, &h, 1), OK);
					plain_add(11, 54, 54, h);
				}
				for (size_t i = 0; i < many[b]; i++) {
					uint64_t h = draw(&seed);
					CHECK_EQ(hll_low_add(&from, &h, 1), OK);
					plain_add(11, 54, 54, h);
				}
				CHECK_EQ(hll_low_merge(&into, &from), OK);
				CHECK(is_plain(&into));
				CHECK_EQ(hll_low_merge(&into, &from), OK);
				CHECK_EQ(hll_low_merge(&into, &into), OK);
				CHECK(is_plain(&into));
				hll_low_clear(&into);
				hll_low_clear(&from);
			}
}

static void
an_explicit_set_is_a_set(void)
{
	struct hll_explicit e = {0};
	uint64_t seed = 3, hash;
	size_t at = 0, n = 0;

	CHECK(!hll_explicit_has(&e, 0) && !hll_explicit_has(&e, 7));
	CHECK(!hll_explicit_next(&e, &at, &hash));
	for (size_t round = 0; round < 3; round++) {
		uint64_t again = seed;
		for (size_t i = 0; i < 1000; i++)
			CHECK_EQ(hll_explicit_add(&e, check_random(&again)), OK);
		CHECK_EQ(hll_explicit_count(&e), 1000 + (round > 0));
		CHECK_EQ(hll_explicit_add(&e, 0), OK);
		CHECK_EQ(hll_explicit_count(&e), 1001);
	}
	for (uint64_t again = seed, i = 0; i < 1000; i++)
		CHECK(hll_explicit_has(&e, check_random(&again)));
	CHECK(hll_explicit_has(&e, 0) && !hll_explicit_has(&e, 1));
	for (at = 0; hll_explicit_next(&e, &at, &hash); n++)
		CHECK(hll_explicit_has(&e, hash));
	CHECK_EQ(n, 1001);
	CHECK(!hll_explicit_next(&e, &at, &hash));
	hll_explicit_clear(&e);
	CHECK_EQ(hll_explicit_count(&e), 0);
}

/* Small numbers, and such that differ in high bits only: the places are drawn
 * from all bits, so it does not take the time of a list. */
static void
made_up_hashes_spread_as_well(void)
{
	struct hll_explicit e = {0};

	for (uint64_t i = 1; i <= 10000; i++) {
		CHECK_EQ(hll_explicit_add(&e, i), OK);
		CHECK_EQ(hll_explicit_add(&e, i << 48), OK);
	}
	CHECK_EQ(hll_explicit_count(&e), 20000);
	hll_explicit_clear(&e);
}

int
main(void)
{
	RUN(registers_are_those_of_a_plain_array);
	RUN(unions_and_folds_are_those_of_the_items);
	RUN(an_explicit_set_is_a_set);
	RUN(made_up_hashes_spread_as_well);
	return check_done();
}
