/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sketch/distinct/hll_datasketches.h"
#include "sketch/distinct/registers.h"

struct hll_datasketches {
	unsigned lgk;
	struct hll_explicit few;     /* the coupons, none if there are registers */
	unsigned char *registers;    /* NULL: coupons */
	double hip;                  /* 0: none */
};

/* The library lists up to 7 coupons. From lgk 8 on it then has a table of 32
 * places that doubles when it is more than three quarters full, and turns to
 * registers where it would have more than 2^(lgk - 3) places. */
#define LIST_MAX 7
#define TABLE_LGK_MIN 8

size_t
hll_datasketches_limit(unsigned lgk)
{
	return lgk < TABLE_LGK_MIN ? LIST_MAX : ((size_t)1 << (lgk - 3)) / 4 * 3;
}

enum status
hll_datasketches_new(struct hll_datasketches **out, unsigned lgk)
{
	if (lgk < HLL_DATASKETCHES_LGK_MIN || lgk > HLL_DATASKETCHES_LGK_MAX)
		return STATUS_PARAMETER;

	struct hll_datasketches *s = calloc(1, sizeof *s);
	if (!s)
		return STATUS_MEMORY;
	s->lgk = lgk;
	*out = s;
	return OK;
}

void
hll_datasketches_free(struct hll_datasketches *s)
{
	if (!s)
		return;
	hll_explicit_clear(&s->few);
	free(s->registers);
	free(s);
}

static void
raise_register(struct hll_datasketches *s, uint64_t coupon)
{
	registers_raise(&s->registers[coupon & ((1u << s->lgk) - 1)],
	    (unsigned)(coupon >> HLL_DATASKETCHES_PLACE_BITS));
}

/* Pour the coupons into registers. */
static enum status
turn(struct hll_datasketches *s)
{
	uint64_t coupon;

	s->registers = calloc((size_t)1 << s->lgk, 1);
	if (!s->registers)
		return STATUS_MEMORY;
	for (size_t at = 0; hll_explicit_next(&s->few, &at, &coupon);)
		raise_register(s, coupon);
	hll_explicit_clear(&s->few);
	return OK;
}

/* Keep a coupon among few, or turn if there is no room for it. */
static enum status
keep(struct hll_datasketches *s, uint64_t coupon)
{
	if (hll_explicit_count(&s->few) < hll_datasketches_limit(s->lgk) ||
	    hll_explicit_has(&s->few, coupon))
		return hll_explicit_add(&s->few, coupon);
	enum status st = turn(s);
	if (st == OK)
		raise_register(s, coupon);
	return st;
}

enum status
hll_datasketches_add(struct hll_datasketches *s, const uint64_t *hash, size_t n)
{
	enum status st = OK;

	for (size_t i = 0; st == OK && i < n; i++) {
		if (hash[i] == 0)
			continue;
		/* Even one that changes nothing: whether it came to this sketch or to
		 * another part of the same union must not matter. */
		s->hip = 0;
		if (s->registers)
			raise_register(s, hash[i]);
		else
			st = keep(s, hash[i]);
	}
	return st;
}

void
hll_datasketches_histogram(const struct hll_datasketches *s, struct composite *c)
{
	*c = (struct composite){.lgk = s->lgk};
	for (size_t i = 0; i >> s->lgk == 0; i++)
		c->count[s->registers[i]]++;
}

double
hll_datasketches_estimate(const struct hll_datasketches *s)
{
	struct composite c;

	if (!s->registers)
		return composite_coupons((double)hll_explicit_count(&s->few));
	if (s->hip > 0)
		return s->hip;
	hll_datasketches_histogram(s, &c);
	return fmin(composite_estimate(&c), REGISTERS_MOST);
}

/* Of how many distinct items a sketch is proof. */
static double
proven(const struct hll_datasketches *s)
{
	struct composite c;

	if (!s->registers)
		return (double)hll_explicit_count(&s->few);
	hll_datasketches_histogram(s, &c);
	return (double)(((uint32_t)1 << s->lgk) - c.count[0]);
}

void
hll_datasketches_interval(const struct hll_datasketches *s, double *low, double *high)
{
	double estimate = hll_datasketches_estimate(s);
	struct composite_error e = s->registers ? composite_error(s->lgk, s->hip > 0) :
	    composite_coupons_error();

	/* Registers above 0 are at least so many items, even where the estimate of
	 * which that is the bound is less. */
	*low = fmin(fmax(estimate / (1 + e.low), proven(s)), estimate);
	*high = fmin(estimate / (1 + e.high), REGISTERS_MOST);
}

/* A coupon's rank comes of other bits than its place, so registers unite as they
 * are. Coupons keep all of their bits, since another fold may follow. */
enum status
hll_datasketches_fold(struct hll_datasketches *s, unsigned lgk)
{
	unsigned before = s->lgk;

	if (lgk < HLL_DATASKETCHES_LGK_MIN || lgk > before)
		return STATUS_PARAMETER;
	if (lgk == before)
		return OK;
	s->lgk = lgk;
	s->hip = 0;
	if (!s->registers) {
		if (hll_explicit_count(&s->few) <= hll_datasketches_limit(lgk))
			return OK;
		enum status st = turn(s);
		if (st != OK)
			s->lgk = before;
		return st;
	}
	for (size_t i = (size_t)1 << lgk; i >> before == 0; i++)
		registers_raise(&s->registers[i & (((size_t)1 << lgk) - 1)], s->registers[i]);
	unsigned char *less = realloc(s->registers, (size_t)1 << lgk);
	if (less)
		s->registers = less;
	return OK;
}

static bool
is_empty(const struct hll_datasketches *s)
{
	return !s->registers && hll_explicit_count(&s->few) == 0;
}

static enum status
unite(struct hll_datasketches *into, const struct hll_datasketches *from)
{
	enum status st = OK;
	uint64_t coupon;

	if (from->registers && !into->registers)
		st = turn(into);
	if (st == OK && from->registers)
		for (size_t i = 0; i >> from->lgk == 0; i++)
			registers_raise(&into->registers[i & (((size_t)1 << into->lgk) - 1)],
			    from->registers[i]);
	for (size_t at = 0; st == OK && hll_explicit_next(&from->few, &at, &coupon);)
		st = hll_datasketches_add(into, &coupon, 1);
	return st;
}

enum status
hll_datasketches_merge(struct hll_datasketches *into, const struct hll_datasketches *from)
{
	enum status st = OK;

	if (from->lgk < into->lgk)
		st = hll_datasketches_fold(into, from->lgk);
	if (st == OK && !is_empty(from)) {
		/* A union with nothing is the other one. */
		double hip = is_empty(into) && from->lgk == into->lgk ? from->hip : 0;

		if (into != from)
			st = unite(into, from);
		into->hip = st == OK ? hip : 0;
	}
	return st;
}

unsigned
hll_datasketches_lgk(const struct hll_datasketches *s)
{
	return s->lgk;
}

const struct hll_explicit *
hll_datasketches_coupons(const struct hll_datasketches *s)
{
	return s->registers ? NULL : &s->few;
}

const unsigned char *
hll_datasketches_registers(const struct hll_datasketches *s)
{
	return s->registers;
}

static int
ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void
hll_datasketches_sorted(const struct hll_datasketches *s, uint32_t *coupon)
{
	size_t n = 0;
	uint64_t one;

	for (size_t at = 0; hll_explicit_next(&s->few, &at, &one);)
		coupon[n++] = (uint32_t)one;
	if (n > 0)
		qsort(coupon, n, sizeof *coupon, ascending);
}

enum status
hll_datasketches_raise(struct hll_datasketches *s, const unsigned char *rank)
{
	size_t m = (size_t)1 << s->lgk, used = 0;

	while (used < m && rank[used] == 0)
		used++;
	if (used == m)
		return OK;
	enum status st = s->registers ? OK : turn(s);
	for (size_t i = used; st == OK && i < m; i++)
		registers_raise(&s->registers[i], rank[i]);
	s->hip = 0;
	return st;
}

bool
hll_datasketches_set_hip(struct hll_datasketches *s, double hip)
{
	/* It grows by one or more with every register that leaves 0; the other end
	 * is that of all estimates. */
	if (!s->registers || !(hip >= proven(s) * (1 - 1e-9)) || hip > REGISTERS_MOST)
		return false;
	s->hip = hip;
	return true;
}

double
hll_datasketches_hip(const struct hll_datasketches *s)
{
	return s->hip;
}

size_t
hll_datasketches_memory(const struct hll_datasketches *s)
{
	return sizeof *s + s->few.room * sizeof *s->few.slot +
	    (s->registers ? (size_t)1 << s->lgk : 0);
}
