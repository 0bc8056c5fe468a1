/* sketchutils: BSD-2-Clause, see LICENSE */

/* A sketch per key, of every kind there is, beside one sketch after the other. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "sketch/distinct/distinct.h"
#include "sketch/distinct/distinctmap.h"
#include "sketch/distinct/hll_datasketches.h"
#include "sketch/distinct/hll_postgres.h"
#include "sketch/kinds.h"
#include "sketch/nearness/minhash.h"

#define KEYS 300
#define BATCH 100

static uint64_t state = 5;

/* Settings of each kind that has a row. */
static bool
settings_of(size_t i, struct record *out)
{
	const struct distinct *what = distinct_row(i);

	if (!what)
		return false;
	*out = (struct record){.kind = what->kind};
	if (what->kind == KIND_HLL)
		out->param[HLL_PARAM_PRECISION] = 10;
	else if (what->kind == KIND_HLL_POSTGRES)
		hll_postgres_put(&hll_postgres_default, out);
	else if (what->kind == KIND_HLL_DATASKETCHES)
		out->param[HLL_DATASKETCHES_LGK] = 10;
	else if (what->kind == KIND_MINHASH)
		out->param[MINHASH_PARAM_SIZE] = 64;
	return true;
}

/* A plausible hash: a coupon has 32 bits and is not 0. */
static uint64_t
hash_of(const struct distinct *what, uint64_t item)
{
	uint64_t h = hash_step(item, 1);

	return what->hash != HASH_MURMUR3_COUPON ? h :
	    (h & 0x3ffffff) | (uint64_t)(1 + __builtin_ctzll(h >> 26 | UINT64_C(1) << 30)) << 26;
}

static struct slice
key_of(char text[16], unsigned key)
{
	/* The least is empty, and one holds a NUL. */
	int n = key == 0 ? 0 : snprintf(text, 16, "k%u", key);

	if (key == 1)
		text[0] = '\0';
	return (struct slice){(const unsigned char *)text, (size_t)n};
}

static uint64_t
key_hash(struct slice key)
{
	/* Some collide in all the bits that are used. */
	return key.len > 0 ? key.at[key.len - 1] : 0;
}

static uint64_t items[KEYS];

/* Items to random keys, in batches; few keys have many. */
static void
fill(const struct distinct *what, struct distinctmap *m, void **plain)
{
	static char text[BATCH][16];
	struct slice key[BATCH];
	uint64_t tag[BATCH], hash[BATCH];

	memset(items, 0, sizeof items);
	for (int round = 0; round < 300; round++) {
		for (size_t i = 0; i < BATCH; i++) {
			unsigned k = (unsigned)(check_random(&state) % KEYS);
			k = (unsigned)((uint64_t)k * k * k / KEYS / KEYS);
			key[i] = key_of(text[i], k);
			tag[i] = key_hash(key[i]);
			hash[i] = hash_of(what, check_random(&state) % 3000);
			CHECK_EQ(what->add(plain[k], &hash[i], 1), OK);
			items[k]++;
		}
		CHECK_EQ(distinctmap_add(m, key, tag, hash, BATCH), OK);
	}
}

static void
entry_is(const struct distinct *what, const struct distinctmap *m, uint32_t entry,
    const void *plain)
{
	struct record a = {0}, b = {0};
	struct buffer x = {0}, y = {0};
	double low[2], high[2];

	CHECK_EQ(distinctmap_payload(m, entry, &a, &x), OK);
	CHECK_EQ(kind_find(what->kind)->save(plain, &b, &y), OK);
	CHECK_EQ(a.kind, what->kind);
	CHECK(a.size == x.len && memcmp(a.param, b.param, sizeof a.param) == 0);
	CHECK(slice_equal((struct slice){x.at, x.len}, (struct slice){y.at, y.len}));
	CHECK(distinctmap_estimate(m, entry) == what->estimate(plain));
	distinctmap_interval(m, entry, &low[0], &high[0]);
	what->interval(plain, &low[1], &high[1]);
	CHECK(low[0] == low[1] && high[0] == high[1]);
	buffer_free(&x);
	buffer_free(&y);
}

static void
count_entry(void *context, const struct distinctmap *m, uint32_t entry)
{
	*(uint64_t *)context += distinctmap_items(m, entry);
}

/* All keys, in order, hold what the plain ones do. */
static void
map_is(const struct distinct *what, struct distinctmap *m, void **plain)
{
	struct slice before = {NULL, 0};
	size_t seen = 0;
	uint64_t sum = 0, wanted = 0;

	CHECK_EQ(distinctmap_sort(m), OK);
	for (size_t i = 0; i < distinctmap_keys(m); i++) {
		uint32_t entry = distinctmap_sorted(m, i);
		struct slice key = distinctmap_key(m, entry);
		CHECK(i == 0 || slice_compare(before, key) < 0);
		before = key;
		for (unsigned k = 0; k < KEYS; k++) {
			char text[16];
			if (!slice_equal(key_of(text, k), key))
				continue;
			entry_is(what, m, entry, plain[k]);
			CHECK_EQ(distinctmap_items(m, entry), items[k]);
			seen++;
		}
	}
	CHECK_EQ(seen, distinctmap_keys(m));
	distinctmap_each(m, count_entry, &sum);
	for (unsigned k = 0; k < KEYS; k++)
		wanted += items[k];
	CHECK_EQ(sum, wanted);
}

static void
plain_new(const struct distinct *what, const struct record *settings, void **plain)
{
	for (unsigned k = 0; k < KEYS; k++)
		CHECK_EQ(what->make(&plain[k], settings), OK);
}

static void
plain_free(const struct distinct *what, void **plain)
{
	for (unsigned k = 0; k < KEYS; k++)
		kind_find(what->kind)->free(plain[k]);
}

static void
a_map_is_a_sketch_per_key(void)
{
	static void *plain[KEYS];
	struct record settings;

	for (size_t i = 0; settings_of(i, &settings); i++) {
		const struct distinct *what = distinct_find(settings.kind);
		struct distinctmap *m;

		CHECK_EQ(distinctmap_new(&m, &settings), OK);
		CHECK((distinctmap_ours(m) != NULL) == (settings.kind == KIND_HLL));
		CHECK_EQ(distinctmap_keys(m), 0);
		plain_new(what, &settings, plain);
		fill(what, m, plain);
		map_is(what, m, plain);
		plain_free(what, plain);
		distinctmap_free(m);
	}
}

static void
sketches_unite_by_key(void)
{
	struct record settings;
	struct mismatch why;

	for (size_t i = 0; settings_of(i, &settings); i++) {
		const struct distinct *what = distinct_find(settings.kind);
		struct slice key = slice_of("key");
		struct distinctmap *m;
		void *one, *two;
		uint64_t hash[20];

		for (size_t k = 0; k < 20; k++)
			hash[k] = hash_of(what, k);
		CHECK_EQ(distinctmap_new(&m, &settings), OK);
		CHECK_EQ(what->make(&one, &settings), OK);
		CHECK_EQ(what->make(&two, &settings), OK);
		CHECK_EQ(what->add(one, hash, 15), OK);
		CHECK_EQ(what->add(two, hash + 5, 15), OK);
		CHECK_EQ(distinctmap_merge(m, key, 9, one, 15, &why), OK);
		CHECK_EQ(distinctmap_merge(m, key, 9, two, UINT64_MAX - 3, &why), OK);
		CHECK_EQ(kind_find(what->kind)->merge(one, two, &why), OK);
		CHECK_EQ(distinctmap_keys(m), 1);
		CHECK_EQ(distinctmap_sort(m), OK);
		uint32_t entry = distinctmap_sorted(m, 0);
		CHECK_EQ(distinctmap_items(m, entry), UINT64_MAX);
		CHECK(fabs(distinctmap_estimate(m, entry) - 20) < 1);
		CHECK(distinctmap_estimate(m, entry) == what->estimate(one));
		kind_find(what->kind)->free(one);
		kind_find(what->kind)->free(two);
		distinctmap_free(m);
	}
}

static void
what_does_not_unite_says_why(void)
{
	struct record settings = {.kind = KIND_HLL_POSTGRES};
	struct distinctmap *m;
	struct mismatch why;
	void *other;

	hll_postgres_put(&hll_postgres_default, &settings);
	CHECK_EQ(distinctmap_new(&m, &settings), OK);
	settings.param[HLL_POSTGRES_LOG2M] = 12;
	CHECK_EQ(distinct_find(KIND_HLL_POSTGRES)->make(&other, &settings), OK);
	CHECK_EQ(distinctmap_merge(m, slice_of("k"), 1, other, 1, &why), STATUS_MISMATCH);
	CHECK(strcmp(why.text, "log2m 11 and 12") == 0);
	kind_find(KIND_HLL_POSTGRES)->free(other);
	distinctmap_free(m);
	settings.param[HLL_POSTGRES_LOG2M] = 18;
	CHECK_EQ(distinctmap_new(&m, &settings), STATUS_PARAMETER);
	settings = (struct record){.kind = KIND_HLL, .param = {3}};
	CHECK_EQ(distinctmap_new(&m, &settings), STATUS_PARAMETER);
}

int
main(void)
{
	RUN(a_map_is_a_sketch_per_key);
	RUN(sketches_unite_by_key);
	RUN(what_does_not_unite_says_why);
	return check_done();
}
