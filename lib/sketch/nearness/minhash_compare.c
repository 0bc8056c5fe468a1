/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>

#include "sketch/nearness/minhash.h"
#include "sketch/nearness/minhash_body.h"

/*
 * Two MinHashes compared. Below the k-th smallest hash of each set all of its elements
 * are known; below the smaller of both limits, all of both. Read in the order of their
 * hashes, the elements of the union come in random order, and reading stops at the
 * first that is the k-th of its set. That one is not counted: then what comes before
 * it is a fair sample, as with any draw that goes on until a number of hits is
 * reached, and the share of common elements in it has J for its mean exactly. To take
 * the k smallest of the union, as is usual, is right as well, but throws away what
 * lies between them and the limit: of disjoint sets half of what is known.
 *
 * If neither set has more elements than hashes, there is no limit and all is exact.
 */

/* What reading both has found. */
struct reading {
	uint64_t a, b, shared;       /* below the common limit: of each set, and of both */
	uint64_t only_a, only_b, both;       /* for certain, whether above or below */
};

/* The k-th smallest of a set that has more. */
static uint64_t
limit_of(const struct minhash_view *v)
{
	return v->more ? v->at[v->n - 1] : UINT64_MAX;
}

/* Is it known whether a set has this element? */
static bool
knows(const struct minhash_view *v, uint64_t h)
{
	return !v->more || h <= v->at[v->n - 1];
}

static struct reading
read_both(const struct minhash_view *a, const struct minhash_view *b)
{
	uint64_t limit = limit_of(a) < limit_of(b) ? limit_of(a) : limit_of(b);
	struct reading r = {0};
	bool all = !a->more && !b->more;

	for (size_t i = 0, j = 0; i < a->n || j < b->n; ) {
		bool first = i < a->n && (j == b->n || a->at[i] <= b->at[j]);
		uint64_t h = first ? a->at[i] : b->at[j];
		bool in_a = i < a->n && a->at[i] == h, in_b = j < b->n && b->at[j] == h;

		if (all || h < limit) {
			r.a += in_a;
			r.b += in_b;
			r.shared += in_a && in_b;
		}
		r.both += in_a && in_b;
		r.only_a += in_a && !in_b && knows(b, h);
		r.only_b += in_b && !in_a && knows(a, h);
		i += in_a;
		j += in_b;
	}
	return r;
}

/* How large a part of all hashes lies below the limit. */
static double
share_below(const struct minhash_view *a, const struct minhash_view *b)
{
	uint64_t limit = limit_of(a) < limit_of(b) ? limit_of(a) : limit_of(b);

	return a->more || b->more ? ldexp((double)limit, -64) : 1;
}

/* A number that is at least low and at most high for certain. */
static struct estimate
within(struct estimate e, double low, double high)
{
	e.high = fmin(fmax(e.high, low), high);
	e.low = fmin(fmax(e.low, low), e.high);
	e.value = fmin(fmax(e.value, e.low), e.high);
	return e;
}

static struct estimate
all_of(const struct minhash *m)
{
	struct estimate e = {.value = minhash_estimate(m)};

	minhash_interval(m, &e.low, &e.high);
	return e;
}

enum status
minhash_compare(const struct minhash *ma, const struct minhash *mb, struct comparison *c,
    struct mismatch *why)
{
	struct minhash_view a = {0}, b = {0};

	enum status st = minhash_alike(ma, mb, why);
	if (st == OK)
		st = minhash_look(ma, &a);
	if (st == OK)
		st = minhash_look(mb, &b);
	if (st == OK) {
		struct reading r = read_both(&a, &b);
		double share = share_below(&a, &b);
		uint64_t total = r.a + r.b - r.shared;

		*c = (struct comparison){
			.a = all_of(ma), .b = all_of(mb), .sampled = true,
			.shared = r.shared, .total = total,
			.jaccard = estimate_part(r.shared, total, share),
			.a_in_b = estimate_part(r.shared, r.a, share),
			.b_in_a = estimate_part(r.shared, r.b, share),
		};
		double fewer = fmin(c->a.high, c->b.high);
		c->both = within(estimate_sampled(r.shared, share), (double)r.both, fewer);
		c->only_a = within(estimate_sampled(r.a - r.shared, share), (double)r.only_a,
		    c->a.high - (double)r.both);
		c->only_b = within(estimate_sampled(r.b - r.shared, share), (double)r.only_b,
		    c->b.high - (double)r.both);
		c->either = within(estimate_sampled(total, share), fmax(c->a.low, c->b.low),
		    c->a.high + c->b.high - (double)r.both);
	}
	free(a.own);
	free(b.own);
	return st;
}
