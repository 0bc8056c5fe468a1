/* sketchutils: BSD-2-Clause, see LICENSE */

/* Counting Bloom filters, beside plain counters that do what the manual says. */
#include <math.h>

#include "base/hash.h"
#include "sketch/member/bloom.h"
#include "sketch/member/counting.h"
#include "check.h"

#define N_MAX 200000

static uint64_t hash[N_MAX];
static bool has[N_MAX];

static void
draw(size_t n, uint64_t seed)
{
	uint64_t state = hash_step(seed, 7);

	for (size_t i = 0; i < n; i++)
		hash[i] = check_random(&state);
}

static struct counting *
filter_of(struct bloom_shape shape)
{
	struct counting *c = NULL;

	CHECK(counting_new(&c, &shape) == OK);
	if (!c)
		exit(1);
	return c;
}

static struct counting *
filter_for(uint64_t n, double fpp)
{
	struct bloom_shape shape = {0};

	CHECK(bloom_shape_for(&shape, BLOOM_CLASSIC, n, fpp));
	return filter_of(shape);
}

static bool
same(const struct counting *a, const struct counting *b)
{
	return slice_equal(counting_payload(a), counting_payload(b));
}

static unsigned
counter(const struct counting *c, uint64_t i)
{
	return counting_payload(c).at[i / 2] >> i % 2 * 4 & 15;
}

/* From sketch.5 alone. */
static void
places(uint64_t h, const struct bloom_shape *s, uint64_t *at)
{
	uint64_t a = h, b = hash_step(h, 1) | 1;

	for (unsigned i = 1; i <= s->probes; i++) {
		at[i - 1] = hash_place(a, s->size);
		a += b;
		b += i * UINT64_C(0x9e3779b97f4a7c15);
	}
}

/* Counters that are never cut off, but remember that they were past 14. */
struct model {
	struct bloom_shape shape;
	uint64_t due[4096];
	bool permanent[4096];
};

static void
model_add(struct model *m, uint64_t h)
{
	uint64_t at[BLOOM_CLASSIC_PROBES_MAX];

	places(h, &m->shape, at);
	for (unsigned j = 0; j < m->shape.probes; j++)
		m->permanent[at[j]] |= ++m->due[at[j]] >= 15;
}

static enum removal
model_remove(struct model *m, uint64_t h)
{
	uint64_t at[BLOOM_CLASSIC_PROBES_MAX];
	static uint64_t own[4096];
	enum removal said = REMOVE_PERMANENT;

	places(h, &m->shape, at);
	for (unsigned j = 0; j < m->shape.probes; j++)
		own[at[j]]++;
	for (unsigned j = 0; j < m->shape.probes; j++)
		if (!m->permanent[at[j]] && said != REMOVE_ABSENT)
			said = m->due[at[j]] < own[at[j]] ? REMOVE_ABSENT : REMOVED;
	for (unsigned j = 0; j < m->shape.probes; j++) {
		if (said == REMOVED && !m->permanent[at[j]])
			m->due[at[j]] -= own[at[j]];
		own[at[j]] = 0;
	}
	return said;
}

static bool
model_agrees(const struct model *m, const struct counting *c)
{
	for (uint64_t i = 0; i < m->shape.size; i++)
		if (counter(c, i) != (m->permanent[i] ? 15 : m->due[i]))
			return false;
	return true;
}

static void
the_example_of_the_manual(void)
{
	static const unsigned at[] = {45186, 89672, 1695, 32196, 48713, 14634, 85048};
	uint64_t abc = hash_bytes("abc", 3, 0);
	struct counting *c = filter_for(10000, 0.01);
	uint64_t sum = 0;

	CHECK_EQ(counting_shape(c)->size, 95851);
	counting_add(c, &abc, 1);
	counting_add(c, &abc, 1);
	for (unsigned i = 0; i < 7; i++)
		CHECK_EQ(counter(c, at[i]), 2);
	for (unsigned i = 0; i < 95851; i++)
		sum += counter(c, i);
	CHECK_EQ(sum, 14);
	CHECK_EQ(counting_payload(c).len, 47926);
	CHECK_EQ(counting_payload(c).at[22593] & 15, 2);
	counting_free(c);
	counting_free(NULL);
}

static void
fifteen_is_for_good(void)
{
	struct counting *c = filter_for(1000, 0.01);

	draw(2, 1);
	for (unsigned i = 1; i <= 20; i++) {
		counting_add(c, hash, 1);
		CHECK_EQ(counting_permanent(c), i < 15 ? 0 : counting_shape(c)->probes);
		if (i == 14) {
			CHECK(counting_remove(c, hash[0]) == REMOVED);
			counting_add(c, hash, 1);
		}
	}
	for (unsigned i = 0; i < 100; i++)
		CHECK(counting_remove(c, hash[0]) == REMOVE_PERMANENT);
	CHECK_EQ(counting_has(c, hash, 2, has), 1);
	CHECK(has[0]);
	CHECK(counting_remove(c, hash[1]) == REMOVE_ABSENT);
	counting_free(c);
}

/* What one copy adds, one removal takes; never more, and nothing by halves. */
static void
an_item_may_hit_a_counter_twice(void)
{
	struct bloom_shape shape = {BLOOM_CLASSIC, 101, 8, 100, 0.1};
	unsigned twice = 0;

	draw(500, 2);
	for (unsigned i = 0; i < 500; i++) {
		uint64_t at[8];
		unsigned most = 0;
		struct counting *c = filter_of(shape);

		places(hash[i], &shape, at);
		counting_add(c, &hash[i], 1);
		for (unsigned j = 0; j < 8; j++)
			most = counter(c, at[j]) > most ? counter(c, at[j]) : most;
		if (most > 1) {
			/* A filter in which each of its counters is 1, for others. */
			struct counting *others = filter_of(shape);
			unsigned char *cells = counting_target(others).at;

			for (unsigned j = 0; j < 8; j++)
				cells[at[j] / 2] |= (unsigned char)(1u << at[j] % 2 * 4);
			CHECK_EQ(counting_has(others, &hash[i], 1, has), 1);
			CHECK(counting_remove(others, hash[i]) == REMOVE_ABSENT);
			for (unsigned j = 0; j < 8; j++)
				CHECK_EQ(counter(others, at[j]), 1);
			counting_free(others);
			twice++;
		}
		CHECK(counting_remove(c, hash[i]) == REMOVED);
		CHECK(counting_fill(c).distinct == 0);
		CHECK(counting_remove(c, hash[i]) == REMOVE_ABSENT);
		counting_free(c);
	}
	CHECK_IN(twice, 100, 300);
}

/* Also things are removed that were never added, and counters run full. */
static void
it_does_what_plain_counters_do(void)
{
	static struct model m;
	uint64_t state = 3;
	unsigned said[3] = {0};

	for (unsigned round = 0; round < 300; round++) {
		struct bloom_shape s = {BLOOM_CLASSIC, 1 + check_random(&state) % 4096, 1, 1, 0.1};
		s.probes = 1 + check_random(&state) % (round % 3 ? 12 : 64);
		struct counting *c = filter_of(s);
		unsigned items = 1 + check_random(&state) % 300;

		memset(&m, 0, sizeof m);
		m.shape = s;
		draw(items, 100 + round);
		for (unsigned step = 0; step < 600; step++) {
			uint64_t h = hash[check_random(&state) % items];

			if (check_random(&state) % 5 < 3) {
				counting_add(c, &h, 1);
				model_add(&m, h);
			} else {
				enum removal is = counting_remove(c, h);
				CHECK(is == model_remove(&m, h));
				said[is]++;
			}
		}
		CHECK(model_agrees(&m, c));
		counting_has(c, hash, items, has);
		for (unsigned i = 0; i < items; i++) {
			uint64_t at[BLOOM_CLASSIC_PROBES_MAX];
			bool all = true;

			places(hash[i], &s, at);
			for (unsigned j = 0; j < s.probes; j++)
				all = all && counter(c, at[j]) > 0;
			CHECK(has[i] == all);
		}
		counting_free(c);
	}
	CHECK(said[REMOVED] > 1000 && said[REMOVE_ABSENT] > 1000 && said[REMOVE_PERMANENT] > 1000);
}

/* The answers, the fpp and the estimate are those of the classic filter. */
static void
it_answers_as_a_classic_filter(void)
{
	struct counting *c = filter_for(20000, 0.01);
	struct bloom *b = NULL;

	CHECK(bloom_new(&b, counting_shape(c)) == OK);
	draw(120000, 4);
	for (unsigned i = 0; i < 20000; i += 777) {
		unsigned n = 20000 - i < 777 ? 20000 - i : 777;
		counting_add(c, hash + i, n);
		bloom_add(b, hash + i, n);
	}
	/* And some that come and go. */
	counting_add(c, hash + 20000, 5000);
	for (unsigned i = 20000; i < 25000; i++)
		CHECK(counting_remove(c, hash[i]) == REMOVED);
	CHECK_EQ(counting_permanent(c), 0);
	CHECK_EQ(counting_has(c, hash, 20000, has), 20000);
	size_t found = counting_has(c, hash, 120000, has);
	CHECK_EQ(bloom_has(b, hash, 120000, has), found);
	CHECK_IN((double)(found - 20000) / 100000, 0.008, 0.011);
	CHECK(counting_fill(c).fpp == bloom_fpp(b));
	CHECK(counting_fill(c).distinct == bloom_distinct(b));
	counting_free(c);
	bloom_free(b);
}

/* In any order, in any split, with counters that run full on the way. */
static void
united_parts_are_the_whole(void)
{
	struct mismatch why;
	uint64_t state = 5;

	for (unsigned k = 0; k < 40; k++) {
		struct bloom_shape s = {BLOOM_CLASSIC, 1000 + k, 1 + k % 9, 1000, 0.01};
		struct counting *whole = filter_of(s), *merged = filter_of(s), *sum = filter_of(s);
		struct counting *part[8];

		for (unsigned p = 0; p < 8; p++)
			part[p] = filter_of(s);
		draw(1500, 50 + k);
		for (unsigned i = 0; i < 1500; i++) {
			unsigned copies = i % 50 == 0 ? 11 : 1;
			while (copies-- > 0)
				counting_add(part[check_random(&state) % 8], &hash[i], 1);
		}
		for (unsigned i = 1500; i-- > 0; )
			for (unsigned copies = i % 50 == 0 ? 11 : 1; copies > 0; copies--)
				counting_add(whole, &hash[i], 1);
		for (unsigned p = 0; p < 8; p++) {
			CHECK(counting_merge(merged, part[p], &why) == OK);
			CHECK(counting_merge(sum, part[7 - p], &why) == OK);
		}
		CHECK(same(whole, merged) && same(whole, sum));
		for (unsigned p = 0; p < 8; p++)
			counting_free(part[p]);
		counting_free(whole);
		counting_free(merged);
		counting_free(sum);
	}
}

static void
a_folded_filter_is_the_one_built_smaller(void)
{
	draw(3000, 8);
	for (unsigned factor = 1; factor <= 60; factor++) {
		struct bloom_shape large = {BLOOM_CLASSIC, 1237 * factor, 1 + factor % 5, 3000, 0.01};
		struct bloom_shape small = large;
		small.size = 1237;
		struct counting *a = filter_of(large), *b = filter_of(small);

		counting_add(a, hash, 3000);
		counting_add(b, hash, 3000);
		if (large.size % (factor + 1) != 0)
			CHECK(counting_fold(a, large.size / (factor + 1)) == STATUS_PARAMETER);
		CHECK(counting_fold(a, 0) == STATUS_PARAMETER);
		CHECK(counting_fold(a, small.size) == OK);
		CHECK(same(a, b));
		CHECK_EQ(counting_shape(a)->capacity, 3000 / factor);
		counting_free(a);
		counting_free(b);
	}
}

/* Each counter is the smaller one, so what both have can still be removed. */
static void
an_intersection_has_what_both_have(void)
{
	struct mismatch why;
	struct counting *a = filter_for(3000, 0.01), *b = filter_of(*counting_shape(a));
	struct counting *before = filter_of(*counting_shape(a));

	draw(3000, 9);
	counting_add(a, hash, 2000);
	counting_add(a, hash, 2000);
	counting_add(b, hash + 1000, 2000);
	CHECK(counting_merge(before, a, &why) == OK);
	CHECK(counting_intersect(a, b, &why) == OK);
	for (uint64_t i = 0; i < counting_shape(a)->size; i++) {
		unsigned x = counter(before, i), y = counter(b, i);
		CHECK_EQ(counter(a, i), x < y ? x : y);
	}
	CHECK_EQ(counting_has(a, hash + 1000, 1000, has), 1000);
	CHECK_IN(counting_has(a, hash, 1000, has) + counting_has(a, hash + 2000, 1000, has), 0, 100);
	for (unsigned i = 1000; i < 2000; i++)
		CHECK(counting_remove(a, hash[i]) == REMOVED);
	counting_free(a);
	counting_free(b);
	counting_free(before);
}

static void
unlike_sizes_fold_while_the_promise_holds(void)
{
	struct mismatch why;
	struct bloom_shape small = {BLOOM_CLASSIC, 20000, 7, 2000, 0.1}, s = small, t = small;

	draw(2000, 12);
	s.size *= 2;
	t.size *= 3;
	struct counting *a = filter_of(s), *b = filter_of(t), *whole = filter_of(small);
	counting_add(a, hash, 1200);
	counting_add(b, hash + 1200, 800);
	counting_add(whole, hash, 2000);
	CHECK(counting_merge(a, b, &why) == OK);
	CHECK(same(a, whole));
	CHECK_EQ(counting_shape(a)->capacity, 1000);
	CHECK_EQ(counting_shape(b)->size, t.size);
	CHECK(counting_intersect(b, a, &why) == OK);
	CHECK_EQ(counting_has(b, hash + 1200, 800, has), 800);
	counting_free(b);

	t.size = 7 * 2000;
	b = filter_of(t);
	CHECK(counting_merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strncmp(why.text, "counters 20000 and 14000, folded to 2000 the fpp is ", 52) == 0);
	CHECK(same(a, whole));
	counting_free(b);

	t = small;
	t.probes = 6;
	b = filter_of(t);
	CHECK(counting_merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "probes 7 and 6") == 0);
	CHECK(counting_intersect(a, b, &why) == STATUS_MISMATCH);
	counting_free(b);

	t = small;
	t.fpp = 0.2;
	t.capacity = 2500;
	b = filter_of(t);
	CHECK(counting_merge(a, b, &why) == OK);
	CHECK(counting_shape(a)->fpp == 0.2 && counting_shape(a)->capacity == 2500);
	counting_free(a);
	counting_free(b);
	counting_free(whole);
}

static void
a_saved_filter_loads_and_maps(void)
{
	struct counting *c = filter_for(1001, 0.01), *mapped = NULL;
	const struct kind *kind = &counting_kind;
	struct record head = {.flags = FLAG_AUTO, .items = 7}, seen;
	struct buffer payload = {0};
	struct slice view;
	void *loaded = NULL;

	draw(1000, 13);
	counting_add(c, hash, 1000);
	CHECK(kind->save(c, &head, &payload) == OK);
	CHECK(head.kind == KIND_BLOOM_COUNTING && head.version == 1 && head.flags == FLAG_AUTO);
	CHECK(kind->check(&head) == OK && head.size == payload.len);
	seen = head;
	kind->view(c, &seen, &view);
	CHECK(memcmp(&seen, &head, sizeof head) == 0);
	CHECK(slice_equal(view, (struct slice){payload.at, payload.len}));
	CHECK(counting_map(&mapped, &head, payload.at) == OK);
	CHECK_EQ(counting_has(mapped, hash, 1000, has), 1000);
	counting_free(mapped);
	CHECK(kind->load(&loaded, &head, &payload) == OK);
	CHECK(payload.at == NULL && same(loaded, c));
	for (unsigned i = 0; i < 1000; i++)
		CHECK(counting_remove(loaded, hash[i]) == REMOVED);
	CHECK(counting_fill(loaded).distinct == 0);
	kind->free(loaded);
	counting_free(c);
}

static void
parameters_out_of_range_are_refused(void)
{
	static const uint64_t wrong[] = {0, 65, 256, UINT64_C(0x100000001), UINT64_C(1) << 59,
		(UINT64_C(1) << 48) + 1, UINT64_MAX, UINT64_C(0x7ff8000000000000),
		UINT64_C(0x3fe0000000000001)};
	struct counting *c = filter_for(1000, 0.01);
	struct record good = {0}, head;

	counting_head(c, &good);
	counting_free(c);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
			head = good;
			head.param[i] = wrong[k];
			bool fine = i == 2 || (i >= 4 && wrong[k] == 0);
			enum status st = counting_kind.check(&head);
			CHECK(fine ? st == OK : st == STATUS_PARAMETER ||
			    (i == 0 && st == STATUS_SIZE));
		}
	head = good;
	head.size++;
	CHECK(counting_kind.check(&head) == STATUS_SIZE);
	head = good;
	head.kind = KIND_BLOOM_CLASSIC;
	CHECK(counting_map(&c, &head, (const unsigned char *)"") == STATUS_UNSUPPORTED);
	CHECK(counting_new(&c, &(struct bloom_shape){BLOOM_BLOCK, 9, 1, 1, 0.1}) == STATUS_PARAMETER);
	CHECK(counting_new(&c, &(struct bloom_shape){BLOOM_CLASSIC, 0, 1, 1, 0.1}) == STATUS_PARAMETER);
}

static void
a_counter_past_the_last_is_refused(void)
{
	for (unsigned size = 1; size <= 8; size++)
		for (unsigned bit = 0; bit < size / 2 * 8 + size % 2 * 8; bit++) {
			struct counting *c = filter_of((struct bloom_shape){BLOOM_CLASSIC, size, 2, 1, 0.1});
			struct record head = {0};
			struct buffer payload = {0};
			void *loaded = NULL;

			CHECK(counting_kind.save(c, &head, &payload) == OK);
			counting_free(c);
			payload.at[bit / 8] |= (unsigned char)(1u << bit % 8);
			enum status st = counting_kind.load(&loaded, &head, &payload);
			CHECK_EQ(st, bit < size * 4 ? OK : STATUS_INVARIANT);
			if (loaded)
				counting_kind.free(loaded);
			buffer_free(&payload);
		}
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
	struct counting *c = filter_for(10000, 0.01);
	struct facts facts = {0}, settings = {0};
	struct record head = {0};

	draw(4000, 15);
	counting_add(c, hash, 4000);
	for (unsigned i = 0; i < 20; i++)
		counting_add(c, hash, 1);
	counting_kind.facts(c, &facts);
	counting_head(c, &head);
	counting_kind.settings(&head, &settings);
	CHECK(strcmp(facts.at[0].name, "type") == 0 && strcmp(facts.at[0].text, "counting") == 0);
	CHECK_EQ(settings.n, 5);
	for (size_t i = 0; i < settings.n; i++)
		CHECK(strcmp(settings.at[i].name, facts.at[i].name) == 0);
	CHECK(fact(&facts, "counters") == 95851 && fact(&settings, "counters") == 95851);
	CHECK(fact(&facts, "probes") == 7 && fact(&facts, "capacity") == 10000);
	CHECK(fact(&facts, "wanted_fpp") == 0.01);
	CHECK(fact(&facts, "fpp") == counting_fill(c).fpp);
	CHECK_IN(fact(&facts, "fill"), 0.24, 0.27);
	CHECK_IN(fact(&facts, "distinct"), 3900, 4100);
	CHECK_IN(fact(&facts, "room"), 5900, 6200);
	CHECK_EQ(fact(&facts, "permanent"), 7);
	counting_free(c);
}

int
main(void)
{
	RUN(the_example_of_the_manual);
	RUN(fifteen_is_for_good);
	RUN(an_item_may_hit_a_counter_twice);
	RUN(it_does_what_plain_counters_do);
	RUN(it_answers_as_a_classic_filter);
	RUN(united_parts_are_the_whole);
	RUN(a_folded_filter_is_the_one_built_smaller);
	RUN(an_intersection_has_what_both_have);
	RUN(unlike_sizes_fold_while_the_promise_holds);
	RUN(a_saved_filter_loads_and_maps);
	RUN(parameters_out_of_range_are_refused);
	RUN(a_counter_past_the_last_is_refused);
	RUN(facts_say_how_full_it_is);
	return check_done();
}
