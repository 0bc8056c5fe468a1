/* sketchutils: BSD-2-Clause, see LICENSE */

/* What was seen, through a file and back: in pieces of any size, at any moment,
 * and united. */
#include "base/hash.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/seen_file.h"
#include "sketch/member/seen_kind.h"
#include "check.h"

#define MANY 60000

static uint64_t hash[MANY];
static bool fresh[MANY], wanted[MANY];

static struct seen *
new_seen(uint64_t bytes)
{
	struct seen *s = NULL;

	if (seen_new(&s, bytes) != OK)
		exit(1);
	return s;
}

static void
random_hashes(uint64_t seed)
{
	for (size_t i = 0; i < MANY; i++)
		hash[i] = i % 3 == 2 ? hash[check_random(&seed) % i] : check_random(&seed);
}

struct file {
	struct record head;
	struct buffer payload;
};

static struct file
save(const struct seen *s)
{
	struct file f = {0};

	seen_head(s, (struct seen_use){0}, &f.head);
	CHECK(seen_write(s, buffer_sink(&f.payload)) == OK);
	CHECK_EQ(f.payload.len, f.head.size);
	CHECK(seen_kind.check(&f.head) == OK);
	return f;
}

static bool
same_file(const struct file *a, const struct file *b)
{
	return memcmp(a->head.param, b->head.param, sizeof a->head.param) == 0 &&
	    a->payload.len == b->payload.len &&
	    (a->payload.len == 0 || memcmp(a->payload.at, b->payload.at, a->payload.len) == 0);
}

/* Of the file's own ceiling, or if it has none of this one. */
static struct seen *
load(const struct file *f, uint64_t bytes, size_t piece)
{
	uint64_t own = seen_bytes_of(&f->head);
	struct seen *s = new_seen(own > 0 ? own : bytes);
	struct seen_loader loader;

	CHECK(seen_load_start(&loader, s, &f->head, f->payload.at) == OK);
	for (size_t at = 0; at < f->payload.len; at += piece) {
		size_t n = piece < f->payload.len - at ? piece : f->payload.len - at;
		CHECK(seen_load_some(&loader, f->payload.at + at, n) == OK);
	}
	CHECK(seen_load_end(&loader) == OK);
	return s;
}

/* Saved and loaded again now and then, it answers as one that never was. */
static void
through_a_file_at_any_moment(void)
{
	static const uint64_t ceilings[] = {64 << 10, 200 << 10, 4 << 20};
	static const size_t pieces[] = {8, 24, 4096, 1 << 20};

	random_hashes(1);
	for (size_t c = 0; c < 3; c++) {
		struct seen *plain = new_seen(ceilings[c]), *moved = new_seen(ceilings[c]);
		CHECK(seen_meet(plain, hash, MANY, wanted) == OK);
		for (size_t i = 0, turn = 0; i < MANY; turn++) {
			size_t n = 1000 + turn * 977 % 9000;
			n = n < MANY - i ? n : MANY - i;
			CHECK(seen_meet(moved, hash + i, n, fresh + i) == OK);
			struct file f = save(moved);
			seen_free(moved);
			moved = load(&f, ceilings[c], pieces[turn % 4]);
			struct file again = save(moved);
			CHECK(same_file(&f, &again));
			buffer_free(&f.payload);
			buffer_free(&again.payload);
			i += n;
		}
		CHECK(memcmp(fresh, wanted, MANY) == 0);
		seen_free(plain);
		seen_free(moved);
	}
}

/* All shards as filters are one filter of sketch(5), bit for bit. */
static void
full_it_is_an_ordinary_block_filter(void)
{
	struct seen *s = new_seen(64 << 10);

	random_hashes(2);
	CHECK(seen_meet(s, hash, MANY, fresh) == OK);
	struct file f = save(s);
	CHECK_EQ(f.head.param[1], 0xffff);
	CHECK_EQ(f.payload.len, 64 << 10);
	struct bloom_shape shape = {.type = BLOOM_BLOCK, .size = 16 * f.head.param[0], .probes = 1};
	CHECK_EQ(bloom_bytes(&shape), f.payload.len);
	unsigned char *bits = calloc(1, f.payload.len);
	if (!bits)
		exit(1);
	bloom_bits_add(bits, &shape, hash, MANY);
	CHECK(memcmp(bits, f.payload.at, f.payload.len) == 0);
	free(bits);
	buffer_free(&f.payload);
	seen_free(s);
}

/* A file that was exact, loaded under a lower ceiling, is what it would be. */
static void
a_smaller_ceiling_makes_filters_of_it(void)
{
	struct seen *large = new_seen(4 << 20), *small = new_seen(64 << 10);

	random_hashes(3);
	CHECK(seen_meet(large, hash, MANY, fresh) == OK);
	CHECK(seen_meet(small, hash, MANY, fresh) == OK);
	struct file exact = save(large), filters = save(small);
	CHECK_EQ(exact.head.param[0], 0);
	struct seen *loaded = load(&exact, 64 << 10, 4096);
	struct file got = save(loaded);
	CHECK(same_file(&got, &filters));
	buffer_free(&exact.payload);
	buffer_free(&filters.payload);
	buffer_free(&got.payload);
	seen_free(large);
	seen_free(small);
	seen_free(loaded);
}

static void *
body_of(const struct file *f)
{
	struct buffer copy = {0};
	void *body = NULL;

	CHECK(buffer_append(&copy, f->payload.at, f->payload.len) == OK);
	CHECK(seen_kind.load(&body, &f->head, &copy) == OK);
	buffer_free(&copy);
	return body;
}

static struct file
file_of(const void *body)
{
	struct file f = {0};

	CHECK(seen_kind.save(body, &f.head, &f.payload) == OK);
	return f;
}

/* n of all hashes by one run, the others by a second one: united they are what
 * a run over all has seen. */
static void
unite(uint64_t ceiling, size_t n)
{
	struct seen *a = new_seen(ceiling), *b = new_seen(ceiling), *all = new_seen(ceiling);
	struct mismatch why;

	CHECK(seen_meet(a, hash, n, fresh) == OK);
	CHECK(seen_meet(b, hash + n, MANY - n, fresh) == OK);
	CHECK(seen_meet(all, hash, MANY, fresh) == OK);
	struct file fa = save(a), fb = save(b), want = save(all);
	void *one = body_of(&fa), *other = body_of(&fb);
	CHECK(seen_kind.merge(one, other, &why) == OK);
	struct file got = file_of(one);
	/* If neither has a filter, nobody knows the ceiling. */
	if (fa.head.param[0] > 0 || fb.head.param[0] > 0 || want.head.param[0] == 0)
		CHECK(same_file(&got, &want));
	CHECK_EQ(seen_record_has(one, hash, MANY, fresh), MANY);
	seen_kind.free(one);
	seen_kind.free(other);
	buffer_free(&fa.payload);
	buffer_free(&fb.payload);
	buffer_free(&want.payload);
	buffer_free(&got.payload);
	seen_free(a);
	seen_free(b);
	seen_free(all);
}

static void
united_they_are_one_run_over_both(void)
{
	random_hashes(4);
	for (uint64_t ceiling = 64 << 10; ceiling <= 1 << 20; ceiling *= 2)
		for (size_t n = 0; n <= MANY; n += MANY / 4)
			unite(ceiling, n);
}

static void
asked_it_answers_as_the_set_does(void)
{
	for (uint64_t ceiling = 64 << 10; ceiling <= 1 << 20; ceiling *= 2) {
		struct seen *s = new_seen(ceiling);
		random_hashes(5);
		CHECK(seen_meet(s, hash, MANY / 4, fresh) == OK);
		hash[7] = 0;
		seen_has(s, hash, MANY, wanted);
		struct file f = save(s);
		void *body = body_of(&f);
		seen_record_has(body, hash, MANY, fresh);
		CHECK(memcmp(fresh, wanted, MANY) == 0);
		seen_kind.free(body);
		buffer_free(&f.payload);
		seen_free(s);
	}
}

int
main(void)
{
	RUN(through_a_file_at_any_moment);
	RUN(full_it_is_an_ordinary_block_filter);
	RUN(a_smaller_ceiling_makes_filters_of_it);
	RUN(united_they_are_one_run_over_both);
	RUN(asked_it_answers_as_the_set_does);
	return check_done();
}
