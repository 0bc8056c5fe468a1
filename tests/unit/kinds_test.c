/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "base/item.h"
#include "sketch/distinct/hll.h"
#include "sketch/kinds.h"
#include "check.h"

/* The header of an empty sketch. */
static struct record
empty(void)
{
	struct record head = {.kind = KIND_HLL, .version = 1, .hash = HASH_XXH3};

	head.param[0] = 14;
	return head;
}

static void
a_header_belongs_to_its_kind(void)
{
	struct record head = empty();

	CHECK(kind_check(&head) == OK);
	head.seed = 42;
	CHECK(kind_check(&head) == OK);

	/* Newer programs may know more. */
	head = empty();
	head.kind = 9999;
	CHECK(kind_check(&head) == STATUS_UNSUPPORTED);
	head = empty();
	head.version = kind_find(KIND_HLL)->version + 1;
	CHECK(kind_check(&head) == STATUS_UNSUPPORTED);
	head = empty();
	head.flags = FLAG_CONSERVATIVE;
	CHECK(kind_check(&head) == STATUS_UNSUPPORTED);
	head = empty();
	head.transform = 1;
	CHECK(kind_check(&head) == STATUS_UNSUPPORTED);

	/* These nobody writes. */
	head = empty();
	head.version = 0;
	CHECK(kind_check(&head) == STATUS_PARAMETER);
	head = empty();
	head.item_type = ITEM_INT64;
	CHECK(kind_check(&head) == STATUS_PARAMETER);
	head = empty();
	head.hash = HASH_MURMUR64A;
	CHECK(kind_check(&head) == STATUS_PARAMETER);
	head = empty();
	head.param[0] = 19;
	CHECK(kind_check(&head) == STATUS_PARAMETER);
}

/* Another system's hash has no seed, and no sketch of it has another hash. Numbers are
 * not hashed: ours stands there, and no seed. */
static void
another_systems_hash_is_its_only_one(void)
{
	for (size_t i = 0; kind_row(i); i++) {
		const struct kind *k = kind_row(i);
		struct record head = {.kind = k->id, .version = k->version};

		head.hash = k->hash > HASH_SIPHASH ? HASH_XXH3 : HASH_MURMUR64A;
		CHECK(kind_check(&head) == STATUS_PARAMETER);
		if (k->hash) {
			head.hash = k->hash;
			head.seed = 1;
			CHECK(kind_check(&head) == STATUS_PARAMETER);
		}
	}
}

static void
each_kind_has_a_number_and_a_name_of_its_own(void)
{
	size_t n = 0;

	for (; kind_row(n); n++) {
		const struct kind *k = kind_row(n);

		CHECK(kind_find(k->id) == k);
		CHECK(k->version >= 1);
		CHECK(kind_begins(k, NULL) && kind_begins(k, k->name));
		CHECK(!kind_begins(k, "no such kind"));
		for (size_t i = 0; i < n; i++)
			CHECK(strcmp(k->name, kind_row(i)->name) != 0);
	}
	CHECK(n >= 19);
	CHECK(kind_find(0) == NULL);
	CHECK(kind_begins(kind_find(KIND_HLL), "bloom|hll"));
	CHECK(!kind_begins(kind_find(KIND_HLL), "bloom|cms"));
}

int
main(void)
{
	RUN(a_header_belongs_to_its_kind);
	RUN(another_systems_hash_is_its_only_one);
	RUN(each_kind_has_a_number_and_a_name_of_its_own);
	return check_done();
}
