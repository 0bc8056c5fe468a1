/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdio.h>

#include "sketch/bloom_bits.h"
#include "tool/overfill.h"
#include "tool/report.h"

/* From here on the wording changes: the fpp is then some three times the
 * wanted one. */
#define BADLY 1.25

const char *
fill_percent(char out[FILL_PERCENT_SIZE], double share)
{
	snprintf(out, FILL_PERCENT_SIZE, "%.3g %%", 100 * share);
	return out;
}

struct fill
fill_of(const struct bloom *b)
{
	const struct bloom_shape *shape = bloom_shape(b);
	struct bloom_count count = bloom_bits_count(bloom_payload(b).at, shape);

	return (struct fill){bloom_count_distinct(count, shape), bloom_count_fpp(count, shape)};
}

/*
 * The estimate's standard deviation is 0.25 sqrt(n) where a filter holds the n
 * it was sized for. Four of them, and a percent for what the model leaves out,
 * are no reason to alarm anybody.
 */
static double
alarming(uint64_t capacity)
{
	return 1.01 * (double)capacity + sqrt((double)capacity);
}

void
overfill_report(const struct bloom *b, const struct record *head, const char *name)
{
	const struct bloom_shape *shape = bloom_shape(b);
	char now[FILL_PERCENT_SIZE], wanted[FILL_PERCENT_SIZE], held[64] = "every bit is set";

	/* Items are at least as many as distinct ones. */
	if (head->items <= shape->capacity)
		return;
	struct fill fill = fill_of(b);
	if (fill.distinct <= alarming(shape->capacity))
		return;
	if (isfinite(fill.distinct))
		snprintf(held, sizeof held, "about %.0f distinct items", fill.distinct);
	lament("%s%s%s%s is overfilled: %s, sized for %llu; its fpp is %s, not %s",
	    fill.distinct >= BADLY * (double)shape->capacity ? "WARNING: " : "",
	    name ? "'" : "", name ? name : "the filter", name ? "'" : "", held,
	    (unsigned long long)shape->capacity, fill_percent(now, fill.fpp),
	    fill_percent(wanted, shape->fpp));
}
