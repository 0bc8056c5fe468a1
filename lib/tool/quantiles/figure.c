/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/quantiles/figure.h"

/* All digits there are; so many after a change of unit, which rounds; those that
 * bounds keep, which are rounded outward; and what a mean, a share or a guess has. */
#define DIGITS_ALL 17
#define DIGITS_CONVERTED 15
#define DIGITS_BOUND 9
#define DIGITS_FEW 6

/*
 * Rounding to significant digits, of which those before the point are never less
 * than all. Bounds go outward, so that they still hold.
 */

static double
rounded(double v, int digits)
{
	char text[40];

	if (digits >= DIGITS_ALL || v == floor(v))
		return v;
	if (fabs(v) >= pow(10, digits - 1))
		return nearbyint(v);
	snprintf(text, sizeof text, "%.*e", digits - 1, v);
	return strtod(text, NULL);
}

static double
outward(double v, int digits, bool up)
{
	double r = rounded(v, digits);

	if (r == v)
		return r;
	if (fabs(v) >= pow(10, digits - 1))
		return up ? ceil(v) : floor(v);
	/* By one in the last digit, or what comes next to it. */
	double step = pow(10, floor(log10(fabs(v))) - (digits - 1));
	for (; up ? r < v : r > v; step *= 2)
		r = rounded(up ? v + step : v - step, digits);
	return r;
}

/* What is almost all or almost none must not look like it. */
static double
rounded_share(double v)
{
	int digits = DIGITS_FEW;
	double r;

	do
		r = rounded(v, digits);
	while (((r >= 1 && v < 1) || (r <= 0 && v > 0)) && digits++ < DIGITS_ALL);
	return r;
}

double
figure_convert(const struct reading *f, double v)
{
	double ratio = unit_ratio(f->kept, f->shown);

	/* A whole number is exact, one below 1 is not. */
	v = ratio >= 1 ? v * ratio : v / unit_ratio(f->shown, f->kept);
	return ratio == 1 ? v : rounded(v, DIGITS_CONVERTED);
}

static void
put_span(struct figure *at, const struct reading *f, const struct span *s, int digits)
{
	bool exact = s->low == s->high && digits > DIGITS_FEW;
	int bound = exact ? DIGITS_ALL : digits < DIGITS_BOUND ? digits : DIGITS_BOUND;

	at->columns = FIGURE_HIGH + 1;
	at->at[FIGURE_VALUE] = rounded(figure_convert(f, s->value), exact ? DIGITS_ALL : digits);
	if (!f->bounds)
		return;
	at->at[FIGURE_LOW] = outward(figure_convert(f, s->low), bound, false);
	at->at[FIGURE_HIGH] = outward(figure_convert(f, s->high), bound, true);
}

/*
 * The answer to each kind of question, of a sketch that holds samples.
 */

static void
quantile(struct figure *at, const struct reading *f, const void *body, double q)
{
	uint64_t n = f->what->total(body), low, high;
	struct span s;

	f->what->quantile(body, q, f->discrete, &s);
	put_span(at, f, &s, f->what->certain ? DIGITS_ALL : s.low == s.high ? DIGITS_ALL : DIGITS_FEW);

	at->columns = FIGURE_COLUMNS;
	if (!f->bounds)
		return;
	at->few = quantiles_few(q, n);
	at->at[FIGURE_CI_LOW] = at->at[FIGURE_CI_HIGH] = NAN;
	if (!f->confidence)
		return;
	quantiles_confidence(q, n, &low, &high);
	if (low > 0) {
		f->what->at_rank(body, low, true, &s);
		at->at[FIGURE_CI_LOW] = outward(figure_convert(f, s.low), DIGITS_BOUND, false);
	}
	if (high <= n) {
		f->what->at_rank(body, high, true, &s);
		at->at[FIGURE_CI_HIGH] = outward(figure_convert(f, s.high), DIGITS_BOUND, true);
	}
}

static void
share(struct figure *at, const struct reading *f, const void *body, double number)
{
	double n = (double)f->what->total(body);
	struct span s;

	f->what->below(body, number, &s);
	at->columns = FIGURE_HIGH + 1;
	at->at[FIGURE_VALUE] = rounded_share(s.value / n);
	if (!f->bounds)
		return;
	at->at[FIGURE_LOW] = outward(s.low / n, DIGITS_FEW, false);
	at->at[FIGURE_HIGH] = outward(s.high / n, DIGITS_FEW, true);
}

/* So many samples have to be at or below its number. */
static enum promise_verdict
judge(const struct reading *f, const void *body, const struct question *q)
{
	double goal = q->q > 0 ? (double)quantiles_rank(q->q, f->what->total(body)) : 0;
	struct span s;

	f->what->below(body, q->number, &s);
	return s.low >= goal ? VERDICT_KEPT : s.high < goal ? VERDICT_BROKEN : VERDICT_UNCERTAIN;
}

struct figure
figure_of(const struct reading *f, const void *body, const struct question *q)
{
	struct figure at = {.n = f->what->total(body)};
	struct span s;

	if (q->what == QUANTITY_N) {
		at.count = true;
		at.columns = FIGURE_HIGH + 1;
		return at;
	}
	if (at.n == 0) {
		for (unsigned i = 0; i < FIGURE_COLUMNS; i++)
			at.at[i] = NAN;
		at.columns = q->what == QUANTITY_QUANTILE ? FIGURE_COLUMNS : FIGURE_HIGH + 1;
		at.verdict = q->what == QUANTITY_PROMISE ? VERDICT_UNCERTAIN : VERDICT_NONE;
		return at;
	}
	switch (q->what) {
	case QUANTITY_MIN:
		f->what->least(body, &s);
		put_span(&at, f, &s, DIGITS_ALL);
		break;
	case QUANTITY_MAX:
		f->what->most(body, &s);
		put_span(&at, f, &s, DIGITS_ALL);
		break;
	case QUANTITY_MEAN:
		f->what->mean(body, &s);
		put_span(&at, f, &s, DIGITS_FEW);
		break;
	case QUANTITY_QUANTILE:
		quantile(&at, f, body, q->q);
		break;
	case QUANTITY_PROMISE:
		at.verdict = judge(f, body, q);
		/* FALLTHROUGH */
	default:
		share(&at, f, body, q->number);
	}
	return at;
}

