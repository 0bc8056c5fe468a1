/* sketchutils: BSD-2-Clause, see LICENSE */

/* Bloom filters: what they promise, beside the items that went in. */
#include <math.h>

#include "base/hash.h"
#include "sketch/member/bloom.h"
#include "check.h"

#define N_MAX 10000000

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

static struct bloom *
filter_of(struct bloom_shape shape)
{
	struct bloom *b = NULL;

	CHECK(bloom_new(&b, &shape) == OK);
	if (!b)
		exit(1);
	return b;
}

static struct bloom *
filter_for(enum bloom_type type, uint64_t n, double fpp)
{
	struct bloom_shape shape = {0};

	CHECK(bloom_shape_for(&shape, type, n, fpp));
	return filter_of(shape);
}

static bool
same_bits(const struct bloom *a, const struct bloom *b)
{
	return slice_equal(bloom_payload(a), bloom_payload(b));
}

static const struct kind *
kind_of(const struct bloom *b)
{
	return bloom_shape(b)->type == BLOOM_BLOCK ? &bloom_block_kind : &bloom_classic_kind;
}

static void
nothing_is_in_an_empty_filter(void)
{
	for (int type = BLOOM_BLOCK; type <= BLOOM_CLASSIC; type++) {
		struct bloom *b = filter_for(type, 0, 0.5);

		draw(hash, 1000, 1);
		bloom_add(b, hash, 0);
		CHECK_EQ(bloom_has(b, hash, 1000, has), 0);
		CHECK_EQ(bloom_has(b, hash, 0, has), 0);
		CHECK(bloom_fpp(b) == 0 && bloom_distinct(b) == 0);
		bloom_free(b);
	}
	bloom_free(NULL);
}

/* Of every size and number of probes, in batches of every length. */
static void
what_was_added_is_found(void)
{
	uint64_t state = 5;

	draw(hash, 5000, 2);
	for (unsigned round = 0; round < 100; round++) {
		struct bloom_shape s = {round % 2, 1 + check_random(&state) % 5000, 1, 1, 0.01};
		s.probes = 1 + check_random(&state) % (round % 2 ? 64 : 4);
		struct bloom *b = filter_of(s);
		struct bloom *singly = filter_of(s);
		size_t n = check_random(&state) % 700;

		for (size_t i = 0, step; i < n; i += step) {
			step = check_random(&state) % 300;
			step = step < n - i ? step : n - i;
			bloom_add(b, hash + i, step);
		}
		for (size_t i = n; i-- > 0; )
			bloom_add(singly, hash + i, 1);
		CHECK(same_bits(b, singly));
		CHECK_EQ(bloom_has(b, hash, n, has), n);
		for (size_t i = 0; i < n; i++)
			CHECK(has[i]);

		size_t found = bloom_has(b, hash, 5000, has);
		for (size_t i = 0; i < 500; i++) {
			bool alone;
			size_t one = bloom_has(b, hash + i, 1, &alone);
			CHECK(alone == has[i] && one == alone);
		}
		for (size_t i = 0; i < 5000; i++)
			found -= has[i];
		CHECK_EQ(found, 0);
		bloom_free(b);
		bloom_free(singly);
	}
}

/* The fpp that the bits say, and the one that absent items see. */
static void
promise_at(enum bloom_type type, uint64_t n, double fpp)
{
	/* Single small filters scatter. */
	unsigned filters = n <= 1000 ? 200 : 1;
	unsigned asked = 200000 / filters;
	unsigned worse = 0;
	double mean = 0, expected = 0;
	size_t found = 0;

	for (unsigned f = 0; f < filters; f++) {
		struct bloom *b = filter_for(type, n, fpp);

		draw(hash, n, 10 + f);
		draw(absent, asked, 1000000 + f);
		bloom_add(b, hash, n);
		CHECK_EQ(bloom_has(b, hash, n, has), n);
		found += bloom_has(b, absent, asked, has);
		mean += bloom_fpp(b) / filters;
		worse += bloom_fpp(b) > 1.1 * fpp;
		expected = bloom_expected_fpp(bloom_shape(b), n);
		bloom_free(b);
	}
	if (type == BLOOM_BLOCK || n >= 1000)
		CHECK_IN(mean, 0, 1.1 * fpp);
	if (type == BLOOM_BLOCK)
		CHECK_IN(worse, 0, filters / 100);
	if (n >= 1000)
		CHECK_IN(mean, 0.9 * expected, 1.1 * expected);
	/* Two numbers make all probes of a classic filter, and a few dozen
	 * bits can tell; see the theory's test below. */
	if (fpp >= 1e-4 && (type == BLOOM_BLOCK || n >= 1000)) {
		double hits = mean * asked * filters;
		CHECK_IN(found, hits - 5 * sqrt(hits) - 1, hits + 5 * sqrt(hits) + 1);
	}
}

static void
the_fpp_is_the_wanted_one(void)
{
	static const double fpp[] = {0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-8};
	static const uint64_t count[] = {1, 2, 10, 1000, 109397, 1000000, N_MAX};

	for (int type = BLOOM_BLOCK; type <= BLOOM_CLASSIC; type++)
		for (unsigned i = 0; i < 6; i++)
			for (unsigned k = 0; k < (check_long() ? 7u : 5u); k++)
				promise_at(type, count[k], fpp[i]);
	promise_at(BLOOM_BLOCK, 1000000, 0.01);
}

/* E[fill^k] without the textbook's shortcut. all[d] is the chance that d
 * given bits are set, and one more throw sets one of them or none; k probes
 * fall on d different bits with the chance different[d]. */
static double
classic_theory(const struct bloom_shape *s, uint64_t n)
{
	double all[65] = {1}, different[65] = {1}, fpp = 0;
	double m = (double)s->size;

	for (uint64_t i = 0; i < n * s->probes; i++)
		for (unsigned d = s->probes; d >= 1; d--)
			all[d] = d <= m ? d / m * all[d - 1] + (1 - d / m) * all[d] : 0;
	for (unsigned i = 0; i < s->probes; i++)
		for (unsigned d = i + 1; ; d--) {
			different[d] = different[d] * (d / m) +
			    (d > 0 ? different[d - 1] * (1 - (d - 1) / m) : 0);
			if (d == 0)
				break;
		}
	for (unsigned d = 1; d <= s->probes; d++)
		fpp += different[d] * all[d];
	return fpp;
}

static void
small_classic_filters_follow_the_theory(void)
{
	static const uint64_t count[] = {1, 2, 10, 100};
	static const double fpp[] = {0.1, 0.01, 1e-3};

	for (unsigned k = 0; k < 12; k++) {
		uint64_t n = count[k / 3];
		unsigned filters = 1000;
		double mean = 0, squares = 0;
		struct bloom_shape shape;

		CHECK(bloom_shape_for(&shape, BLOOM_CLASSIC, n, fpp[k % 3]));
		for (unsigned f = 0; f < filters; f++) {
			struct bloom *b = filter_of(shape);

			draw(hash, n, f * 100 + k);
			bloom_add(b, hash, n);
			double seen = bloom_fpp(b);
			mean += seen / filters;
			squares += seen * seen / filters;
			bloom_free(b);
		}
		double theory = classic_theory(&shape, n);
		double error = 4.5 * sqrt((squares - mean * mean) / filters);
		/* The probes of one item in 5 bits are not quite independent. */
		if (n == 1)
			error += 0.1 * theory;
		CHECK_IN(mean, theory - error, theory + error);
	}
}

static void
overfilling_costs_what_the_manual_says(void)
{
	for (int type = BLOOM_BLOCK; type <= BLOOM_CLASSIC; type++) {
		struct bloom *b = filter_for(type, 100000, 0.01);

		draw(hash, 200000, 3);
		draw(absent, 200000, 4);
		bloom_add(b, hash, 200000);
		CHECK_IN(bloom_fpp(b), 0.147, 0.16);
		CHECK_IN(bloom_has(b, absent, 200000, has) / 200000.0, 0.145, 0.163);
		bloom_free(b);
	}
}

static void
the_bits_tell_how_many_items_are_in(void)
{
	static const double fpp[] = {0.1, 0.01, 1e-4, 1e-6, 1e-8};

	draw(hash, 150000, 6);
	for (unsigned k = 0; k < 10; k++) {
		struct bloom *b = filter_for(k % 2, 50000, fpp[k / 2]);

		for (unsigned n = 0; n < 150000; n += 30000) {
			CHECK_IN(bloom_distinct(b), 0.985 * n, 1.015 * n);
			bloom_add(b, hash + n, 30000);
			bloom_add(b, hash, n);
		}
		bloom_free(b);
	}
	/* Every bit set: no number is too large. */
	struct bloom *full = filter_of((struct bloom_shape){BLOOM_CLASSIC, 10, 3, 1, 0.1});
	bloom_add(full, hash, 1000);
	CHECK(isinf(bloom_distinct(full)) && bloom_fpp(full) == 1);
	bloom_free(full);
}

static void
a_folded_filter_is_the_one_built_smaller(void)
{
	draw(hash, 3000, 8);
	for (unsigned k = 0; k < 60; k++) {
		struct bloom_shape large = {k % 2, 2520, 1 + k / 2 % 4, 3000, 0.01};
		struct bloom_shape small = large;
		unsigned factor = 1 + k / 2;

		if (k % 2)
			large.size = factor * UINT64_C(1237);
		if (large.size % factor != 0)
			continue;
		small.size = large.size / factor;
		struct bloom *a = filter_of(large);
		struct bloom *b = filter_of(small);
		bloom_add(a, hash, 3000);
		bloom_add(b, hash, 3000);

		if (large.size % (factor + 1) != 0)
			CHECK(bloom_fold(a, large.size / (factor + 1)) == STATUS_PARAMETER);
		CHECK(bloom_fold(a, 0) == STATUS_PARAMETER);
		CHECK(bloom_fold(a, small.size) == OK);
		CHECK(same_bits(a, b));
		CHECK_EQ(bloom_shape(a)->capacity, 3000 / factor);
		bloom_free(a);
		bloom_free(b);
	}
}

static void
united_parts_are_the_whole(void)
{
	struct mismatch why;

	draw(hash, 30000, 9);
	for (unsigned k = 0; k < 8; k++) {
		static const double fpp[] = {0.01, 1e-4, 1e-6, 1e-8};
		unsigned parts = 1 + k * 9;
		struct bloom *whole = filter_for(k % 2, 30000, fpp[k / 2]);
		struct bloom *sum = filter_of(*bloom_shape(whole));

		bloom_add(whole, hash, 30000);
		for (unsigned p = parts; p-- > 0; ) {
			struct bloom *part = filter_of(*bloom_shape(whole));
			size_t from = 30000 * (size_t)p / parts;
			size_t to = 30000 * (size_t)(p + 1) / parts;

			bloom_add(part, hash + from, to - from);
			CHECK(bloom_merge(sum, part, &why) == OK);
			CHECK(bloom_merge(sum, part, &why) == OK);
			bloom_free(part);
		}
		CHECK(same_bits(whole, sum));
		bloom_free(whole);
		bloom_free(sum);
	}
}

static void
unlike_filters_are_refused_by_name(void)
{
	struct bloom_shape s = {BLOOM_BLOCK, 100, 1, 1000, 0.01};
	struct bloom_shape t = s;
	struct mismatch why;
	struct bloom *a = filter_of(s);

	t.probes = 2;
	struct bloom *b = filter_of(t);
	CHECK(bloom_merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "probes 1 and 2") == 0);
	bloom_free(b);

	t.type = BLOOM_CLASSIC;
	b = filter_of(t);
	CHECK(bloom_merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "type block and classic") == 0);
	bloom_free(b);

	draw(hash, 2000, 11);
	bloom_add(a, hash, 2000);
	t = s;
	t.size = 75;
	b = filter_of(t);
	CHECK(bloom_merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strncmp(why.text, "blocks 100 and 75, folded to 25 the fpp is ", 43) == 0);
	CHECK_EQ(bloom_shape(a)->size, 100);
	CHECK_EQ(bloom_has(a, hash, 2000, has), 2000);
	CHECK_EQ(bloom_shape(b)->size, 75);
	bloom_free(b);

	/* Only fpp and capacity differ: the larger ones stay. */
	t = s;
	t.fpp = 0.02;
	t.capacity = 1200;
	b = filter_of(t);
	CHECK(bloom_merge(a, b, &why) == OK);
	CHECK(bloom_shape(a)->fpp == 0.02);
	CHECK_EQ(bloom_shape(a)->capacity, 1200);
	CHECK(bloom_merge(b, a, &why) == OK);
	CHECK(same_bits(a, b));
	bloom_free(b);
	bloom_free(a);
}

static void
unlike_sizes_fold_while_the_promise_holds(void)
{
	struct mismatch why;

	draw(hash, 2000, 12);
	for (int type = BLOOM_BLOCK; type <= BLOOM_CLASSIC; type++) {
		struct bloom_shape s = {type, type == BLOOM_BLOCK ? 90 : 20000, 1, 2000, 0.1};
		struct bloom_shape t = s;
		struct bloom_shape u = s;
		s.size *= 2;
		t.size *= 3;
		u.probes = t.probes = s.probes = type == BLOOM_BLOCK ? 1 : 7;
		struct bloom *a = filter_of(s), *a2 = filter_of(s);
		struct bloom *b = filter_of(t), *b2 = filter_of(t);
		struct bloom *small = filter_of(u);

		bloom_add(a, hash, 1200);
		bloom_or(a2, a);
		bloom_add(b, hash + 800, 1200);
		bloom_or(b2, b);
		bloom_add(small, hash, 2000);
		CHECK(bloom_merge(a, b, &why) == OK);
		CHECK(same_bits(a, small));
		CHECK(bloom_merge(b2, a2, &why) == OK);
		CHECK(same_bits(b2, small));
		CHECK_EQ(bloom_shape(a)->size, u.size);
		CHECK_EQ(bloom_shape(a)->capacity, 1000);
		CHECK_EQ(bloom_shape(b)->size, t.size);
		bloom_free(a);
		bloom_free(a2);
		bloom_free(b);
		bloom_free(b2);
		bloom_free(small);
	}
}

/* The same bytes on every machine: items are little-endian numbers. A second
 * program, written from the description alone, gave these payloads too. */
static void
payloads_are_the_same_everywhere(void)
{
	static const struct {
		enum bloom_type type;
		double fpp;
		uint64_t xxh3;
	} golden[] = {
		{BLOOM_BLOCK, 0.01, UINT64_C(13470499340596976817)},
		{BLOOM_BLOCK, 1e-5, UINT64_C(3564128903293184967)},
		{BLOOM_BLOCK, 1e-8, UINT64_C(5581028686066645371)},
		{BLOOM_CLASSIC, 0.01, UINT64_C(14038992899041975898)},
	};

	for (unsigned i = 0; i < 10000; i++) {
		unsigned char item[4];
		put_le32(item, i);
		hash[i] = hash_bytes(item, sizeof item, 0);
	}
	for (unsigned k = 0; k < sizeof golden / sizeof golden[0]; k++) {
		struct bloom *b = filter_for(golden[k].type, 10000, golden[k].fpp);

		bloom_add(b, hash, 10000);
		struct slice bits = bloom_payload(b);
		CHECK_EQ(hash_bytes(bits.at, bits.len, 0), golden[k].xxh3);
		bloom_free(b);
	}
}

static void
a_saved_filter_loads_and_maps(void)
{
	draw(hash, 2000, 13);
	for (unsigned k = 0; k < 4; k++) {
		struct bloom *b = filter_for(k % 2, 1000, k < 2 ? 0.01 : 1e-8);
		const struct kind *kind = kind_of(b);
		struct record head = {.flags = FLAG_AUTO, .items = 7};
		struct buffer payload = {0};
		struct bloom *mapped = NULL;
		void *loaded = NULL;
		struct mismatch why;

		bloom_add(b, hash, 1000);
		CHECK(kind->save(b, &head, &payload) == OK);
		CHECK(head.kind == kind->id && head.version == kind->version);
		CHECK_EQ(head.flags, FLAG_AUTO);
		CHECK_EQ(head.size, payload.len);
		CHECK(kind->check(&head) == OK);

		CHECK(bloom_map(&mapped, &head, payload.at) == OK);
		CHECK_EQ(bloom_has(mapped, hash, 1000, has), 1000);
		CHECK(bloom_fpp(mapped) == bloom_fpp(b));
		CHECK(bloom_bits(mapped) == NULL);
		bloom_free(mapped);

		CHECK(kind->load(&loaded, &head, &payload) == OK);
		CHECK(payload.at == NULL);
		CHECK(same_bits(loaded, b));
		CHECK_EQ(bloom_shape(loaded)->size, bloom_shape(b)->size);
		CHECK_EQ(bloom_shape(loaded)->probes, bloom_shape(b)->probes);
		CHECK_EQ(bloom_shape(loaded)->capacity, 1000);
		CHECK(bloom_shape(loaded)->fpp == bloom_shape(b)->fpp);
		bloom_add(loaded, hash, 2000);
		CHECK_EQ(bloom_has(loaded, hash, 2000, has), 2000);
		CHECK(kind->merge(b, loaded, &why) == OK);
		CHECK(same_bits(loaded, b));
		kind->free(loaded);
		bloom_free(b);
	}
}

static void
parameters_out_of_range_are_refused(void)
{
	struct bloom *b = filter_for(BLOOM_BLOCK, 1000, 0.01);
	struct record good = {0}, head;

	bloom_head(b, &good);
	bloom_free(b);
	for (unsigned i = 0; i < 8; i++) {
		static const uint64_t wrong[] = {0, 65, 256, UINT64_C(0x100000001), UINT64_C(1) << 59,
			(UINT64_C(1) << 40) + 1, UINT64_MAX, UINT64_C(0x7ff8000000000000),
			UINT64_C(0x3fe0000000000001)};
		for (unsigned k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
			head = good;
			head.param[i] = wrong[k];
			/* Any capacity will do, and an unused parameter of 0. */
			bool fine = i == 2 || (i >= 4 && wrong[k] == 0);
			enum status st = bloom_block_kind.check(&head);
			CHECK(fine ? st == OK : st == STATUS_PARAMETER ||
			    (i == 0 && st == STATUS_SIZE));
		}
	}
	head = good;
	head.size++;
	CHECK(bloom_block_kind.check(&head) == STATUS_SIZE);
	head = good;
	head.kind = KIND_HLL;
	CHECK(bloom_map(&b, &head, (const unsigned char *)"") == STATUS_UNSUPPORTED);

	struct bloom_shape s = {BLOOM_BLOCK, 0, 1, 1, 0.01};
	CHECK(bloom_new(&b, &s) == STATUS_PARAMETER);
	/* In range, but no machine of today has it. */
	s.size = BLOOM_BLOCKS_MAX;
	CHECK(bloom_new(&b, &s) == OK ? (bloom_free(b), true) : true);
}

static void
bits_past_the_last_are_refused(void)
{
	for (unsigned size = 1; size <= 16; size++)
		for (unsigned bit = 0; bit < 16; bit++) {
			struct bloom *b = filter_of((struct bloom_shape){BLOOM_CLASSIC, size, 2, 1, 0.1});
			struct record head = {0};
			struct buffer payload = {0};
			void *loaded = NULL;

			CHECK(bloom_classic_kind.save(b, &head, &payload) == OK);
			bloom_free(b);
			if (bit / 8 < payload.len) {
				payload.at[bit / 8] |= (unsigned char)(1u << bit % 8);
				enum status st = bloom_classic_kind.load(&loaded, &head, &payload);
				CHECK_EQ(st, bit < size ? OK : STATUS_INVARIANT);
				CHECK((loaded != NULL) == (st == OK));
				CHECK((payload.at == NULL) == (st == OK));
			}
			if (loaded)
				bloom_classic_kind.free(loaded);
			buffer_free(&payload);
		}
}

/* Whatever bytes come, there is a status or a filter that can be used. */
static void
random_records_do_no_harm(void)
{
	uint64_t state = 14;
	unsigned loads = 0;

	for (unsigned round = 0; round < 20000; round++) {
		const struct kind *kind = round % 2 ? &bloom_classic_kind : &bloom_block_kind;
		struct record head = {.kind = kind->id, .version = 1};
		struct buffer payload = {0};
		void *b = NULL;
		double fpp = 0.25;

		head.size = check_random(&state) % 200;
		for (unsigned i = 0; i < 4; i++)
			head.param[i] = check_random(&state) >> check_random(&state) % 64;
		if (round % 4 < 2) {
			memcpy(&head.param[3], &fpp, sizeof fpp);
			head.param[1] &= 3;
			head.size = round % 2 ? head.param[0] / 8 : head.param[0] * 32;
		}
		if (kind->check(&head) != OK || head.size > 4096)
			continue;
		for (uint64_t i = 0; i < head.size; i++) {
			unsigned char byte = (unsigned char)check_random(&state);
			CHECK(buffer_append(&payload, &byte, 1) == OK);
		}
		if (kind->load(&b, &head, &payload) == OK) {
			struct facts facts = {0};
			struct mismatch why;

			draw(hash, 300, round);
			bloom_add(b, hash, 300);
			CHECK_EQ(bloom_has(b, hash, 300, has), 300);
			kind->facts(b, &facts);
			CHECK(kind->merge(b, b, &why) == OK);
			kind->free(b);
			loads++;
		}
		buffer_free(&payload);
	}
	CHECK(loads > 100);
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
	struct bloom *b = filter_for(BLOOM_BLOCK, 10000, 0.01);
	struct facts facts = {0};

	draw(hash, 15000, 15);
	bloom_add(b, hash, 4000);
	bloom_block_kind.facts(b, &facts);
	CHECK(strcmp(facts.at[0].name, "type") == 0 && strcmp(facts.at[0].text, "block") == 0);
	CHECK(fact(&facts, "blocks") == (double)bloom_shape(b)->size);
	CHECK(fact(&facts, "probes") == 1);
	CHECK(fact(&facts, "capacity") == 10000);
	CHECK(fact(&facts, "wanted_fpp") == 0.01);
	CHECK(fact(&facts, "fpp") == bloom_fpp(b));
	CHECK_IN(fact(&facts, "fill"), 0.2, 0.4);
	CHECK_IN(fact(&facts, "distinct"), 3900, 4100);
	CHECK_IN(fact(&facts, "room"), 5900, 6200);

	bloom_add(b, hash, 15000);
	facts.n = 0;
	bloom_block_kind.facts(b, &facts);
	CHECK(fact(&facts, "room") == 0);
	bloom_free(b);
}

int
main(void)
{
	size_t room = check_long() ? N_MAX : 1000000;

	hash = malloc(room * sizeof *hash);
	absent = malloc(room * sizeof *absent);
	has = malloc(room * sizeof *has);
	if (!hash || !absent || !has)
		return 1;
	RUN(nothing_is_in_an_empty_filter);
	RUN(what_was_added_is_found);
	RUN(the_fpp_is_the_wanted_one);
	RUN(small_classic_filters_follow_the_theory);
	RUN(overfilling_costs_what_the_manual_says);
	RUN(the_bits_tell_how_many_items_are_in);
	RUN(a_folded_filter_is_the_one_built_smaller);
	RUN(united_parts_are_the_whole);
	RUN(unlike_filters_are_refused_by_name);
	RUN(unlike_sizes_fold_while_the_promise_holds);
	RUN(payloads_are_the_same_everywhere);
	RUN(a_saved_filter_loads_and_maps);
	RUN(parameters_out_of_range_are_refused);
	RUN(bits_past_the_last_are_refused);
	RUN(random_records_do_no_harm);
	RUN(facts_say_how_full_it_is);
	free(hash);
	free(absent);
	free(has);
	return check_done();
}
