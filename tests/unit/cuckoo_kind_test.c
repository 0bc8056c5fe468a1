/* sketchutils: BSD-2-Clause, see LICENSE */

/* Cuckoo filters united, compared, and in files. */
#include <math.h>

#include "sketch/member/cuckoo_table.h"
#include "cuckoo_filters.h"

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
	filters_begin();
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
	return filters_done();
}
