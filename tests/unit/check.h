/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef UNIT_CHECK_H
#define UNIT_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The smallest test harness that reports in TAP. A test program is a list of
 * functions without arguments; main is
 *
 *	int main(void) { RUN(first_test); RUN(second_test); return check_done(); }
 *
 * A failing CHECK prints where and what, and the test goes on, so that one
 * run shows all that is wrong.
 */

static unsigned check_tests, check_bad_tests, check_failures;

#define CHECK(cond) \
	((cond) ? (void)0 : check_fail(__FILE__, __LINE__, #cond))

/* With two numbers in the message. */
#define CHECK_EQ(got, want) check_equal(__FILE__, __LINE__, #got, \
    (unsigned long long)(got), (unsigned long long)(want))

/* low <= got <= high, all doubles. */
#define CHECK_IN(got, low, high) check_in(__FILE__, __LINE__, #got, \
    (double)(got), (double)(low), (double)(high))

#define RUN(function) do { \
	unsigned before = check_failures; \
	function(); \
	check_tests++; \
	check_bad_tests += check_failures != before; \
	printf("%sok %u - %s\n", check_failures != before ? "not " : "", \
	    check_tests, #function); \
	fflush(stdout); \
} while (0)

static inline void
check_fail(const char *file, int line, const char *what)
{
	/* After ten complaints the reader knows. */
	if (++check_failures <= 10)
		printf("# %s:%d: %s\n", file, line, what);
}

static inline void
check_equal(const char *file, int line, const char *what,
    unsigned long long got, unsigned long long want)
{
	if (got == want)
		return;
	if (++check_failures <= 10)
		printf("# %s:%d: %s is %llu, not %llu\n", file, line, what, got, want);
}

static inline void
check_in(const char *file, int line, const char *what, double got, double low, double high)
{
	if (got >= low && got <= high)
		return;
	if (++check_failures <= 10)
		printf("# %s:%d: %s is %.10g, not in %.10g..%.10g\n", file, line, what, got, low, high);
}

/* Does this run have time? make check-long sets CHECK_LONG=1. */
static inline bool
check_long(void)
{
	const char *text = getenv("CHECK_LONG");

	return text && *text && strcmp(text, "0") != 0;
}

/* Or is every instruction dear? tests/emulated.sh sets CHECK_BRIEF=1. */
static inline bool
check_brief(void)
{
	return getenv("CHECK_BRIEF") && !check_long();
}

/* How often to try something, by which of these it is. */
static inline unsigned
check_times(unsigned brief, unsigned usual, unsigned longer)
{
	return check_long() ? longer : check_brief() ? brief : usual;
}

/* A fixed stream of random numbers: splitmix64, so a failure can be repeated. */
static inline uint64_t
check_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline int
check_done(void)
{
	printf("1..%u\n", check_tests);
	return check_bad_tests != 0;
}

#endif
