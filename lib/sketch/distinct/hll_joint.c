/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sketch/distinct/hll_joint.h"

/*
 * The estimate is where the likelihood of hll_pairs.c has its peak, found by
 * Newton's method, damped as Levenberg and Marquardt do, from where inclusion
 * and exclusion points.
 *
 * The intervals. That likelihood L(z) is one of rates z = (a, b, x): it takes
 * the numbers of items n for Poisson ones, whose own spread would make
 * intervals far too wide while registers outnumber items. As in registers.c
 * the likelihood of n itself is a coefficient of the power series of
 * exp(a + b + x) L, and the saddle point method finds it, in each direction i,
 * at the z where
 *
 *	n_i      = z_i (1 + d_i),   d_i = (log L)' by z_i,
 *	log P(n) = log L(z) + sum of n_i log(n_i / z_i) - n_i + z_i.
 *
 * Its slope by n_i is log(n_i / z_i), and its peak is that of L. The interval
 * of any sum g n (a is g = 1, 0, 1) reaches from the least to the greatest g n
 * among all n with log P(n) not lower than 1.92 below the peak: half the 95 %
 * point of chi-squared. At the end of it the slope lies along g,
 *
 *	log(n_i / z_i) = -k g_i,    hence    d_i = exp(-k g_i) - 1,
 *
 * which is where log L(z) - sum of (exp(-k g_i) - 1) z_i has its peak: the same
 * climb on a tilted mountain. What remains is to find the one number k at which
 * log P is what it should be.
 *
 * J = x / (a + b + x) is no sum, but that it can be j or above is the same as
 * that x - j (a + b + x) can be 0 or above; the j where the greatest such sum
 * is 0 is found in a few rounds (W. Dinkelbach, "On nonlinear fractional
 * programming", Management Science 13, 1967).
 */
#define HALF_CHI_SQUARED 1.9207294103470626

#define FLOOR 1e-6          /* rates are above 0; this one means none */
#define CLOSE 1e-3          /* to the end of an interval, as a share of it */

/* Somewhere on the mountain. */
struct place {
	double rate[PAIRS_PARTS];
	struct pairs_likelihood l;
};

/* So few items of a part that the likelihood does not notice: none. */
static double
negligible(const struct pairs *p, const struct place *at)
{
	double sum = at->rate[0] + at->rate[1] + at->rate[2];

	return fmax(1e-3, 1e-6 * ldexp(sum, -(int)p->precision));
}

static void
look(const struct pairs *p, struct place *at)
{
	pairs_likelihood(p, at->rate, &at->l);
}

static double
height(const struct place *at, const double tilt[])
{
	double h = at->l.log;

	for (unsigned i = 0; i < PAIRS_PARTS; i++)
		h -= tilt[i] * at->rate[i];
	return h;
}

/* x = m^-1 y by Cholesky's method; false if m is not positive definite. */
static bool
solve(double m[PAIRS_PARTS][PAIRS_PARTS], const double y[], double x[])
{
	for (unsigned j = 0; j < PAIRS_PARTS; j++) {
		for (unsigned i = j; i < PAIRS_PARTS; i++) {
			double s = m[i][j];

			for (unsigned k = 0; k < j; k++)
				s -= m[i][k] * m[j][k];
			if (i == j && !(s > 0))
				return false;
			m[i][j] = i == j ? sqrt(s) : s / m[j][j];
		}
	}
	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		x[i] = y[i];
		for (unsigned k = 0; k < i; k++)
			x[i] -= m[i][k] * x[k];
		x[i] /= m[i][i];
	}
	for (unsigned i = PAIRS_PARTS; i-- > 0;) {
		for (unsigned k = i + 1; k < PAIRS_PARTS; k++)
			x[i] -= m[k][i] * x[k];
		x[i] /= m[i][i];
	}
	return true;
}

/*
 * The step uphill from a place. Damping adds to the curvature of each rate so
 * much that steps get shorter, and more and more along the slope. A rate that
 * is at its end and slopes outwards stays. Returns twice the height that a
 * mountain without further curvature would gain, or -1 if there is none.
 */
static double
step_from(const struct place *at, const double tilt[], double damping, double step[])
{
	double m[PAIRS_PARTS][PAIRS_PARTS], slope[PAIRS_PARTS], gain = 0;
	bool stays[PAIRS_PARTS];

	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		slope[i] = at->l.slope[i] - tilt[i];
		stays[i] = slope[i] < 0 ? at->rate[i] <= FLOOR : at->rate[i] >= REGISTERS_MOST;
		if (stays[i])
			slope[i] = 0;
	}
	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		for (unsigned j = 0; j < PAIRS_PARTS; j++)
			m[i][j] = stays[i] || stays[j] ? i == j : -at->l.curve[i][j];
		double scale = fmax(fabs(m[i][i]), fabs(slope[i]) / at->rate[i]);
		if (!stays[i])
			m[i][i] += damping * scale;
	}
	if (!solve(m, slope, step))
		return -1;
	for (unsigned i = 0; i < PAIRS_PARTS; i++)
		gain += slope[i] * step[i];
	return gain;
}

/* Rates shrink to an eighth at most in one step, lest one that was overshot
 * has to come back from 0. */
static void
take(const struct pairs *p, const struct place *at, const double step[], struct place *next)
{
	double none = negligible(p, at);

	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		double lowest = at->rate[i] < none ? FLOOR : at->rate[i] / 8;

		next->rate[i] = fmin(fmax(at->rate[i] + step[i], lowest), REGISTERS_MOST);
	}
	look(p, next);
}

/* To the peak of the tilted mountain. A step that leads down, beyond what
 * rounding does, was too long for the curvature: it is taken again, damped. */
static void
climb(const struct pairs *p, const double tilt[], struct place *at)
{
	double damping = 0;

	for (int i = 0; i < 200; i++) {
		struct place next = {0};
		double step[PAIRS_PARTS];
		double gain = step_from(at, tilt, damping, step);

		if (gain >= 0) {
			double before = height(at, tilt), noise = 1e-13 * fabs(before);

			take(p, at, step, &next);
			if (height(&next, tilt) >= before - noise) {
				*at = next;
				if (gain <= 1e-8 + noise)
					return;
				damping = damping < 1e-3 ? 0 : damping / 8;
				continue;
			}
		}
		if (damping > 1e12)
			return;
		damping = damping > 0 ? damping * 8 : 1e-2;
	}
}

/* A number of items of each part, and how likely it is. */
struct point {
	double n[PAIRS_PARTS];
	double log;
};

static struct point
point_at(const struct pairs *p, const struct place *at)
{
	double none = negligible(p, at);
	struct point q = {.log = at->l.log};

	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		double z = at->rate[i], u = at->l.slope[i];

		q.n[i] = u > -1 ? z * (1 + u) : 0;
		if (q.n[i] < none)
			q.n[i] = 0;
		/* n log(n / z) - n + z, by its series where u is small. */
		if (u <= -1)
			q.log += z;
		else if (fabs(u) < 1e-3)
			q.log += z * u * u * (1.0 / 2 - u * (1.0 / 6 - u * (1.0 / 12 - u / 20)));
		else
			q.log += z * ((1 + u) * log1p(u) - u);
	}
	return q;
}

static double
along(const double g[], const double n[])
{
	double sum = 0;

	for (unsigned i = 0; i < PAIRS_PARTS; i++)
		sum += g[i] * n[i];
	return sum;
}

/* The peak, and how far it may be from there. */
struct region {
	const struct pairs *pairs;
	struct place top;
	struct point best;
};

/*
 * A first guess of k: near the peak log P falls by k^2 / 2 times the variance
 * of g n. A fixed number of items has the variance of a Poisson one without
 * the number's own.
 */
static double
first_guess(const struct region *r, const double g[])
{
	double m[PAIRS_PARTS][PAIRS_PARTS], x[PAIRS_PARTS], variance = 0;

	for (unsigned i = 0; i < PAIRS_PARTS; i++)
		for (unsigned j = 0; j < PAIRS_PARTS; j++)
			m[i][j] = -r->top.l.curve[i][j];
	if (solve(m, g, x)) {
		variance = along(g, x);
		for (unsigned i = 0; i < PAIRS_PARTS; i++)
			variance -= g[i] * g[i] * r->top.rate[i];
	}
	return variance > 0 ? fmin(sqrt(2 * HALF_CHI_SQUARED / variance), 1) : 1;
}

/* How far below the peak, as a multiple of what is allowed; about linear in k. */
static double
depth(const struct region *r, const struct point *q)
{
	return sqrt(fmax(r->best.log - q->log, 0) / HALF_CHI_SQUARED);
}

/* Between a place inside and one outside, where the region ends. */
static struct point
edge(const struct region *r, struct place inside, struct place outside)
{
	for (int i = 0; i < 100; i++) {
		struct place mid = {0};

		for (unsigned j = 0; j < PAIRS_PARTS; j++)
			mid.rate[j] = inside.rate[j] + (outside.rate[j] - inside.rate[j]) / 2;
		look(r->pairs, &mid);
		struct point q = point_at(r->pairs, &mid);
		double d = depth(r, &q);
		if (fabs(d - 1) < CLOSE)
			return q;
		*(d < 1 ? &inside : &outside) = mid;
	}
	return point_at(r->pairs, &inside);
}

/*
 * The point of the region with the greatest g n. Depth 1 is what is allowed.
 * Where the likelihood is flat along g, as for two sketches that are the same,
 * all of the way out has the same k: then the end is between the last places.
 * Where items run out on the way, no k is enough, and that is the end.
 */
static struct point
furthest(const struct region *r, const double g[])
{
	struct place at = r->top, inside = r->top, outside = r->top;
	double low = 0, high = INFINITY, low_depth = 0, high_depth = 0;
	double steep = fmax(fmax(fabs(g[0]), fabs(g[1])), fabs(g[2]));
	double k = first_guess(r, g);

	while (high == INFINITY ? k * steep < 500 : high - low > 1e-4 * high) {
		double tilt[PAIRS_PARTS];

		for (unsigned j = 0; j < PAIRS_PARTS; j++)
			tilt[j] = expm1(-k * g[j]);
		climb(r->pairs, tilt, &at);

		struct point q = point_at(r->pairs, &at);
		double d = depth(r, &q);
		if (fabs(d - 1) < CLOSE)
			return q;
		if (d < 1) {
			low = k;
			low_depth = d;
			inside = at;
		} else {
			high = k;
			high_depth = d;
			outside = at;
			at = inside;
		}
		double part = (1 - low_depth) / (high_depth - low_depth);
		if (high == INFINITY)
			k *= fmin(fmax(1 / fmax(d, 0.01), 1.01), 8);
		else
			k = low + (high - low) * (part > 0.1 && part < 0.9 ? part : 0.5);
	}
	return high == INFINITY ? point_at(r->pairs, &inside) : edge(r, inside, outside);
}

static struct estimate
bounds(const struct region *r, const double g[])
{
	const double minus[PAIRS_PARTS] = {-g[0], -g[1], -g[2]};
	struct point most = furthest(r, g), least = furthest(r, minus);
	struct estimate e = {
		.value = along(g, r->best.n), .low = along(g, least.n), .high = along(g, most.n),
	};

	e.value = fmin(e.value, REGISTERS_MOST);
	e.low = fmax(fmin(floor(e.low), e.value), 0);
	e.high = fmin(fmax(ceil(e.high), e.value), REGISTERS_MOST);
	return e;
}

static double
jaccard(const struct point *q)
{
	double either = q->n[0] + q->n[1] + q->n[2];

	return either > 0 ? q->n[PAIRS_BOTH] / either : 0;
}

/* The greatest j with sign = 1, the least with -1. */
static double
furthest_jaccard(const struct region *r, double sign)
{
	double j = jaccard(&r->best);

	for (int i = 0; i < 20; i++) {
		const double g[PAIRS_PARTS] = {-sign * j, -sign * j, sign * (1 - j)};
		struct point q = furthest(r, g);
		double before = j;

		j = jaccard(&q);
		if (fabs(j - before) <= 1e-4 * before)
			break;
	}
	return j;
}

/* From inclusion and exclusion, but with some of everything. */
static void
start(const struct pairs *p, struct place *at)
{
	double n[3];

	for (enum pairs_set set = PAIRS_A; set <= PAIRS_UNION; set++) {
		struct histogram h;

		pairs_histogram(p, set, &h);
		n[set] = histogram_estimate(&h);
	}
	double fewer = fmin(n[PAIRS_A], n[PAIRS_B]), some = 0.01 * fewer + 0.5;
	double both = fmax(fmin(n[PAIRS_A] + n[PAIRS_B] - n[PAIRS_UNION], fewer), some);
	at->rate[PAIRS_ONLY_A] = fmax(n[PAIRS_A] - both, some);
	at->rate[PAIRS_ONLY_B] = fmax(n[PAIRS_B] - both, some);
	at->rate[PAIRS_BOTH] = both;
	look(p, at);
}

enum status
joint_compare(const unsigned char *registers_a, const unsigned char *registers_b,
    unsigned precision, unsigned last, struct comparison *c, struct mismatch *why)
{
	static const double level[PAIRS_PARTS];
	static const double a[] = {1, 0, 1}, b[] = {0, 1, 1}, either[] = {1, 1, 1};
	static const double both[] = {0, 0, 1}, only_a[] = {1, 0, 0}, only_b[] = {0, 1, 0};
	struct pairs pairs;
	struct region r = {.pairs = &pairs};

	pairs_count(&pairs, registers_a, registers_b, precision, last);
	if (pairs_full(&pairs, PAIRS_A) || pairs_full(&pairs, PAIRS_B)) {
		snprintf(why->text, sizeof why->text, "every register of the %s is full, so that it "
		    "may hold any number of items", pairs_full(&pairs, PAIRS_A) ? "first" : "second");
		return STATUS_MISMATCH;
	}
	start(&pairs, &r.top);
	climb(&pairs, level, &r.top);
	r.best = point_at(&pairs, &r.top);
	*c = (struct comparison){
		.a = bounds(&r, a), .b = bounds(&r, b), .either = bounds(&r, either),
		.both = bounds(&r, both), .only_a = bounds(&r, only_a),
		.only_b = bounds(&r, only_b),
	};
	c->jaccard.value = jaccard(&r.best);
	c->jaccard.low = fmin(furthest_jaccard(&r, -1), c->jaccard.value);
	c->jaccard.high = fmax(furthest_jaccard(&r, 1), c->jaccard.value);
	return OK;
}
