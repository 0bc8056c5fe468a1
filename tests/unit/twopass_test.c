/* sketchutils: BSD-2-Clause, see LICENSE */

/* Two passes beside a plain marking of what comes for the first time. */
#include "sketch/member/twopass.h"
#include "check.h"

#define MANY 200000
#define CEILING (512 << 10)

static uint64_t hash[MANY];
static bool fresh[MANY], wanted[MANY];

/* So many different ones of which the first `repeated` come again. */
static void
make(size_t different, size_t repeated, uint64_t seed)
{
	static uint64_t kind[MANY];

	for (size_t i = 0; i < different; i++)
		kind[i] = check_random(&seed);
	for (size_t i = 0; i < MANY; i++) {
		wanted[i] = i < different;
		hash[i] = kind[i < different ? i : check_random(&seed) % repeated];
	}
}

static enum status
go_through(struct twopass *t, size_t n, size_t step)
{
	enum status st = OK;

	for (size_t i = 0; i < n; i += step)
		CHECK(twopass_look(t, hash + i, step < n - i ? step : n - i) == OK);
	st = twopass_turn(t);
	for (size_t i = 0; i < n && st == OK; i += step)
		st = twopass_meet(t, hash + i, step < n - i ? step : n - i, fresh + i);
	return st;
}

static void
exact(size_t different, size_t repeated, size_t step, enum status want)
{
	struct twopass *t = NULL;

	if (twopass_new(&t, CEILING) != OK)
		exit(1);
	make(different, repeated, different + repeated);
	CHECK(go_through(t, MANY, step) == want);
	if (want == OK)
		CHECK(memcmp(fresh, wanted, MANY) == 0);
	twopass_free(t);
}

static void
all_fit_or_only_those_that_repeat(void)
{
	exact(1, 1, 1000, OK);
	exact(20000, 20000, 7, OK);
	exact(100000, 1, 256, OK);
	exact(150000, 20000, 1, OK);
	exact(199000, 1000, 5000, OK);
	exact(MANY, 1, 300, OK);
}

static void
more_that_repeat_than_fit_is_said(void)
{
	exact(100000, 100000, 1000, STATUS_FULL);
}

static void
nothing_is_no_trouble(void)
{
	struct twopass *t = NULL;

	if (twopass_new(&t, TWOPASS_BYTES_MIN) != OK)
		exit(1);
	CHECK(go_through(t, 0, 1) == OK);
	twopass_free(t);
	twopass_free(NULL);
}

int
main(void)
{
	RUN(all_fit_or_only_those_that_repeat);
	RUN(more_that_repeat_than_fit_is_said);
	RUN(nothing_is_no_trouble);
	return check_done();
}
