/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The hashes of other systems: vectors that were published with them or that
 * those systems gave.
 */

#include "base/hash.h"
#include "check.h"

struct vector {
	const char *item;
	uint64_t hash;
};

static void
hold(enum hash_id id, const struct vector *v, size_t n)
{
	struct slice item[8];
	uint64_t hash[8];

	for (size_t i = 0; i < n; i++)
		item[i] = slice_of(v[i].item);
	hash_items(id, item, n, hash);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(hash[i], v[i].hash);
}

/* From the authors' test suite (RFC 9923). */
static void
fnv1_is_the_published_one(void)
{
	static const struct vector v[] = {
		{"", UINT64_C(0xcbf29ce484222325)},
		{"a", UINT64_C(0xaf63bd4c8601b7be)},
		{"foobar", UINT64_C(0x340d8765a4dda9c2)},
	};

	hold(HASH_FNV1, v, sizeof v / sizeof *v);
}

/* What Parquet's split block Bloom filter hashes with. */
static void
xxh64_is_the_published_one(void)
{
	static const struct vector v[] = {
		{"", UINT64_C(0xef46db3751d8e999)},
		{"hello", UINT64_C(0x26c7827d889f6da3)},
		{"198.51.100.7", UINT64_C(0x979851ae2db2893e)},
	};

	hold(HASH_XXH64, v, sizeof v / sizeof *v);
}

/* A byte is a number from 0 to 255, whatever char is here. */
static void
bytes_are_unsigned(void)
{
	static const unsigned char bytes[] = {0xff, 0x00, 0x80};
	struct slice item = {bytes, sizeof bytes};
	uint64_t hash;

	hash_items(HASH_FNV1, &item, 1, &hash);
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < sizeof bytes; i++)
		h = (h * UINT64_C(1099511628211)) ^ bytes[i];
	CHECK_EQ(hash, h);
}

static void
only_some_hashes_are_ours(void)
{
	CHECK(hash_is_ours(0));
	CHECK(hash_is_ours(HASH_XXH3));
	CHECK(!hash_is_ours(HASH_XXH64));
	CHECK(!hash_is_ours(HASH_FNV1));
}

int
main(void)
{
	RUN(fnv1_is_the_published_one);
	RUN(xxh64_is_the_published_one);
	RUN(bytes_are_unsigned);
	RUN(only_some_hashes_are_ours);
	return check_done();
}
