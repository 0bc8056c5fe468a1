/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * What a t-digest answers. Picture the n samples in their order on a line from 0
 * to n, each one unit wide. A point of weight w is so many units of one value, a
 * step. Of a centroid of several samples we know the mean, which is taken for the
 * value in the middle of its units; on either side of it the value goes
 * in a straight line to the middle of the next one, or to the step:
 *
 *	value              ____
 *	                 _/    |        four points, of which the second weighs 2,
 *	            __-*-      |        and between the second and third a centroid
 *	       ____/   |       |        of weight 5 with its mean at *
 *	   ___|    |   |       |
 *	  |   |    |   |       |
 *	--+---+----+---+---+---+--> n
 *
 * While all are points, that is the nearest rank, exactly.
 *
 * How far it may be from the truth cannot be told. The bounds given are a guess:
 * neighbouring centroids may have exchanged samples, others hardly.
 */
#include "base/unit.h"
#include "sketch/quantiles/tdigest.h"
#include "sketch/quantiles/tdigest_body.h"

/* A centroid, and how many samples are before it. */
struct position {
	struct centroids all;
	size_t i;
	uint64_t before;
};

static const struct centroid *
here(const struct position *p)
{
	return &p->all.at[p->i];
}

static struct position
position_of(const struct tdigest *t, uint64_t rank)
{
	struct position p = {.all = tdigest_look(t)};

	while (p.i + 1 < p.all.n && rank > p.before + here(&p)->weight)
		p.before += p.all.at[p.i++].weight;
	return p;
}

/* From a to b, a share of the way: never beyond, and without overflow. */
static double
between(double a, double b, double share)
{
	double x = a + (b - a) * share;

	if (!(b - a <= 1.7976931348623157e308))
		x = a * (1 - share) + b * share;
	return x < a ? a : x > b ? b : x;
}

/* The value so many samples behind the beginning of a centroid that is no point;
 * so it has a neighbour on both sides. */
static double
interpolate(const struct position *p, double offset)
{
	const struct centroid *c = here(p), *other = offset * 2 < (double)c->weight ? c - 1 : c + 1;
	double half = (double)c->weight / 2;
	double reach = half + (other->point ? 0 : (double)other->weight / 2);

	if (other < c)
		return between(other->mean, c->mean, 1 - (half - offset) / reach);
	return between(c->mean, other->mean, (offset - half) / reach);
}

/* Could a sample of this rank be one that is counted at the neighbour? Points
 * exchange none, and a heavy one is as sure as it is far from its end. */
static void
guess_bounds(const struct position *p, uint64_t rank, struct span *span)
{
	const struct centroid *c = here(p);

	span->low = span->high = span->value;
	if (p->i > 0 && (!c->point ||
	    (!c[-1].point && rank - p->before <= c[-1].weight)))
		span->low = c[-1].mean;
	if (p->i + 1 < p->all.n && (!c->point ||
	    (!c[1].point && p->before + c->weight - rank < c[1].weight)))
		span->high = c[1].mean;
}

static void
least(const void *body, struct span *span)
{
	double value = tdigest_look(body).at[0].mean;

	*span = (struct span){value, value, value};
}

static void
most(const void *body, struct span *span)
{
	struct centroids all = tdigest_look(body);
	double value = all.at[all.n - 1].mean;

	*span = (struct span){value, value, value};
}

/* Sweeping does not change it but by rounding. */
static void
mean(const void *body, struct span *span)
{
	const struct tdigest *t = body;
	struct centroids all = tdigest_look(t);
	double low = all.at[0].mean, high = all.at[all.n - 1].mean, sum = 0;

	for (size_t i = 0; i < all.n; i++)
		sum += all.at[i].mean * ((double)all.at[i].weight / (double)t->total);
	sum = sum < low ? low : sum > high ? high : sum;
	*span = (struct span){sum, sum, sum};
}

static void
at_offset(const struct position *p, uint64_t rank, double offset, bool discrete,
    struct span *span)
{
	const struct centroid *c = here(p);
	double most = (double)c->weight;

	offset = offset < 0 ? 0 : offset > most ? most : offset;
	span->value = c->point || discrete ? c->mean : interpolate(p, offset);
	guess_bounds(p, rank, span);
}

static void
at_rank(const void *body, uint64_t rank, bool discrete, struct span *span)
{
	struct position p = position_of(body, rank);

	at_offset(&p, rank, (double)(rank - p.before) - 0.5, discrete, span);
}

static void
quantile(const void *body, double q, bool discrete, struct span *span)
{
	const struct tdigest *t = body;
	uint64_t rank = quantiles_rank(q, t->total);
	struct position p = position_of(t, rank);

	at_offset(&p, rank, q * (double)t->total - (double)p.before, discrete, span);
}

/* The last centroid that is not above a number, of which there is one. */
static struct position
position_below(struct centroids all, double number)
{
	struct position p = {.all = all};

	while (p.i + 1 < all.n && all.at[p.i + 1].mean <= number)
		p.before += all.at[p.i++].weight;
	return p;
}

static void
below(const void *body, double number, struct span *span)
{
	struct centroids all = tdigest_look(body);

	*span = (struct span){0, 0, 0};
	if (number < all.at[0].mean)
		return;
	struct position p = position_below(all, number);
	const struct centroid *c = here(&p);
	double first = (double)p.before, end = first + (double)c->weight;
	double from = c->point ? end : first + (double)c->weight / 2;
	if (p.i + 1 == all.n) {
		*span = (struct span){end, end, end};
		return;
	}
	double to = end + (c[1].point ? 0 : (double)c[1].weight / 2);
	double share = (number / 2 - c->mean / 2) / (c[1].mean / 2 - c->mean / 2);
	span->value = between(from, to, share);
	span->low = c->point ? end : first;
	span->high = c[1].point ? end : end + (double)c[1].weight;
}

/* Where one centroid ends and the next one begins. */
static double
border(const struct centroid *c)
{
	return c[0].point ? c[0].mean : c[1].point ? c[1].mean :
	    between(c[0].mean, c[1].mean,
	    (double)c[0].weight / ((double)c[0].weight + (double)c[1].weight));
}

static bool
each(const void *body, uint64_t *at, struct bin *bin)
{
	struct centroids all = tdigest_look(body);

	if (*at >= all.n)
		return false;
	const struct centroid *c = &all.at[(*at)++];
	*bin = (struct bin){
		c->point ? c->mean : border(c - 1), c->point ? c->mean : border(c), c->weight,
	};
	return true;
}

static enum status
make(void **body, const struct record *settings)
{
	uint64_t compression = settings->param[TDIGEST_PARAM_COMPRESSION];
	uint64_t unit = settings->param[QUANTILES_UNIT];
	struct tdigest *t;

	if (compression > TDIGEST_COMPRESSION_MAX || unit >= UNITS)
		return STATUS_PARAMETER;
	enum status st = tdigest_new(&t, (unsigned)compression);
	if (st != OK)
		return st;
	t->unit = (uint8_t)unit;
	*body = t;
	return OK;
}

static enum status
add(void *body, const double *value, const uint64_t *weight, size_t n)
{
	return tdigest_add(body, value, weight, n);
}

static uint64_t
total(const void *body)
{
	return ((const struct tdigest *)body)->total;
}

static bool
saturated(const void *body)
{
	return ((const struct tdigest *)body)->saturated;
}

const struct quantiles tdigest_quantiles = {
	.kind = KIND_TDIGEST,
	.ordered = true,
	.certain = false,
	.make = make,
	.add = add,
	.total = total,
	.saturated = saturated,
	.least = least,
	.most = most,
	.mean = mean,
	.at_rank = at_rank,
	.quantile = quantile,
	.below = below,
	.each = each,
};
