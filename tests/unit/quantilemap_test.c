/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A map beside a plain sketch for each key, which sees the same samples: what they
 * say and save is the same, while a key has a list and when it has a sketch.
 */
#include <float.h>

#include "base/hash.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/kinds.h"
#include "sketch/quantiles/quantilemap.h"
#include "sketch/quantiles/tdigest.h"

#include "check.h"

#define KEYS 120
#define BATCH 100

static const struct record settings[] = {
	{.kind = KIND_HDR, .param[HDR_PARAM_DIGITS] = 3},
	{.kind = KIND_HDR, .param[HDR_PARAM_DIGITS] = 1, .param[QUANTILES_UNIT] = 3},
	{.kind = KIND_TDIGEST, .param[TDIGEST_PARAM_COMPRESSION] = 50},
};

static uint64_t state = 1;

static struct slice
key_of(unsigned k)
{
	static char text[KEYS][16];

	if (k > 0)
		snprintf(text[k], sizeof text[k], "%s%u", k % 5 ? "key" : "a\n", k);
	return slice_of(text[k]);
}

static double
random_sample(void)
{
	double v = (double)(check_random(&state) % 100000);

	switch (check_random(&state) % 8) {
	case 0:
		return -v;
	case 1:
		return v / 1024;
	case 2:
		return 0;
	default:
		return v;
	}
}

/* Both, and how many samples each key was offered. */
struct pair {
	const struct quantiles *what;
	const struct kind *kind;
	struct quantilemap *map;
	void *plain[KEYS];
	uint64_t items[KEYS];
};

static void
pair_begin(struct pair *p, const struct record *how)
{
	*p = (struct pair){.what = quantiles_find(how->kind), .kind = kind_find(how->kind)};
	CHECK_EQ(quantilemap_new(&p->map, how), OK);
	for (unsigned k = 0; k < KEYS; k++)
		CHECK_EQ(p->what->make(&p->plain[k], how), OK);
}

static void
pair_end(struct pair *p)
{
	quantilemap_free(p->map);
	for (unsigned k = 0; k < KEYS; k++)
		p->kind->free(p->plain[k]);
}

/* A batch of samples. Key k comes as often as k + 1 has divisors below 30, so
 * there are short lists, full ones, and sketches. */
static void
pair_add(struct pair *p, bool weighted)
{
	struct slice key[BATCH];
	uint64_t hash[BATCH], weight[BATCH];
	double value[BATCH];

	for (size_t i = 0; i < BATCH; i++) {
		unsigned d = 1 + (unsigned)(check_random(&state) % 29);
		unsigned k = d * (1 + (unsigned)(check_random(&state) % (KEYS / d))) - 1;
		key[i] = key_of(k);
		hash[i] = hash_bytes(key[i].at, key[i].len, 0);
		value[i] = random_sample();
		weight[i] = weighted && check_random(&state) % 4 == 0 ? check_random(&state) % 5 : 1;
		CHECK_EQ(p->what->add(p->plain[k], &value[i], &weight[i], 1), OK);
		p->items[k]++;
	}
	CHECK_EQ(quantilemap_add(p->map, key, hash, value, weighted ? weight : NULL, BATCH), OK);
}

static void
check_same(const struct pair *p, const void *body, const void *plain)
{
	struct record a = {0}, b = {0};
	struct buffer payload_a = {0}, payload_b = {0};

	CHECK_EQ(p->kind->save(body, &a, &payload_a), OK);
	CHECK_EQ(p->kind->save(plain, &b, &payload_b), OK);
	CHECK(memcmp(&a, &b, sizeof a) == 0);
	CHECK(slice_equal((struct slice){payload_a.at, payload_a.len},
	    (struct slice){payload_b.at, payload_b.len}));
	buffer_free(&payload_a);
	buffer_free(&payload_b);
}

/* Each key that had a sample, in order. */
static void
pair_check(const struct pair *p)
{
	size_t seen = 0;
	struct slice before = {NULL, 0};

	CHECK_EQ(quantilemap_sort(p->map), OK);
	for (uint32_t i = 0; i < quantilemap_keys(p->map); i++) {
		uint32_t entry = quantilemap_sorted(p->map, i);
		struct slice key = quantilemap_key(p->map, entry);
		unsigned k = 0;
		CHECK(i == 0 || slice_compare(before, key) < 0);
		before = key;
		while (k < KEYS && !slice_equal(key, key_of(k)))
			k++;
		CHECK(k < KEYS && p->items[k] > 0);
		seen++;
		CHECK_EQ(quantilemap_items(p->map, entry), p->items[k]);
		CHECK_EQ(quantilemap_total(p->map, entry), p->what->total(p->plain[k]));
		/* Twice: what was made for the moment is made again. */
		for (int twice = 0; twice < 2; twice++) {
			const void *body = NULL;
			CHECK_EQ(quantilemap_sketch(p->map, entry, &body), OK);
			check_same(p, body, p->plain[k]);
		}
	}
	for (unsigned k = 0; k < KEYS; k++)
		seen -= p->items[k] > 0;
	CHECK_EQ(seen, 0);
}

static void
a_map_is_a_sketch_per_key(void)
{
	for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
		for (int weighted = 0; weighted < 2; weighted++) {
			struct pair p;
			pair_begin(&p, &settings[s]);
			pair_check(&p);
			for (int batches = 1; batches <= 64; batches++) {
				pair_add(&p, weighted);
				if ((batches & (batches - 1)) == 0)
					pair_check(&p);
			}
			pair_end(&p);
		}
}

static void
maps_unite_by_key(void)
{
	for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
		for (int batches = 1; batches <= 64; batches *= 8) {
			struct pair into, from;
			struct mismatch why;
			pair_begin(&into, &settings[s]);
			pair_begin(&from, &settings[s]);
			for (int i = 0; i < batches; i++)
				pair_add(&from, i % 3 == 1);
			for (int i = 0; i < 64 / batches; i++)
				pair_add(&into, i % 3 == 1);
			CHECK_EQ(quantilemap_unite(into.map, from.map), OK);
			for (unsigned k = 0; k < KEYS; k++) {
				CHECK_EQ(into.kind->merge(into.plain[k], from.plain[k], &why), OK);
				into.items[k] += from.items[k];
			}
			pair_check(&into);
			pair_check(&from);
			pair_end(&into);
			pair_end(&from);
		}
}

/* As the header says: so many bytes a key, with room to grow. */
static void
keys_of_few_samples_are_small(void)
{
	for (unsigned each = 1; each <= 31; each = 2 * each + 1) {
		struct quantilemap *m;
		const unsigned keys = 20000;
		char text[16];

		CHECK_EQ(quantilemap_new(&m, &settings[0]), OK);
		for (unsigned i = 0; i < keys * each; i++) {
			snprintf(text, sizeof text, "%08u", i % keys);
			struct slice key = slice_of(text);
			uint64_t hash = hash_bytes(key.at, key.len, 0);
			CHECK_EQ(quantilemap_add(m, &key, &hash, &(double){i}, NULL, 1), OK);
		}
		CHECK_IN(quantilemap_memory(m), keys * 50, keys * (8 + 90 + (each > 1 ? 8 * each : 0)));
		quantilemap_free(m);
	}
}

static void
corrected_samples_are_more_than_were_offered(void)
{
	struct record how = settings[0];
	struct quantilemap *m;
	struct slice key = slice_of("k");
	double value = 100, interval = 10;
	const void *body;

	memcpy(&how.param[HDR_PARAM_INTERVAL], &interval, sizeof interval);
	CHECK_EQ(quantilemap_new(&m, &how), OK);
	CHECK_EQ(quantilemap_add(m, &key, &(uint64_t){1}, &value, NULL, 1), OK);
	CHECK_EQ(quantilemap_items(m, 0), 1);
	CHECK_EQ(quantilemap_total(m, 0), 10);
	CHECK_EQ(quantilemap_sketch(m, 0, &body), OK);
	CHECK_EQ(hdr_quantiles.total(body), 10);
	quantilemap_free(m);
}

static void
settings_are_judged_at_once(void)
{
	struct record how = settings[0];
	struct quantilemap *m;

	how.param[HDR_PARAM_DIGITS] = HDR_DIGITS_MAX + 1;
	CHECK_EQ(quantilemap_new(&m, &how), STATUS_PARAMETER);
	quantilemap_free(NULL);
}

int
main(void)
{
	RUN(a_map_is_a_sketch_per_key);
	RUN(maps_unite_by_key);
	RUN(keys_of_few_samples_are_small);
	RUN(corrected_samples_are_more_than_were_offered);
	RUN(settings_are_judged_at_once);
	return check_done();
}
