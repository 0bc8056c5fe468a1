/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "sketch/member/bloom.h"
#include "sketch/member/counting.h"
#include "sketch/member/filtermap.h"
#include "sketch/kinds.h"
#include "sketch/member/member.h"

#include "check.h"

static const uint16_t kinds[] = {KIND_BLOOM_BLOCK, KIND_BLOOM_CLASSIC, KIND_BLOOM_COUNTING};

#define KEYS 300
#define ITEMS 200

static struct slice
key_name(unsigned k, char text[16])
{
	snprintf(text, 16, "%s%u", k % 7 == 0 ? "a\n" : "key", k);
	return slice_of(text);
}

/* What item i of key k is: as many different ones as the key's number says, in
 * no order, some of them often. */
static uint64_t
item(unsigned k, unsigned i)
{
	return hash_step(k, 1 + i * 37 % ITEMS % (1 + k % 150));
}

static struct filtermap *
filled(const struct form *form, bool sized)
{
	struct filtermap *m;
	char text[16];

	CHECK_EQ(filtermap_new(&m, form, sized), OK);
	for (unsigned i = 0; i < ITEMS; i++)
		for (unsigned k = 0; k < KEYS; k++) {
			struct slice key = key_name(k, text);
			CHECK_EQ(filtermap_add(m, key, hash_bytes(key.at, key.len, 0), item(k, i)), OK);
		}
	CHECK_EQ(filtermap_keys(m), KEYS);
	CHECK_EQ(filtermap_sort(m), OK);
	return m;
}

/* The filter of one key, made by itself. */
static void
check_filter(const struct form *form, unsigned k, const struct record *head,
    struct slice payload)
{
	const struct kind *kind = kind_find(form->kind);
	struct record wanted = *head;
	struct slice bytes;
	size_t done;
	void *body;

	CHECK_EQ(form_empty(form, &body), OK);
	for (unsigned i = 0; i < ITEMS; i++) {
		uint64_t h = item(k, i);
		CHECK_EQ(member_find(form->kind)->add(body, &h, 1, &done), OK);
	}
	kind->view(body, &wanted, &bytes);
	CHECK(slice_equal(bytes, payload));
	CHECK(memcmp(&wanted, head, sizeof wanted) == 0);
	CHECK_EQ(head->items, ITEMS);
	kind->free(body);
}

/* The key at place i, by its text. */
static unsigned
number_of(struct slice key)
{
	return (unsigned)strtoul((const char *)key.at + (key.at[0] == 'a' ? 2 : 3), NULL, 10);
}

static void
check_all(struct filtermap *m, const struct form *sized)
{
	for (size_t i = 0; i < KEYS; i++) {
		struct slice key = filtermap_key(m, i), payload;
		struct record head = {.seed = 5};
		char text[16] = {0};
		struct form form;

		CHECK(i == 0 || slice_compare(filtermap_key(m, i - 1), key) < 0);
		memcpy(text, key.at, key.len);
		unsigned k = number_of((struct slice){(unsigned char *)text, key.len});
		CHECK_EQ(filtermap_filter(m, i, &form, &head, &payload), OK);
		CHECK_EQ((uintptr_t)payload.at % 64, 0);
		CHECK_EQ(head.seed, 5);
		if (!sized)
			CHECK_EQ(form.capacity, 1 + k % 150);
		check_filter(sized ? sized : &form, k, &head, payload);
		/* Asked again, it is the same. */
		CHECK_EQ(filtermap_filter(m, i, &form, &head, &payload), OK);
		check_filter(sized ? sized : &form, k, &head, payload);
	}
}

static void
each_key_has_the_filter_it_would_have_alone(void)
{
	for (size_t i = 0; i < 3; i++)
		for (uint64_t capacity = 1; capacity <= 10000; capacity *= 10) {
			struct form form;
			CHECK(form_for(&form, kinds[i], capacity, 0.01));
			struct filtermap *m = filled(&form, true);
			check_all(m, &form);
			filtermap_free(m);
		}
}

static void
without_a_size_each_is_as_large_as_its_items_need(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct form form = {.kind = kinds[i], .fpp = 0.001};
		struct filtermap *m = filled(&form, false);
		check_all(m, NULL);
		filtermap_free(m);
	}
	filtermap_free(NULL);
}

/* The same few items over and over, in a map that knows no size. */
static void
repeated_items_take_no_memory(void)
{
	struct form form = {.kind = KIND_BLOOM_COUNTING, .fpp = 0.01};
	struct filtermap *m;

	CHECK_EQ(filtermap_new(&m, &form, false), OK);
	for (unsigned i = 0; i < 200000; i++)
		CHECK_EQ(filtermap_add(m, slice_of("k"), 1, hash_step(0, i % 10)), OK);
	/* 10 items, 15 copies of each, and a chunk for keys. */
	CHECK(filtermap_memory(m) < (256 << 10) + (16 << 10));
	CHECK_EQ(filtermap_sort(m), OK);

	struct record head = {0};
	struct slice payload;
	CHECK_EQ(filtermap_filter(m, 0, &form, &head, &payload), OK);
	CHECK_EQ(form.capacity, 10);
	CHECK_EQ(head.items, 200000);
	filtermap_free(m);
}

/* A long list, so that all levels of its sort are used; and hashes alike but
 * for their last bits. */
static void
many_items_of_one_key_are_counted(void)
{
	struct form form = {.kind = KIND_BLOOM_BLOCK, .fpp = 0.01};
	struct filtermap *m;
	struct record head = {0};
	struct slice payload;

	CHECK_EQ(filtermap_new(&m, &form, false), OK);
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < 100000; i++) {
			CHECK_EQ(filtermap_add(m, slice_of("k"), 1, hash_step(0, i)), OK);
			CHECK_EQ(filtermap_add(m, slice_of("k"), 1, i), OK);
		}
	CHECK_EQ(filtermap_sort(m), OK);
	CHECK_EQ(filtermap_filter(m, 0, &form, &head, &payload), OK);
	/* Step 0 from 0 is the hash 0. */
	CHECK_EQ(form.capacity, 199999);
	filtermap_free(m);
}

static void
keys_of_any_bytes_and_length(void)
{
	struct form form;
	struct filtermap *m;
	static unsigned char large[600000];

	CHECK(form_for(&form, KIND_BLOOM_BLOCK, 10, 0.01));
	CHECK_EQ(filtermap_new(&m, &form, true), OK);
	for (size_t len = 0; len <= sizeof large; len = len * 3 + 1)
		for (unsigned twice = 0; twice < 2; twice++)
			/* All have the same hash. */
			CHECK_EQ(filtermap_add(m, (struct slice){large, len}, 9, len), OK);
	CHECK_EQ(filtermap_keys(m), 13);
	CHECK_EQ(filtermap_sort(m), OK);
	for (size_t i = 0, len = 0; i < 13; i++, len = len * 3 + 1)
		CHECK_EQ(filtermap_key(m, i).len, len);
	filtermap_free(m);
}

int
main(void)
{
	RUN(each_key_has_the_filter_it_would_have_alone);
	RUN(without_a_size_each_is_as_large_as_its_items_need);
	RUN(repeated_items_take_no_memory);
	RUN(many_items_of_one_key_are_counted);
	RUN(keys_of_any_bytes_and_length);
	return check_done();
}
