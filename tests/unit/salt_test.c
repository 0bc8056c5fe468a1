/* sketchutils: BSD-2-Clause, see LICENSE */

/* The salt of tables: another one each time, one to one, and without a say in which
 * shard a key belongs to. */
#include "base/salt.h"
#include "check.h"

static void
before_it_is_drawn_everybody_knows_it(void)
{
	CHECK_EQ(salt_hash("key", 3), hash_bytes("key", 3, 0));
	CHECK_EQ(salt_shard_hash("key", 3), hash_bytes("key", 3, 0));
	CHECK_EQ(salt_gather(salt_scatter(1)), 1);
}

static void
each_draw_is_another_one(void)
{
	uint64_t seed[100];

	for (unsigned i = 0; i < 100; i++) {
		salt_draw();
		seed[i] = salt.seed;
		CHECK(salt.odd[0] % 2 == 1 && salt.odd[1] % 2 == 1);
		for (unsigned k = 0; k < i; k++)
			CHECK(seed[k] != seed[i]);
	}
}

static void
what_was_scattered_can_be_gathered(void)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < 1000; i++) {
		salt_draw();
		uint64_t h = check_random(&state);
		CHECK_EQ(salt_gather(salt_scatter(h)), h);
		CHECK(salt_scatter(h) != h);
		CHECK_EQ(salt_scatter(0), 0);
	}
}

static void
only_the_shard_of_a_key_is_public(void)
{
	char key[8];
	unsigned same = 0;

	salt_draw();
	for (unsigned i = 0; i < 1000; i++) {
		size_t n = (size_t)snprintf(key, sizeof key, "%u", i);
		uint64_t h = salt_shard_hash(key, n), open = hash_bytes(key, n, 0);
		CHECK_EQ(h >> (64 - SALT_SHARD_BITS), open >> (64 - SALT_SHARD_BITS));
		same += h == open;
	}
	CHECK_EQ(same, 0);
}

int
main(void)
{
	RUN(before_it_is_drawn_everybody_knows_it);
	RUN(each_draw_is_another_one);
	RUN(what_was_scattered_can_be_gathered);
	RUN(only_the_shard_of_a_key_is_public);
	return check_done();
}
