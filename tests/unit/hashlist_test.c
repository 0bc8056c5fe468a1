/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "sketch/member/hashlist.h"

#include "check.h"

/* Add so many hashes, each value this often, in an order that mixes them. */
static void
add_copies(struct hashlist *l, uint64_t values, unsigned copies)
{
	for (unsigned c = 0; c < copies; c++)
		for (uint64_t i = 0; i < values; i++) {
			uint64_t h = hash_step(0, (unsigned)i + 1);
			CHECK_EQ(hashlist_add(l, &h, 1), 1);
		}
}

static void
it_keeps_the_order(void)
{
	struct hashlist *l;
	uint64_t some[3] = {7, 0, 7};

	CHECK_EQ(hashlist_new(&l, HASHLIST_BYTES_MIN), OK);
	CHECK_EQ(hashlist_count(l), 0);
	CHECK_EQ(hashlist_add(l, some, 3), 3);
	CHECK_EQ(hashlist_add(l, some + 1, 1), 1);
	CHECK_EQ(hashlist_count(l), 4);
	CHECK(memcmp(hashlist_all(l), some, sizeof some) == 0 && hashlist_all(l)[3] == 0);
	hashlist_free(l);
	hashlist_free(NULL);
}

static void
it_takes_what_the_ceiling_allows(void)
{
	struct hashlist *l;
	uint64_t some[1000], max, n = 0;
	size_t took;

	for (size_t i = 0; i < 1000; i++)
		some[i] = i;
	CHECK_EQ(hashlist_new(&l, 1 << 20), OK);
	max = hashlist_capacity(l);
	CHECK(max * 8 <= 1 << 20 && max * 8 > 3 << 18);
	do {
		took = hashlist_add(l, some, 1000);
		n += took;
	} while (took == 1000);
	CHECK_EQ(n, max);
	CHECK_EQ(hashlist_add(l, some, 1), 0);
	CHECK_EQ(hashlist_all(l)[max - 1], (max - 1) % 1000);
	hashlist_free(l);
}

static void
equal_ones_count_so_often(void)
{
	struct hashlist *l;
	uint64_t n, zeros[20] = {0};

	CHECK_EQ(hashlist_new(&l, 64 << 20), OK);
	CHECK_EQ(hashlist_distinct(l, 1, &n), OK);
	CHECK_EQ(n, 0);
	add_copies(l, 5000, 3);
	hashlist_add(l, zeros, 20);
	for (unsigned copies = 1; copies <= 25; copies++) {
		CHECK_EQ(hashlist_distinct(l, copies, &n), OK);
		CHECK_EQ(n, 5000 * (copies < 3 ? copies : 3) + (copies < 20 ? copies : 20));
	}
	CHECK_EQ(hashlist_distinct(l, 255, &n), OK);
	CHECK_EQ(n, 15020);
	hashlist_free(l);
}

/* More than one pass wants; and hashes that all begin alike. */
static void
so_they_do_in_several_passes(void)
{
	struct hashlist *l;
	uint64_t n, values = check_times(300000, 1200000, 6000000);

	CHECK_EQ(hashlist_new(&l, UINT64_C(1) << 30), OK);
	add_copies(l, values, 2);
	CHECK_EQ(hashlist_distinct(l, 1, &n), OK);
	CHECK_EQ(n, values);
	CHECK_EQ(hashlist_distinct(l, 8, &n), OK);
	CHECK_EQ(n, 2 * values);
	for (uint64_t i = 0; i < 3000; i++)
		hashlist_add(l, &i, 1);
	CHECK_EQ(hashlist_distinct(l, 1, &n), OK);
	CHECK_EQ(n, values + 3000);
	hashlist_free(l);
}

int
main(void)
{
	RUN(it_keeps_the_order);
	RUN(it_takes_what_the_ceiling_allows);
	RUN(equal_ones_count_so_often);
	RUN(so_they_do_in_several_passes);
	return check_done();
}
