/* sketchutils: BSD-2-Clause, see LICENSE */

/* Cuckoo filters: what they promise, beside the items that went in. */
#include <math.h>

#include "sketch/member/cuckoo_table.h"
#include "cuckoo_filters.h"

/* The example of cuckoo.c and sketch.5, and a long row of items: the bytes are
 * the same on every machine. */
static void
vectors(void)
{
	struct cuckoo *c = filter_of(1000, 12);
	uint64_t h = hash_bytes("abc", 3, 0);
	struct slice payload = cuckoo_payload(c);

	CHECK_EQ(payload.len, 6000);
	CHECK(add_one(c, h));
	CHECK_EQ(payload.at[2826], 0x6d);
	CHECK_EQ(payload.at[2827], 0x07);
	CHECK_EQ(slot_in(payload, 12, 471, 0), 1901);
	for (unsigned i = 1; i < 4; i++)
		CHECK(add_one(c, h));
	CHECK_EQ(slot_in(payload, 12, 471, 3), 1901);
	CHECK(add_one(c, h));
	CHECK_EQ(slot_in(payload, 12, 822, 0), 1901);
	cuckoo_free(c);

	static const struct { unsigned bits; uint64_t want; } sums[] = {
		{8, UINT64_C(12798038401506689408)}, {13, UINT64_C(15701402495275624300)},
		{32, UINT64_C(13999903899255056681)},
	};
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
		size_t done;

		c = filter_of(1000, sums[i].bits);
		draw(hash, 3850, 1);
		CHECK(cuckoo_add(c, hash, 3850, &done) == OK);
		payload = cuckoo_payload(c);
		CHECK_EQ(hash_bytes(payload.at, payload.len, 0), sums[i].want);
		cuckoo_free(c);
	}
}

static void
nothing_is_in_an_empty_filter(void)
{
	struct cuckoo *c = filter_for(0, 0.5);
	size_t done = 9;

	draw(hash, 1000, 1);
	CHECK(cuckoo_add(c, hash, 0, &done) == OK && done == 0);
	CHECK_EQ(cuckoo_has(c, hash, 1000, has), 0);
	CHECK_EQ(cuckoo_has(c, hash, 0, has), 0);
	CHECK(cuckoo_remove(c, hash[0]) == REMOVE_ABSENT);
	CHECK(cuckoo_fill(c).fpp == 0 && cuckoo_fill(c).distinct == 0);
	cuckoo_free(c);
	cuckoo_free(NULL);
}

/* In batches of every length: the same bytes as one by one, the same answers. */
static void
batches_make_no_difference(void)
{
	uint64_t state = 5;

	for (unsigned round = 0; round < 60; round++) {
		uint64_t m = 2 + check_random(&state) % 400 * 2;
		unsigned bits = 8 + check_random(&state) % 25;
		struct cuckoo *c = filter_of(m, bits), *singly = filter_of(m, bits);
		size_t n = check_random(&state) % (4 * m), in = 0, step;

		draw(hash, n, round);
		draw(absent, n, 1000 + round);
		for (bool full = false; in < n && !full; ) {
			size_t done;

			step = check_random(&state) % 300;
			step = step < n - in ? step : n - in;
			full = cuckoo_add(c, hash + in, step, &done) == STATUS_FULL;
			in += done;
		}
		for (size_t i = 0; i < in; i++)
			CHECK(add_one(singly, hash[i]));
		CHECK(same_filter(c, singly));
		CHECK_EQ(cuckoo_has(c, hash, in, has), in);
		size_t found = cuckoo_has(c, absent, n, has);
		for (size_t i = 0; i < n; i++) {
			CHECK(has_one(c, absent[i]) == has[i]);
			found -= has[i];
		}
		CHECK_EQ(found, 0);
		cuckoo_free(c);
		cuckoo_free(singly);
	}
}

/* At capacity, on 100 seeds each: all get in, all are found. */
static void
the_capacity_fits(void)
{
	static const unsigned some[] = {1, 7, 8, 15, 16, 30, 37, 100, 735, 5000};
	size_t tried = sizeof some / sizeof *some + check_long();

	for (size_t k = 0; k < tried; k++) {
		size_t n = k < sizeof some / sizeof *some ? some[k] : 1000000;
		unsigned seeds = n <= 100 ? 500 : 100;

		for (unsigned seed = 0; seed < seeds; seed++) {
			struct cuckoo *c = filter_for(n, seed % 2 ? 0.03 : 1e-6);
			size_t done;

			draw(hash, n, 100 + seed);
			CHECK(cuckoo_add(c, hash, n, &done) == OK && done == n);
			CHECK_EQ(cuckoo_has(c, hash, n, has), n);
			CHECK_EQ(cuckoo_stored(c), n);
			cuckoo_free(c);
		}
	}
}

/* The load at which large tables refuse is far above 94 %; whoever was accepted
 * is found; a refusal changes nothing, and others may still get in. */
static void
a_refusal_loses_nothing(void)
{
	static const unsigned buckets[] = {2, 4, 6, 10, 100, 2000, 20000};

	for (unsigned k = 0; k < 7; k++) {
		for (unsigned seed = 0; seed < (buckets[k] > 1000 ? 3 : 100); seed++) {
			struct cuckoo *c = filter_of(buckets[k], seed % 3 ? 8 : 19);
			size_t n = fill_up(c, seed);

			CHECK(victim_in_use(c));
			CHECK_EQ(cuckoo_stored(c), n);
			if (buckets[k] >= 100)
				CHECK_IN((double)n / (4.0 * buckets[k]), 0.93, 1);
			if (buckets[k] >= 2000)
				CHECK_IN((double)n / (4.0 * buckets[k]), 0.96, 0.99);
			CHECK_EQ(cuckoo_has(c, hash, n, has), n);
			struct cuckoo *before = copy_of(c);
			CHECK(!add_one(c, hash[n]));
			CHECK(same_filter(c, before));
			/* Some others do find a slot. */
			size_t in = n;
			for (size_t i = n + 1; i < 5 * buckets[k] && i < n + 100; i++)
				if (add_one(c, hash[i]))
					hash[in++] = hash[i];
			CHECK_EQ(cuckoo_has(c, hash, in, has), in);
			CHECK_EQ(cuckoo_stored(c), in);
			cuckoo_free(before);
			cuckoo_free(c);
		}
	}
}

static void
the_ninth_copy_costs_nothing_and_none_goes(void)
{
	for (unsigned bits = 8; bits <= 32; bits += 3) {
		struct cuckoo *c = filter_of(10, bits);
		uint64_t h = hash_bytes("again", 5, bits);

		for (unsigned copies = 1; copies <= 20; copies++) {
			CHECK(add_one(c, h));
			CHECK_EQ(cuckoo_stored(c), copies < 8 ? copies : 8);
			CHECK(has_one(c, h));
		}
		CHECK(!victim_in_use(c));
		CHECK(cuckoo_remove(c, h) == REMOVE_PERMANENT);
		c = reloaded(c);
		CHECK(cuckoo_remove(c, h) == REMOVE_PERMANENT);
		CHECK_EQ(cuckoo_stored(c), 8);
		cuckoo_free(c);

		/* Seven can be taken out again, and not an eighth time. */
		c = filter_of(10, bits);
		for (unsigned i = 0; i < 7; i++)
			CHECK(add_one(c, h));
		for (unsigned i = 0; i < 7; i++) {
			CHECK(has_one(c, h));
			CHECK(cuckoo_remove(c, h) == REMOVED);
		}
		CHECK(!has_one(c, h));
		CHECK(cuckoo_remove(c, h) == REMOVE_ABSENT);
		CHECK(record_zeros(cuckoo_payload(c).at, cuckoo_payload(c).len));
		cuckoo_free(c);
	}
}

static void
the_victim_is_kept(void)
{
	for (unsigned seed = 0; seed < 60; seed++) {
		struct cuckoo *c = filter_of(2 + seed % 4 * 10, 9 + seed % 20);
		size_t n = 0;

		draw(hash, 400, seed);
		while (!victim_in_use(c) && add_one(c, hash[n]))
			n++;
		CHECK(victim_in_use(c));
		uint64_t victim = hash[n - 1];
		c = reloaded(c);
		CHECK(has_one(c, victim));
		CHECK_EQ(cuckoo_has(c, hash, n, has), n);
		CHECK_EQ(cuckoo_stored(c), n);

		if (seed % 2) {
			/* Taken out itself, then the table goes on. */
			CHECK(cuckoo_remove(c, victim) == REMOVED);
			CHECK(!victim_in_use(c));
			CHECK_EQ(cuckoo_stored(c), n - 1);
			CHECK(add_one(c, victim) && victim_in_use(c));
		}
		/* Into the table as soon as there is room in it. */
		for (size_t i = 0; i < n - 1 && victim_in_use(c); i++) {
			CHECK(cuckoo_remove(c, hash[i]) == REMOVED);
			hash[i] = victim;
			CHECK_EQ(cuckoo_has(c, hash, n, has), n);
		}
		CHECK(!victim_in_use(c));
		CHECK(has_one(c, victim));
		c = reloaded(c);
		CHECK(has_one(c, victim));
		CHECK(cuckoo_remove(c, victim) == REMOVED);
		cuckoo_free(c);
	}
}

/* Beside the number of copies of each item: those that are in are found and can
 * be removed as often, at any load, through files at random moments. Items that
 * share a key are told apart by nobody, so they are counted together. */
static void
random_operations_beside_a_multiset(void)
{
	enum { ITEMS = 600 };
	uint64_t state = 11;
	unsigned rounds = check_long() ? 400 : 12;

	for (unsigned round = 0; round < rounds; round++) {
		uint64_t m = 2 + check_random(&state) % 60 * 2;
		unsigned bits = round % 2 ? 8 + check_random(&state) % 25 : 8;
		struct cuckoo *c = filter_of(m, bits);
		struct cuckoo_shape shape = *cuckoo_shape(c);
		struct cuckoo_table t;
		unsigned count[ITEMS] = {0}, same[ITEMS];
		uint64_t in = 0;

		cuckoo_table_init(&t, &shape, NULL, NULL);
		draw(hash, ITEMS, round);
		for (unsigned i = 0; i < ITEMS; i++) {
			struct cuckoo_key key = cuckoo_key(&t, hash[i]);
			for (same[i] = 0; same[i] < i; same[i]++) {
				struct cuckoo_key k = cuckoo_key(&t, hash[same[i]]);
				if (k.print == key.print && (k.bucket[0] == key.bucket[0] ||
				    k.bucket[0] == key.bucket[1]))
					break;
			}
		}
		for (unsigned op = 0; op < 3000; op++) {
			unsigned item = (unsigned)(check_random(&state) % ITEMS);
			unsigned *n = &count[same[item]];
			bool adding = check_random(&state) % 100 < (op / 1000 == 1 ? 35 : 70);

			if (adding && add_one(c, hash[item])) {
				/* An eighth one of eight is the last that counts. */
				in += *n < 8;
				*n += *n < 8;
			} else if (!adding) {
				enum removal r = cuckoo_remove(c, hash[item]);
				CHECK(r != REMOVE_ABSENT || *n == 0);
				CHECK(r != REMOVE_PERMANENT || *n == 8);
				CHECK(r != REMOVED || *n > 0);
				in -= r == REMOVED;
				*n -= r == REMOVED;
			}
			CHECK(!*n || has_one(c, hash[item]));
			CHECK_EQ(cuckoo_stored(c), in);
			if (check_random(&state) % 500 == 0)
				c = reloaded(c);
		}
		cuckoo_has(c, hash, ITEMS, has);
		for (unsigned i = 0; i < ITEMS; i++)
			CHECK(has[i] == (count[same[i]] > 0));
		cuckoo_free(c);
	}
}

static void
the_fpp_is_as_promised(void)
{
	static const double wanted[] = {0.5, 0.03, 0.029, 0.01, 0.002, 0.001};
	size_t n = 40000, asked = check_long() ? N_MAX : 250000;

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct cuckoo *c = filter_for(n, wanted[i]);
		size_t done;

		draw(hash, n, i);
		draw(absent, asked, 50 + i);
		CHECK(cuckoo_add(c, hash, n, &done) == OK);
		double found = (double)cuckoo_has(c, absent, asked, has);
		double fpp = cuckoo_fill(c).fpp;
		CHECK_IN(found / (double)asked, 0, 1.1 * wanted[i]);
		CHECK_IN(fpp, 0, wanted[i]);
		CHECK_IN(found, fpp * (double)asked - 4 * sqrt(fpp * (double)asked),
		    fpp * (double)asked + 4 * sqrt(fpp * (double)asked));
		CHECK_IN(cuckoo_fill(c).distinct, n, n);
		CHECK(cuckoo_expected_fpp(cuckoo_shape(c), n) == fpp);
		cuckoo_free(c);
	}
	CHECK_IN(cuckoo_expected_fpp(&(struct cuckoo_shape){2, 8, 1, 0.5}, 1000), 0.0309, 0.0310);
}

/* At the load now, not the one that it was made for. */
static void
the_fpp_follows_the_load(void)
{
	struct cuckoo *c = filter_of(10000, 8);
	size_t done;

	draw(hash, 30000, 3);
	draw(absent, 300000, 4);
	for (size_t n = 10000; n <= 30000; n += 10000) {
		CHECK(cuckoo_add(c, hash + n - 10000, 10000, &done) == OK);
		double expected = 300000 * cuckoo_fill(c).fpp;
		CHECK_IN((double)cuckoo_has(c, absent, 300000, has),
		    expected - 4 * sqrt(expected), expected + 4 * sqrt(expected));
	}
	for (size_t i = 0; i < 20000; i++)
		CHECK(cuckoo_remove(c, hash[i]) == REMOVED);
	CHECK_IN(cuckoo_fill(c).distinct, 10000, 10000);
	double expected = 300000 * cuckoo_fill(c).fpp;
	CHECK_IN((double)cuckoo_has(c, absent, 300000, has),
	    expected - 4 * sqrt(expected), expected + 4 * sqrt(expected));
	cuckoo_free(c);
}

int
main(void)
{
	filters_begin();
	RUN(vectors);
	RUN(nothing_is_in_an_empty_filter);
	RUN(batches_make_no_difference);
	RUN(the_capacity_fits);
	RUN(a_refusal_loses_nothing);
	RUN(the_ninth_copy_costs_nothing_and_none_goes);
	RUN(the_victim_is_kept);
	RUN(random_operations_beside_a_multiset);
	RUN(the_fpp_is_as_promised);
	RUN(the_fpp_follows_the_load);
	return filters_done();
}
