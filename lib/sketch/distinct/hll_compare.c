/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>

#include "sketch/distinct/hll.h"
#include "sketch/distinct/hll_joint.h"

/*
 * Two HyperLogLogs compared: by their registers, see hll_joint.c, unless both
 * still have tokens, which are nearly the items themselves.
 *
 * Two items that share a token are one too few in the union of tokens, and one
 * of A alone with one of B alone looks like a common one. Among the tokens of
 * the union so many pairs, h, are expected, Poisson distributed, that each
 * number below is off by as many at most:
 *
 *	intersection:  common tokens - h  ..  common tokens + h
 *	only in A:     tokens only in A   ..  the same + h
 *
 * because a token only in A has an item only in A. Up to some 3,000 tokens h is
 * 0 with 97.5 % and all numbers are exact.
 */

/* Sets of so many tokens: the estimate, and what is hidden at most. */
static struct estimate
items_of(size_t tokens)
{
	struct hll_view v = {.precision = HLL_PRECISION_MAX, .tokens = tokens};
	struct estimate e = {.value = hll_view_estimate(&v)};

	hll_view_interval(&v, &e.low, &e.high);
	return e;
}

/* The value, which may stray by chance, is where it can be. */
static struct estimate
within(double value, double low, double high)
{
	low = fmin(low, high);
	return (struct estimate){
		.value = fmin(fmax(value, low), high), .low = low, .high = high,
	};
}

void
hll_compare_tokens(size_t a, size_t b, size_t common, struct comparison *c)
{
	double both = (double)common, only_a = (double)(a - common), only_b = (double)(b - common);

	*c = (struct comparison){
		.a = items_of(a), .b = items_of(b), .either = items_of(a + b - common),
	};
	double hidden = floor(c->either.high - c->either.low);
	c->both = within(c->a.value + c->b.value - c->either.value, fmax(both - hidden, 0),
	    fmin(both + hidden, fmin(c->a.high, c->b.high)));
	c->only_a = within(c->either.value - c->b.value, only_a, only_a + hidden);
	c->only_b = within(c->either.value - c->a.value, only_b, only_b + hidden);
	if (a + b == 0)
		c->jaccard = (struct estimate){0};
	else
		c->jaccard = within(c->both.value / c->either.value,
		    c->both.low / (c->either.low + hidden),
		    fmin(c->both.high / c->either.low, 1));
}

/* Of a set that has tokens the size is known better than its registers tell. */
static void
know(const struct hll *s, struct estimate *all, struct estimate *only, struct estimate *both)
{
	struct hll_view v = hll_view(s);

	if (v.registers)
		return;
	*all = items_of(v.tokens);
	*only = within(only->value, only->low, fmin(only->high, all->high));
	*both = within(both->value, both->low, fmin(both->high, all->high));
}

/* As registers of a precision that it has or a coarser one; the caller frees
 * them. NULL: no memory. */
static unsigned char *
spread(const struct hll *s, unsigned precision)
{
	struct hll_view v = hll_view(s);
	unsigned char *registers = calloc((size_t)1 << precision, 1);

	if (!registers)
		return NULL;
	if (v.registers)
		registers_merge(registers, precision, v.registers, v.precision);
	for (size_t i = 0; i < v.room; i++)
		if (v.token[i] != 0)
			registers_raise(&registers[token_register(v.token[i], precision)],
			    token_register_rank(v.token[i], precision));
	return registers;
}

static enum status
compare_tokens(const struct hll *a, const struct hll *b, struct comparison *c)
{
	struct hll_view va = hll_view(a), vb = hll_view(b);
	size_t common = 0;

	for (size_t i = 0; i < vb.room; i++)
		common += vb.token[i] != 0 && hll_has_token(a, vb.token[i]);
	hll_compare_tokens(va.tokens, vb.tokens, common, c);
	return OK;
}

enum status
hll_compare(const struct hll *a, const struct hll *b, struct comparison *c,
    struct mismatch *why)
{
	unsigned precision = hll_precision(a);

	if (!hll_view(a).registers && !hll_view(b).registers)
		return compare_tokens(a, b, c);
	if (hll_precision(b) < precision)
		precision = hll_precision(b);

	unsigned char *ra = spread(a, precision), *rb = spread(b, precision);
	enum status st = ra && rb ? OK : STATUS_MEMORY;
	if (st == OK)
		st = joint_compare(ra, rb, precision, registers_rank_max(precision), c, why);
	free(ra);
	free(rb);
	if (st != OK)
		return st;
	know(a, &c->a, &c->only_a, &c->both);
	know(b, &c->b, &c->only_b, &c->both);
	return OK;
}
