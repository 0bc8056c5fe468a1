/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "sketch/distinct/hllmap.h"
#include "check.h"

/* A stream of lines "key item" whose keys and items are numbers, and beside
 * the map a sketch per key. */
#define MOST_KEYS 3000
#define LINES 60000

struct pair {
	struct hllmap *map;
	struct hll *one[MOST_KEYS];
};

static struct pair
pair_new(unsigned precision)
{
	struct pair p = {0};

	CHECK_EQ(hllmap_new(&p.map, precision), OK);
	for (size_t i = 0; i < MOST_KEYS; i++)
		CHECK_EQ(hll_new(&p.one[i], precision), OK);
	return p;
}

static void
pair_free(struct pair *p)
{
	hllmap_free(p->map);
	for (size_t i = 0; i < MOST_KEYS; i++)
		hll_free(p->one[i]);
}

/* Key number k: all lengths from 0 to 40 or so, shared beginnings, NUL bytes. */
static struct slice
key_text(char room[64], size_t k)
{
	int len = snprintf(room, 64, "%.*s%zu", (int)(k % 37),
	    "/static/images/of/the/house/number/", k);

	if (k == 0)
		len = 0;
	if (k % 5 == 0 && len > 3)
		room[2] = 0;
	return (struct slice){(unsigned char *)room, (size_t)len};
}

/* Add lines with keys as Zipf would have them, many items for the first ones
 * and one for most of the others, in batches of changing size. */
static void
pair_add(struct pair *p, uint64_t seed)
{
	char text[300][64];
	struct slice key[300];
	uint64_t key_hash[300], hash[300];
	size_t done = 0;

	while (done < LINES) {
		size_t n = check_random(&seed) % 300 + 1;

		for (size_t i = 0; i < n; i++) {
			double u = (double)(check_random(&seed) >> 11) / 9007199254740992.0;
			size_t k = (size_t)(1 / (u + 1.0 / MOST_KEYS)) % MOST_KEYS;

			if (check_random(&seed) % 4 == 0)
				k = check_random(&seed) % MOST_KEYS;
			/* Each item comes about twice. */
			hash[i] = hash_step(check_random(&seed) % (LINES / 2), 1 + (unsigned)(k % 7));
			key[i] = key_text(text[i], k);
			key_hash[i] = hash_bytes(key[i].at, key[i].len, 0);
			CHECK_EQ(hll_add(p->one[k], &hash[i], 1), OK);
		}
		CHECK_EQ(hllmap_add(p->map, key, key_hash, hash, n), OK);
		/* Copied, or the next check would miss them. */
		memset(text, 'x', sizeof(text));
		done += n;
	}
}

static void
check_same(const struct record *a, const struct buffer *x, const struct record *b,
    const struct buffer *y)
{
	CHECK_EQ(a->kind, b->kind);
	CHECK_EQ(a->version, b->version);
	CHECK_EQ(a->size, b->size);
	CHECK(memcmp(a->param, b->param, sizeof(a->param)) == 0);
	CHECK_EQ(x->len, y->len);
	CHECK(x->len == y->len && (x->len == 0 || memcmp(x->at, y->at, x->len) == 0));
}

/* Payload for payload; returns the number of keys. */
static size_t
pair_check(const struct pair *p)
{
	size_t keys = 0;

	for (size_t k = 0; k < MOST_KEYS; k++) {
		char room[64];
		struct slice key = key_text(room, k);
		uint32_t entry = hllmap_find(p->map, key, hash_bytes(key.at, key.len, 0));

		if (entry == 0) {
			CHECK(hll_estimate(p->one[k]) == 0);
			continue;
		}
		keys++;
		CHECK(slice_equal(hllmap_key(p->map, entry), key));

		struct record got = {0}, want = {0};
		struct buffer x = {0}, y = {0};
		CHECK_EQ(hllmap_payload(p->map, entry, &got, &x), OK);
		CHECK_EQ(hll_kind.save(p->one[k], &want, &y), OK);
		check_same(&got, &x, &want, &y);
		buffer_free(&x);
		buffer_free(&y);

		double low, high, one_low, one_high;
		CHECK(hllmap_estimate(p->map, entry) == hll_estimate(p->one[k]));
		hllmap_interval(p->map, entry, &low, &high);
		hll_interval(p->one[k], &one_low, &one_high);
		CHECK(low == one_low && high == one_high);
	}
	CHECK_EQ(keys, hllmap_keys(p->map));
	return keys;
}

static void
an_entry_is_what_a_sketch_would_be(void)
{
	static const unsigned precisions[] = {4, 9, 12, 14, 18};

	for (size_t i = 0; i < sizeof(precisions) / sizeof(*precisions); i++) {
		struct pair p = pair_new(precisions[i]);

		CHECK_EQ(hllmap_precision(p.map), precisions[i]);
		pair_add(&p, i);
		CHECK(pair_check(&p) > MOST_KEYS / 2);
		/* More of the same: nothing changes. More of others: both do. */
		size_t memory = hllmap_memory(p.map);
		pair_add(&p, i);
		CHECK_EQ(hllmap_memory(p.map), memory);
		pair_check(&p);
		pair_add(&p, i + 100);
		pair_check(&p);
		pair_free(&p);
	}
}

/* One key, item by item past every change of form. */
static void
every_size_of_one_entry(void)
{
	struct slice key = slice_of("the key");
	uint64_t key_hash = 5;
	struct hllmap *map = NULL;
	struct hll *one = NULL;

	CHECK_EQ(hllmap_new(&map, 12), OK);
	CHECK_EQ(hll_new(&one, 12), OK);
	for (uint64_t n = 0; n < 600; n++) {
		uint64_t hash = hash_step(n, 1);

		for (unsigned twice = 0; twice < 2; twice++)
			CHECK_EQ(hllmap_add(map, &key, &key_hash, &hash, 1), OK);
		CHECK_EQ(hll_add(one, &hash, 1), OK);

		struct record got = {0}, want = {0};
		struct buffer x = {0}, y = {0};
		uint32_t entry = hllmap_find(map, key, key_hash);
		CHECK_EQ(hllmap_payload(map, entry, &got, &x), OK);
		CHECK_EQ(hll_kind.save(one, &want, &y), OK);
		check_same(&got, &x, &want, &y);
		CHECK_EQ(want.param[HLL_PARAM_ENCODING], n >= 512);
		buffer_free(&x);
		buffer_free(&y);
	}
	hllmap_free(map);
	hll_free(one);
}

static enum status
merge_entry(void *into, const struct hllmap *from, uint32_t entry)
{
	struct record head = {0};
	struct buffer payload = {0};
	struct slice key = hllmap_key(from, entry);
	void *s = NULL;

	/* The way of a saved entry. */
	CHECK_EQ(hllmap_payload(from, entry, &head, &payload), OK);
	CHECK_EQ(hll_kind.check(&head), OK);
	CHECK_EQ(hll_kind.load(&s, &head, &payload), OK);
	CHECK_EQ(hllmap_merge_hll(into, key, hash_bytes(key.at, key.len, 0), s, 1), OK);
	hll_kind.free(s);
	buffer_free(&payload);
	return OK;
}

static void
merged_maps_equal_the_whole(void)
{
	/* The second one is finer, and folded on the way. */
	struct pair a = pair_new(9), b = pair_new(12), whole = pair_new(9);

	pair_add(&a, 1);
	pair_add(&b, 2);
	pair_add(&whole, 1);
	pair_add(&whole, 2);
	CHECK_EQ(hllmap_each(b.map, merge_entry, a.map), OK);
	CHECK_EQ(hllmap_each(b.map, merge_entry, a.map), OK);
	struct hllmap *map = a.map;
	a.map = whole.map;
	whole.map = map;
	pair_check(&whole);

	/* A coarser sketch does not fit. */
	struct hll *coarse = NULL;
	CHECK_EQ(hll_new(&coarse, 8), OK);
	CHECK_EQ(hllmap_merge_hll(map, slice_of("new"), 1, coarse, 1), STATUS_MISMATCH);
	CHECK_EQ(hllmap_find(map, slice_of("new"), 1), 0);
	hll_free(coarse);

	/* A key without items is a key. */
	struct hll *none = NULL;
	CHECK_EQ(hll_new(&none, 9), OK);
	CHECK_EQ(hllmap_merge_hll(map, slice_of("new"), 1, none, 0), OK);
	uint32_t entry = hllmap_find(map, slice_of("new"), 1);
	CHECK(entry != 0 && hllmap_estimate(map, entry) == 0);
	hll_free(none);
	pair_free(&a);
	pair_free(&b);
	pair_free(&whole);
}

static void
united_maps_equal_the_whole(void)
{
	struct pair a = pair_new(10), b = pair_new(10), whole = pair_new(10);

	pair_add(&a, 1);
	pair_add(&b, 2);
	pair_add(&whole, 1);
	pair_add(&whole, 2);
	CHECK_EQ(hllmap_unite(a.map, b.map), OK);
	struct hllmap *map = a.map;
	a.map = whole.map;
	whole.map = map;
	pair_check(&whole);

	/* Into nothing it is a copy. */
	struct hllmap *copy = NULL;
	CHECK_EQ(hllmap_new(&copy, 10), OK);
	CHECK_EQ(hllmap_unite(copy, map), OK);
	whole.map = copy;
	pair_check(&whole);
	hllmap_free(map);
	pair_free(&a);
	pair_free(&b);
	pair_free(&whole);
}

static void
the_total_is_the_union(void)
{
	for (unsigned p = 4; p <= 14; p += 5) {
		struct pair pair = pair_new(p);
		struct hll *got = NULL, *want = NULL;

		pair_add(&pair, p);
		CHECK_EQ(hll_new(&got, p), OK);
		CHECK_EQ(hll_new(&want, p), OK);
		CHECK_EQ(hllmap_total(pair.map, got), OK);
		for (size_t k = 0; k < MOST_KEYS; k++)
			CHECK_EQ(hll_merge(want, pair.one[k]), OK);
		CHECK(hll_estimate(got) > 1000);
		CHECK(hll_estimate(got) == hll_estimate(want));
		hll_free(got);
		hll_free(want);
		pair_free(&pair);
	}
}

struct visits {
	struct slice last;
	size_t n, stop;
};

static enum status
visit_in_order(void *context, const struct hllmap *map, uint32_t entry)
{
	struct visits *v = context;
	struct slice key = hllmap_key(map, entry);

	CHECK_EQ(hllmap_sorted(map, v->n), entry);
	CHECK(v->n == 0 || slice_compare(v->last, key) < 0);
	v->last = key;
	return ++v->n == v->stop ? STATUS_END : OK;
}

static void
entries_come_in_the_order_of_keys(void)
{
	struct pair p = pair_new(10);
	struct visits v = {0};

	CHECK_EQ(hllmap_sort(p.map), OK);
	CHECK_EQ(hllmap_each(p.map, visit_in_order, &v), OK);
	CHECK_EQ(v.n, 0);
	pair_add(&p, 3);
	CHECK_EQ(hllmap_sort(p.map), OK);
	CHECK_EQ(hllmap_each(p.map, visit_in_order, &v), OK);
	CHECK_EQ(v.n, hllmap_keys(p.map));
	v = (struct visits){.stop = 10};
	CHECK_EQ(hllmap_each(p.map, visit_in_order, &v), STATUS_END);
	CHECK_EQ(v.n, 10);

	/* A new key, and the list is made anew. */
	uint64_t key_hash = 1, hash = 1;
	CHECK_EQ(hllmap_add(p.map, &(struct slice){NULL, 0}, &key_hash, &hash, 1), OK);
	struct slice late = slice_of("~ last");
	CHECK_EQ(hllmap_add(p.map, &late, &key_hash, &hash, 1), OK);
	CHECK_EQ(hllmap_sort(p.map), OK);
	uint32_t last = hllmap_sorted(p.map, hllmap_keys(p.map) - 1);
	CHECK(slice_equal(hllmap_key(p.map, last), late));
	pair_free(&p);
}

/* Only equality of key hashes is promised to matter: all keys in one chain
 * still are told apart by their bytes. */
static void
keys_of_one_hash_stay_apart(void)
{
	struct hllmap *map = NULL;

	CHECK_EQ(hllmap_new(&map, 8), OK);
	for (size_t round = 0; round < 3; round++) {
		for (size_t k = 0; k < 300; k++) {
			char room[64];
			struct slice key = key_text(room, k);
			uint64_t key_hash = k % 2 ? 0 : UINT64_MAX, hash = hash_step(k + round, 1);

			CHECK_EQ(hllmap_add(map, &key, &key_hash, &hash, 1), OK);
		}
	}
	CHECK_EQ(hllmap_keys(map), 300);
	for (size_t k = 0; k < 300; k++) {
		char room[64];
		uint32_t entry = hllmap_find(map, key_text(room, k), k % 2 ? 0 : UINT64_MAX);

		CHECK_IN(hllmap_estimate(map, entry), 3, 3.001);
	}
	hllmap_free(map);
}

static void
a_key_costs_tens_of_bytes(void)
{
	struct hllmap *map = NULL;
	size_t keys = 98000, bytes = 0;    /* just before the slots double */

	CHECK_EQ(hllmap_new(&map, 14), OK);
	for (size_t k = 0; k < keys; k++) {
		char room[64];
		struct slice key = key_text(room, k);
		uint64_t key_hash = hash_bytes(key.at, key.len, 0);
		uint64_t hash[2] = {hash_step(k, 1), hash_step(k, 2)};

		for (size_t i = 0; i < 2; i++)
			CHECK_EQ(hllmap_add(map, &key, &key_hash, &hash[i], 1), OK);
		bytes += key.len;
	}
	CHECK_EQ(hllmap_keys(map), keys);
	CHECK_IN((double)(hllmap_memory(map) - bytes) / (double)keys, 33, 43);
	hllmap_free(map);
}

static void
parameters_are_checked(void)
{
	struct hllmap *map = NULL;

	CHECK_EQ(hllmap_new(&map, 3), STATUS_PARAMETER);
	CHECK_EQ(hllmap_new(&map, 19), STATUS_PARAMETER);
	CHECK(map == NULL);
	hllmap_free(NULL);
}

int
main(void)
{
	RUN(an_entry_is_what_a_sketch_would_be);
	RUN(every_size_of_one_entry);
	RUN(merged_maps_equal_the_whole);
	RUN(united_maps_equal_the_whole);
	RUN(the_total_is_the_union);
	RUN(entries_come_in_the_order_of_keys);
	RUN(keys_of_one_hash_stay_apart);
	RUN(a_key_costs_tens_of_bytes);
	RUN(parameters_are_checked);
	return check_done();
}
