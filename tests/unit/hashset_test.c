/* sketchutils: BSD-2-Clause, see LICENSE */

/* A set of hashes beside a sorted array, and what being full means. */
#include <pthread.h>

#include "sketch/member/hashset.h"
#include "check.h"

#define MANY 400000

static uint64_t hash[MANY], sorted[MANY];

static int
order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t
distinct(const uint64_t *from, size_t n)
{
	size_t kept = 0;

	memcpy(sorted, from, n * sizeof *from);
	qsort(sorted, n, sizeof *sorted, order);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || sorted[kept - 1] != sorted[i])
			sorted[kept++] = sorted[i];
	return kept;
}

static struct {
	uint64_t at[MANY];
	size_t n;
} got;

static void
take(void *context, const uint64_t *some, size_t n)
{
	CHECK(context == &got);
	for (size_t i = 0; i < n && got.n < MANY; i++)
		got.at[got.n++] = some[i];
}

/* Does the set hold what the array does, each once? */
static void
compare(struct hashset *s, const uint64_t *from, size_t n)
{
	size_t wanted = distinct(from, n);

	got.n = 0;
	hashset_each(s, take, &got);
	CHECK_EQ(got.n, wanted);
	CHECK_EQ(hashset_count(s), wanted);
	qsort(got.at, got.n, sizeof *got.at, order);
	CHECK(got.n == wanted && memcmp(got.at, sorted, wanted * sizeof *sorted) == 0);
}

static struct hashset *
new_set(uint64_t bytes)
{
	struct hashset *s = NULL;

	if (hashset_new(&s, bytes) != OK)
		exit(1);
	return s;
}

static void
holds_what_was_added(size_t n)
{
	struct hashset *s = new_set(64 << 20);

	for (size_t i = 0, step; i < n; i += step) {
		step = 1 + i % 777;
		step = step < n - i ? step : n - i;
		CHECK(hashset_add(s, hash + i, step) == OK);
	}
	compare(s, hash, n);
	hashset_free(s);
}

static void
random_hashes_with_repeats(void)
{
	static const size_t count[] = {0, 1, 2, 819, 13107, 13108, MANY};
	uint64_t state = 1;

	for (size_t i = 0; i < MANY; i++)
		hash[i] = i % 3 == 2 ? hash[check_random(&state) % i] : check_random(&state);
	for (size_t k = 0; k < sizeof count / sizeof *count; k++)
		holds_what_was_added(count[k]);
}

/* Runs that wrap around a shard's end, equal homes, one shard alone. */
static void
hashes_made_to_collide(void)
{
	for (size_t i = 0; i < 3000; i++)
		hash[i] = UINT64_MAX - i;
	holds_what_was_added(3000);
	for (size_t i = 0; i < 3000; i++)
		hash[i] = i;
	holds_what_was_added(3000);
	for (size_t i = 0; i < 3000; i++)
		hash[i] = (i % 5 << 60) + (UINT64_C(7) << 40) + i / 5;
	holds_what_was_added(3000);
}

static void
zero_is_a_hash_like_others(void)
{
	struct hashset *s = new_set(1 << 20);
	uint64_t some[] = {0, 1, 0, UINT64_MAX, 1, 0};

	CHECK(hashset_add(s, some + 1, 1) == OK);
	CHECK_EQ(hashset_count(s), 1);
	CHECK(hashset_add(s, some, 6) == OK);
	compare(s, some, 6);
	hashset_free(s);
}

/* Exactly the capacity fits; the next one does not, whichever it is. */
static void
full_is_one_more_than_the_capacity(void)
{
	uint64_t state = 7;

	for (size_t i = 0; i < MANY; i++)
		hash[i] = check_random(&state);
	hash[17] = 0;
	for (uint64_t bytes = 1 << 20; bytes <= 3 << 20; bytes += 700001) {
		struct hashset *s = new_set(bytes);
		uint64_t fits = hashset_capacity(s);

		CHECK_IN(fits * 10.0, 0.98 * 16 / 17 * (double)bytes, (double)bytes);
		CHECK(hashset_add(s, hash, fits) == OK);
		CHECK(hashset_add(s, hash, fits) == OK);
		CHECK_EQ(hashset_count(s), fits);
		CHECK(hashset_add(s, hash + fits, 1) == STATUS_END);
		CHECK(hashset_add(s, hash, 1) == STATUS_END);
		hashset_free(s);

		/* Backwards, and 0 as the last one. */
		s = new_set(bytes);
		for (uint64_t i = fits + 1; i-- > 18; )
			CHECK(hashset_add(s, hash + i, 1) == OK);
		CHECK(hashset_add(s, hash, 17) == OK);
		CHECK(hashset_add(s, hash + 17, 1) == STATUS_END);
		hashset_free(s);
	}
}

/* Made-up hashes fill one shard: then the whole set is full. */
static void
full_when_one_shard_is(void)
{
	struct hashset *s = new_set(HASHSET_BYTES_MIN);
	size_t n = 0;

	for (size_t i = 0; i < 2000; i++)
		hash[i] = UINT64_C(0x5000000000000000) + (i << 40);
	while (n < 2000 && hashset_add(s, hash + n, 1) == OK)
		n++;
	CHECK(n > 0 && n < 2000 && n < hashset_capacity(s));
	CHECK_EQ(hashset_count(s), n);
	hashset_free(s);
}

#define THREADS 4

struct work {
	struct hashset *set;
	const uint64_t *hash;
	size_t n;
	enum status status;
};

static void *
work(void *p)
{
	struct work *w = p;

	for (size_t i = 0; i < w->n && w->status == OK; i += 100)
		w->status = hashset_add(w->set, w->hash + i, w->n - i < 100 ? w->n - i : 100);
	return NULL;
}

/* Each thread adds all, from another place on. */
static enum status
add_by_threads(struct hashset *s, size_t n)
{
	pthread_t thread[THREADS];
	struct work job[THREADS];
	enum status st = OK;

	for (size_t i = 0; i < THREADS; i++) {
		job[i] = (struct work){s, hash + n / 8 * i, n - n / 8 * i, OK};
		CHECK(pthread_create(&thread[i], NULL, work, &job[i]) == 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		if (job[i].status != OK)
			st = job[i].status;
	}
	return st;
}

static void
threads_agree(void)
{
	struct hashset *s = new_set(3 << 20);
	size_t fits = (size_t)hashset_capacity(s);
	uint64_t state = 11;

	CHECK(fits < MANY);

	for (size_t i = 0; i <= fits; i++)
		hash[i] = check_random(&state);
	CHECK(add_by_threads(s, fits) == OK);
	compare(s, hash, fits);
	CHECK(add_by_threads(s, fits + 1) == STATUS_END);
	hashset_free(s);
}

int
main(void)
{
	hashset_free(NULL);
	RUN(random_hashes_with_repeats);
	RUN(hashes_made_to_collide);
	RUN(zero_is_a_hash_like_others);
	RUN(full_is_one_more_than_the_capacity);
	RUN(full_when_one_shard_is);
	RUN(threads_agree);
	return check_done();
}
