/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "sketch/keys.h"

#include "check.h"

struct entry {
	struct key key;
	uint64_t number;
};

/* Text number i, of any length: some begin with others, some hold NUL, one is
 * empty, one longer than a piece. */
static struct slice
text_of(unsigned i)
{
	static unsigned char text[100000];
	size_t len = i == 0 ? 0 : i == 77 ? sizeof text : 1 + i % 23;

	memset(text, i % 3 ? 'a' : '\0', len);
	if (len > 0)
		memcpy(text, &(uint32_t){i}, len < 4 ? 1 : 4);
	return (struct slice){text, len};
}

static uint64_t
hash_of(struct slice key)
{
	return hash_bytes(key.at, key.len, 0);
}

static struct entry *
find(struct keys *k, struct slice key, uint64_t hash, bool *made)
{
	uint32_t number = 0;

	CHECK_EQ(keys_find(k, key, hash, &number, made), OK);
	return keys_entry(k, number);
}

#define KEYS 3000

/* Numbers go by who came first; a key comes often. hash: what they are found by,
 * for all the same in the worst case. */
static void
fill(struct keys *k, uint64_t hash_mask)
{
	uint32_t known = 0;

	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < KEYS; i++) {
			struct slice key = text_of(i);
			bool made;
			struct entry *e = find(k, key, hash_of(key) & hash_mask, &made);
			if (made) {
				CHECK_EQ(e->number, 0);
				CHECK_EQ(k->n, known + 1);
				e->number = known++;
			}
			CHECK(keys_entry(k, (uint32_t)e->number) == (void *)e);
			CHECK(slice_equal(keys_key(k, (uint32_t)e->number), key));
			CHECK(round == 0 || !made);
		}
	CHECK_EQ(k->n, known);
}

static void
equal_keys_have_one_entry(void)
{
	struct keys k = {.size = sizeof(struct entry)};

	fill(&k, UINT64_MAX);
	CHECK(k.n > KEYS / 2 && k.n <= KEYS);
	CHECK(k.memory > k.n * sizeof(struct entry) && k.memory < 4000000);
	keys_clear(&k);
	CHECK_EQ(k.n, 0);
	fill(&k, 7);
	keys_clear(&k);
}

static void
the_list_is_in_the_order_of_the_keys(void)
{
	struct keys k = {.size = sizeof(struct entry)};
	bool made;

	CHECK_EQ(keys_sort(&k), OK);
	fill(&k, UINT64_MAX);
	CHECK_EQ(keys_sort(&k), OK);
	for (uint32_t i = 1; i < k.n; i++)
		CHECK(slice_compare(keys_key(&k, k.sorted[i - 1]), keys_key(&k, k.sorted[i])) < 0);
	/* It goes when another key comes. */
	struct slice key = slice_of("another one that is new");
	find(&k, key, hash_of(key), &made);
	CHECK(made && !k.sorted);
	CHECK_EQ(keys_sort(&k), OK);
	CHECK(k.sorted != NULL);
	keys_clear(&k);
}

static void
the_last_one_can_be_taken_back(void)
{
	struct keys k = {.size = sizeof(struct entry)};
	bool made;

	for (unsigned i = 0; i < 1000; i++) {
		struct slice key = text_of(i);
		/* All in a row of slots, so that a hole would be seen. */
		find(&k, key, 5, &made);
		uint32_t n = k.n;
		if (made) {
			keys_undo(&k);
			CHECK_EQ(k.n, n - 1);
			struct entry *e = find(&k, text_of(i), 5, &made);
			CHECK(made && e->number == 0);
			e->number = 1;
		}
		CHECK_EQ(k.n, n);
		find(&k, text_of(i / 2), 5, &made);
		CHECK(!made);
	}
	keys_clear(&k);
}

int
main(void)
{
	RUN(equal_keys_have_one_entry);
	RUN(the_list_is_in_the_order_of_the_keys);
	RUN(the_last_one_can_be_taken_back);
	return check_done();
}
