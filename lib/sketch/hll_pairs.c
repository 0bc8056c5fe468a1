/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <string.h>

#include "sketch/hll_pairs.h"

/*
 * The likelihood. Let a, b, x be the expected numbers of items in A alone, in B
 * alone and in both, m the number of registers, and F_r(k) = exp(-r / (m 2^k))
 * the chance that r items leave a register at k or below; at the last rank it
 * is 1. A register of A is the larger of what a's and x's items bring, one of B
 * of b's and x's, and the three are independent. So a pair of ranks i, j has
 * the likelihood
 *
 *	i < j:  (F_a+x(i) - F_a+x(i-1)) (F_b(j) - F_b(j-1))
 *	i > j:  (F_a(i) - F_a(i-1)) (F_b+x(j) - F_b+x(j-1))
 *	i = j:  F_a F_b F_x (k) * (1 - f_x + f_x (1 - f_a)(1 - f_b)),
 *	        f_r = F_r(k-1) / F_r(k)
 *
 * where below i = j the larger rank came from one side alone. In the last line
 * the second factor is the chance that rank k is reached on both sides, by an
 * item of both or by one on each. All factors are functions of one rank, hence
 * the five histograms.
 *
 *	Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog
 *	sketches", arXiv:1702.01284 (2017), section 5: joint estimation
 */

static const bool part_of[PAIRS_EQUAL][PAIRS_PARTS] = {
	[PAIRS_A_BELOW] = {[PAIRS_ONLY_A] = true, [PAIRS_BOTH] = true},
	[PAIRS_B_ABOVE] = {[PAIRS_ONLY_B] = true},
	[PAIRS_B_BELOW] = {[PAIRS_ONLY_B] = true, [PAIRS_BOTH] = true},
	[PAIRS_A_ABOVE] = {[PAIRS_ONLY_A] = true},
};

#define RANKS 64

static unsigned
capped(unsigned rank, unsigned last)
{
	return rank < last ? rank : last;
}

void
pairs_count(struct pairs *p, const unsigned char *a, const unsigned char *b,
    unsigned precision, unsigned last)
{
	uint32_t both[RANKS][RANKS] = {{0}};
	size_t m = (size_t)1 << precision;

	for (size_t i = 0; i < m; i++)
		both[a[i] & (RANKS - 1)][b[i] & (RANKS - 1)]++;

	memset(p, 0, sizeof *p);
	p->precision = precision;
	p->last = last;
	for (unsigned i = 0; i < RANKS; i++) {
		for (unsigned j = 0; j < RANKS; j++) {
			unsigned x = capped(i, last), y = capped(j, last);

			if (x == y)
				p->count[PAIRS_EQUAL][x] += both[i][j];
			else if (x < y) {
				p->count[PAIRS_A_BELOW][x] += both[i][j];
				p->count[PAIRS_B_ABOVE][y] += both[i][j];
			} else {
				p->count[PAIRS_A_ABOVE][x] += both[i][j];
				p->count[PAIRS_B_BELOW][y] += both[i][j];
			}
		}
	}
}

void
pairs_histogram(const struct pairs *p, enum pairs_set set, struct histogram *h)
{
	enum pairs_ranks when_below = set == PAIRS_A ? PAIRS_A_BELOW : PAIRS_B_ABOVE;
	enum pairs_ranks when_above = set == PAIRS_B ? PAIRS_B_BELOW : PAIRS_A_ABOVE;

	h->precision = p->precision;
	h->last = p->last;
	for (unsigned k = 0; k <= REGISTERS_RANK_MAX; k++)
		h->count[k] = p->count[PAIRS_EQUAL][k] + p->count[when_below][k] +
		    p->count[when_above][k];
}

/* The share of a register's items that could bring it to a rank or above. */
static double
share(const struct pairs *p, unsigned rank)
{
	unsigned halvings = rank < p->last ? rank : p->last - 1;

	return exp2(-(double)(p->precision + halvings));
}

/* Of registers whose rank depends on one rate, the sum of some parts':
 * log (F(k) - F(k-1)) = -t r + log(1 - exp(-t r)), t = 1 / (m 2^k). */
static void
add_ranks(const struct pairs *p, enum pairs_ranks ranks, const double rate[],
    struct pairs_likelihood *l)
{
	const uint32_t *count = p->count[ranks];
	const bool *in = part_of[ranks];
	double r = 0, slope = 0, curve = 0, t = share(p, 0);

	for (unsigned i = 0; i < PAIRS_PARTS; i++)
		if (in[i])
			r += rate[i];
	l->log -= count[0] * t * r;
	slope -= count[0] * t;
	for (unsigned k = 1; k <= p->last; k++) {
		if (k < p->last)
			t *= 0.5;
		if (count[k] == 0)
			continue;
		double reached = -expm1(-t * r);
		double ahead = (1 - reached) / reached, below = k < p->last ? t : 0;

		l->log += count[k] * (log(reached) - below * r);
		slope += count[k] * (t * ahead - below);
		curve -= count[k] * (t * t * ahead / reached);
	}
	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		if (!in[i])
			continue;
		l->slope[i] += slope;
		for (unsigned j = 0; j < PAIRS_PARTS; j++)
			if (in[j])
				l->curve[i][j] += curve;
	}
}

/* One rank that A and B share in so many registers: the last factor above. */
static void
add_reached(double count, double t, const double rate[], struct pairs_likelihood *l)
{
	double a = -expm1(-t * rate[PAIRS_ONLY_A]), b = -expm1(-t * rate[PAIRS_ONLY_B]);
	double x = -expm1(-t * rate[PAIRS_BOTH]);
	double reached = x + (1 - x) * a * b;
	double by[PAIRS_PARTS] = {
		(1 - x) * (1 - a) * b / reached,
		(1 - x) * (1 - b) * a / reached,
		(1 - x) * (1 - a * b) / reached,
	};
	double by_both = (1 - x) * (1 - a) * (1 - b) / reached;

	l->log += count * log(reached);
	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		l->slope[i] += count * t * by[i];
		for (unsigned j = 0; j < PAIRS_PARTS; j++) {
			/* The second derivative is minus the first in x and in i = j. */
			double second = i == PAIRS_BOTH ? -by[j] :
			    j == PAIRS_BOTH || i == j ? -by[i] : by_both;

			l->curve[i][j] += count * t * t * (second - by[i] * by[j]);
		}
	}
}

static void
add_equal(const struct pairs *p, const double rate[], struct pairs_likelihood *l)
{
	const uint32_t *count = p->count[PAIRS_EQUAL];
	double sum = rate[PAIRS_ONLY_A] + rate[PAIRS_ONLY_B] + rate[PAIRS_BOTH];
	double t = share(p, 0), below = count[0] * t;

	for (unsigned k = 1; k <= p->last; k++) {
		if (k < p->last)
			t *= 0.5;
		if (count[k] == 0)
			continue;
		if (k < p->last)
			below += count[k] * t;
		add_reached(count[k], t, rate, l);
	}
	l->log -= below * sum;
	for (unsigned i = 0; i < PAIRS_PARTS; i++)
		l->slope[i] -= below;
}

void
pairs_likelihood(const struct pairs *p, const double rate[PAIRS_PARTS],
    struct pairs_likelihood *l)
{
	memset(l, 0, sizeof *l);
	for (enum pairs_ranks ranks = 0; ranks < PAIRS_EQUAL; ranks++)
		add_ranks(p, ranks, rate, l);
	add_equal(p, rate, l);
}
