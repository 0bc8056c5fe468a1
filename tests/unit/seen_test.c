/* sketchutils: BSD-2-Clause, see LICENSE */

/* What was seen, beside a sorted list: exact up to the ceiling, never a false
 * "new" past it, and as many losses as it says. */
#include <math.h>

#include "sketch/member/seen.h"
#include "check.h"

#define MANY 600000

static uint64_t hash[MANY];
static bool fresh[MANY], wanted[MANY], other[MANY];

static struct seen *
new_seen(uint64_t bytes)
{
	struct seen *s = NULL;

	if (seen_new(&s, bytes) != OK)
		exit(1);
	return s;
}

static struct seen_stats
stats_of(const struct seen *s)
{
	struct seen_stats stats;

	seen_stats(s, &stats);
	return stats;
}

/* All n, some at a time. */
static void
meet(struct seen *s, size_t n, size_t step, bool *answer)
{
	for (size_t i = 0; i < n; i += step)
		CHECK(seen_meet(s, hash + i, step < n - i ? step : n - i, answer + i) == OK);
}

static int
by_hash_then_place(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (hash[x] != hash[y])
		return hash[x] < hash[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* wanted[i]: is this the nth time that hash[i] comes? Returns how many are. */
static size_t
work_out(size_t n, unsigned nth)
{
	static uint32_t place[MANY];
	size_t total = 0;
	unsigned times = 0;

	for (size_t i = 0; i < n; i++)
		place[i] = (uint32_t)i;
	qsort(place, n, sizeof *place, by_hash_then_place);
	for (size_t i = 0; i < n; i++) {
		times = i > 0 && hash[place[i]] == hash[place[i - 1]] ? times + 1 : 1;
		wanted[place[i]] = times == nth;
		total += times == nth;
	}
	return total;
}

static void
random_hashes(size_t n, unsigned repeats, uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		hash[i] = repeats && i % repeats ? hash[check_random(&seed) % i] : check_random(&seed);
}

static void
up_to_the_ceiling_it_is_exact(void)
{
	static const size_t steps[] = {1, 100, 256, 10000};

	random_hashes(MANY, 2, 1);
	size_t n = work_out(MANY, 1);
	for (size_t k = 0; k < 4; k++) {
		struct seen *s = new_seen(16 << 20);
		meet(s, MANY, steps[k], fresh);
		CHECK(memcmp(fresh, wanted, MANY) == 0);
		CHECK_EQ(stats_of(s).exact, n);
		CHECK_EQ(stats_of(s).filters, 0);
		CHECK_IN(stats_of(s).lost, 0, 0);
		seen_free(s);
	}
}

static void
zero_and_one_are_taken_for_the_same(void)
{
	static const uint64_t some[] = {0, 1, 0, UINT64_MAX, UINT64_MAX};
	struct seen *s = new_seen(SEEN_BYTES_MIN);

	CHECK(seen_meet(s, some, 5, fresh) == OK);
	CHECK(fresh[0] && !fresh[1] && !fresh[2] && fresh[3] && !fresh[4]);
	seen_free(s);
}

static void
the_second_time_is_told_once(void)
{
	struct seen *s = new_seen(32 << 20);

	random_hashes(MANY, 3, 5);
	work_out(MANY, 2);
	for (size_t i = 0; i < MANY; i += 1000)
		CHECK(seen_meet_again(s, hash + i, 1000, fresh + i) == OK);
	CHECK(memcmp(fresh, wanted, MANY) == 0);
	CHECK_EQ(stats_of(s).filters, 0);
	seen_free(s);
}

/* A shard holds its 16th exactly, whichever hashes these are; the next one
 * turns it into a filter. */
static void
a_shard_turns_at_its_own_number(void)
{
	uint64_t state = 3;

	for (uint64_t bytes = SEEN_BYTES_MIN; bytes < 4 << 20; bytes = bytes * 3 + 40) {
		struct seen *s = new_seen(bytes);
		size_t n = (size_t)(stats_of(s).capacity / SEEN_SHARDS);
		for (size_t i = 0; i <= n; i++)
			hash[i] = (UINT64_C(9) << 60) | check_random(&state) >> 4;
		meet(s, n, 100, fresh);
		meet(s, n, n, fresh);
		CHECK_EQ(stats_of(s).filters, 0);
		CHECK_EQ(stats_of(s).exact, n);
		CHECK(seen_meet(s, hash + n, 1, fresh) == OK && fresh[0]);
		CHECK_EQ(stats_of(s).filters, 1);
		CHECK_EQ(stats_of(s).exact, 0);
		meet(s, n + 1, 1, fresh);
		for (size_t i = 0; i <= n; i++)
			CHECK(!fresh[i]);
		CHECK(stats_of(s).bytes <= bytes);
		seen_free(s);
	}
}

/* How many were lost, of all that were new. */
static double
losses(size_t n)
{
	double lost = 0;

	work_out(n, 1);
	for (size_t i = 0; i < n; i++) {
		CHECK(!fresh[i] || wanted[i]);
		lost += wanted[i] && !fresh[i];
	}
	return lost;
}

/* From nearly none to one in thirty. */
static void
past_the_ceiling_it_loses_what_it_says(void)
{
	for (uint64_t seed = 1; seed <= (check_long() ? 20 : 2); seed++) {
		for (uint64_t bytes = 512 << 10; bytes <= 2 << 20; bytes *= 2) {
			struct seen *s = new_seen(bytes);
			random_hashes(MANY, 4 * (seed % 2), seed);
			meet(s, MANY, 300, fresh);
			double said = stats_of(s).lost, real = losses(MANY);
			CHECK_IN(real, said * 0.97 - 5 * sqrt(said) - 1, said * 1.03 + 5 * sqrt(said) + 1);
			meet(s, MANY, 256, fresh);
			for (size_t i = 0; i < MANY; i++)
				CHECK(!fresh[i]);
			seen_free(s);
		}
	}
}

static void
how_many_at_a_time_does_not_matter_past_it_either(void)
{
	random_hashes(MANY, 3, 9);
	for (int again = 0; again < 2; again++) {
		for (size_t k = 0; k < 3; k++) {
			size_t step = k == 0 ? 1 : k == 1 ? 128 : 5000;
			bool *answer = k == 0 ? other : fresh;
			struct seen *s = new_seen(300 << 10);
			for (size_t i = 0; i < MANY; i += step) {
				size_t n = step < MANY - i ? step : MANY - i;
				CHECK((again ? seen_meet_again : seen_meet)(s, hash + i, n, answer + i) == OK);
			}
			CHECK(memcmp(answer, other, MANY) == 0);
			CHECK_EQ(stats_of(s).filters, SEEN_SHARDS);
			seen_free(s);
		}
	}
}

/* Made to lie in one run, at the front, over the end, and through the switch. */
static void
made_up_hashes_are_kept_too(void)
{
	static const uint64_t from[] = {
		1, UINT64_C(0x7123) << 48, UINT64_MAX - 4999, (UINT64_C(3) << 60) - 5000,
	};

	for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
		for (uint64_t bytes = SEEN_BYTES_MIN; bytes <= 1 << 20; bytes *= 4) {
			struct seen *s = new_seen(bytes);
			for (size_t i = 0; i < 5000; i++)
				hash[i] = from[k] + i;
			meet(s, 5000, 100, fresh);
			if (stats_of(s).filters == 0)
				for (size_t i = 0; i < 5000; i++)
					CHECK(fresh[i]);
			meet(s, 5000, 100, fresh);
			for (size_t i = 0; i < 5000; i++)
				CHECK(!fresh[i]);
			seen_free(s);
		}
	}
}

int
main(void)
{
	RUN(up_to_the_ceiling_it_is_exact);
	RUN(zero_and_one_are_taken_for_the_same);
	RUN(the_second_time_is_told_once);
	RUN(a_shard_turns_at_its_own_number);
	RUN(past_the_ceiling_it_loses_what_it_says);
	RUN(how_many_at_a_time_does_not_matter_past_it_either);
	RUN(made_up_hashes_are_kept_too);
	return check_done();
}
