/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * What a histogram answers. A sample lies between the bounds of its slot, and
 * between the least and the greatest one, so all bounds here are certain.
 *
 * Of whole numbers the one that stands for a slot is the highest, as in
 * HdrHistogram. Of others it is the decimal fraction of the fewest digits, and of
 * those the one nearest to the slot's middle: 0.12 and not 0.12006; its error is
 * less than the slot's width like any other's.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/real_short.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/quantiles/hdr_body.h"
#include "sketch/quantiles/hdr_slot.h"

/* middle rounded to a multiple of 10^exponent. */
static double
round_to(double middle, int exponent)
{
	if (exponent >= 0)
		return floor(middle / real_power_of_ten[exponent] + 0.5) * real_power_of_ten[exponent];
	return floor(middle * real_power_of_ten[-exponent] + 0.5) / real_power_of_ten[-exponent];
}

/* The same for numbers so large or small that only a library knows. */
static double
shortest_anywhere(double low, double high, double middle)
{
	char text[40];

	for (int digits = 1; digits < 17; digits++) {
		snprintf(text, sizeof text, "%.*e", digits - 1, middle);
		double v = strtod(text, NULL);
		if (low <= v && v <= high)
			return v;
	}
	return middle;
}

/* 0 < low <= high. */
static double
shortest_above(double low, double high)
{
	double middle = low + (high - low) / 2;

	if (low == high)
		return low;
	if (high >= 1e15 || low < 1e-6)
		return shortest_anywhere(low, high, middle);
	for (int exponent = 15; exponent >= -REAL_POWER_EXACT; exponent--) {
		double v = round_to(middle, exponent);
		if (low <= v && v <= high)
			return v;
	}
	return middle;
}

double
hdr_told(const struct hdr *h, double low, double high)
{
	if (!h->fractions)
		return high;
	if (low > 0)
		return shortest_above(low, high);
	return high < 0 ? -shortest_above(-high, -low) : 0;
}

/* The same, within what the samples are known to lie in. */
static void
tell(const struct hdr *h, double low, double high, struct span *out)
{
	if (low < h->least)
		low = h->least;
	if (high > h->most)
		high = h->most;
	*out = (struct span){hdr_told(h, low, high), low, high};
}

static void
hdr_least(const void *body, struct span *out)
{
	const struct hdr *h = body;
	uint64_t at = 0;
	struct bin first;

	hdr_each(h, &at, &first);
	out->value = out->low = h->least;
	out->high = !h->loose ? h->least : first.high < h->most ? first.high : h->most;
}

static void
hdr_most(const void *body, struct span *out)
{
	const struct hdr *h = body;
	uint64_t at = 0;
	struct bin last;

	while (hdr_each(h, &at, &last))
		continue;
	out->value = out->high = h->most;
	out->low = !h->loose ? h->most : last.low > h->least ? last.low : h->least;
}

/* The bin of a slot, within what the samples are known to lie in. */
static bool
hdr_bin(const void *body, uint64_t *at, struct bin *bin)
{
	const struct hdr *h = body;

	if (!hdr_each(h, at, bin))
		return false;
	if (bin->low < h->least)
		bin->low = h->least;
	if (bin->high > h->most)
		bin->high = h->most;
	return true;
}

/* A sum that carries what rounding took from it (Neumaier). */
struct sum {
	double sum, rest;
};

static void
sum_add(struct sum *s, double v)
{
	double sum = s->sum + v;

	s->rest += fabs(s->sum) >= fabs(v) ? s->sum - sum + v : v - sum + s->sum;
	s->sum = sum;
}

/* However the last digit was rounded. */
static double
within(const struct hdr *h, double mean)
{
	return fmin(fmax(mean, h->least), h->most);
}

/* Each slot counts with its middle, low and high. Sums of large numbers would
 * overflow, so that numbers are made smaller meanwhile. */
static void
hdr_mean(const void *body, struct span *out)
{
	const struct hdr *h = body;
	const double scale = h->most > 0x1p900 || h->least < -0x1p900 ? 0x1p-100 : 1;
	struct sum value = {0}, low = {0}, high = {0}, total = {0};
	uint64_t at = 0;
	struct bin bin;

	while (hdr_bin(h, &at, &bin)) {
		double weight = (double)bin.weight, l = bin.low * scale, u = bin.high * scale;
		sum_add(&total, weight);
		sum_add(&low, weight * l);
		sum_add(&high, weight * u);
		sum_add(&value, weight * (l + (u - l) / 2));
	}
	double n = total.sum + total.rest;
	out->value = within(h, (value.sum + value.rest) / n / scale);
	out->low = fmin(within(h, (low.sum + low.rest) / n / scale), out->value);
	out->high = fmax(within(h, (high.sum + high.rest) / n / scale), out->value);
}

static void
hdr_at_rank(const void *body, uint64_t rank, bool discrete, struct span *out)
{
	const struct hdr *h = body;
	double low, high;

	/* Either way it is as near to a sample as the slots tell. */
	(void)discrete;
	hdr_bounds(h, hdr_cells_rank(&h->cells, rank), &low, &high);
	tell(h, low, high, out);
}

static void
hdr_quantile(const void *body, double q, bool discrete, struct span *out)
{
	const struct hdr *h = body;

	hdr_at_rank(h, quantiles_rank(q, h->total), discrete, out);
}

/* The share of a bin's samples that is at or below a number inside, if they lie
 * there evenly: whole ones, or all. */
static double
share_below(const struct hdr *h, const struct bin *bin, double number)
{
	if (!h->fractions)
		return (floor(number) - bin->low + 1) / (bin->high - bin->low + 1);
	return (number - bin->low) / (bin->high - bin->low);
}

static void
hdr_below(const void *body, double number, struct span *out)
{
	const struct hdr *h = body;
	uint64_t at = 0, sure = 0, perhaps = 0;
	double shares = 0;
	struct bin bin;

	while (hdr_bin(h, &at, &bin) && bin.low <= number) {
		if (bin.high <= number) {
			sure = add_saturated(sure, bin.weight);
		} else {
			perhaps = add_saturated(perhaps, bin.weight);
			shares += floor((double)bin.weight * share_below(h, &bin, number));
		}
	}
	out->low = (double)sure;
	out->high = (double)add_saturated(sure, perhaps);
	out->value = fmin(out->low + shares, out->high);
}

static enum status
hdr_make(void **body, const struct record *settings)
{
	struct hdr *h;
	enum status st = hdr_new_as(&h, settings);

	if (st == OK)
		*body = h;
	return st;
}

static enum status
hdr_add_samples(void *body, const double *value, const uint64_t *weight, size_t n)
{
	struct hdr *h = body;

	if (h->interval > 0)
		return hdr_add_corrected(h, value, weight, n, h->interval);
	return hdr_add(h, value, weight, n);
}

static uint64_t
hdr_samples(const void *body)
{
	return hdr_total(body);
}

static bool
hdr_is_saturated(const void *body)
{
	return hdr_saturated(body);
}

const struct quantiles hdr_quantiles = {
	.kind = KIND_HDR,
	.certain = true,
	.make = hdr_make,
	.add = hdr_add_samples,
	.total = hdr_samples,
	.saturated = hdr_is_saturated,
	.least = hdr_least,
	.most = hdr_most,
	.mean = hdr_mean,
	.at_rank = hdr_at_rank,
	.quantile = hdr_quantile,
	.below = hdr_below,
	.each = hdr_bin,
};
