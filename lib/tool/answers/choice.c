/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>
#include <unistd.h>

#include "tool/answers/choice.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"

struct choice choice = {.max = UINT64_MAX};

/* Lines chosen of the input at hand, in each worker's own cache line. */
static struct {
	_Alignas(64) uint64_t n;
} chosen[WORKERS_MAX];

static uint64_t total;               /* in inputs that are through */
static bool several, over;

bool
choice_option(int c)
{
	switch (c) {
	case 'v':
		choice.invert = true;
		return true;
	case 'c':
		choice.count = true;
		return true;
	case 'q':
		choice.quiet = true;
		return true;
	case 'm':
		choice.max = opts_count(1, UINT64_MAX);
		return true;
	}
	return false;
}

const char *
choice_given(void)
{
	return choice.invert ? "-v" : choice.count ? "-c" : choice.quiet ? "-q" :
	    choice.max < UINT64_MAX ? "-m" : NULL;
}

/* No more than the first most of n. */
static void
limit(bool *wanted, size_t n, size_t most)
{
	for (size_t i = 0; i < n; i++)
		if (wanted[i] && most-- == 0) {
			memset(wanted + i, 0, n - i);
			return;
		}
}

uint64_t
choice_left(unsigned worker)
{
	return choice.max - chosen[worker].n;
}

enum verdict
choice_add(unsigned worker, uint64_t n)
{
	chosen[worker].n += n;
	return chosen[worker].n == choice.max ? STOP : GO_ON;
}

size_t
choice_take(unsigned worker, bool *wanted, size_t n, size_t have, enum verdict *verdict)
{
	if (choice.invert) {
		for (size_t i = 0; i < n; i++)
			wanted[i] = !wanted[i];
		have = n - have;
	}
	/* Nothing is left to be found out, or to be flushed. */
	if (choice.quiet && have > 0)
		_exit(EXIT_YES);
	uint64_t left = choice_left(worker);
	if (have > left)
		limit(wanted, n, have = (size_t)left);
	*verdict = choice_add(worker, have);
	return have;
}

static uint64_t
chosen_so_far(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++)
		n += chosen[i].n;
	return n;
}

static void
print_count(void *context, const char *name)
{
	(void)context;
	output_count(chosen_so_far());
	if (several) {
		output_byte('\t');
		output_text(name);
	}
	output_byte(shared.scan.end);
}

static void
sum_up(struct intake *sum, const struct intake *one)
{
	sum->lines += one->lines;
	sum->items += one->items;
	sum->rejected += one->rejected;
	sum->bytes += one->bytes;
	total += chosen_so_far();
	memset(chosen, 0, sizeof chosen);
}

struct intake
choice_run(struct job *job, bool rows, int argc, char *const *argv)
{
	struct intake one, sum = {0};

	several = argc > 1;
	if (rows)
		job->input_end = print_count;
	if (choice.max < UINT64_MAX)
		job->threads = 1;
	if (!rows && choice.max == UINT64_MAX) {
		one = parallel_run(job, argc, argv);
		sum_up(&sum, &one);
		return sum;
	}
	for (int i = 0; (i == 0 || i < argc) && !over; i++) {
		one = parallel_run(job, argc > 0, argv + i);
		sum_up(&sum, &one);
	}
	return sum;
}

void
choice_over(void)
{
	over = true;
}

uint64_t
choice_total(void)
{
	return total;
}
