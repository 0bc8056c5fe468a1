/* sketchutils: BSD-2-Clause, see LICENSE */
#include "tool/time/window.h"
#include "check.h"

/* Parts of 10: the window is pane n and the 4 before it. */
static struct window
window(void)
{
	return window_of(40, 4, false);
}

/* A clock that is past doubt. */
static struct window
window_at(int64_t time)
{
	struct window w = window();

	window_take(&w, time);
	window_take(&w, time);
	return w;
}

static void
panes_are_cut_at_multiples(void)
{
	struct window w = window();

	CHECK_EQ(w.length, 10);
	CHECK_EQ(window_of(41, 4, false).length, 11);
	CHECK_EQ(window_of(INT64_C(3600000000), 8, false).length, INT64_C(450000000));
	CHECK_EQ(window_take(&w, 0), 0);
	CHECK_EQ(window_take(&w, 9), 0);
	CHECK_EQ(window_take(&w, 10), 1);
	CHECK_EQ(window_end(&w, 1), 20);
	w = window();
	CHECK_EQ(window_take(&w, -1), -1);
	CHECK_EQ(window_take(&w, -10), -1);
	CHECK_EQ(window_take(&w, -11), -2);
	CHECK_EQ(window_end(&w, -1), 0);
}

static void
the_clock_goes_on_and_never_back(void)
{
	struct window w = window_at(100);

	CHECK_EQ(w.newest, 10);
	CHECK_EQ(window_take(&w, 140), 14);          /* as far as the window is long */
	CHECK_EQ(w.newest, 14);
	CHECK_EQ(window_take(&w, 109), 10);          /* the oldest that is left */
	CHECK_EQ(w.newest, 14);
	CHECK(window_holds(&w, 10) && window_holds(&w, 14));
	CHECK(!window_holds(&w, 9) && !window_holds(&w, 15));
	CHECK_EQ(w.late + w.wrong, 0);
}

static void
late_lines_are_counted_and_go_to_the_oldest(void)
{
	struct window w = window_at(100);

	CHECK_EQ(window_take(&w, 60), 6);
	CHECK_EQ(w.late, 0);
	CHECK_EQ(window_take(&w, 59), 6);
	CHECK_EQ(window_take(&w, -1000000), 6);
	CHECK_EQ(w.late, 2);
	CHECK_EQ(w.newest, 10);
}

static void
one_wrong_time_moves_nothing(void)
{
	struct window w = window_at(100);

	CHECK_EQ(window_take(&w, 999999), 99999);
	CHECK(window_holds(&w, 99999) && window_holds(&w, 6) && !window_holds(&w, 5));
	CHECK_EQ(w.newest, 10);
	CHECK_EQ(window_take(&w, 101), 10);
	CHECK(!window_holds(&w, 99999));
	CHECK_EQ(w.wrong, 1);
	CHECK_EQ(w.late, 0);
	/* One after another, each other's contradiction. */
	CHECK_EQ(window_take(&w, 999999), 99999);
	CHECK_EQ(window_take(&w, 5000), 500);
	CHECK(!window_holds(&w, 99999) && window_holds(&w, 500));
	CHECK_EQ(window_take(&w, 102), 10);
	CHECK_EQ(w.wrong, 3);
	CHECK_EQ(w.newest, 10);
}

static void
a_gap_is_believed_at_the_second_line(void)
{
	struct window w = window_at(100);

	CHECK_EQ(window_take(&w, 1000), 100);
	CHECK_EQ(w.newest, 10);
	CHECK_EQ(window_take(&w, 1001), 100);
	CHECK_EQ(w.newest, 100);
	/* Also by a line before it, as long as the window reaches. */
	CHECK_EQ(window_take(&w, 2000), 200);
	CHECK_EQ(window_take(&w, 1960), 196);
	CHECK_EQ(w.newest, 200);
	/* Gap after gap: each line speaks for the one before. */
	CHECK_EQ(window_take(&w, 3000), 300);
	CHECK_EQ(window_take(&w, 4000), 400);
	CHECK_EQ(w.newest, 300);
	CHECK(window_holds(&w, 300) && window_holds(&w, 400) && !window_holds(&w, 200));
	CHECK_EQ(window_take(&w, 5000), 500);
	CHECK_EQ(w.newest, 400);
	CHECK_EQ(w.late + w.wrong, 0);
}

static void
the_first_line_may_be_wrong(void)
{
	struct window w = window();

	CHECK(!window_holds(&w, 0));
	CHECK_EQ(window_take(&w, 999999), 99999);
	CHECK(!w.started && window_holds(&w, 99999));
	CHECK_EQ(window_take(&w, 100), 10);
	CHECK(!w.started && !window_holds(&w, 99999));
	CHECK_EQ(window_take(&w, 100), 10);
	CHECK_EQ(w.newest, 10);
	CHECK_EQ(w.wrong, 1);
	/* Or the second, too early. */
	w = window();
	window_take(&w, 1000);
	window_take(&w, 0);
	window_take(&w, 1001);
	window_take(&w, 1002);
	CHECK_EQ(w.newest, 100);
}

static void
by_arrival_nothing_is_doubted(void)
{
	struct window w = window_of(40, 4, true);

	CHECK_EQ(window_take(&w, 100), 10);
	CHECK(w.started && !w.doubting);
	CHECK_EQ(window_take(&w, 1000000), 100000);
	CHECK_EQ(w.newest, 100000);
	CHECK_EQ(window_take(&w, 0), 100000);
	CHECK_EQ(w.newest, 100000);
	CHECK_EQ(w.late + w.wrong, 0);
	int64_t now = window_now();
	CHECK(now > INT64_C(1700000000000000) && window_now() >= now);
}

/* Times that wander, with gaps and wrong ones: what the header promises. */
static void
any_stream_keeps_the_promises(void)
{
	uint64_t state = 1;

	for (int round = 0; round < (check_long() ? 2000 : 100); round++) {
		struct window w = window_of((int64_t)(1 + check_random(&state) % 100),
		    (int64_t)(1 + check_random(&state) % 9), false);
		int64_t base = (int64_t)(check_random(&state) % 2000) - 1000, clock = INT64_MIN;
		uint64_t late = 0;
		for (int i = 0; i < 1000; i++) {
			base += (int64_t)(check_random(&state) % 3);
			if (check_random(&state) % 50 == 0)
				base += (int64_t)(check_random(&state) % 2000);
			int64_t t = base - (int64_t)(check_random(&state) % 40);
			if (check_random(&state) % 40 == 0)
				t += (int64_t)(check_random(&state) % 1000000);
			int64_t own = t >= 0 ? t / w.length : -((-t + w.length - 1) / w.length);
			int64_t pane = window_take(&w, t);
			CHECK(window_holds(&w, pane));
			CHECK(w.newest >= clock || !w.started);
			if (w.started)
				clock = w.newest;
			CHECK(!w.doubting || !w.started || w.doubted > w.newest + w.back);
			CHECK(pane == own || pane == w.newest - w.back);
			late += pane != own;
			CHECK_EQ(w.late, late);
		}
	}
}

static void
how_far_a_line_may_lead_is_its_own_matter(void)
{
	struct window w = {.length = 10, .back = 0, .ahead = 3};

	window_take(&w, 5);
	CHECK_EQ(window_take(&w, 5), 0);
	CHECK_EQ(window_take(&w, 35), 3);            /* no doubt yet */
	CHECK_EQ(w.newest, 3);
	CHECK_EQ(window_take(&w, 25), 3);            /* late: there is one pane */
	CHECK_EQ(w.late, 1);
	CHECK_EQ(window_take(&w, 75), 7);
	CHECK(w.doubting);
	CHECK_EQ(window_take(&w, 45), 7);            /* back by no more than 3 */
	CHECK_EQ(w.newest, 7);
	CHECK_EQ(w.wrong, 0);
	CHECK_EQ(window_take(&w, 115), 11);
	CHECK_EQ(window_take(&w, 75), 7);
	CHECK_EQ(w.wrong, 1);
}

static void
what_nothing_follows_is_believed(void)
{
	struct window w = window_at(100);

	window_believe(&w);
	CHECK_EQ(w.newest, 10);
	window_take(&w, 1000);
	window_believe(&w);
	CHECK_EQ(w.newest, 100);
	CHECK(!w.doubting);
	CHECK_EQ(w.wrong, 0);
	w = window();
	window_believe(&w);
	CHECK(!w.started);
	window_take(&w, 55);
	window_believe(&w);
	CHECK_EQ(w.newest, 5);
}

int
main(void)
{
	RUN(panes_are_cut_at_multiples);
	RUN(the_clock_goes_on_and_never_back);
	RUN(late_lines_are_counted_and_go_to_the_oldest);
	RUN(one_wrong_time_moves_nothing);
	RUN(a_gap_is_believed_at_the_second_line);
	RUN(the_first_line_may_be_wrong);
	RUN(by_arrival_nothing_is_doubted);
	RUN(any_stream_keeps_the_promises);
	RUN(how_far_a_line_may_lead_is_its_own_matter);
	RUN(what_nothing_follows_is_believed);
	return check_done();
}
