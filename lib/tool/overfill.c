/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdio.h>

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
overfill_report(const struct member *m, const void *body, const struct record *head,
    const char *name)
{
	struct promise promise = m->promise(body);
	char now[FILL_PERCENT_SIZE], wanted[FILL_PERCENT_SIZE], held[64] = "every bit is set";

	/* Items are at least as many as distinct ones. */
	if (head->items <= promise.capacity)
		return;
	struct fill fill = m->fill(body);
	if (fill.distinct <= alarming(promise.capacity))
		return;
	if (isfinite(fill.distinct))
		snprintf(held, sizeof held, "about %.0f distinct items", fill.distinct);
	lament("%s%s%s%s is overfilled: %s, sized for %llu; its fpp is %s, not %s",
	    fill.distinct >= BADLY * (double)promise.capacity ? "WARNING: " : "",
	    name ? "'" : "", name ? name : "the filter", name ? "'" : "", held,
	    (unsigned long long)promise.capacity, fill_percent(now, fill.fpp),
	    fill_percent(wanted, promise.fpp));
}
