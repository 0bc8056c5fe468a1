/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Lines are taken in runs, of one pane while the clock stands still.
 *
 * A line whose time is doubted has a pane of its own, far ahead of all others:
 * nothing else is within a window of it. So it is judged by itself, and the
 * limiters hear of it when the next line says that its time was right.
 */
#include "tool/report.h"
#include "tool/time/throttle.h"

#define RUN_MAX 256

/* Of -M, the share of the limiter that knows who was told. */
#define TOLD_SHARE 4

static struct throttle_form form;
static struct limiter *lines, *told;
static struct window window;
static uint64_t strays;              /* that passed by themselves, of which no limiter heard */

static struct {
	bool waits;
	bool passed;
	uint64_t hash, weight;
} doubted;

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot count a line");
}

static void
check_ceiling(void)
{
	if (form.once && form.bytes < TOLD_SHARE * LIMITER_BYTES_MIN)
		die_usage("cannot use -M: --once needs 1M or more");
	if (form.bytes < LIMITER_BYTES_MIN)
		die_usage("cannot use -M: 256K is the least");
}

/* By arrival no line is older than the newest. */
static struct meter_form
meter_of(uint64_t limit)
{
	if (form.window > 0)
		return meter_sliding(limit, THROTTLE_PARTS, form.arrival ? 0 : THROTTLE_PARTS);
	if (form.tumble > 0)
		return meter_tumbling(limit, form.arrival ? 0 : 1);
	return meter_for_ever(limit);
}

void
throttle_start(const struct throttle_form *how)
{
	form = *how;
	check_ceiling();
	uint64_t share = form.once ? form.bytes / TOLD_SHARE : 0;
	enum status st = limiter_new(&lines, meter_of(form.limit), form.bytes - share);

	if (st == OK && form.once)
		st = limiter_new(&told, meter_of(1), share);
	if (st != OK)
		die(st, "cannot start");
	if (form.window > 0)
		window = window_of(form.window, THROTTLE_PARTS, form.arrival);
	else if (form.tumble > 0)
		window = window_of(form.tumble, 1, form.arrival);
}

void
throttle_free(void)
{
	limiter_free(lines);
	limiter_free(told);
}

/* Of those that are wanted, the ones that are the first of their key. */
static void
keep_first(unsigned age, const uint64_t *hash, size_t n, bool *wanted)
{
	uint64_t held[RUN_MAX];
	bool first[RUN_MAX];
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		held[k] = hash[i];
		k += wanted[i];
	}
	if (k == 0)
		return;
	check(limiter_pass(told, age, held, NULL, k, first));
	k = 0;
	for (size_t i = 0; i < n; i++)
		if (wanted[i])
			wanted[i] = first[k++];
}

/* At most RUN_MAX lines, of a pane of this age. */
static void
take_run(unsigned age, const uint64_t *hash, const uint64_t *weight, size_t n, bool *wanted)
{
	check(limiter_pass(lines, age, hash, weight, n, wanted));
	if (!form.offenders)
		return;
	for (size_t i = 0; i < n; i++)
		wanted[i] = !wanted[i];
	if (form.once)
		keep_first(age, hash, n, wanted);
}

void
throttle_take(const uint64_t *hash, const uint64_t *weight, size_t n, bool *wanted)
{
	for (size_t from = 0; from < n; from += RUN_MAX) {
		size_t some = n - from < RUN_MAX ? n - from : RUN_MAX;
		take_run(0, hash + from, weight ? weight + from : NULL, some, wanted + from);
	}
}

/* The one line of the doubted pane. */
static void
take_doubted(uint64_t hash, uint64_t weight, bool *wanted)
{
	doubted.waits = true;
	doubted.passed = weight <= form.limit;
	doubted.hash = hash;
	doubted.weight = weight;
	strays += doubted.passed;
	*wanted = doubted.passed != form.offenders;
}

/* The clock has gone on from `before`: what was in doubt has joined, or gone. */
static void
follow_clock(const struct window *before)
{
	bool wanted;

	if (before->started && window.newest > before->newest) {
		uint64_t panes = (uint64_t)window.newest - (uint64_t)before->newest;
		check(limiter_advance(lines, panes));
		if (told)
			check(limiter_advance(told, panes));
	}
	if (!doubted.waits || !before->doubting)
		return;
	doubted.waits = false;
	if (window.wrong > before->wrong)
		return;
	strays -= doubted.passed;
	take_run((unsigned)(window.newest - before->doubted), &doubted.hash, &doubted.weight, 1,
	    &wanted);
}

/* Is the next line of the same pane, and leaves the clock as it is? Then it has
 * been taken. */
static bool
joins_run(int64_t pane, int64_t time)
{
	struct window next = window;

	if (window.doubting || window_take(&next, time) != pane || next.doubting ||
	    next.newest != window.newest)
		return false;
	window = next;
	return true;
}

void
throttle_take_at(const int64_t *time, const uint64_t *hash, const uint64_t *weight, size_t n,
    bool *wanted)
{
	for (size_t from = 0, to; from < n; from = to) {
		const uint64_t *own = weight ? weight + from : NULL;
		struct window before = window;
		int64_t pane = window_take(&window, time[from]);

		follow_clock(&before);
		to = from + 1;
		while (to < n && to - from < RUN_MAX && joins_run(pane, time[to]))
			to++;
		if (window.doubting)
			take_doubted(hash[from], own ? *own : 1, &wanted[from]);
		else
			take_run((unsigned)(window.newest - pane), hash + from, own, to - from,
			    wanted + from);
	}
}

void
throttle_stats(struct throttle_stats *stats)
{
	*stats = (struct throttle_stats){0};
	limiter_stats(lines, &stats->lines);
	stats->lines.passed += strays;
	if (told)
		limiter_stats(told, &stats->told);
}

const struct window *
throttle_window(void)
{
	return window.length > 0 ? &window : NULL;
}
