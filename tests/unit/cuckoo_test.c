/* sketchutils: BSD-2-Clause, see LICENSE */

/* Cuckoo filters: the table beside plain arrays, the filter beside what went in. */
#include <math.h>

#include "base/hash.h"
#include "sketch/cuckoo.h"
#include "sketch/cuckoo_table.h"
#include "check.h"

#define N_MAX 1100000

static uint64_t *hash, *absent;
static bool *has;

/* Hashes of different seeds are different items, but for one in 2^64. */
static void
draw(uint64_t *to, size_t n, uint64_t seed)
{
	uint64_t state = hash_step(seed, 7);

	for (size_t i = 0; i < n; i++)
		to[i] = check_random(&state);
}

static struct cuckoo *
filter_of(uint64_t buckets, unsigned bits)
{
	struct cuckoo_shape shape = {buckets, bits, 1, 0.01};
	struct cuckoo *c = NULL;

	CHECK(cuckoo_new(&c, &shape) == OK);
	if (!c)
		exit(1);
	return c;
}

static struct cuckoo *
filter_for(uint64_t n, double fpp)
{
	struct cuckoo_shape shape = {0};
	struct cuckoo *c = NULL;

	CHECK(cuckoo_shape_for(&shape, n, fpp));
	CHECK(cuckoo_new(&c, &shape) == OK);
	if (!c)
		exit(1);
	return c;
}

static bool
add_one(struct cuckoo *c, uint64_t h)
{
	size_t done;
	enum status st = cuckoo_add(c, &h, 1, &done);

	CHECK(st == OK ? done == 1 : st == STATUS_FULL && done == 0);
	return st == OK;
}

static bool
has_one(const struct cuckoo *c, uint64_t h)
{
	bool is;

	CHECK(cuckoo_has(c, &h, 1, &is) == is);
	return is;
}

static bool
same_filter(const struct cuckoo *a, const struct cuckoo *b)
{
	struct record x = {0}, y = {0};

	cuckoo_head(a, &x);
	cuckoo_head(b, &y);
	return x.kind == y.kind && x.version == y.version && x.size == y.size &&
	    memcmp(x.param, y.param, sizeof x.param) == 0 &&
	    slice_equal(cuckoo_payload(a), cuckoo_payload(b));
}

static bool
victim_in_use(const struct cuckoo *c)
{
	struct record head = {0};

	cuckoo_head(c, &head);
	return head.param[5] != 0;
}

/* Through a file. */
static struct cuckoo *
copy_of(const struct cuckoo *c)
{
	struct record head = {0};
	struct buffer payload = {0};
	void *body = NULL;

	CHECK(cuckoo_kind.save(c, &head, &payload) == OK);
	CHECK(cuckoo_kind.check(&head) == OK);
	CHECK(cuckoo_kind.load(&body, &head, &payload) == OK);
	buffer_free(&payload);
	if (!body)
		exit(1);
	CHECK(same_filter(c, body));
	return body;
}

static struct cuckoo *
reloaded(struct cuckoo *c)
{
	struct cuckoo *copy = copy_of(c);

	cuckoo_free(c);
	return copy;
}

/* Items until one is refused; how many are in. */
static size_t
fill_up(struct cuckoo *c, uint64_t seed)
{
	size_t done;

	draw(hash, 5 * cuckoo_shape(c)->buckets, seed);
	CHECK(cuckoo_add(c, hash, 5 * cuckoo_shape(c)->buckets, &done) == STATUS_FULL);
	return done;
}

/* Slot s of bucket i as the format says, bit by bit. */
static uint32_t
slot_in(struct slice payload, unsigned bits, uint64_t i, unsigned s)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < bits; k++) {
		uint64_t b = (4 * i + s) * bits + k;
		v |= (uint32_t)(payload.at[b / 8] >> b % 8 & 1) << k;
	}
	return v;
}

static void
the_other_bucket_of_the_other_is_the_first(void)
{
	uint64_t state = 1;

	for (unsigned round = 0; round < 200000; round++) {
		unsigned bits = 8 + check_random(&state) % 25;
		uint64_t m = 2 + 2 * (check_random(&state) >> (25 + check_random(&state) % 39));
		m = m <= CUCKOO_BUCKETS_MAX ? m : CUCKOO_BUCKETS_MAX;
		uint64_t i = check_random(&state) % m;
		uint32_t print = 1 + (uint32_t)(check_random(&state) % ((UINT64_C(1) << bits) - 1));
		uint64_t other = cuckoo_other(m, i, print);

		CHECK(other < m);
		CHECK(other % 2 != i % 2);
		CHECK_EQ(cuckoo_other(m, other, print), i);
	}
	for (uint64_t m = 2; m <= 64; m += 2)
		for (uint64_t i = 0; i < m; i++)
			for (uint32_t print = 1; print < 256; print++) {
				uint64_t other = cuckoo_other(m, i, print);
				CHECK(other < m && other % 2 != i % 2);
				CHECK_EQ(cuckoo_other(m, other, print), i);
			}
}

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

/* Of every width and odd numbers of pairs, so at every offset: each slot beside
 * an array, and nothing else changes. */
static void
slots_are_packed(void)
{
	uint64_t state = 2;

	for (unsigned bits = 8; bits <= 32; bits++) {
		struct cuckoo_shape shape = {2 + 2 * (bits % 5), bits, 1, 0.5};
		uint32_t plain[10][4] = {0};
		unsigned char bytes[160] = {0};
		struct cuckoo_table t;

		cuckoo_table_init(&t, &shape, bytes, bytes);
		for (unsigned round = 0; round < 600; round++) {
			struct cuckoo_key key = cuckoo_key(&t, check_random(&state) % 300 << 55);
			uint32_t *row = plain[key.bucket[0]], *next = plain[key.bucket[1]];
			bool take = check_random(&state) % 2;
			uint32_t from = take ? key.print : 0, to = take ? 0 : key.print;
			unsigned at = 0;

			while (at < 8 && (at < 4 ? row[at] : next[at - 4]) != from)
				at++;
			CHECK((take ? cuckoo_take(&t, &key) : cuckoo_place(&t, &key)) == (at < 8));
			if (at < 8)
				*(at < 4 ? &row[at] : &next[at - 4]) = to;
			unsigned copies = 0, used = 0;
			for (unsigned i = 0; i < shape.buckets; i++)
				for (unsigned s = 0; s < 4; s++) {
					struct slice all = {bytes, cuckoo_bytes(&shape)};
					CHECK_EQ(slot_in(all, bits, i, s), plain[i][s]);
					CHECK_EQ(cuckoo_slot(&t, cuckoo_bucket(&t, i), s), plain[i][s]);
					copies += plain[i][s] == key.print &&
					    (i == key.bucket[0] || i == key.bucket[1]);
					used += plain[i][s] != 0;
				}
			CHECK_EQ(cuckoo_copies(&t, &key), copies);
			CHECK(cuckoo_find(&t, &key) == (copies > 0));
			CHECK_EQ(cuckoo_used(&t), used);
		}
		for (size_t i = cuckoo_bytes(&shape); i < sizeof bytes; i++)
			CHECK(bytes[i] == 0);
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

static void
sizes(void)
{
	struct cuckoo_shape s = {0}, last = {0};
	static const struct { double fpp; unsigned bits; } bits[] = {
		{0.5, 8}, {0.03, 8}, {0.029, 9}, {0.01, 10}, {0.001, 13}, {1e-4, 17},
		{1e-6, 23}, {1e-8, 30}, {CUCKOO_FPP_MIN, 32},
	};

	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
		CHECK(cuckoo_shape_for(&s, 1000000, bits[i].fpp));
		CHECK_EQ(s.bits, bits[i].bits);
		CHECK_IN(cuckoo_expected_fpp(&s, 1000000), i ? bits[i].fpp / 2.1 : 0, bits[i].fpp);
		CHECK_EQ(cuckoo_bytes(&s), s.buckets * s.bits / 2);
	}
	CHECK_EQ(s.buckets, 265962);
	for (uint64_t n = 0; n < 3000; n++) {
		CHECK(cuckoo_shape_for(&s, n, 0.01));
		CHECK(cuckoo_shape_valid(&s) && s.buckets >= last.buckets && s.capacity == n);
		CHECK(cuckoo_room(&s) >= n && (double)n <= 0.94 * (double)cuckoo_slots(&s));
		/* Two buckets less would not do. */
		struct cuckoo_shape less = s;
		less.buckets -= 2;
		CHECK(n <= 7 ? s.buckets == 2 : less.buckets < 8 || cuckoo_room(&less) < n);
		last = s;
	}
	uint64_t most = cuckoo_room(&(struct cuckoo_shape){CUCKOO_BUCKETS_MAX, 8, 1, 0.1});
	CHECK(cuckoo_shape_for(&s, most, 0.1));
	CHECK_EQ(s.buckets, CUCKOO_BUCKETS_MAX);
	last = s;
	CHECK(!cuckoo_shape_for(&s, most + 1, 0.1));
	CHECK(!cuckoo_shape_for(&s, UINT64_MAX, 0.1));
	CHECK(!cuckoo_shape_for(&s, 1, CUCKOO_FPP_MIN * 0.999));
	CHECK(!cuckoo_shape_for(&s, 1, 0.501));
	CHECK(!cuckoo_shape_for(&s, 1, NAN));
	CHECK(memcmp(&s, &last, sizeof s) == 0);
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
			/* Some others do find a slot, until all are in use. */
			size_t in = n;
			for (size_t i = n + 1; i < 5 * buckets[k]; i++)
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
	unsigned rounds = check_long() ? 400 : 40;

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

static void
merging_adds_all(void)
{
	struct mismatch why;

	for (unsigned bits = 8; bits <= 32; bits += 4) {
		struct cuckoo *a = filter_of(1000, bits), *b = filter_of(1000, bits);
		size_t done;

		draw(hash, 300, bits);
		CHECK(cuckoo_add(a, hash, 200, &done) == OK);
		CHECK(cuckoo_add(b, hash + 200, 100, &done) == OK);
		for (unsigned i = 0; i < 9; i++)
			CHECK(add_one(b, hash[0]));
		CHECK(cuckoo_merge(a, b, &why) == OK);
		CHECK_EQ(cuckoo_has(a, hash, 300, has), 300);
		/* One of hash[0] was there already, and the ninth takes no slot. */
		CHECK_EQ(cuckoo_stored(a), 200 + 100 + 7);
		CHECK(cuckoo_remove(a, hash[0]) == REMOVE_PERMANENT);
		CHECK_EQ(cuckoo_stored(b), 108);
		CHECK(cuckoo_remove(a, hash[1]) == REMOVED);
		CHECK(cuckoo_remove(a, hash[299]) == REMOVED);
		a = reloaded(a);
		cuckoo_free(a);
		cuckoo_free(b);
	}
}

static void
merging_takes_the_victim_too(void)
{
	for (unsigned seed = 0; seed < 20; seed++) {
		struct cuckoo *full = filter_of(20, 16), *other = filter_of(20, 16);
		struct mismatch why;
		size_t n = 0;

		draw(hash, 200, seed);
		while (!victim_in_use(full) && add_one(full, hash[n]))
			n++;
		/* Into an empty one: all of it. */
		CHECK(cuckoo_merge(other, full, &why) == OK);
		CHECK_EQ(cuckoo_has(other, hash, n, has), n);
		CHECK_EQ(cuckoo_stored(other), n);
		cuckoo_free(other);
		cuckoo_free(full);
	}
}

static void
what_does_not_unite(void)
{
	struct cuckoo *a = filter_of(100, 12), *b = filter_of(100, 12), *before = filter_of(100, 12);
	struct mismatch why;
	size_t done;

	draw(hash, 400, 1);
	CHECK(cuckoo_add(a, hash, 300, &done) == OK);
	CHECK(cuckoo_add(before, hash, 300, &done) == OK);
	CHECK(cuckoo_add(b, hash + 300, 100, &done) == OK);
	CHECK(cuckoo_add(b, hash, 50, &done) == OK);
	CHECK(cuckoo_merge(a, b, &why) == STATUS_FULL);
	CHECK(strcmp(why.text, "does not fit: 300 and 150 items in 400 slots") == 0);
	CHECK(same_filter(a, before));
	cuckoo_free(b);
	b = filter_of(200, 12);
	CHECK(cuckoo_merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "buckets 100 and 200") == 0);
	cuckoo_free(b);
	b = filter_of(100, 13);
	CHECK(cuckoo_merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "fingerprint bits 12 and 13") == 0);
	CHECK(same_filter(a, before));
	cuckoo_free(b);

	/* What only was wanted may differ: the larger is kept. */
	struct cuckoo_shape shape = {100, 12, 370, 0.001};
	CHECK(cuckoo_new(&b, &shape) == OK);
	CHECK(cuckoo_merge(a, b, &why) == OK);
	CHECK(cuckoo_shape(a)->capacity == 370 && cuckoo_shape(a)->fpp == 0.01);
	CHECK(cuckoo_merge(b, before, &why) == OK);
	CHECK(cuckoo_shape(b)->capacity == 370 && cuckoo_shape(b)->fpp == 0.01);
	cuckoo_free(a);
	cuckoo_free(b);
	cuckoo_free(before);
}

/* a has the items 0 to 2/3 n, b those from 1/3 n on. */
static void
what_two_have_in_common(void)
{
	for (unsigned round = 0; round < 40; round++) {
		unsigned bits = round % 2 ? 8 : 16;
		struct cuckoo *a = filter_of(4000, bits), *b = filter_of(4000, bits);
		struct cuckoo_common common, other, self;
		size_t done;

		draw(hash, 21000, round);
		CHECK(cuckoo_add(a, hash, 14000, &done) == OK);
		CHECK(cuckoo_add(b, hash + 7000, 14000, &done) == OK);
		CHECK(cuckoo_common(a, b, &common));
		CHECK_IN(common.items, 7000 - 4 * common.error, 7000 + 4 * common.error);
		CHECK_IN(common.error, bits == 8 ? 9 : 0.5, bits == 8 ? 15 : 1);
		CHECK(cuckoo_common(b, a, &other));
		CHECK(other.items == common.items && other.error == common.error);
		CHECK(cuckoo_common(a, a, &self));
		CHECK(self.items == 14000 && self.error == 0);
		cuckoo_free(b);

		b = filter_of(4000, bits);
		CHECK(cuckoo_common(a, b, &common) && common.items == 0 && common.error == 0);
		cuckoo_free(b);
		b = filter_of(4000, bits == 8 ? 16 : 8);
		CHECK(!cuckoo_common(a, b, &common));
		cuckoo_free(b);
		b = filter_of(2000, bits);
		CHECK(!cuckoo_common(a, b, &common));
		cuckoo_free(b);
		cuckoo_free(a);
	}
}

/* The mean of many has no bias that their error bars would hide, and the bars
 * are neither too long nor too short. */
static void
common_items_are_not_biased(void)
{
	enum { TIMES = 60 };
	double sum = 0, squares = 0, bars = 0;

	for (unsigned round = 0; round < TIMES; round++) {
		struct cuckoo *a = filter_of(2000, 8), *b = filter_of(2000, 8);
		struct cuckoo_common common;
		size_t done;

		draw(hash, 14000, 700 + round);
		CHECK(cuckoo_add(a, hash, 7500, &done) == OK);
		CHECK(cuckoo_add(b, hash + 6500, 7500, &done) == OK);
		CHECK(cuckoo_common(a, b, &common));
		sum += common.items - 1000;
		squares += (common.items - 1000) * (common.items - 1000);
		bars += common.error * common.error;
		cuckoo_free(a);
		cuckoo_free(b);
	}
	CHECK_IN(sum / TIMES, -4 * sqrt(bars) / TIMES, 4 * sqrt(bars) / TIMES);
	CHECK_IN(squares / bars, 0.5, 1.6);
}

/* Copies count as often as in the filter with fewer of them. */
static void
copies_in_common(void)
{
	struct cuckoo *a = filter_of(2, 32), *b = filter_of(2, 32);
	struct cuckoo_common common;

	draw(hash, 4, 5);
	for (unsigned i = 0; i < 5; i++)
		CHECK(add_one(a, hash[0]));
	for (unsigned i = 0; i < 3; i++)
		CHECK(add_one(a, hash[1]));
	CHECK(add_one(a, hash[2]) && victim_in_use(a));
	CHECK(add_one(b, hash[0]) && add_one(b, hash[0]));
	for (unsigned i = 0; i < 4; i++)
		CHECK(add_one(b, hash[1]));
	CHECK(add_one(b, hash[2]) && add_one(b, hash[3]));
	CHECK(cuckoo_common(a, b, &common));
	/* 2, 3, the victim, and none of the last. */
	CHECK_IN(common.items, 5.999, 6);
	CHECK(cuckoo_common(b, a, &common));
	CHECK_IN(common.items, 5.999, 6);
	cuckoo_free(a);
	cuckoo_free(b);
}

/* Every number of a header against its range. */
static void
parameters_are_checked(void)
{
	struct cuckoo *c = filter_of(100, 9);
	struct record good = {0};
	static const struct { unsigned at; uint64_t value; } bad[] = {
		{0, 0}, {0, 1}, {0, 101}, {0, (UINT64_C(1) << 40) + 2}, {1, 7}, {1, 33},
		{1, 256 + 9}, {3, 0}, {3, UINT64_MAX}, {3, 0x3ff0000000000000}, {4, 401},
		{5, 512}, {5, UINT64_C(1) << 32}, {6, 2}, {7, 1},
	};

	size_t done;
	draw(hash, 100, 1);
	CHECK(cuckoo_add(c, hash, 100, &done) == OK);
	cuckoo_head(c, &good);
	CHECK(cuckoo_kind.check(&good) == OK);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct record head = good;
		head.param[bad[i].at] = bad[i].value;
		CHECK(cuckoo_kind.check(&head) == STATUS_PARAMETER);
	}
	struct record head = good;
	head.param[5] = 511;
	head.param[6] = 98;
	CHECK(cuckoo_kind.check(&head) == OK);
	head.param[6] = 97;
	CHECK(cuckoo_kind.check(&head) == STATUS_PARAMETER);
	head.param[6] = 100;
	CHECK(cuckoo_kind.check(&head) == STATUS_PARAMETER);
	head.param[6] = 98;
	head.param[4] = 7;
	CHECK(cuckoo_kind.check(&head) == STATUS_PARAMETER);
	head = good;
	head.size++;
	CHECK(cuckoo_kind.check(&head) == STATUS_SIZE);

	struct cuckoo *out;
	struct cuckoo_shape shape = {3, 8, 1, 0.01};
	CHECK(cuckoo_new(&out, &shape) == STATUS_PARAMETER);
	head = good;
	head.kind = KIND_HLL;
	CHECK(cuckoo_map(&out, &head, cuckoo_payload(c).at) == STATUS_UNSUPPORTED);
	cuckoo_free(c);
}

static enum status
load_as(const struct cuckoo *c, unsigned param, uint64_t value, int flip)
{
	struct record head = {0};
	struct buffer payload = {0};
	void *body = NULL;

	CHECK(cuckoo_kind.save(c, &head, &payload) == OK);
	if (param < 8)
		head.param[param] = value;
	if (flip >= 0)
		payload.at[flip / 8] ^= (unsigned char)(1 << flip % 8);
	enum status st = cuckoo_kind.load(&body, &head, &payload);
	buffer_free(&payload);
	if (st == OK)
		cuckoo_free(body);
	return st;
}

static void
contradictions_are_found(void)
{
	struct cuckoo *c = filter_of(10, 9);
	struct record head = {0};

	draw(hash, 100, 1);
	for (unsigned i = 0; i < 20; i++)
		CHECK(add_one(c, hash[i]));
	CHECK(load_as(c, 8, 0, -1) == OK);
	CHECK(load_as(c, 4, 21, -1) == STATUS_INVARIANT);
	CHECK(load_as(c, 4, 19, -1) == STATUS_INVARIANT);
	/* A victim although its buckets have room. */
	CHECK(load_as(c, 5, 1, -1) == STATUS_INVARIANT);
	for (unsigned i = 20; !victim_in_use(c); i++)
		add_one(c, hash[i]);
	cuckoo_head(c, &head);
	CHECK(load_as(c, 8, 0, -1) == OK);
	cuckoo_free(c);

	/* An empty slot that is none: one bit in a slot of an empty table. */
	c = filter_of(10, 9);
	CHECK(load_as(c, 8, 0, 100) == STATUS_INVARIANT);
	/* A victim that would be permanent. */
	for (unsigned i = 0; i < 8; i++)
		CHECK(add_one(c, hash[0]));
	struct cuckoo_shape shape = *cuckoo_shape(c);
	struct cuckoo_table t;
	cuckoo_table_init(&t, &shape, NULL, NULL);
	struct cuckoo_key key = cuckoo_key(&t, hash[0]);
	uint64_t even = key.bucket[key.bucket[0] & 1];
	struct record full = {0};
	struct buffer payload = {0};
	void *body = NULL;
	CHECK(cuckoo_kind.save(c, &full, &payload) == OK);
	full.param[5] = key.print;
	full.param[6] = even;
	CHECK(cuckoo_kind.check(&full) == OK);
	CHECK(cuckoo_kind.load(&body, &full, &payload) == STATUS_INVARIANT);
	buffer_free(&payload);
	cuckoo_free(c);
}

/* A map is asked as it is, even one that a liar made. */
static void
a_map_answers_as_the_filter(void)
{
	for (unsigned bits = 8; bits <= 32; bits++) {
		struct cuckoo *c = filter_of(22, bits), *map = NULL;
		struct record head = {0};
		size_t n = fill_up(c, bits);
		unsigned char *bytes;

		cuckoo_head(c, &head);
		/* Memory of just this size, so that a sanitizer sees a step too far. */
		bytes = malloc(head.size);
		memcpy(bytes, cuckoo_payload(c).at, head.size);
		CHECK(cuckoo_map(&map, &head, bytes) == OK);
		CHECK_EQ(cuckoo_has(map, hash, n, has), n);
		draw(absent, 5000, 70 + bits);
		CHECK_EQ(cuckoo_has(map, absent, 5000, has), cuckoo_has(c, absent, 5000, has));
		CHECK(same_filter(c, map));
		CHECK(cuckoo_fill(map).distinct == (double)n);
		memset(bytes, 0xff, head.size);
		cuckoo_has(map, absent, 5000, has);
		cuckoo_free(map);
		cuckoo_free(c);
		free(bytes);
	}
}

static void
facts_tell(void)
{
	struct cuckoo *c = filter_for(1000, 0.01);
	struct facts f = {0};
	size_t done;

	draw(hash, 900, 1);
	CHECK(cuckoo_add(c, hash, 900, &done) == OK);
	cuckoo_kind.facts(c, &f);
	CHECK_EQ(f.n, 10);
	CHECK(strcmp(f.at[0].name, "type") == 0 && strcmp(f.at[0].text, "cuckoo") == 0);
	CHECK(strcmp(f.at[1].name, "buckets") == 0 && f.at[1].count == 270);
	CHECK(strcmp(f.at[2].name, "fingerprint_bits") == 0 && f.at[2].count == 10);
	CHECK(strcmp(f.at[3].name, "capacity") == 0 && f.at[3].count == 1000);
	CHECK(strcmp(f.at[4].name, "wanted_fpp") == 0 && f.at[4].real == 0.01);
	CHECK(strcmp(f.at[5].name, "fpp") == 0);
	CHECK_IN(f.at[5].real, 0.0064, 0.0066);
	CHECK(strcmp(f.at[6].name, "fill") == 0 && f.at[6].real == 900 / 1080.0);
	CHECK(strcmp(f.at[7].name, "stored") == 0 && f.at[7].count == 900);
	CHECK(strcmp(f.at[8].name, "room") == 0 && f.at[8].count == 1000 - 900);
	CHECK(strcmp(f.at[9].name, "victim") == 0 && !f.at[9].flag);
	cuckoo_free(c);
}

int
main(void)
{
	hash = calloc(N_MAX, sizeof *hash);
	absent = calloc(N_MAX, sizeof *absent);
	has = calloc(N_MAX, sizeof *has);
	if (!hash || !absent || !has)
		return 1;
	RUN(the_other_bucket_of_the_other_is_the_first);
	RUN(vectors);
	RUN(slots_are_packed);
	RUN(nothing_is_in_an_empty_filter);
	RUN(batches_make_no_difference);
	RUN(sizes);
	RUN(the_capacity_fits);
	RUN(a_refusal_loses_nothing);
	RUN(the_ninth_copy_costs_nothing_and_none_goes);
	RUN(the_victim_is_kept);
	RUN(random_operations_beside_a_multiset);
	RUN(the_fpp_is_as_promised);
	RUN(the_fpp_follows_the_load);
	RUN(merging_adds_all);
	RUN(merging_takes_the_victim_too);
	RUN(what_does_not_unite);
	RUN(what_two_have_in_common);
	RUN(common_items_are_not_biased);
	RUN(copies_in_common);
	RUN(parameters_are_checked);
	RUN(contradictions_are_found);
	RUN(a_map_answers_as_the_filter);
	RUN(facts_tell);
	free(hash);
	free(absent);
	free(has);
	return check_done();
}
