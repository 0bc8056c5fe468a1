/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Coordinated omission. Whoever measures one request after the other, one each
 * interval, and has to wait v for one of them, has not sent those that were due
 * meanwhile; they would have taken v - interval, v - 2 interval and so on. There
 * may be billions, but they fall into the slots below that of v, so each slot gets
 * its share of them at once.
 */
#include <math.h>
#include <stdio.h>

#include "base/bytes.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/quantiles/hdr_body.h"
#include "sketch/quantiles/hdr_slot.h"

/* More samples than these do not come from one by any reasonable interval. */
#define HIDDEN_MAX 4294967296.0

/* The k-th of those that v hid. It never grows with k, roundings included. */
static double
hidden(double v, double interval, double k)
{
	return v - k * interval;
}

/* The last k whose sample is no less than bound. That of from is no less. */
static double
last_above(double v, double interval, double bound, double from)
{
	double k = floor((v - bound) / interval);

	if (k < from)
		k = from;
	while (hidden(v, interval, k + 1) >= bound)
		k++;
	while (k > from && hidden(v, interval, k) < bound)
		k--;
	return k;
}

/* How many samples v hid that are at least the interval. */
static double
count_hidden(double v, double interval)
{
	return v - interval >= interval ? last_above(v, interval, interval, 1) : 0;
}

static enum status
add_hidden(struct hdr *h, double v, uint64_t weight, double interval)
{
	if (v / interval > HIDDEN_MAX)
		return STATUS_FULL;

	double n = count_hidden(v, interval);
	enum status st = OK;
	for (double k = 1; st == OK && k <= n;) {
		double sample = hidden(v, interval, k), end = k;
		int32_t slot = hdr_slot(sample, h->shift);
		double near = hdr_slot_near(slot, h->shift);
		if (k < n && hidden(v, interval, k + 1) >= near)
			end = fmin(last_above(v, interval, near, k + 1), n);
		/* They are as many as the slot has, and the least of them is the last. */
		uint64_t many, each = (uint64_t)(end - k + 1);
		if (__builtin_mul_overflow(weight, each, &many))
			many = UINT64_MAX;
		st = hdr_add_one(h, hidden(v, interval, end), many);
		k = end + 1;
	}
	/* Between two whole ones there may be some that are not. */
	h->fractions |= n > 0 && !hdr_is_whole(interval);
	return st;
}

enum status
hdr_add_corrected(struct hdr *h, const double *value, const uint64_t *weight, size_t n,
    double interval)
{
	enum status st = OK;

	h->interval = interval;
	for (size_t i = 0; st == OK && i < n; i++) {
		uint64_t w = weight ? weight[i] : 1;
		if (w == 0)
			continue;
		st = hdr_add_one(h, value[i], w);
		if (st == OK)
			st = add_hidden(h, value[i], w, interval);
	}
	return st;
}

enum status
hdr_correct(struct hdr *into, const struct hdr *from, double interval)
{
	enum status st = OK;
	uint64_t at = 0;
	struct bin bin;

	while (st == OK && hdr_each(from, &at, &bin)) {
		st = hdr_add_one(into, bin.high, bin.weight);
		if (st == OK)
			st = add_hidden(into, bin.high, bin.weight, interval);
	}
	if (st != OK)
		return st;

	into->interval = interval;
	into->unit = from->unit;
	into->highest = from->highest;
	into->lowest = from->lowest;
	into->saturated |= from->saturated;
	if (from->total > 0) {
		/* The highest number of a slot need not be a sample's. */
		into->loose = true;
		into->least = fmin(into->least, from->least);
		into->most = from->most;
	}
	return OK;
}
