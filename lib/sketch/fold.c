/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "sketch/fold.h"

/* All divisors of a size, ascending. */
struct divisors {
	uint64_t *at;
	size_t n;
};

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By trial: 2^24 of them for the largest size there is, a tenth of a second. */
static enum status
divisors_of(struct divisors *d, uint64_t size)
{
	struct buffer list = {0};
	enum status st = OK;

	for (uint64_t i = 1; st == OK && i <= size / i; i++) {
		uint64_t pair[2] = {i, size / i};
		if (size % i == 0)
			st = buffer_append(&list, pair, i == size / i ? 8 : 16);
	}
	/* There always is one: 1. */
	if (st != OK || !list.at) {
		buffer_free(&list);
		return st != OK ? st : STATUS_PARAMETER;
	}
	*d = (struct divisors){(uint64_t *)(void *)list.at, list.len / sizeof *d->at};
	qsort(d->at, d->n, sizeof *d->at, compare);
	return OK;
}

bool
fold_can(const struct kind *k, const struct fold *to)
{
	return k->fold && (to->bytes > 0 || k->fold->fpp);
}

/* The largest that fits. */
static enum status
to_bytes(struct sketch *s, const struct divisors *d, uint64_t bytes, struct mismatch *why)
{
	const struct folding *f = s->kind->fold;
	char below[NUM_REAL_SIZE], above[NUM_REAL_SIZE], asked[NUM_REAL_SIZE];
	size_t i = d->n - 1;

	if (f->bytes(s->body, d->at[i]) <= bytes)
		return OK;
	while (i > 0 && f->bytes(s->body, d->at[i]) > bytes)
		i--;
	uint64_t got = f->bytes(s->body, d->at[i]);
	if (got <= bytes && got >= bytes / 2)
		return f->fold(s->body, d->at[i]);
	if (got > bytes)
		snprintf(why->text, sizeof why->text, "its least size is %s",
		    num_bytes(above, got));
	else
		snprintf(why->text, sizeof why->text, "it can have %s or %s, and nothing near %s",
		    num_bytes(below, got), num_bytes(above, f->bytes(s->body, d->at[i + 1])),
		    num_bytes(asked, bytes));
	return STATUS_MISMATCH;
}

static enum status
too_high(const struct sketch *s, double wanted, double fpp, struct mismatch *why)
{
	const struct folding *f = s->kind->fold;

	snprintf(why->text, sizeof why->text, "its fpp is %.3g at a size of %llu, and %.3g is wanted",
	    fpp, (unsigned long long)f->size(s->body), wanted);
	return STATUS_MISMATCH;
}

enum status
fold_holds(const struct sketch *s, const struct fold *to, struct mismatch *why)
{
	const struct folding *f = s->kind->fold;
	double fpp;

	if (to->bytes > 0)
		return OK;
	enum status st = f->fpp(s->body, f->size(s->body), &fpp);
	return st == OK && fpp > to->fpp ? too_high(s, to->fpp, fpp, why) : st;
}

/* The smallest that still has the fpp, by bisection: less room never helps. */
static enum status
to_fpp(struct sketch *s, const struct divisors *d, double wanted, struct mismatch *why)
{
	const struct folding *f = s->kind->fold;
	size_t few = 0, enough = d->n - 1;     /* what is below few is too small */
	double fpp;

	enum status st = fold_holds(s, &(struct fold){.fpp = wanted}, why);
	while (st == OK && few < enough) {
		size_t middle = few + (enough - few) / 2;
		st = f->fpp(s->body, d->at[middle], &fpp);
		if (st == OK && fpp <= wanted)
			enough = middle;
		else
			few = middle + 1;
	}
	if (st == OK)
		st = f->fold(s->body, d->at[enough]);
	if (st == OK)
		f->promise(s->body, wanted);
	return st;
}

enum status
fold_sketch(struct sketch *s, const struct fold *to, struct mismatch *why)
{
	struct divisors d;
	enum status st = divisors_of(&d, s->kind->fold->size(s->body));

	if (st != OK)
		return st;
	st = to->bytes > 0 ? to_bytes(s, &d, to->bytes, why) : to_fpp(s, &d, to->fpp, why);
	free(d.at);
	return st;
}

enum status
fold_alike(struct sketch *a, struct sketch *b, bool *folded)
{
	const struct folding *f = a->kind->fold;
	uint64_t x = f->size(a->body), y = f->size(b->body);
	uint64_t both = common_divisor(x, y);

	*folded = x != y;
	if (x == y)
		return OK;
	enum status st = f->fold(a->body, both);
	return st == OK ? f->fold(b->body, both) : st;
}
