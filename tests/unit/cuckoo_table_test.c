/* sketchutils: BSD-2-Clause, see LICENSE */

/* The buckets of cuckoo filters beside plain arrays, and their sizes. */
#include <math.h>

#include "sketch/member/cuckoo_table.h"
#include "cuckoo_filters.h"

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
sizes(void)
{
	struct cuckoo_shape s = {0}, last = {0};
	static const struct { double fpp; unsigned bits; } bits[] = {
		{0.5, 8}, {0.03, 8}, {0.029, 9}, {0.01, 10}, {0.001, 13}, {1e-4, 17},
		{1e-6, 23}, {1e-8, 30}, {CUCKOO_FPP_MIN, 32},
		/* 8 slots at a load of 0.94, in the last place. */
		{7.521 / 4095, 12}, {7.519 / 4095, 13},
	};

	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
		CHECK(cuckoo_shape_for(&s, 1000000, bits[i].fpp));
		CHECK_EQ(s.bits, bits[i].bits);
		CHECK_IN(cuckoo_expected_fpp(&s, 1000000), i ? bits[i].fpp / 2.1 : 0, bits[i].fpp);
		CHECK_EQ(cuckoo_bytes(&s), s.buckets * s.bits / 2);
	}
	CHECK(cuckoo_shape_for(&s, 1000000, 0.01));
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

int
main(void)
{
	filters_begin();
	RUN(the_other_bucket_of_the_other_is_the_first);
	RUN(slots_are_packed);
	RUN(sizes);
	return filters_done();
}
