/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sketch/distinct/hll_postgres.h"

/*
 * What it is, says the storage specification 1.0.0 of Aggregate Knowledge, who
 * began the extension. Registers are chosen by the low log2m bits of the hash;
 * the rank is that of the others, at most 2^regwidth - 1.
 *
 * The estimator is the classic one of Flajolet, Fusy, Gandouet and Meunier
 * ("HyperLogLog", AofA 2007), with linear counting below 2.5 m items and a
 * correction for hashes of L = 2^regwidth - 2 + log2m bits above 2^L / 30.
 *
 * Error. One standard error is 1.04 / sqrt(m), 2.3 % at the default. But where
 * linear counting ends, around 2.5 m items, the estimator is biased besides: by
 * 2.0 to 2.4 % upwards for log2m of 10 or more, e.g. at 5,000 items at the
 * default. Registers of 4 bits are full from some 2^15 m items on, of 3 bits
 * from 2^7 m, and then the answer is far too low. The interval comes from the
 * registers themselves and knows of none of this: it holds the truth as often
 * as it says, and is only stretched to hold the estimate, too.
 *
 *	log2m  registers  error   bytes (5 bits)  hashes kept (expthresh -1)
 *	   10      1,024  3.25 %             640                          80
 *	   11      2,048  2.30 %           1,280                         160
 *	   14     16,384  0.81 %          10,240                       1,280
 *	   17    131,072  0.29 %          81,920                      10,240
 *
 * Example. The item "1" has the hash 71fbbbfe8a7b7c71. At log2m 11 its register
 * is c71 modulo 2^11, 1137; the bits above end in ...01111, rank 1.
 */

/* The extension has memory for so many, whatever expthresh says. */
#define KEPT_MAX 16383

struct hll_postgres {
	struct hll_postgres_shape shape;
	bool registers;              /* has it turned to them? */
	struct hll_explicit few;     /* its items until then */
	struct hll_low low;          /* and after that */
};

const struct hll_postgres_shape hll_postgres_default = {
	.log2m = 11, .regwidth = 5, .expthresh = HLL_POSTGRES_AUTO, .sparseon = true,
};

bool
hll_postgres_code(int64_t expthresh, unsigned *code)
{
	bool power = expthresh > 0 && (expthresh & (expthresh - 1)) == 0;

	if (expthresh == -1)
		*code = HLL_POSTGRES_AUTO;
	else if (expthresh == 0)
		*code = 0;
	else if (power && expthresh >> 61 <= 1)
		*code = (unsigned)__builtin_ctzll((uint64_t)expthresh) + 1;
	else
		return false;
	return true;
}

int64_t
hll_postgres_expthresh(unsigned code)
{
	return code == 0 ? 0 : code == HLL_POSTGRES_AUTO ? -1 : INT64_C(1) << (code - 1);
}

enum status
hll_postgres_check(const struct hll_postgres_shape *s)
{
	return s->log2m >= HLL_POSTGRES_LOG2M_MIN && s->log2m <= HLL_POSTGRES_LOG2M_MAX &&
	    s->regwidth >= 1 && s->regwidth <= HLL_POSTGRES_REGWIDTH_MAX &&
	    s->expthresh <= HLL_POSTGRES_AUTO ? OK : STATUS_PARAMETER;
}

size_t
hll_postgres_threshold(const struct hll_postgres_shape *s)
{
	uint64_t kept = (uint64_t)hll_postgres_expthresh(s->expthresh);

	if (s->expthresh == HLL_POSTGRES_AUTO)
		kept = ((uint64_t)s->regwidth << s->log2m) / 8 / sizeof(uint64_t);
	return kept < KEPT_MAX ? (size_t)kept : KEPT_MAX;
}

void
hll_postgres_put(const struct hll_postgres_shape *s, struct record *head)
{
	head->param[HLL_POSTGRES_LOG2M] = s->log2m;
	head->param[HLL_POSTGRES_REGWIDTH] = s->regwidth;
	head->param[HLL_POSTGRES_EXPTHRESH] = s->expthresh;
	head->param[HLL_POSTGRES_SPARSEON] = s->sparseon;
}

enum status
hll_postgres_get(const struct record *head, struct hll_postgres_shape *s)
{
	const uint64_t *param = head->param;

	/* Before they are cut to fewer bits. */
	if (param[HLL_POSTGRES_LOG2M] > HLL_POSTGRES_LOG2M_MAX ||
	    param[HLL_POSTGRES_REGWIDTH] > HLL_POSTGRES_REGWIDTH_MAX ||
	    param[HLL_POSTGRES_EXPTHRESH] > HLL_POSTGRES_AUTO || param[HLL_POSTGRES_SPARSEON] > 1)
		return STATUS_PARAMETER;
	*s = (struct hll_postgres_shape){
		.log2m = (unsigned)param[HLL_POSTGRES_LOG2M],
		.regwidth = (unsigned)param[HLL_POSTGRES_REGWIDTH],
		.expthresh = (unsigned)param[HLL_POSTGRES_EXPTHRESH],
		.sparseon = param[HLL_POSTGRES_SPARSEON] == 1,
	};
	return hll_postgres_check(s);
}

unsigned
hll_postgres_rank_max(const struct hll_postgres_shape *s)
{
	unsigned widest = (1u << s->regwidth) - 1, longest = 64 - s->log2m;

	return widest < longest ? widest : longest;
}

enum status
hll_postgres_new(struct hll_postgres **out, const struct hll_postgres_shape *shape)
{
	if (hll_postgres_check(shape) != OK)
		return STATUS_PARAMETER;

	struct hll_postgres *s = calloc(1, sizeof *s);
	if (!s)
		return STATUS_MEMORY;
	s->shape = *shape;
	hll_low_init(&s->low, shape->log2m, hll_postgres_rank_max(shape), 0);
	*out = s;
	return OK;
}

void
hll_postgres_free(struct hll_postgres *s)
{
	if (!s)
		return;
	hll_explicit_clear(&s->few);
	hll_low_clear(&s->low);
	free(s);
}

/* Pour the hashes into registers. */
static enum status
turn(struct hll_postgres *s)
{
	enum status st = OK;
	uint64_t hash;

	for (size_t at = 0; st == OK && hll_explicit_next(&s->few, &at, &hash);)
		st = hll_low_add(&s->low, &hash, 1);
	if (st != OK)
		return st;
	hll_explicit_clear(&s->few);
	s->registers = true;
	return OK;
}

enum status
hll_postgres_add(struct hll_postgres *s, const uint64_t *hash, size_t n)
{
	size_t kept = hll_postgres_threshold(&s->shape);
	enum status st = OK;

	while (st == OK && !s->registers && n > 0) {
		if (hll_explicit_count(&s->few) == kept && !hll_explicit_has(&s->few, *hash)) {
			st = turn(s);
			continue;
		}
		st = hll_explicit_add(&s->few, *hash);
		hash++;
		n--;
	}
	return st == OK && n > 0 ? hll_low_add(&s->low, hash, n) : st;
}

static double
alpha(unsigned log2m)
{
	switch (log2m) {
	case 4:
		return 0.673;
	case 5:
		return 0.697;
	case 6:
		return 0.709;
	default:
		return 0.7213 / (1 + 1.079 / (1 << log2m));
	}
}

static double
count_of(const struct hll_postgres_shape *s, const struct histogram *h)
{
	double m = 1 << s->log2m, sum = 0;
	double longest = ldexp(1, (1 << s->regwidth) - 2 + (int)s->log2m);

	for (unsigned k = 0; k <= h->last; k++)
		sum += ldexp(h->count[k], -(int)k);
	double raw = alpha(s->log2m) * m * m / sum;
	if (h->count[0] > 0 && raw < 2.5 * m)
		return m * log(m / h->count[0]);
	if (raw <= longest / 30)
		return raw;
	/* Registers that are full tell of more items than the hash has values. */
	return raw < longest ? fmin(-longest * log1p(-raw / longest), REGISTERS_MOST) :
	    REGISTERS_MOST;
}

double
hll_postgres_estimate(const struct hll_postgres *s)
{
	struct histogram h;

	if (!s->registers)
		return (double)hll_explicit_count(&s->few);
	hll_low_histogram(&s->low, &h);
	return count_of(&s->shape, &h);
}

void
hll_postgres_interval(const struct hll_postgres *s, double *low, double *high)
{
	double estimate = hll_postgres_estimate(s);
	struct histogram h;

	/* That two items have one hash is a matter of 2^-64. */
	*low = *high = estimate;
	if (!s->registers)
		return;
	hll_low_histogram(&s->low, &h);
	histogram_interval(&h, low, high);
	*low = fmin(*low, estimate);
	*high = fmax(*high, estimate);
}

static enum status
differ(struct mismatch *why, const char *field, int64_t a, int64_t b)
{
	snprintf(why->text, sizeof why->text, "%s %lld and %lld", field, (long long)a,
	    (long long)b);
	return STATUS_MISMATCH;
}

static enum status
match(const struct hll_postgres_shape *a, const struct hll_postgres_shape *b,
    struct mismatch *why)
{
	if (a->log2m != b->log2m)
		return differ(why, "log2m", a->log2m, b->log2m);
	if (a->regwidth != b->regwidth)
		return differ(why, "regwidth", a->regwidth, b->regwidth);
	if (a->expthresh != b->expthresh)
		return differ(why, "expthresh", hll_postgres_expthresh(a->expthresh),
		    hll_postgres_expthresh(b->expthresh));
	if (a->sparseon != b->sparseon)
		return differ(why, "sparseon", a->sparseon, b->sparseon);
	return OK;
}

enum status
hll_postgres_merge(struct hll_postgres *into, const struct hll_postgres *from,
    struct mismatch *why)
{
	enum status st = match(&into->shape, &from->shape, why);
	uint64_t hash;

	if (into == from)
		return OK;
	if (st == OK && from->registers && !into->registers)
		st = turn(into);
	for (size_t at = 0; st == OK && hll_explicit_next(&from->few, &at, &hash);)
		st = hll_postgres_add(into, &hash, 1);
	return st == OK && from->registers ? hll_low_merge(&into->low, &from->low) : st;
}

enum status
hll_postgres_fold(struct hll_postgres *s, unsigned log2m)
{
	struct hll_postgres_shape shape = s->shape;
	struct hll_postgres *folded;

	if (log2m > s->shape.log2m)
		return STATUS_PARAMETER;
	shape.log2m = log2m;
	enum status st = hll_postgres_new(&folded, &shape);
	if (st != OK)
		return st;
	/* The hashes of few items are all that is needed; what has registers had
	 * more of them than a smaller one keeps. */
	uint64_t hash;
	for (size_t at = 0; st == OK && hll_explicit_next(&s->few, &at, &hash);)
		st = hll_postgres_add(folded, &hash, 1);
	if (st == OK && s->registers)
		st = turn(folded);
	if (st == OK)
		st = hll_low_merge(&folded->low, &s->low);
	if (st == OK) {
		struct hll_postgres before = *s;
		*s = *folded;
		*folded = before;
	}
	hll_postgres_free(folded);
	return st;
}

const struct hll_postgres_shape *
hll_postgres_shape(const struct hll_postgres *s)
{
	return &s->shape;
}

size_t
hll_postgres_memory(const struct hll_postgres *s)
{
	return sizeof *s + s->few.room * sizeof *s->few.slot + hll_low_memory(&s->low);
}

const struct hll_explicit *
hll_postgres_hashes(const struct hll_postgres *s)
{
	return s->registers ? NULL : &s->few;
}

const struct hll_low *
hll_postgres_registers(const struct hll_postgres *s)
{
	return s->registers ? &s->low : NULL;
}

enum status
hll_postgres_raise(struct hll_postgres *s, const unsigned char *rank)
{
	enum status st = s->registers ? OK : turn(s);

	for (uint32_t i = 0; st == OK && i >> s->shape.log2m == 0; i++)
		if (rank[i] > 0)
			st = hll_low_raise(&s->low, i, rank[i]);
	return st;
}
