/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <string.h>

#include "sketch/distinct/hll_pairs.h"

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

bool
pairs_full(const struct pairs *p, enum pairs_set set)
{
	struct histogram h;

	pairs_histogram(p, set, &h);
	return h.count[p->last] == (uint32_t)1 << p->precision;
}

/* Registers whose rank depends on one rate alone, a sum of some parts'. */
struct one_rate {
	const uint32_t *count;
	const bool *in;
	double rate;
	double slope, curve;
};

/* At one rank, log (F(k) - F(k-1)) = -t r + log(1 - exp(-t r)), t = 1/(m 2^k). */
static void
add_rank(struct one_rate *o, double count, double t, double below, double reached,
    struct pairs_likelihood *l)
{
	double ahead = (1 - reached) / reached;

	l->log += count * (log(reached) - below * o->rate);
	o->slope += count * (t * ahead - below);
	o->curve -= count * (t * t * ahead / reached);
}

/* So many registers that share a rank: the last factor above. */
static void
add_shared(double count, double t, const double reached[], struct pairs_likelihood *l)
{
	double a = reached[PAIRS_ONLY_A], b = reached[PAIRS_ONLY_B], x = reached[PAIRS_BOTH];
	double chance = x + (1 - x) * a * b;
	double by[PAIRS_PARTS] = {
		(1 - x) * (1 - a) * b / chance,
		(1 - x) * (1 - b) * a / chance,
		(1 - x) * (1 - a * b) / chance,
	};
	double by_both = (1 - x) * (1 - a) * (1 - b) / chance;

	l->log += count * log(chance);
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

/* What depends on one rate, to the parts it is the sum of. */
static void
spread(const struct one_rate *o, struct pairs_likelihood *l)
{
	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		if (!o->in[i])
			continue;
		l->slope[i] += o->slope;
		for (unsigned j = 0; j < PAIRS_PARTS; j++)
			if (o->in[j])
				l->curve[i][j] += o->curve;
	}
}

/* The chance that a rank is reached by an item of any of these parts. */
static double
reached_by(const bool in[], const double reached[])
{
	double r = 0;

	for (unsigned i = 0; i < PAIRS_PARTS; i++)
		if (in[i])
			r += reached[i] - r * reached[i];
	return r;
}

/* Rank 0: nothing came. */
static void
add_untouched(const struct pairs *p, struct one_rate one[], double *below, double t,
    struct pairs_likelihood *l)
{
	for (unsigned i = 0; i < PAIRS_EQUAL; i++) {
		l->log -= one[i].count[0] * t * one[i].rate;
		one[i].slope -= one[i].count[0] * t;
	}
	*below += p->count[PAIRS_EQUAL][0] * t;
}

void
pairs_likelihood(const struct pairs *p, const double rate[PAIRS_PARTS],
    struct pairs_likelihood *l)
{
	const uint32_t *equal = p->count[PAIRS_EQUAL];
	struct one_rate one[PAIRS_EQUAL];
	double reached[PAIRS_PARTS], below_equal = 0;
	double t = exp2(-(double)(p->precision + p->last - 1));

	memset(l, 0, sizeof *l);
	for (unsigned i = 0; i < PAIRS_EQUAL; i++) {
		one[i] = (struct one_rate){.count = p->count[i], .in = part_of[i]};
		for (unsigned j = 0; j < PAIRS_PARTS; j++)
			one[i].rate += part_of[i][j] ? rate[j] : 0;
	}
	for (unsigned i = 0; i < PAIRS_PARTS; i++)
		reached[i] = -expm1(-t * rate[i]);

	for (unsigned k = p->last; k >= 1; k--) {
		double below = k < p->last ? t : 0;

		for (unsigned i = 0; i < PAIRS_EQUAL; i++)
			if (one[i].count[k] > 0)
				add_rank(&one[i], one[i].count[k], t, below,
				    reached_by(one[i].in, reached), l);
		if (equal[k] > 0)
			add_shared(equal[k], t, reached, l);
		below_equal += equal[k] * below;
		if (k == p->last)
			continue;
		/* Twice the items may reach the next rank: no need to ask exp. */
		t *= 2;
		for (unsigned i = 0; i < PAIRS_PARTS; i++)
			reached[i] *= 2 - reached[i];
	}
	add_untouched(p, one, &below_equal, t, l);
	for (unsigned i = 0; i < PAIRS_EQUAL; i++)
		spread(&one[i], l);
	for (unsigned i = 0; i < PAIRS_PARTS; i++) {
		l->log -= below_equal * rate[i];
		l->slope[i] -= below_equal;
	}
}
