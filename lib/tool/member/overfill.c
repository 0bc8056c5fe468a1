/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdio.h>

#include "tool/member/overfill.h"
#include "tool/report.h"

/* From here on the wording changes: the fpp is then some three times the
 * wanted one. */
#define BADLY 1.25

/* The same for a filter that takes any number of items: from so many times the
 * wanted fpp on, since up to the first a small filter may be by chance. */
#define PAST 1.1
#define FAR_PAST 3

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

static void
lament_overfilled(bool badly, const char *name, const char *held, struct fill fill,
    struct promise promise)
{
	char now[FILL_PERCENT_SIZE], wanted[FILL_PERCENT_SIZE];

	lament("%s%s%s%s is overfilled: %s; its fpp is %s, not %s", badly ? "WARNING: " : "",
	    name ? "'" : "", name ? name : "the filter", name ? "'" : "", held,
	    fill_percent(now, fill.fpp), fill_percent(wanted, promise.fpp));
}

/* Is it too full? Only if it may be, its bits are read. */
static bool
is_too_full(const struct member *m, const void *body, const struct record *head,
    struct promise promise, struct fill *fill)
{
	/* Stages keep the promise by themselves, but not those of several filters
	 * united. */
	if (promise.capacity == UINT64_MAX) {
		if (promise.most <= PAST * promise.fpp)
			return false;
		*fill = m->fill(body);
		return fill->fpp > PAST * promise.fpp;
	}
	/* Items are at least as many as distinct ones. */
	if (head->items <= promise.capacity)
		return false;
	*fill = m->fill(body);
	/* What is rounded up in a small filter, or in a fingerprint, may keep the
	 * promise for more items than were asked for: then nothing is lost. */
	return fill->distinct > alarming(promise.capacity) && fill->fpp > promise.fpp;
}

bool
overfill_is(const struct member *m, const void *body, const struct record *head)
{
	struct fill fill;

	return is_too_full(m, body, head, m->promise(body), &fill);
}

void
overfill_report(const struct member *m, const void *body, const struct record *head,
    const char *name)
{
	struct promise promise = m->promise(body);
	char distinct[64] = "every bit is set", held[96];
	struct fill fill;

	if (!is_too_full(m, body, head, promise, &fill))
		return;
	if (promise.capacity == UINT64_MAX) {
		lament_overfilled(fill.fpp >= FAR_PAST * promise.fpp, name,
		    "it was united from several", fill, promise);
		return;
	}
	if (isfinite(fill.distinct))
		snprintf(distinct, sizeof distinct, "about %.0f distinct items", fill.distinct);
	snprintf(held, sizeof held, "%s, sized for %llu", distinct,
	    (unsigned long long)promise.capacity);
	lament_overfilled(fill.distinct >= BADLY * (double)promise.capacity, name, held, fill,
	    promise);
}
