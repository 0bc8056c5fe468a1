/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef UNIT_CUCKOO_FILTERS_H
#define UNIT_CUCKOO_FILTERS_H

#include "base/hash.h"
#include "sketch/member/cuckoo.h"
#include "check.h"

/* What the tests of cuckoo filters do alike. */

#define N_MAX 1100000

static uint64_t *hash, *absent;
static bool *has;

/* Hashes of different seeds are different items, but for one in 2^64. */
static inline void
draw(uint64_t *to, size_t n, uint64_t seed)
{
	uint64_t state = hash_step(seed, 7);

	for (size_t i = 0; i < n; i++)
		to[i] = check_random(&state);
}

static inline struct cuckoo *
filter_of(uint64_t buckets, unsigned bits)
{
	struct cuckoo_shape shape = {buckets, bits, 1, 0.01};
	struct cuckoo *c = NULL;

	CHECK(cuckoo_new(&c, &shape) == OK);
	if (!c)
		exit(1);
	return c;
}

static inline struct cuckoo *
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

static inline bool
add_one(struct cuckoo *c, uint64_t h)
{
	size_t done;
	enum status st = cuckoo_add(c, &h, 1, &done);

	CHECK(st == OK ? done == 1 : st == STATUS_FULL && done == 0);
	return st == OK;
}

static inline bool
has_one(const struct cuckoo *c, uint64_t h)
{
	bool is;

	CHECK(cuckoo_has(c, &h, 1, &is) == is);
	return is;
}

static inline bool
same_filter(const struct cuckoo *a, const struct cuckoo *b)
{
	struct record x = {0}, y = {0};

	cuckoo_head(a, &x);
	cuckoo_head(b, &y);
	return x.kind == y.kind && x.version == y.version && x.size == y.size &&
	    memcmp(x.param, y.param, sizeof x.param) == 0 &&
	    slice_equal(cuckoo_payload(a), cuckoo_payload(b));
}

static inline bool
victim_in_use(const struct cuckoo *c)
{
	struct record head = {0};

	cuckoo_head(c, &head);
	return head.param[5] != 0;
}

/* Through a file. */
static inline struct cuckoo *
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

static inline struct cuckoo *
reloaded(struct cuckoo *c)
{
	struct cuckoo *copy = copy_of(c);

	cuckoo_free(c);
	return copy;
}

/* Items until one is refused; how many are in. */
static inline size_t
fill_up(struct cuckoo *c, uint64_t seed)
{
	size_t done;

	draw(hash, 5 * cuckoo_shape(c)->buckets, seed);
	CHECK(cuckoo_add(c, hash, 5 * cuckoo_shape(c)->buckets, &done) == STATUS_FULL);
	return done;
}

/* Slot s of bucket i as the format says, bit by bit. */
static inline uint32_t
slot_in(struct slice payload, unsigned bits, uint64_t i, unsigned s)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < bits; k++) {
		uint64_t b = (4 * i + s) * bits + k;
		v |= (uint32_t)(payload.at[b / 8] >> b % 8 & 1) << k;
	}
	return v;
}

static inline void
filters_begin(void)
{
	hash = calloc(N_MAX, sizeof *hash);
	absent = calloc(N_MAX, sizeof *absent);
	has = calloc(N_MAX, sizeof *has);
	if (!hash || !absent || !has)
		exit(1);
}

static inline int
filters_done(void)
{
	free(hash);
	free(absent);
	free(has);
	return check_done();
}

#endif
