/* sketchutils: BSD-2-Clause, see LICENSE */

/* Slots that double in place, beside a sorted array: random hashes, and ones
 * made to lie far from home, over the end, or all in one run. */
#include "sketch/member/slots.h"
#include "check.h"

#define MANY 100000
#define BYTES (2 << 20)
#define SHARD (UINT64_C(5) << 60)

static uint64_t hash[MANY], sorted[MANY];

static int
order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct listed {
	const uint64_t *want;
	size_t n, at;
};

static enum status
compare(void *context, const uint64_t *some, size_t n)
{
	struct listed *l = context;

	CHECK(n > 0 && n <= l->n - l->at &&
	    memcmp(some, l->want + l->at, n * sizeof *some) == 0);
	l->at += n;
	return OK;
}

/* Every hash can be found, and they are listed in order. */
static void
check_all(const struct slots *s, size_t n)
{
	struct listed list = {sorted, n, 0};

	memcpy(sorted, hash, n * sizeof *hash);
	qsort(sorted, n, sizeof *sorted, order);
	CHECK_EQ(s->taken, n);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(slots_hash(s, *slots_find(s, hash[i])), hash[i]);
	CHECK(slots_each(s, compare, &list) == OK);
	CHECK_EQ(list.at, n);
}

/* How far the slots of all hashes are from home, together. */
static uint64_t
way_to_all(const struct slots *s, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t at = (uint64_t)(slots_find(s, hash[i]) - s->at), home = slots_home(s, hash[i]);
		sum += at >= home ? at - home : at + s->size - home;
	}
	return sum;
}

/* The first n of hash[], which are distinct and of one shard. */
static void
holds(size_t n, bool salted)
{
	uint64_t size = slots_fit(BYTES), *at = calloc(size, sizeof *at);
	struct slots s;

	if (!at)
		exit(1);
	slots_init(&s, at, size, size - size / 8);
	check_all(&s, 0);
	for (size_t i = 0; i < n; i++) {
		uint64_t *where = slots_find(&s, hash[i]);
		CHECK(*where == 0);
		if (slots_full(&s)) {
			check_all(&s, i);
			CHECK(slots_double(&s) == OK);
			check_all(&s, i);
			where = slots_find(&s, hash[i]);
		}
		slots_put(&s, where, hash[i]);
	}
	check_all(&s, n);
	CHECK_EQ(s.salted, salted);
	/* A search is no longer than a few slots on average, whoever chose them. */
	if (salted)
		CHECK(way_to_all(&s, n) < 10 * n);
	free(at);
}

static void
random_hashes_keep_through_every_doubling(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < MANY; i++)
		hash[i] = SHARD | check_random(&state) >> SLOTS_TOP;
	holds(0, false);
	holds(1, false);
	holds(MANY, false);
}

/* One long run from home 0, in the middle, and over the end. */
static void
hashes_with_one_home_keep_too(void)
{
	static const uint64_t from[] = {
		SHARD, SHARD + (UINT64_C(7) << 56), SHARD + (~UINT64_C(0) >> SLOTS_TOP) - 1499,
	};

	for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
		for (size_t i = 0; i < 1500; i++)
			hash[i] = from[k] + i;
		holds(1500, false);
		for (size_t i = 0; i < 1500; i++)
			hash[i] = from[k] + 1499 - i;
		holds(1500, false);
	}
}

/* Half of them at the end, where they go around; the front is in use as well. */
static void
what_came_over_the_end_is_told_from_the_front(void)
{
	uint64_t last = SHARD + (~UINT64_C(0) >> SLOTS_TOP);

	for (size_t i = 0; i < 1400; i++)
		hash[i] = i % 2 ? SHARD + 1 + i : last - i;
	holds(1400, false);
}

/* With 5,000 side by side, 12 million steps would have been taken. */
static void
hashes_that_were_chosen_are_scattered(void)
{
	for (size_t i = 0; i < MANY; i++)
		hash[i] = SHARD + i;
	holds(5000, true);
	holds(MANY, true);
	for (size_t i = 0; i < MANY; i++)
		hash[i] = SHARD + (i << 20);
	holds(MANY, true);
}

static void
random_ones_are_not_when_the_largest_size_is_full(void)
{
	uint64_t state = 2, size = slots_fit(BYTES), *at = calloc(size, sizeof *at);
	struct slots s;

	if (!at)
		exit(1);
	slots_init(&s, at, size, size - size / 16);
	for (;;) {
		uint64_t h = SHARD | check_random(&state) >> SLOTS_TOP;
		if (slots_full(&s) && slots_double(&s) != OK)
			break;
		slots_put(&s, slots_find(&s, h), h);
	}
	CHECK_EQ(s.taken, size - size / 16);
	CHECK(!s.salted);
	free(at);
}

static void
the_largest_size_is_said_to_be_it(void)
{
	uint64_t size = slots_fit(4096), *at = calloc(size, sizeof *at);
	struct slots s;

	if (!at)
		exit(1);
	CHECK_EQ(size, 512);
	slots_init(&s, at, size, size - size / 8);
	CHECK(slots_double(&s) == STATUS_END);
	for (uint64_t i = 1; !slots_full(&s); i++)
		slots_put(&s, slots_find(&s, i), i);
	CHECK_EQ(s.taken, 448);
	free(at);
	for (uint64_t bytes = 4096; bytes < 1 << 20; bytes += 24) {
		uint64_t fit = slots_fit(bytes);
		CHECK(fit % 4 == 0 && fit * 8 <= bytes && fit * 8 + fit / 32 + 32 > bytes);
		CHECK_EQ(slots_fit(fit * 8), fit);
	}
}

int
main(void)
{
	RUN(random_hashes_keep_through_every_doubling);
	RUN(hashes_with_one_home_keep_too);
	RUN(what_came_over_the_end_is_told_from_the_front);
	RUN(hashes_that_were_chosen_are_scattered);
	RUN(random_ones_are_not_when_the_largest_size_is_full);
	RUN(the_largest_size_is_said_to_be_it);
	return check_done();
}
