/* sketchutils: BSD-2-Clause, see LICENSE */
#include "tool/options/where.h"

#include "check.h"

static struct where
where(const char *text)
{
	struct where w = {0};

	CHECK(where_parse(text, &w) == NUM_OK);
	return w;
}

/* What the operators mean, in the plainest way. */
static bool
holds(unsigned op, uint64_t count, uint64_t n)
{
	return op == 0 ? count >= n : op == 1 ? count > n : op == 2 ? count <= n :
	    op == 3 ? count < n : op == 6 ? count != n : count == n;
}

static void
each_operator_holds_for_the_estimate_surely_or_perhaps(void)
{
	static const char *const ops[] = {">=", ">", "<=", "<", "=", "==", "!="};
	char text[32];

	for (unsigned op = 0; op < 7; op++)
		for (uint64_t n = 0; n < 6; n++) {
			snprintf(text, sizeof text, "%s%u", ops[op], (unsigned)n);
			struct where w = where(text);
			for (uint64_t low = 0; low < 8; low++)
				for (uint64_t high = low; high < 8; high++) {
					bool all = true, any = false;
					for (uint64_t i = low; i <= high; i++) {
						all &= holds(op, i, n);
						any |= holds(op, i, n);
					}
					CHECK(where_holds(&w, WHERE_LIKELY, low, high) ==
					    holds(op, high, n));
					CHECK(where_holds(&w, WHERE_SURE, low, high) == all);
					CHECK(where_holds(&w, WHERE_ALL, low, high) == any);
				}
		}
}

static void
nothing_is_below_0_or_above_the_largest(void)
{
	struct where below = where("<0"), above = where("> 18446744073709551615");
	struct where most = where(">=18446744073709551615"), any = where(">=0");

	CHECK(!where_holds(&below, WHERE_ALL, 0, UINT64_MAX));
	CHECK(!where_holds(&above, WHERE_ALL, 0, UINT64_MAX));
	CHECK(where_holds(&most, WHERE_LIKELY, 0, UINT64_MAX));
	CHECK(!where_holds(&most, WHERE_SURE, 0, UINT64_MAX));
	CHECK(where_holds(&any, WHERE_SURE, 0, UINT64_MAX));
}

static void
counts_are_those_of_all_options(void)
{
	struct where w = where(">=10k");

	CHECK_EQ(w.from, 10000);
	w = where("<= 1e6");
	CHECK_EQ(w.to, 1000000);
	CHECK(where_parse(">=18446744073709551616", &w) == NUM_RANGE);
}

static void
anything_else_is_junk(void)
{
	static const char *const junk[] = {
		"", "7", ">", ">=", "=>7", "><7", "<>7", ">==7", "!7", "=!7", ">= 7 ", " >=7", ">=-1",
		">=x", ">=1.5", "7>=", ">=7%", "99999999999999999999",
	};
	struct where w;

	for (size_t i = 0; i < sizeof junk / sizeof *junk; i++)
		if (where_parse(junk[i], &w) != NUM_JUNK)
			check_fail(__FILE__, __LINE__, junk[i]);
}

int
main(void)
{
	RUN(each_operator_holds_for_the_estimate_surely_or_perhaps);
	RUN(nothing_is_below_0_or_above_the_largest);
	RUN(counts_are_those_of_all_options);
	RUN(anything_else_is_junk);
	return check_done();
}
