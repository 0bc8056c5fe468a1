/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "tool/lines/progress.h"

static struct {
	bool on, drawn;
	uint64_t total;
	int64_t start;               /* milliseconds */
	_Atomic uint64_t bytes;
	_Atomic int64_t next;        /* when to draw again */
} progress;

static int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

void
progress_start(enum progress_when when, uint64_t total)
{
	progress.on = when == PROGRESS_ALWAYS || (when == PROGRESS_AUTO &&
	    isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO) &&
	    tcgetpgrp(STDERR_FILENO) == getpgrp());
	if (!progress.on)
		return;
	progress.total = total;
	progress.start = now();
	progress.next = progress.start + (when == PROGRESS_ALWAYS ? 0 : 1000);
}

static void
draw(int64_t t)
{
	char line[160], done[NUM_REAL_SIZE], rate[NUM_REAL_SIZE];
	uint64_t bytes = progress.bytes;
	int64_t took = t - progress.start;
	uint64_t speed = bytes * 1000 / (uint64_t)(took > 0 ? took : 1);
	int n = snprintf(line, sizeof line, "\r%s  %s/s", num_bytes(done, bytes),
	    num_bytes(rate, speed));

	if (progress.total > bytes && speed > 0) {
		uint64_t left = (progress.total - bytes) / speed;
		n += snprintf(line + n, sizeof line - (size_t)n, "  %llu %%  %llu:%02llu left",
		    (unsigned long long)(bytes * 100 / progress.total),
		    (unsigned long long)(left / 60), (unsigned long long)(left % 60));
	}
	n += snprintf(line + n, sizeof line - (size_t)n, "\033[K");
	progress.drawn = write(STDERR_FILENO, line, (size_t)n) > 0;
}

void
progress_step(uint64_t bytes)
{
	if (!progress.on)
		return;
	progress.bytes += bytes;

	int64_t t = now(), next = progress.next;
	if (t >= next && atomic_compare_exchange_strong(&progress.next, &next, t + 500))
		draw(t);
}

void
progress_end(void)
{
	if (progress.drawn && write(STDERR_FILENO, "\r\033[K", 4) < 0)
		progress.drawn = false;
	progress.on = progress.drawn = false;
}
