/* sketchutils: BSD-2-Clause, see LICENSE */

/* Who may pass, beside plain lists of what has passed: exact up to the ceiling;
 * past it never more than the limit, and as many held back wrongly as it says. */
#include "sketch/frequency/limiter.h"
#include "check.h"

#define MANY 200000

static uint64_t hash[MANY], weight[MANY];
static bool passes[MANY], other[MANY], wanted[MANY];

static struct limiter *
new_limiter(struct meter_form form, uint64_t bytes)
{
	struct limiter *l = NULL;

	if (limiter_new(&l, form, bytes) != OK)
		exit(1);
	return l;
}

static struct limiter_stats
stats_of(const struct limiter *l)
{
	struct limiter_stats stats;

	limiter_stats(l, &stats);
	return stats;
}

/* Hash number k of a stream. */
static uint64_t
nth(uint64_t k)
{
	return check_random(&k);
}

/* Nearly alike in how often they come, or some much more often than others. */
static void
random_hashes(size_t n, uint64_t distinct, bool skewed, uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t k = check_random(&seed) % distinct;
		if (skewed)
			k = k * (check_random(&seed) % distinct) / distinct;
		hash[i] = nth(k);
		weight[i] = check_random(&seed) % 4;
	}
}

/*
 * The reference: what has passed of each hash in each pane, in a ring of them.
 */
static struct {
	uint64_t *hash, *passed;
	int64_t *newest;             /* when its ring was last looked at */
	uint64_t hashes, panes;
} book;

static void
book_close(void)
{
	free(book.hash);
	free(book.passed);
	free(book.newest);
	book.hash = book.passed = NULL;
	book.newest = NULL;
}

static void
book_open(uint64_t hashes, uint64_t panes)
{
	book_close();
	book.hashes = hashes;
	book.panes = panes;
	book.hash = calloc(hashes, sizeof *book.hash);
	book.passed = calloc(hashes * panes, sizeof *book.passed);
	book.newest = calloc(hashes, sizeof *book.newest);
	if (!book.hash || !book.passed || !book.newest)
		exit(1);
}

/* Its ring, in which the places of panes that have begun since are empty. */
static uint64_t *
book_find(uint64_t h, int64_t newest)
{
	uint64_t i = h % book.hashes;

	while (book.hash[i] != 0 && book.hash[i] != h)
		i = (i + 1) % book.hashes;
	book.hash[i] = h;
	uint64_t *passed = book.passed + i * book.panes;
	if (newest - book.newest[i] > (int64_t)book.panes)
		book.newest[i] = newest - (int64_t)book.panes;
	while (book.newest[i] < newest)
		passed[(uint64_t)++book.newest[i] % book.panes] = 0;
	return passed;
}

static uint64_t
book_sum(const uint64_t *passed, int64_t from, int64_t to)
{
	uint64_t sum = 0;

	for (int64_t pane = from; pane <= to; pane++)
		sum += passed[(uint64_t)pane % book.panes];
	return sum;
}

/* What has passed that a line of this age looks at. */
static uint64_t
book_seen(const struct meter_form *f, const uint64_t *passed, int64_t newest, unsigned age)
{
	int64_t pane = newest - age;

	return f->tumbling ? book_sum(passed, pane, pane) :
	    book_sum(passed, pane - f->back, newest);
}

static void
book_put(uint64_t *passed, int64_t pane, uint64_t w)
{
	passed[(uint64_t)pane % book.panes] += w;
}

static void
pass_all(struct limiter *l, size_t n, size_t step, const uint64_t *w, bool *answer)
{
	for (size_t i = 0; i < n; i += step)
		CHECK(limiter_pass(l, 0, hash + i, w ? w + i : NULL, step < n - i ? step : n - i,
		    answer + i) == OK);
}

/* wanted[]: what passes without a window. Returns how many. */
static size_t
work_out(const struct meter_form *f, size_t n, const uint64_t *w)
{
	size_t total = 0;

	book_open(1 << 19, 1);
	for (size_t i = 0; i < n; i++) {
		uint64_t *passed = book_find(hash[i], 0), one = w ? w[i] : 1;
		wanted[i] = *passed + one <= f->limit;
		if (wanted[i])
			*passed += one;
		total += wanted[i];
	}
	return total;
}

static void
up_to_the_ceiling_it_is_exact(void)
{
	static const uint64_t limits[] = {1, 2, 10, 1000, METER_LIMIT_MAX};
	static const size_t steps[] = {1, 100, 256, 10000, MANY};

	for (size_t k = 0; k < 5; k++) {
		const uint64_t *w = k % 2 ? weight : NULL;
		struct meter_form f = meter_for_ever(limits[k]);
		struct limiter *l = new_limiter(f, 16 << 20);

		random_hashes(MANY, MANY / 3 / (k + 1), k % 2, k);
		size_t n = work_out(&f, MANY, w);
		pass_all(l, MANY, steps[k], w, passes);
		CHECK(memcmp(passes, wanted, MANY) == 0);
		CHECK_EQ(stats_of(l).passed, n);
		CHECK_EQ(stats_of(l).sketches, 0);
		limiter_free(l);
	}
}

static void
weights_of_nothing_pass_and_those_above_the_limit_never_do(void)
{
	static const uint64_t some[] = {0, 1, 5, 5, 5, 5, 5};
	static const uint64_t weights[] = {4, 3, 10, UINT64_MAX >> 1, 7, 0, 1};
	struct limiter *l = new_limiter(meter_for_ever(7), LIMITER_BYTES_MIN);
	bool answer[7];

	CHECK(limiter_pass(l, 0, some, weights, 7, answer) == OK);
	/* The hashes 0 and 1 are one to it. */
	CHECK(answer[0] && answer[1] && !answer[2] && !answer[3] && answer[4] && answer[5] &&
	    !answer[6]);
	CHECK(limiter_pass(l, 0, some, NULL, 2, answer) == OK);
	CHECK(!answer[0] && !answer[1]);
	CHECK_EQ(stats_of(l).hashes, 2);
	limiter_free(l);
}

/* A stream through time: n lines, in order or out of it, many or few in a pane,
 * and gaps. Checks that no window has more than the limit; with `exact`, too, that
 * what there is room for passes. Returns how many it did not let pass. */
static size_t
run_through_time(struct limiter *l, const struct meter_form *f, size_t n, bool exact,
    unsigned ages, size_t many, uint64_t seed)
{
	size_t lost = 0;
	int64_t newest = 100;

	for (size_t i = 0; i < n; ) {
		uint64_t r = check_random(&seed);
		unsigned age = ages ? (unsigned)(r >> 8) % (ages + 1) : 0;
		size_t run = (size_t)(r >> 16) % (r % 7 == 0 ? many : 2);
		uint64_t panes = r >> 48 & 0xff ? (r >> 40) % 3 : f->panes + (r >> 40) % 3;

		if (run > n - i)
			run = n - i;
		newest += (int64_t)panes;
		CHECK(limiter_advance(l, panes) == OK);
		CHECK(limiter_pass(l, age, hash + i, weight + i, run, passes + i) == OK);
		for (; run-- > 0; i++) {
			uint64_t *passed = book_find(hash[i], newest);
			bool fits = book_seen(f, passed, newest, age) + weight[i] <= f->limit;
			CHECK(fits || !passes[i]);
			CHECK(!exact || fits == passes[i]);
			lost += fits && !passes[i];
			if (passes[i])
				book_put(passed, newest - age, weight[i]);
		}
	}
	return lost;
}

static void
windows_that_slide_or_tumble_are_exact(void)
{
	static const uint64_t limits[] = {1, 3, 6, 31, 50, 1000, 1000000, METER_LIMIT_MAX};

	for (size_t k = 0; k < 32; k++) {
		unsigned ages = k / 8 % 2 ? 8 : 0;
		struct meter_form f = k < 16 ? meter_sliding(limits[k % 8], 8, ages) :
		    meter_tumbling(limits[k % 8], ages / 8);
		struct limiter *l = new_limiter(f, 16 << 20);

		random_hashes(40000, k % 3 ? 10 : 500, true, k);
		for (size_t i = 0; i < 40000; i++)
			weight[i] = weight[i] * limits[k % 8] / 8 + 1;
		book_open(1024, 32);
		run_through_time(l, &f, 40000, true, f.tumbling ? ages / 8 : ages, 64, k);
		CHECK_EQ(stats_of(l).sketches, 0);
		limiter_free(l);
	}
}

/* 20,000 panes without a gap, of 4 lines each: their stamps come to an end. */
static void
stamps_begin_again(void)
{
	for (size_t k = 0; k < 4; k++) {
		bool exact = k < 2;
		struct meter_form f = k % 2 ? meter_tumbling(2, 1) : meter_sliding(3, 8, 8);
		struct limiter *l = new_limiter(f, LIMITER_BYTES_MIN);

		/* In a pane with so many it turns into sketches, which stay. */
		random_hashes(MANY, exact ? 30 : MANY, false, k);
		book_open(1 << 19, 32);
		for (size_t i = exact ? MANY : 0; i < MANY; i++) {
			CHECK(limiter_pass(l, 0, hash + i, NULL, 1, passes + i) == OK);
			if (passes[i])
				book_put(book_find(hash[i], 0), 0, 1);
		}
		/* So few that the limit is always reached. */
		size_t few = f.tumbling ? 1 : 6;
		for (size_t i = 0; i < 80000; i++) {
			int64_t newest = (int64_t)(i / 4);
			unsigned age = i % 4 == 3 && newest > 0;
			uint64_t *passed = book_find(hash[i % few], newest);
			bool fits = book_seen(&f, passed, newest, age) < f.limit;

			if (i % 4 == 0 && i > 0)
				CHECK(limiter_advance(l, 1) == OK);
			CHECK(limiter_pass(l, age, hash + i % few, NULL, 1, passes) == OK);
			CHECK(exact ? passes[0] == fits : fits || !passes[0]);
			if (passes[0])
				book_put(passed, newest - age, 1);
		}
		CHECK_EQ(stats_of(l).sketches, exact ? 0 : LIMITER_SHARDS);
		limiter_free(l);
	}
}

static void
who_has_gone_takes_no_memory(void)
{
	struct meter_form f = meter_sliding(5, 8, 8);
	struct limiter *l = new_limiter(f, 8 << 20);
	uint64_t most = 0, k = 0;

	/* A thousand new hashes a pane, one of which is the last one's. */
	for (unsigned pane = 0; pane < 400; pane++) {
		for (size_t i = 0; i < 1000; i++)
			hash[i] = nth(k++);
		k--;
		CHECK(limiter_pass(l, 0, hash, NULL, 1000, passes) == OK);
		CHECK(limiter_advance(l, 1) == OK);
		if (stats_of(l).bytes > most)
			most = stats_of(l).bytes;
	}
	CHECK_EQ(stats_of(l).sketches, 0);
	/* 17,000 are within the window, of 24 bytes. */
	CHECK_IN(most, 17000 * 24, 17000 * 24 * 4);
	/* Nobody is left: nor is their memory. */
	CHECK(limiter_advance(l, 17) == OK);
	CHECK_IN(stats_of(l).bytes, 0, 300000);
	CHECK_EQ(stats_of(l).hashes, 0);
	limiter_free(l);
}

/* In a shard at a time, as threads do: nothing else matters. */
static void
shards_may_go_one_after_the_other(void)
{
	struct meter_form f = meter_for_ever(3);
	struct limiter *a = new_limiter(f, 512 << 10), *b = new_limiter(f, 512 << 10);

	random_hashes(MANY, 80000, true, 7);
	pass_all(a, MANY, 256, NULL, passes);
	CHECK(stats_of(a).sketches > 0);
	for (uint64_t shard = 0; shard < LIMITER_SHARDS; shard++)
		for (size_t i = 0; i < MANY; i++)
			if (hash[i] >> 60 == shard)
				CHECK(limiter_pass(b, 0, hash + i, NULL, 1, other + i) == OK);
	CHECK(memcmp(passes, other, MANY) == 0);
	CHECK_IN(stats_of(a).lost, stats_of(b).lost, stats_of(b).lost);
	limiter_free(a);
	limiter_free(b);
}

/* Has no more than the limit passed? */
static void
check_limit(const struct meter_form *f, size_t n, const uint64_t *w)
{
	book_open(1 << 19, 1);
	for (size_t i = 0; i < n; i++)
		if (passes[i]) {
			uint64_t *passed = book_find(hash[i], 0);
			*passed += w ? w[i] : 1;
			CHECK(*passed <= f->limit);
		}
}

static void
past_the_ceiling_no_more_than_the_limit_passes(void)
{
	static const uint64_t limits[] = {1, 2, 5, 1000};

	for (size_t k = 0; k < (check_long() ? 8 : 4); k++) {
		struct meter_form f = meter_for_ever(limits[k % 4]);
		struct limiter *l = new_limiter(f, LIMITER_BYTES_MIN);
		const uint64_t *w = k % 2 ? weight : NULL;

		random_hashes(MANY, k % 4 < 2 ? MANY : MANY / 4, k < 2, k);
		pass_all(l, MANY, 256, w, passes);
		check_limit(&f, MANY, w);
		CHECK_EQ(stats_of(l).sketches, LIMITER_SHARDS);
		limiter_free(l);
	}
}

static void
past_the_ceiling_no_window_has_more_either(void)
{
	for (size_t k = 0; k < 4; k++) {
		struct meter_form f = k < 2 ? meter_sliding(5, 8, 8 * (unsigned)k) :
		    meter_tumbling(3, (unsigned)k - 2);
		struct limiter *l = new_limiter(f, LIMITER_BYTES_MIN);

		random_hashes(MANY, 40000, k % 2, k);
		book_open(1 << 17, 32);
		size_t lost = run_through_time(l, &f, MANY, false, k == 1 ? 8 : k == 3, 20000, k);
		CHECK_IN(lost, f.tumbling ? 0 : 10, MANY / 2);
		limiter_free(l);
	}
}

/* Without a window half a percent, which the sample has hardly seen; in one that
 * stands still, where a meter takes more bits, a third or more. */
static void
what_is_held_back_wrongly_is_as_much_as_it_says(void)
{
	for (size_t k = 0; k < 4; k++) {
		struct meter_form f = k < 2 ? meter_for_ever(2) : meter_sliding(k - 1, 8, 0);
		struct limiter *l = new_limiter(f, LIMITER_BYTES_MIN);
		size_t lost = 0;

		random_hashes(MANY, MANY / 2, k % 2, k);
		work_out(&f, MANY, NULL);
		pass_all(l, MANY, 256, NULL, passes);
		for (size_t i = 0; i < MANY; i++)
			lost += wanted[i] && !passes[i];
		struct limiter_stats stats = stats_of(l);
		CHECK_IN(stats.lost, (double)lost * (k < 2 ? 0.25 : 0.8),
		    (double)lost * (k < 2 ? 2 : 1.25));
		CHECK_IN(stats.due, MANY * 0.3, MANY);
		limiter_free(l);
	}
}

int
main(void)
{
	RUN(up_to_the_ceiling_it_is_exact);
	RUN(weights_of_nothing_pass_and_those_above_the_limit_never_do);
	RUN(windows_that_slide_or_tumble_are_exact);
	RUN(stamps_begin_again);
	RUN(who_has_gone_takes_no_memory);
	RUN(shards_may_go_one_after_the_other);
	RUN(past_the_ceiling_no_more_than_the_limit_passes);
	RUN(past_the_ceiling_no_window_has_more_either);
	RUN(what_is_held_back_wrongly_is_as_much_as_it_says);
	book_close();
	return check_done();
}
