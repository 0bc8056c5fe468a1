/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "tool/answers/also.h"
#include "tool/options/opts.h"
#include "tool/report.h"

static const char *const names[] = {[ALSO_COUNT] = "count", [ALSO_MEAN] = "mean"};

void
also_parse(struct also *a)
{
	const char *at = opts_text();

	a->n = 0;
	for (;;) {
		size_t len = strcspn(at, ","), what = 0;
		while (what < ALSO_MAX &&
		    (strlen(names[what]) != len || strncmp(at, names[what], len) != 0))
			what++;
		if (what == ALSO_MAX)
			die_usage("cannot use %s '%s': not a list of count and mean", opts_typed(),
			    opts_text());
		for (size_t i = 0; i < a->n; i++)
			if (a->what[i] == what)
				die_usage("cannot use %s '%s': %s is there twice", opts_typed(),
				    opts_text(), names[what]);
		a->what[a->n++] = what;
		if (at[len] == '\0')
			return;
		at += len + 1;
	}
}

static double
ratio(uint64_t sum, uint64_t lines)
{
	return lines > 0 ? (double)sum / (double)lines : 0;
}

/*
 * The least if the sum is as small and the lines as many as they can be, the most
 * the other way round. In between lies the mean of what is surely the item's own;
 * if nothing is, that of all it may have. An item that is told of has a line.
 */
static struct row_also
mean(const struct also_known *k)
{
	uint64_t least = k->lines_low > 0 ? k->lines_low : k->lines_high > 0;

	return (struct row_also){
		.is_real = true,
		.real = {
			k->lines_low > 0 ? ratio(k->sum_low, k->lines_low) :
			    ratio(k->sum_high, k->lines_high),
			ratio(k->sum_low, k->lines_high), ratio(k->sum_high, least),
		},
	};
}

void
also_fill(const struct also *a, const struct also_known *k, struct row_also out[ALSO_MAX])
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->what[i] == ALSO_MEAN)
			out[i] = mean(k);
		else
			out[i] = (struct row_also){
				.estimate = k->lines_high, .low = k->lines_low, .high = k->lines_high,
			};
		out[i].name = names[a->what[i]];
	}
}
