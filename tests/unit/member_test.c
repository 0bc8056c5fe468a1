/* sketchutils: BSD-2-Clause, see LICENSE */

/* What all membership filters promise alike, each beside a plain set. */
#include <math.h>

#include "base/hash.h"
#include "sketch/member/form.h"
#include "sketch/kinds.h"
#include "sketch/member/member.h"
#include "check.h"

#define BATCH 200
#define ASK_MAX 2000000

static uint64_t *hash;
static bool *has;

/* Hashes of different seeds are different items, but for one in 2^64. */
static void
draw(uint64_t *to, size_t n, uint64_t seed)
{
	uint64_t state = hash_step(seed, 7);

	for (size_t i = 0; i < n; i++)
		to[i] = check_random(&state);
}

/* False if the type does not go as low or as high as this fpp. */
static bool
filter_for(struct sketch *s, const struct member *m, uint64_t capacity, double fpp)
{
	struct form form;

	if (!form_for(&form, m->kind, capacity, fpp))
		return false;
	*s = (struct sketch){.kind = kind_find(m->kind), .head = {.kind = m->kind}};
	s->head.hash = s->kind->hash ? s->kind->hash : HASH_XXH3;
	CHECK(form_empty(&form, &s->body) == OK);
	return s->body != NULL;
}

static struct buffer
written(const struct sketch *s)
{
	struct buffer bytes = {0};

	CHECK(sketch_write(s, (struct slice){0}, buffer_sink(&bytes)) == OK);
	return bytes;
}

static bool
same(const struct sketch *a, const struct sketch *b)
{
	struct buffer x = written(a), y = written(b);
	bool equal = slice_equal((struct slice){x.at, x.len}, (struct slice){y.at, y.len});

	buffer_free(&x);
	buffer_free(&y);
	return equal;
}

/* A record's bytes, as a body to ask and as one that can be changed. */
static void
parsed(struct buffer *bytes, struct record *head, struct slice *payload)
{
	struct slice extension;
	size_t used;

	CHECK(record_parse((struct slice){bytes->at, bytes->len}, head, &extension, payload, &used) == OK);
	CHECK(used == bytes->len && kind_check(head) == OK);
	CHECK(record_verify((struct slice){bytes->at, bytes->len}) == OK);
}

static void
reload(struct sketch *s)
{
	struct buffer bytes = written(s), payload = {0};
	struct slice in;
	struct record head;

	parsed(&bytes, &head, &in);
	CHECK(buffer_append(&payload, in.at, in.len) == OK);
	sketch_free(s);
	CHECK(sketch_load(s, &head, &payload) == OK);
	buffer_free(&payload);
	buffer_free(&bytes);
}

static void
every_type_is_named_once(void)
{
	size_t n = 0;

	for (const struct member *m; (m = member_row(n)); n++) {
		const struct kind *kind = kind_find(m->kind);
		const struct form_type *type = form_type(m->kind);

		CHECK(member_find(m->kind) == m);
		CHECK(kind && (strncmp(kind->name, "bloom-", 6) == 0 || strcmp(kind->name, "cuckoo") == 0));
		CHECK(type && strcmp(type->name, m->type) == 0);
		CHECK(m->map && m->has && m->add && m->promise && m->fill);
		for (size_t i = 0; i < n; i++)
			CHECK(strcmp(member_row(i)->type, m->type) != 0 && member_row(i)->kind != m->kind);
	}
	CHECK(n >= 5);
	CHECK(member_find(KIND_HLL) == NULL && member_row(1000) == NULL);
}

/*
 * Items 0..n-1 of a world, each with the number of its copies in the filter.
 * Items that are never added are the others.
 */
#define WORLD_MAX 6000

struct world {
	const struct member *m;
	struct sketch s;
	uint64_t state;
	size_t items, asked;         /* asked: steps so far */
	uint64_t hash[WORLD_MAX];
	unsigned copies[WORLD_MAX];
	size_t pick[BATCH];          /* the items of the batch at hand */
	uint64_t batch[BATCH];
	bool has[BATCH];
};

static size_t
choose(struct world *w)
{
	size_t n = 1 + check_random(&w->state) % BATCH;

	for (size_t i = 0; i < n; i++) {
		w->pick[i] = check_random(&w->state) % w->items;
		w->batch[i] = w->hash[w->pick[i]];
	}
	w->asked += n;
	return n;
}

static void
must_be_found(struct world *w, const void *body, size_t n)
{
	size_t found = w->m->has(body, w->batch, n, w->has);

	for (size_t i = 0; i < n; i++) {
		CHECK(w->copies[w->pick[i]] == 0 || w->has[i]);
		found -= w->has[i];
	}
	CHECK_EQ(found, 0);
}

static void
step_add(struct world *w, size_t n)
{
	size_t done = 0;
	enum status st = w->m->add(w->s.body, w->batch, n, &done);

	CHECK(st == OK ? done == n : st == STATUS_FULL && done < n && w->m->kind == KIND_CUCKOO);
	for (size_t i = 0; i < done; i++)
		w->copies[w->pick[i]]++;
}

/* What was there before, or came earlier in this batch, must be found. */
static void
step_meet(struct world *w, size_t n)
{
	size_t done = 0;
	enum status st = member_meet(w->m, w->s.body, w->batch, n, w->has, &done);

	CHECK(st == OK ? done == n : st == STATUS_FULL && done < n && w->m->kind == KIND_CUCKOO);
	for (size_t i = 0; i < done; i++) {
		CHECK(w->copies[w->pick[i]] == 0 || w->has[i]);
		w->copies[w->pick[i]] += !w->has[i];
	}
}

/* Only what was added, and as often. Others may have made it permanent. */
static void
step_remove(struct world *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned *copies = &w->copies[w->pick[i]];

		if (*copies == 0)
			continue;
		enum removal said = w->m->remove(w->s.body, w->batch[i]);
		CHECK(said != REMOVE_ABSENT);
		*copies -= said == REMOVED;
	}
}

/* Through a file, and asked where it lies in it. */
static void
step_save(struct world *w, size_t n)
{
	struct buffer bytes = written(&w->s);
	struct record head;
	struct slice payload;
	void *body = NULL;

	parsed(&bytes, &head, &payload);
	CHECK(w->m->map(&body, &head, payload.at) == OK);
	must_be_found(w, body, n);
	w->s.kind->free(body);
	buffer_free(&bytes);
	reload(&w->s);
}

/* Some rounds only add, so that filters get as full as can be; in others items
 * come and go, and in some the same few come again and again. */
static void
round_of(struct world *w, size_t steps)
{
	uint64_t round = check_random(&w->state);
	uint64_t capacity = 1 + check_random(&w->state) % (round % 4 ? 4000 : 40);
	double fpp = ldexp(0.3, -(int)(check_random(&w->state) % 12));

	w->items = round % 3 ? 1 + capacity + capacity / 3 : 1 + capacity / 20;
	if (!filter_for(&w->s, w->m, capacity, fpp))
		return;
	draw(w->hash, w->items, round);
	memset(w->copies, 0, sizeof w->copies);
	for (size_t end = w->asked + steps; w->asked < end; ) {
		unsigned what = (unsigned)(check_random(&w->state) % 1000);
		size_t n = choose(w);

		if (what < 4)
			step_save(w, n);
		else if (what < 350)
			must_be_found(w, w->s.body, n);
		else if (what < 650 && w->m->remove && round % 5)
			step_remove(w, n);
		else if (what < 750)
			step_meet(w, n);
		else
			step_add(w, n);
	}
	sketch_free(&w->s);
}

/* 10^8 steps for every type if there is time. */
static void
nothing_that_was_added_is_denied(void)
{
	static struct world w;
	size_t all = check_long() ? 50000000 : 400000;

	for (size_t row = 0; (w.m = member_row(row)); row++) {
		w.state = 100 + row;
		w.asked = 0;
		while (w.asked < all)
			round_of(&w, 30000);
	}
}

static void
removing_what_is_surely_absent_changes_nothing(void)
{
	for (size_t row = 0; member_row(row); row++) {
		const struct member *m = member_row(row);
		struct sketch s;
		size_t done, absent = 0;

		if (!m->remove || !filter_for(&s, m, 1000, 0.01))
			continue;
		draw(hash, 2000, row);
		CHECK(m->add(s.body, hash, 900, &done) == OK && done == 900);
		struct buffer before = written(&s);
		m->has(s.body, hash + 900, 1100, has);
		for (size_t i = 0; i < 1100; i++)
			if (!has[i])
				absent += m->remove(s.body, hash[900 + i]) == REMOVE_ABSENT;
		CHECK(absent > 1050);
		struct buffer after = written(&s);
		CHECK(slice_equal((struct slice){before.at, before.len}, (struct slice){after.at, after.len}));
		buffer_free(&before);
		buffer_free(&after);
		sketch_free(&s);
	}
}

/* Full to the capacity: what the filter says, and what absent items see. */
static void
full(const struct member *m, uint64_t n, double fpp)
{
	/* Single small filters scatter. */
	unsigned filters = n <= 1000 ? 50 : 1;
	size_t asked = (check_long() ? ASK_MAX : 200000) / filters;
	double mean = 0, found = 0;
	struct sketch s;

	for (unsigned f = 0; f < filters; f++) {
		size_t done;

		if (!filter_for(&s, m, n, fpp))
			return;
		draw(hash, n, 10 + f);
		CHECK(m->add(s.body, hash, n, &done) == OK && done == n);
		CHECK_EQ(m->has(s.body, hash, n, has), n);
		mean += m->fill(s.body).fpp / filters;
		draw(hash, asked, 1000000 + f);
		found += (double)m->has(s.body, hash, asked, has);
		sketch_free(&s);
	}
	CHECK_IN(mean, 0, 1.1 * fpp);
	double hits = mean * (double)asked * filters;
	CHECK_IN(found, 0, hits + 5 * sqrt(hits) + 1);
}

static void
the_fpp_at_capacity_is_the_wanted_one(void)
{
	static const double fpp[] = {0.1, 0.01, 1e-3, 1e-4};
	static const uint64_t count[] = {1000, 20000, 300000, 1500000};

	for (size_t row = 0; member_row(row); row++)
		for (unsigned i = 0; i < 4; i++)
			for (unsigned k = 0; k < (check_long() ? 4u : 2u); k++)
				full(member_row(row), count[k], fpp[i]);
}

/* Those that answer worse when they are full tell so, and how many are in. */
static void
the_fill_tells_what_is_in(void)
{
	for (size_t row = 0; member_row(row); row++) {
		const struct member *m = member_row(row);
		struct sketch s;
		size_t done;

		if (!filter_for(&s, m, 10000, 0.01))
			continue;
		CHECK(m->fill(s.body).distinct == 0 && m->fill(s.body).fpp == 0);
		struct promise promise = m->promise(s.body);
		CHECK(promise.capacity >= 10000 && promise.fpp == 0.01);
		CHECK(promise.capacity < UINT64_MAX || promise.most == 0.01);
		draw(hash, 10000, row);
		CHECK(m->add(s.body, hash, 8000, &done) == OK);
		CHECK_IN(m->fill(s.body).distinct, 7850, 8150);
		double before = m->fill(s.body).fpp;
		CHECK(before > 0);
		CHECK(m->add(s.body, hash + 8000, 2000, &done) == OK);
		CHECK(m->fill(s.body).fpp > before);
		sketch_free(&s);
	}
}

/* One at a time, asked and then added. */
static void
meeting_is_asking_then_adding(void)
{
	for (size_t row = 0; member_row(row); row++) {
		const struct member *m = member_row(row);
		uint64_t state = row;
		struct sketch s, slow;
		size_t n = 5000;

		if (!filter_for(&s, m, 4000, 0.2) || !filter_for(&slow, m, 4000, 0.2))
			continue;
		draw(hash, n, 50 + row);
		for (size_t i = 1; i < n; i++)
			if (check_random(&state) % 3 == 0)
				hash[i] = hash[i - 1 - check_random(&state) % (i < 30 ? i : 30)];
		for (size_t i = 0, step, done; i < n; i += step) {
			step = 1 + check_random(&state) % 600;
			step = step < n - i ? step : n - i;
			CHECK(member_meet(m, s.body, hash + i, step, has + i, &done) == OK && done == step);
		}
		for (size_t i = 0; i < n; i++) {
			bool was;
			size_t done;

			m->has(slow.body, &hash[i], 1, &was);
			CHECK(was == has[i]);
			CHECK(was || m->add(slow.body, &hash[i], 1, &done) == OK);
		}
		CHECK(same(&s, &slow));
		sketch_free(&s);
		sketch_free(&slow);
	}
}

/* As many as fit, and what of them is in is said; the others are untouched. */
static void
a_full_one_says_how_far_it_got(void)
{
	struct sketch s;
	size_t done;
	const struct member *m = member_find(KIND_CUCKOO);

	if (!m || !filter_for(&s, m, 1000, 0.01))
		return;
	draw(hash, 4000, 3);
	CHECK(member_meet(m, s.body, hash, 4000, has, &done) == STATUS_FULL);
	CHECK_IN(done, 1000, 1300);
	CHECK_EQ(m->has(s.body, hash, done, has), done);
	sketch_free(&s);
}

/* All of both are found, an empty one adds nothing, and where the order of
 * items makes no difference, that of filters makes none. */
static void
united_filters_hold_both(void)
{
	for (size_t row = 0; member_row(row); row++) {
		const struct member *m = member_row(row);
		struct sketch a, b, a2, b2, empty, whole;
		struct sketch *all[] = {&a, &b, &a2, &b2, &empty, &whole};
		struct mismatch why;
		size_t done;

		for (unsigned i = 0; i < 6; i++)
			CHECK(filter_for(all[i], m, 4000, 0.01));
		draw(hash, 3000, 70 + row);
		CHECK(m->add(a.body, hash, 1800, &done) == OK);
		CHECK(m->add(a2.body, hash, 1800, &done) == OK);
		CHECK(m->add(b.body, hash + 1200, 1800, &done) == OK);
		CHECK(m->add(b2.body, hash + 1200, 1800, &done) == OK);
		CHECK(m->add(whole.body, hash, 1800, &done) == OK);
		CHECK(m->add(whole.body, hash + 1200, 1800, &done) == OK);

		CHECK(sketch_merge(&a, &empty, &why) == OK);
		if (m->kind != KIND_CUCKOO)
			CHECK(same(&a, &a2));
		CHECK(sketch_merge(&empty, &a2, &why) == OK);
		CHECK_EQ(m->has(empty.body, hash, 1800, has), 1800);

		CHECK(sketch_merge(&a, &b, &why) == OK);
		CHECK(sketch_merge(&b2, &a2, &why) == OK);
		CHECK_EQ(m->has(a.body, hash, 3000, has), 3000);
		CHECK_EQ(m->has(b2.body, hash, 3000, has), 3000);
		if (!form_type(m->kind)->ordered && m->kind != KIND_BLOOM_DCSO)
			CHECK(same(&a, &b2) && same(&a, &whole));
		if (m->remove) {
			for (size_t i = 1200; i < 1800; i++)
				CHECK(m->remove(a.body, hash[i]) == REMOVED);
			CHECK_EQ(m->has(a.body, hash, 3000, has), 3000);
		}
		for (unsigned i = 0; i < 6; i++)
			sketch_free(all[i]);
	}
}

/* Whatever a payload is, there is a status, or a filter that can be asked. */
static void
damaged_payloads_do_no_harm(void)
{
	uint64_t state = 9;
	size_t mapped = 0;

	for (size_t row = 0; member_row(row); row++)
		for (unsigned round = 0; round < 300; round++) {
			const struct member *m = member_row(row);
			struct sketch s;
			struct record head;
			struct slice in;
			struct buffer payload = {0};
			void *body = NULL;
			size_t done;

			if (!filter_for(&s, m, 1 + check_random(&state) % 300, 0.02))
				break;
			draw(hash, 600, round);
			CHECK(m->add(s.body, hash, 200, &done) == OK || m->kind == KIND_CUCKOO);
			struct buffer bytes = written(&s);
			parsed(&bytes, &head, &in);
			CHECK(buffer_append(&payload, in.at, in.len) == OK);
			for (unsigned k = 0; k < (round % 3 ? 1u : 2000u) && payload.len > 0; k++)
				payload.at[check_random(&state) % (round % 2 ? 64 : payload.len) % payload.len] =
				    (unsigned char)check_random(&state);
			if (m->map(&body, &head, payload.at) == OK) {
				size_t found = m->has(body, hash, 600, has);
				CHECK(found <= 600);
				m->fill(body);
				s.kind->free(body);
				mapped++;
			}
			buffer_free(&payload);
			buffer_free(&bytes);
			sketch_free(&s);
		}
	CHECK(mapped > 500);
}

int
main(void)
{
	hash = malloc(ASK_MAX * sizeof *hash);
	has = malloc(ASK_MAX * sizeof *has);
	if (!hash || !has)
		return 1;
	RUN(every_type_is_named_once);
	RUN(nothing_that_was_added_is_denied);
	RUN(removing_what_is_surely_absent_changes_nothing);
	RUN(the_fpp_at_capacity_is_the_wanted_one);
	RUN(the_fill_tells_what_is_in);
	RUN(meeting_is_asking_then_adding);
	RUN(a_full_one_says_how_far_it_got);
	RUN(united_filters_hold_both);
	RUN(damaged_payloads_do_no_harm);
	free(hash);
	free(has);
	return check_done();
}
