/* sketchutils: BSD-2-Clause, see LICENSE */

/* Many threads, one filter: the one that a single thread would have built. */
#include <pthread.h>

#include "sketch/member/bloom_writer.h"
#include "sketch/member/counting.h"
#include "check.h"

#define ITEMS 60000
#define THREADS 4

static uint64_t hash[ITEMS];

struct job {
	struct bloom_shards *shards;
	const uint64_t *hash;
	size_t n;
	unsigned seed;
};

/* Batches of odd lengths, and a flush now and then. */
static void *
work(void *arg)
{
	struct job *job = arg;
	struct bloom_writer *writer = NULL;
	uint64_t state = job->seed;

	if (bloom_writer_new(&writer, job->shards) != OK)
		return NULL;
	for (size_t i = 0, step; i < job->n; i += step) {
		step = check_random(&state) % 500;
		step = step < job->n - i ? step : job->n - i;
		bloom_writer_add(writer, job->hash + i, step);
		if (step % 16 == 0)
			bloom_writer_flush(writer);
	}
	bloom_writer_flush(writer);
	bloom_writer_free(writer);
	return job;
}

/* Every item goes in as often as there are rounds. */
static void
work_together(struct bloom_shards *shards, unsigned threads, unsigned rounds)
{
	pthread_t thread[THREADS];
	struct job job[THREADS];

	while (rounds-- > 0) {
		for (unsigned t = 0; t < threads; t++) {
			job[t] = (struct job){shards, hash + ITEMS / threads * t, ITEMS / threads, t};
			CHECK(pthread_create(&thread[t], NULL, work, &job[t]) == 0);
		}
		for (unsigned t = 0; t < threads; t++) {
			void *done = NULL;
			CHECK(pthread_join(thread[t], &done) == 0 && done == &job[t]);
		}
	}
}

static void
build(struct bloom_shape shape, unsigned threads)
{
	struct bloom *whole = NULL, *shared = NULL;
	struct bloom_shards *shards = NULL;

	if (bloom_new(&whole, &shape) != OK || bloom_new(&shared, &shape) != OK)
		exit(1);
	bloom_add(whole, hash, ITEMS);
	if (bloom_shards_new(&shards, shared) != OK)
		exit(1);
	work_together(shards, threads, 1);
	bloom_shards_free(shards);
	CHECK(slice_equal(bloom_payload(whole), bloom_payload(shared)));
	bloom_free(whole);
	bloom_free(shared);
}

/* Counters, of which some run full. */
static void
count(struct bloom_shape shape, unsigned threads)
{
	struct counting *whole = NULL, *shared = NULL;
	struct bloom_shards *shards = NULL;

	if (counting_new(&whole, &shape) != OK || counting_new(&shared, &shape) != OK)
		exit(1);
	for (unsigned i = 0; i < 3; i++)
		counting_add(whole, hash, ITEMS);
	if (bloom_shards_on(&shards, counting_target(shared)) != OK)
		exit(1);
	work_together(shards, threads, 3);
	bloom_shards_free(shards);
	CHECK(slice_equal(counting_payload(whole), counting_payload(shared)));
	counting_free(whole);
	counting_free(shared);
}

static void
threads_build_what_one_builds(void)
{
	static const struct bloom_shape shape[] = {
		{BLOOM_BLOCK, 1, 1, 1, 0.01},
		{BLOOM_BLOCK, 127, 4, 1, 0.01},
		{BLOOM_BLOCK, 2467, 1, 1, 0.01},
		{BLOOM_BLOCK, 5000, 2, 1, 0.01},
		{BLOOM_BLOCK, 30011, 3, 1, 0.01},
		{BLOOM_CLASSIC, 1, 1, 1, 0.01},
		{BLOOM_CLASSIC, 32769, 2, 1, 0.01},
		{BLOOM_CLASSIC, 575105, 7, 1, 0.01},
		{BLOOM_CLASSIC, 5000000, 20, 1, 0.01},
	};

	for (unsigned k = 0; k < sizeof shape / sizeof shape[0]; k++)
		for (unsigned threads = 1; threads <= THREADS; threads++)
			build(shape[k], threads);
}

static void
threads_count_what_one_counts(void)
{
	static const struct bloom_shape shape[] = {
		{BLOOM_CLASSIC, 1, 3, 1, 0.01},
		{BLOOM_CLASSIC, 129, 2, 1, 0.01},
		{BLOOM_CLASSIC, 32769, 2, 1, 0.01},
		{BLOOM_CLASSIC, 575105, 7, 1, 0.01},
	};

	for (unsigned k = 0; k < sizeof shape / sizeof shape[0]; k++)
		for (unsigned threads = 1; threads <= THREADS; threads++)
			count(shape[k], threads);
}

int
main(void)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < ITEMS; i++)
		hash[i] = check_random(&state);
	bloom_shards_free(NULL);
	bloom_writer_free(NULL);
	RUN(threads_build_what_one_builds);
	RUN(threads_count_what_one_counts);
	return check_done();
}
