/* sketchutils: BSD-2-Clause, see LICENSE */

/* Scalable Bloom filters: the promise for any number of items, and the order. */
#include <math.h>

#include "base/hash.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/scalable.h"
#include "check.h"

#define ROOM 4000000

static uint64_t *hash;
static bool *has;

/* Hashes of different seeds are different items, but for one in 2^64. */
static void
draw(size_t n, uint64_t seed)
{
	uint64_t state = hash_step(seed, 7);

	for (size_t i = 0; i < n; i++)
		hash[i] = check_random(&state);
}

static struct scalable *
filter_for(uint64_t capacity, double fpp)
{
	struct scalable *s = NULL;

	CHECK(scalable_new(&s, capacity, fpp) == OK);
	if (!s)
		exit(1);
	return s;
}

static void
add(struct scalable *s, const uint64_t *item, size_t n)
{
	size_t done;

	CHECK(scalable_add(s, item, n, &done) == OK && done == n);
}

static struct buffer
saved(const struct scalable *s, struct record *head)
{
	struct buffer payload = {0};

	CHECK(scalable_kind.save(s, head, &payload) == OK);
	CHECK(scalable_kind.check(head) == OK && head->size == payload.len);
	return payload;
}

static bool
same(const struct scalable *a, const struct scalable *b)
{
	struct record head[2] = {{0}, {0}};
	struct buffer x = saved(a, &head[0]), y = saved(b, &head[1]);
	bool equal = memcmp(&head[0], &head[1], sizeof head[0]) == 0 &&
	    slice_equal((struct slice){x.at, x.len}, (struct slice){y.at, y.len});

	buffer_free(&x);
	buffer_free(&y);
	return equal;
}

static void
nothing_is_in_an_empty_filter(void)
{
	struct scalable *s = filter_for(1, 0.5);
	struct record head = {0};
	struct buffer payload = saved(s, &head);
	void *loaded = NULL;

	draw(1000, 1);
	CHECK_EQ(payload.len, 0);
	CHECK_EQ(scalable_has(s, hash, 1000, has), 0);
	add(s, hash, 0);
	CHECK_EQ(scalable_stages(s), 0);
	CHECK_EQ(scalable_room(s), 1);
	CHECK(scalable_fill(s).distinct == 0 && scalable_fill(s).fpp == 0);
	CHECK(scalable_kind.load(&loaded, &head, &payload) == OK);
	add(loaded, hash, 1000);
	add(s, hash, 1000);
	CHECK(same(s, loaded));
	scalable_free(loaded);
	scalable_free(s);
	scalable_free(NULL);
	CHECK(scalable_new(&s, 0, 0.1) == STATUS_PARAMETER);
	CHECK(scalable_new(&s, 1, 0.6) == STATUS_PARAMETER);
	CHECK(scalable_new(&s, 1, 0) == STATUS_PARAMETER);
	CHECK(scalable_new(&s, 1, NAN) == STATUS_PARAMETER);
}

static void
the_example_of_the_manual(void)
{
	static const unsigned bit[] = {11, 30, 7, 3, 29, 12, 9, 8};
	uint64_t abc = hash_bytes("abc", 3, 0);
	struct scalable *s = filter_for(1000, 0.01);
	struct record head = {0};

	add(s, &abc, 1);
	add(s, &abc, 1);
	struct buffer payload = saved(s, &head);
	CHECK_EQ(payload.len, 64 + 50 * 32);
	CHECK_EQ(get_le64(payload.at), 50);
	CHECK_EQ(get_le64(payload.at + 8), 1);
	CHECK_EQ(get_le64(payload.at + 16), 1000);
	CHECK_EQ(get_le64(payload.at + 24), UINT64_C(0x3f747ae147ae147b));
	CHECK_EQ(get_le64(payload.at + 32), 1);
	for (unsigned w = 0; w < 8; w++)
		CHECK_EQ(get_le32(payload.at + 64 + 23 * 32 + 4 * w), UINT32_C(1) << bit[w]);
	CHECK_EQ(head.param[2], 1000);
	buffer_free(&payload);
	scalable_free(s);
}

/* Stage by stage as the article has it, filters that anybody could build. */
static void
stages_are_block_filters(void)
{
	struct scalable *s = filter_for(100, 0.02);
	struct record head = {0};
	size_t at = 0, item = 0;

	draw(20000, 2);
	add(s, hash, 20000);
	struct buffer payload = saved(s, &head);
	for (unsigned i = 0; at < payload.len; i++) {
		uint64_t capacity = UINT64_C(100) << i, items = get_le64(payload.at + at + 32);
		struct bloom_shape shape;
		unsigned char bits[64 * 2048] = {0};

		CHECK(bloom_shape_for_stage(&shape, capacity, ldexp(0.01, -(int)i)));
		CHECK_EQ(get_le64(payload.at + at), shape.size);
		CHECK_EQ(get_le64(payload.at + at + 8), shape.probes);
		CHECK_EQ(get_le64(payload.at + at + 16), capacity);
		if (i + 1 < scalable_stages(s))
			CHECK_EQ(items, capacity);
		CHECK(bloom_bytes(&shape) <= sizeof bits);
		/* Those before it have taken a few of the items for old ones. */
		scalable_has(s, hash, 20000, has);
		for (uint64_t k = 0; k < items && item < 20000; item++) {
			bool hit;
			struct scalable *older = NULL;
			struct record part = head;

			part.size = at;
			CHECK(scalable_map(&older, &part, payload.at) == OK);
			if (scalable_has(older, &hash[item], 1, &hit) == 0)
				k += !bloom_bits_meet(bits, &shape, hash[item]);
			scalable_free(older);
		}
		CHECK(memcmp(bits, payload.at + at + 64, (size_t)bloom_bytes(&shape)) == 0);
		at += 64 + record_padded(bloom_bytes(&shape));
	}
	CHECK_IN(scalable_stages(s), 8, 8);
	buffer_free(&payload);
	scalable_free(s);
}

/* Batches of any length, asked or not, give the same bytes. */
static void
only_the_order_decides(void)
{
	uint64_t state = 4;
	bool found[700];

	draw(12000, 3);
	for (unsigned round = 0; round < 10; round++) {
		struct scalable *whole = filter_for(1 + 37 * round, 0.3), *parts = filter_for(1 + 37 * round, 0.3);
		struct scalable *singly = filter_for(1 + 37 * round, 0.3);

		/* With repeats, also close ones. */
		for (size_t i = 0; i < 12000; i++)
			if (check_random(&state) % 3 == 0)
				hash[i] = hash[i - check_random(&state) % (i < 40 ? i + 1 : 40)];
		add(whole, hash, 12000);
		for (size_t i = 0, step; i < 12000; i += step) {
			size_t done;

			step = check_random(&state) % 700;
			step = step < 12000 - i ? step : 12000 - i;
			if (step % 2 == 0)
				add(parts, hash + i, step);
			else
				CHECK(scalable_meet(parts, hash + i, step, found, &done) == OK && done == step);
			for (size_t k = i; k < i + step; k++) {
				bool hit;
				size_t one = scalable_has(singly, &hash[k], 1, &hit);

				CHECK(one == hit);
				if (step % 2 == 1)
					CHECK(found[k - i] == hit);
				add(singly, &hash[k], 1);
			}
		}
		CHECK(same(whole, parts) && same(whole, singly));
		CHECK_EQ(scalable_has(whole, hash, 12000, has), 12000);
		scalable_free(whole);
		scalable_free(parts);
		scalable_free(singly);
	}
}

/* Far past the first stage; and what the filter says of itself is true. */
static void
promise_at(uint64_t capacity, double fpp, size_t n)
{
	struct scalable *s = filter_for(capacity, fpp);
	size_t asked = 1000000;

	draw(n, 20 + capacity);
	add(s, hash, n);
	CHECK_EQ(scalable_has(s, hash, n, has), n);
	struct fill fill = scalable_fill(s);
	CHECK(scalable_most(s) == fpp);
	CHECK_IN(fill.fpp, 0, fpp);
	/* Items that pass for old ones are a share below fpp. */
	CHECK_IN(fill.distinct, (1 - 1.1 * fpp) * (double)n - 1, n);

	draw(asked, 1000000 + capacity);
	double found = scalable_has(s, hash, asked, has), hits = fill.fpp * (double)asked;
	/* No more than the sum, and less by what several stages find. */
	double both = fill.fpp / 2 * hits;
	CHECK_IN(found, hits - both - 5 * sqrt(hits) - 1, hits + 5 * sqrt(hits) + 1);
	CHECK_IN(found, 0, 1.1 * fpp * (double)asked);
	scalable_free(s);
}

static void
the_fpp_stays_below_the_wanted_one(void)
{
	static const double fpp[] = {0.5, 0.1, 0.01, 1e-3, 1e-4};

	for (unsigned i = 0; i < 5; i++) {
		promise_at(1, fpp[i], 3000);
		promise_at(1000, fpp[i], 100000);
		if (check_long()) {
			promise_at(10, fpp[i], ROOM);
			promise_at(SCALABLE_CAPACITY / 4, fpp[i], 100 * SCALABLE_CAPACITY / 4);
			promise_at(4000, fpp[i], 400000);
		}
	}
}

/* Every repeat is found, so nothing is used up by it. */
static void
repeats_take_no_room(void)
{
	struct scalable *s = filter_for(1000, 0.01), *once = filter_for(1000, 0.01);

	draw(5000, 5);
	add(once, hash, 5000);
	for (unsigned i = 0; i < 5000; i++)
		for (unsigned k = 0; k < 4; k++)
			add(s, &hash[k == 0 || i < 100 ? i : i - k * 20], 1);
	CHECK(same(s, once));
	uint64_t left = scalable_room(s);
	CHECK_IN(left, 7000 - 5000, 7000 - 4950);
	CHECK_EQ(scalable_stages(s), 3);
	scalable_free(s);
	scalable_free(once);
}

/* Stages in the order of the parts; the promises add up and no more. */
static void
united_filters_keep_their_stages(void)
{
	struct mismatch why;
	struct scalable *a = filter_for(100, 0.01), *b = filter_for(300, 0.001);
	struct record head = {0};

	draw(100000, 6);
	add(a, hash, 2000);
	add(b, hash + 1000, 2000);
	struct buffer x = saved(a, &head), y = saved(b, &head);
	size_t stages = scalable_stages(a) + scalable_stages(b);
	uint64_t room = scalable_room(b);

	CHECK(scalable_merge(a, b, &why) == OK);
	CHECK_EQ(scalable_stages(a), stages);
	CHECK_EQ(scalable_room(a), room);
	CHECK(scalable_form(a).fpp == 0.01 && scalable_form(a).capacity == 300);
	struct buffer both = saved(a, &head);
	CHECK_EQ(both.len, x.len + y.len);
	CHECK(memcmp(both.at, x.at, x.len) == 0 && memcmp(both.at + x.len, y.at, y.len) == 0);
	CHECK_EQ(scalable_has(a, hash, 3000, has), 3000);
	CHECK(scalable_most(a) > 0.01 && scalable_most(a) <= 0.011);
	buffer_free(&x);
	buffer_free(&y);
	buffer_free(&both);

	/* The next one is twice the largest, and half the strictest. */
	add(a, hash + 3000, 50000);
	CHECK(scalable_most(a) <= 0.011);
	both = saved(a, &head);
	size_t at = 0;
	uint64_t largest = 0, capacity = 0;
	double least = 1, fpp = 1;
	for (size_t i = 0; at < both.len; i++) {
		uint64_t bits = get_le64(both.at + at + 24);

		capacity = get_le64(both.at + at + 16);
		memcpy(&fpp, &bits, sizeof fpp);
		if (i >= stages)
			CHECK(capacity == 2 * largest && fpp == least / 2);
		largest = capacity > largest ? capacity : largest;
		least = fpp < least ? fpp : least;
		at += 64 + record_padded(get_le64(both.at + at) * 32);
	}
	CHECK(scalable_stages(a) > stages);
	CHECK_IN(scalable_fill(a).fpp, 0, 1.1 * 0.011);
	buffer_free(&both);

	/* Into an empty one, and with itself. */
	struct scalable *empty = filter_for(300, 0.001);
	CHECK(scalable_merge(empty, b, &why) == OK);
	CHECK(same(empty, b));
	CHECK(scalable_merge(b, b, &why) == OK);
	CHECK_EQ(scalable_stages(b), 2 * scalable_stages(empty));
	CHECK(scalable_most(b) > 0.0015 && scalable_most(b) < 0.002);
	scalable_free(empty);
	scalable_free(a);
	scalable_free(b);
}

static void
many_promises_together_are_broken_and_it_says_so(void)
{
	struct mismatch why;
	struct scalable *sum = filter_for(100, 0.01);
	size_t asked = 200000;

	draw(30 * 150, 7);
	for (unsigned i = 0; i < 30; i++) {
		struct scalable *part = filter_for(100, 0.01);

		add(part, hash + i * 150, 150);
		CHECK(scalable_merge(sum, part, &why) == OK);
		scalable_free(part);
	}
	CHECK_EQ(scalable_has(sum, hash, 30 * 150, has), 30 * 150);
	double fpp = scalable_fill(sum).fpp;
	CHECK_IN(fpp, 0.03, scalable_most(sum));
	CHECK_IN(scalable_most(sum), 0.2, 0.3);
	draw(asked, 8);
	CHECK_IN((double)scalable_has(sum, hash, asked, has) / (double)asked, 0.9 * fpp, 1.05 * fpp);
	scalable_free(sum);
}

static void
there_are_only_so_many_stages(void)
{
	struct mismatch why = {""};
	struct scalable *s = filter_for(1, 0.5), *one = filter_for(1, 0.5);
	size_t done;

	draw(10, 9);
	add(s, hash, 1);
	add(one, hash, 1);
	while (scalable_stages(s) < SCALABLE_STAGES_MAX)
		CHECK(scalable_merge(s, s, &why) == OK);
	struct record head = {0};
	struct buffer before = saved(s, &head);
	CHECK(scalable_merge(s, one, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "stages 4096 and 1, at most 4096 are possible") == 0);
	CHECK(scalable_add(s, hash, 1, &done) == OK && done == 1);
	/* The first item of these that is not found has no place. */
	enum status st = scalable_meet(s, hash, 10, has, &done);
	CHECK(st == STATUS_FULL && done < 10 && done >= 1);
	struct buffer after = saved(s, &head);
	CHECK(slice_equal((struct slice){before.at, before.len}, (struct slice){after.at, after.len}));
	buffer_free(&after);

	/* A file with one more is refused. */
	struct buffer extra = saved(one, &head);
	CHECK(buffer_append(&before, extra.at, extra.len) == OK);
	head.size = before.len;
	void *loaded = NULL;
	CHECK(scalable_kind.check(&head) == OK);
	CHECK(scalable_kind.load(&loaded, &head, &before) == STATUS_INVARIANT);
	buffer_free(&extra);
	buffer_free(&before);
	scalable_free(s);
	scalable_free(one);
}

/* A stage that no memory has: what is in stays in. */
static void
no_memory_for_a_stage_is_said(void)
{
	struct scalable *s = filter_for(UINT64_MAX, 0.01);
	size_t done = 1;

	draw(5, 10);
	CHECK(scalable_add(s, hash, 5, &done) == STATUS_MEMORY && done == 0);
	CHECK_EQ(scalable_stages(s), 0);
	scalable_free(s);
}

static void
a_saved_filter_loads_and_maps(void)
{
	struct scalable *s = filter_for(77, 0.003), *mapped = NULL;
	struct record head = {.flags = FLAG_SATURATED, .items = 9};
	void *loaded = NULL;

	draw(9000, 11);
	add(s, hash, 4000);
	struct buffer payload = saved(s, &head);
	CHECK(head.kind == KIND_BLOOM_SCALABLE && head.version == 1);
	CHECK(head.flags == FLAG_SATURATED && head.items == 9);
	CHECK(scalable_map(&mapped, &head, payload.at) == OK);
	CHECK_EQ(scalable_has(mapped, hash, 4000, has), 4000);
	CHECK(scalable_fill(mapped).fpp == scalable_fill(s).fpp);
	scalable_free(mapped);
	CHECK(scalable_kind.load(&loaded, &head, &payload) == OK);
	CHECK(payload.at == NULL && same(loaded, s));
	add(loaded, hash + 4000, 5000);
	add(s, hash + 4000, 5000);
	CHECK(same(loaded, s));
	scalable_free(loaded);
	scalable_free(s);
}

/* Every number of a stage's head, and every byte that must be 0. */
static void
stages_that_cannot_be_are_refused(void)
{
	static const uint64_t wrong[] = {0, 5, 51, 256, 257, UINT64_C(1) << 33, UINT64_C(1) << 41,
		UINT64_C(1) << 59, UINT64_MAX, UINT64_C(0x100000001), UINT64_C(0x7ff8000000000000)};
	struct scalable *s = filter_for(10, 0.01);
	struct record head = {0};
	void *loaded = NULL;

	draw(30, 12);
	add(s, hash, 10);
	struct buffer good = saved(s, &head);
	/* One block, so half a line of padding; the stage is full. */
	CHECK_EQ(get_le64(good.at), 1);
	CHECK_EQ(good.len, 128);
	for (unsigned at = 0; at < 128; at += 8)
		for (unsigned k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
			struct buffer bad = {0};
			bool bits = at >= 64 && at < 96;

			CHECK(buffer_append(&bad, good.at, good.len) == OK);
			put_le64(bad.at + at, wrong[k]);
			/* More capacity, up to an item a bit, and fewer items are fine. */
			bool fine = bits || memcmp(bad.at, good.at, 128) == 0 ||
			    (at == 16 && wrong[k] >= 10 && wrong[k] <= 256) || (at == 32 && wrong[k] == 5);
			enum status st = scalable_kind.load(&loaded, &head, &bad);
			CHECK_EQ(st, fine ? OK : STATUS_INVARIANT);
			if (st == OK)
				scalable_free(loaded);
			buffer_free(&bad);
		}
	for (uint64_t size = 0; size <= 300; size++) {
		struct record part = head;

		part.size = size;
		CHECK(scalable_kind.check(&part) == (size % 64 == 0 && size != 64 ? OK : STATUS_SIZE));
	}
	for (unsigned i = 0; i < 8; i++) {
		struct record other = head;

		other.param[i] = 1;
		CHECK(scalable_kind.check(&other) == (i == 2 ? OK : STATUS_PARAMETER));
		other.param[i] = 0;
		CHECK(scalable_kind.check(&other) == (i == 2 || i == 3 ? STATUS_PARAMETER : OK));
	}
	head.kind = KIND_BLOOM_BLOCK;
	CHECK(scalable_map(&s, &head, good.at) == STATUS_UNSUPPORTED);
	buffer_free(&good);
	scalable_free(s);
}

static double
fact(const struct facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->n; i++)
		if (strcmp(facts->at[i].name, name) == 0)
			return facts->at[i].type == FACT_COUNT ?
			    (double)facts->at[i].count : facts->at[i].real;
	CHECK(!"there is such a fact");
	return -1;
}

static void
facts_say_how_full_it_is(void)
{
	struct scalable *s = filter_for(1000, 0.01);
	struct facts facts = {0}, settings = {0};
	struct record head = {0};

	draw(4000, 13);
	add(s, hash, 4000);
	struct buffer payload = saved(s, &head);
	scalable_kind.facts(s, &facts);
	scalable_kind.settings(&head, &settings);
	CHECK(strcmp(facts.at[0].name, "type") == 0 && strcmp(facts.at[0].text, "scalable") == 0);
	CHECK_EQ(settings.n, 3);
	for (size_t i = 0; i < settings.n; i++)
		CHECK(strcmp(settings.at[i].name, facts.at[i].name) == 0);
	CHECK_EQ(fact(&settings, "first_capacity"), 1000);
	CHECK_EQ(fact(&facts, "stages"), 3);
	CHECK(fact(&facts, "wanted_fpp") == 0.01);
	CHECK(fact(&facts, "fpp") == scalable_fill(s).fpp);
	/* But for what fills a line up. */
	CHECK_IN(fact(&facts, "blocks"), (payload.len - 3 * 96) / 32, (payload.len - 3 * 64) / 32);
	CHECK_IN(fact(&facts, "fill"), 0.1, 0.5);
	CHECK_EQ(fact(&facts, "distinct") + fact(&facts, "room"), 7000);
	CHECK_EQ(scalable_bytes(s) / 32, fact(&facts, "blocks"));
	buffer_free(&payload);
	scalable_free(s);
}

int
main(void)
{
	hash = malloc(ROOM * sizeof *hash);
	has = malloc(ROOM * sizeof *has);
	if (!hash || !has)
		return 1;
	RUN(nothing_is_in_an_empty_filter);
	RUN(the_example_of_the_manual);
	RUN(stages_are_block_filters);
	RUN(only_the_order_decides);
	RUN(the_fpp_stays_below_the_wanted_one);
	RUN(repeats_take_no_room);
	RUN(united_filters_keep_their_stages);
	RUN(many_promises_together_are_broken_and_it_says_so);
	RUN(there_are_only_so_many_stages);
	RUN(no_memory_for_a_stage_is_said);
	RUN(a_saved_filter_loads_and_maps);
	RUN(stages_that_cannot_be_are_refused);
	RUN(facts_say_how_full_it_is);
	free(hash);
	free(has);
	return check_done();
}
