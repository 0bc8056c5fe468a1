/* sketchutils: BSD-2-Clause, see LICENSE */
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/time/overtime.h"
#include "tool/report.h"

/* Waiting for input, look at the system's clock at least so often: somebody may
 * have set it. */
#define LOOK_MS 5000

bool
overtime_wanted(void)
{
	return shared.every > 0 || shared.tumble > 0;
}

/* In the order of the input, so that no row depends on the number of threads. */
static enum verdict
take(void *context, unsigned worker, struct batch *b)
{
	(void)worker;
	if (!shared.scan.has_stamp) {
		int64_t now = window_now();
		for (size_t i = 0; i < b->n; i++)
			b->time[i] = now;
	}
	panes_take(context, b);
	return GO_ON;
}

/* By arrival there is one worker, and rows come whether there are lines or not. */
static int
print_when_due(void *context)
{
	int64_t now = window_now();
	int64_t left = panes_clock(context, now) - now;

	output_flush();
	if (left > LOOK_MS * 1000)
		return LOOK_MS;
	return left > 0 ? (int)((left + 999) / 1000) : 0;
}

static struct panes *
begin(const struct pane_sketch *what, bool arrival)
{
	int64_t every = (int64_t)(shared.tumble > 0 ? shared.tumble : shared.every);
	int64_t window = (int64_t)(shared.tumble > 0 ? shared.tumble : shared.window);

	if (window > 0 && window < every)
		die_usage("cannot use --window: it is shorter than --every, so lines would be in no row");
	if (window > 0 && panes_count(window, every) > PANES_MAX)
		die_usage("cannot use --window with --every: that makes %lld panes, and %d are the most",
		    (long long)panes_count(window, every), PANES_MAX);
	struct panes *p = panes_new(what, window, every, arrival);
	if (!p)
		die(STATUS_MEMORY, "cannot start");
	return p;
}

void
overtime_run(const struct pane_sketch *what, struct job job, int argc, char *argv[])
{
	bool arrival = !shared.scan.has_stamp;
	struct panes *panes = begin(what, arrival);

	job.context = panes;
	job.inorder = take;
	if (arrival) {
		job.threads = 1;
		job.tick = print_when_due;
		panes_clock(panes, window_now());
	}
	struct intake tally = parallel_run(&job, argc, argv);
	if (arrival)
		panes_clock(panes, window_now());
	panes_end(panes);
	opts_tally(&tally);
	window_tell(panes_window(panes), tally.items, "after the rows of their time");
	panes_free(panes);
}
