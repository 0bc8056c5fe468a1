/* sketchutils: BSD-2-Clause, see LICENSE */

/* Which hash a header may name: that of its kind and no other, with a seed where it
 * has one. */
#include "base/hash.h"
#include "sketch/kinds.h"
#include "check.h"

static const struct case_of {
	const char *file;
	unsigned hashes;             /* a bit for each that is right */
	bool seed;                   /* may there be one? */
} cases[] = {
	{"hll-tokens", 1u << HASH_XXH3 | 1u << HASH_SIPHASH, true},
	{"bloom-block-1", 1u << HASH_XXH3 | 1u << HASH_SIPHASH, true},
	{"cms-plain", 1u << HASH_XXH3 | 1u << HASH_SIPHASH, true},
	{"minhash", 1u << HASH_XXH3 | 1u << HASH_SIPHASH, true},
	{"seen", 1u << HASH_XXH3 | 1u << HASH_SIPHASH, true},
	{"bands", 1u << HASH_XXH3 | 1u << HASH_SIPHASH, true},
	/* Numbers are not hashed. */
	{"hdr", 1u << HASH_XXH3, false},
	{"tdigest", 1u << HASH_XXH3, false},
	{"bloom-parquet", 1u << HASH_XXH64, false},
	{"bloom-dcso", 1u << HASH_FNV1, false},
	{"hll-redis", 1u << HASH_MURMUR64A, false},
	{"hll-postgres", 1u << HASH_MURMUR3, false},
	{"hll-datasketches", 1u << HASH_MURMUR3_COUPON, false},
};

static void
head_of(const char *name, struct record *head)
{
	unsigned char bytes[RECORD_HEADER];
	char path[200];
	uint32_t extension;
	uint64_t checksum;

	snprintf(path, sizeof path, "tests/golden/%s.sk", name);
	FILE *in = fopen(path, "rb");
	if (!in || fread(bytes, 1, sizeof bytes, in) != sizeof bytes ||
	    record_decode(head, &extension, &checksum, bytes) != OK) {
		printf("# cannot read %s\n", path);
		exit(1);
	}
	fclose(in);
}

static void
each_kind_has_its_hash_and_no_other(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record head;

		head_of(cases[i].file, &head);
		CHECK(kind_check(&head) == OK);
		for (unsigned hash = 0; hash < 256; hash++) {
			bool right = hash < 32 && (cases[i].hashes >> hash & 1);
			head.hash = (uint8_t)hash;
			/* That none is named is refused before, by record_decode. */
			if (hash > 0)
				CHECK_EQ(kind_check(&head), right ? OK : STATUS_PARAMETER);
		}
	}
}

static void
only_where_there_is_one_the_seed_is_not_zero(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record head;

		head_of(cases[i].file, &head);
		head.seed = 1;
		CHECK_EQ(kind_check(&head), cases[i].seed ? OK : STATUS_PARAMETER);
	}
}

int
main(void)
{
	RUN(each_kind_has_its_hash_and_no_other);
	RUN(only_where_there_is_one_the_seed_is_not_zero);
	return check_done();
}
