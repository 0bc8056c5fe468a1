/* sketchutils: BSD-2-Clause, see LICENSE */
#include <time.h>

#include "tool/report.h"
#include "tool/time/window.h"

struct window
window_of(int64_t span, int64_t parts, bool arrival)
{
	return (struct window){
		.length = span / parts + (span % parts != 0), .back = parts, .ahead = parts,
		.arrival = arrival,
	};
}

static int64_t
pane_of(const struct window *w, int64_t time)
{
	return time / w->length - (time % w->length < 0);
}

/* The oldest pane that the next answer will hold. */
static int64_t
oldest(const struct window *w)
{
	int64_t end = w->newest;

	if (w->step > 1) {
		int64_t past = w->newest % w->step;
		end += w->step - 1 - (past < 0 ? past + w->step : past);
	}
	return end - w->back;
}

static void
set_clock(struct window *w, int64_t pane)
{
	w->newest = pane;
	w->started = true;
}

/* The next line says whether the doubted one was right. */
static void
judge(struct window *w, int64_t pane)
{
	w->doubting = false;
	if (pane >= w->doubted - w->ahead)
		set_clock(w, w->doubted);
	else
		w->wrong++;
}

int64_t
window_take(struct window *w, int64_t time)
{
	int64_t pane = pane_of(w, time);

	if (w->doubting)
		judge(w, pane);
	if (w->arrival) {
		if (!w->started || pane > w->newest)
			set_clock(w, pane);
		return w->newest;
	}
	if (!w->started || pane > w->newest + w->ahead) {
		w->doubting = true;
		w->doubted = pane;
		return pane;
	}
	if (pane > w->newest)
		set_clock(w, pane);
	if (pane >= oldest(w))
		return pane;
	w->late++;
	return oldest(w);
}

void
window_believe(struct window *w)
{
	if (w->doubting)
		judge(w, w->doubted);
}

bool
window_holds(const struct window *w, int64_t pane)
{
	if (w->doubting && pane == w->doubted)
		return true;
	return w->started && pane >= oldest(w) && pane <= w->newest;
}

int64_t
window_end(const struct window *w, int64_t pane)
{
	return (pane + 1) * w->length;
}

void
window_tell(const struct window *w, uint64_t lines, const char *late)
{
	if (w->late > 0)
		lament("%llu of %llu lines came late, %s", (unsigned long long)w->late,
		    (unsigned long long)lines, late);
	if (w->wrong > 0)
		lament("%llu of %llu lines had a time that is far ahead of the others",
		    (unsigned long long)w->wrong, (unsigned long long)lines);
}

int64_t
window_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
