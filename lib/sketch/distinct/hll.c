/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>

#include "sketch/distinct/hll.h"

/*
 * Idea. Hash every item to 64 random bits. The more distinct items there are,
 * the longer the longest run of leading zeros among their hashes: 2^k items
 * are needed for a run of k or so. One run is a poor witness, so the first p
 * bits of the hash choose one of m = 2^p registers, and each keeps the longest
 * run ("rank": zeros plus one) of its share. Repeats change nothing, the
 * maximum does not care about order, and the union of two sets has the larger
 * of both ranks in each register: sketches merge without loss.
 *
 * Papers. Flajolet, Fusy, Gandouet, Meunier, "HyperLogLog", AofA 2007; the
 * estimator is Ertl's, see registers.c. Tokens are those of Ertl's hash4j.
 *
 * Error. The relative standard error is 1.04 / sqrt(m), whatever the number
 * of items up to 2^60: m alone drives it. Two of three answers lie within one
 * standard error, 19 of 20 within two. The 95 % interval comes from the
 * registers themselves and is right where that rule is too coarse (p < 9).
 *
 *	  p  registers  bytes in a file     error   stay tokens up to
 *	  4         16               12   26.00 %                 128
 *	  8        256              192    6.50 %                 128
 *	 10      1,024              768    3.25 %                 128
 *	 12      4,096            3,072    1.63 %                 512
 *	 14     16,384           12,288    0.81 %               2,048
 *	 16     65,536           49,152    0.41 %               8,192
 *	 18    262,144          196,608    0.20 %              32,768
 *
 * Few items. Up to max(128, m / 8) distinct tokens (see hlltoken.h) the tokens
 * are kept. Two items share a token with probability 1/3 in 2^26, so c tokens
 * mean c + c^2 / (6 * 2^26) items: off by three at 32,768, by none at 100.
 *
 * Example, p = 4. The hash b2d05e00 00000001 has index b = 11 and the rest
 * 0010 1101..., so register 11 is raised to 3. Its token has the index
 * b2d05e00 >> 6 = 2cb4178 in hexadecimal; the other 38 bits are 37 zeros and
 * a one, so the rank is 38. From the token, too, follow register 11 and rank
 * 3: the index's bits behind the first four are 0010 1101....
 *
 * How it lies in a file: hll_kind.c.
 */

struct hll {
	unsigned precision;
	uint32_t tokens;             /* how many, 0 once there are registers */
	uint32_t room;               /* places in the table of tokens */
	uint32_t *token;             /* see hlltoken.h */
	unsigned char *registers;    /* a byte each, or NULL */
};

#define FIRST_ROOM 16

enum status
hll_new(struct hll **out, unsigned precision)
{
	if (precision < HLL_PRECISION_MIN || precision > HLL_PRECISION_MAX)
		return STATUS_PARAMETER;

	struct hll *s = calloc(1, sizeof(*s));
	if (!s)
		return STATUS_MEMORY;
	s->precision = precision;
	*out = s;
	return OK;
}

void
hll_free(struct hll *s)
{
	if (!s)
		return;
	free(s->token);
	free(s->registers);
	free(s);
}

size_t
hll_token_limit(unsigned precision)
{
	size_t eighth = ((size_t)1 << precision) / 8;

	return eighth < 128 ? 128 : eighth;
}

static void
raise_by_token(unsigned char *registers, unsigned precision, uint32_t token)
{
	registers_raise(&registers[token_register(token, precision)],
	    token_register_rank(token, precision));
}

/* Pour the tokens into registers of the sketch's precision. */
static enum status
turn_dense(struct hll *s)
{
	unsigned char *registers = calloc((size_t)1 << s->precision, 1);

	if (!registers)
		return STATUS_MEMORY;
	for (size_t i = 0; i < s->room; i++)
		if (s->token[i] != 0)
			raise_by_token(registers, s->precision, s->token[i]);
	free(s->token);
	s->token = NULL;
	s->tokens = s->room = 0;
	s->registers = registers;
	return OK;
}

/* Make the table hold at least so many tokens. */
static enum status
reserve_tokens(struct hll *s, size_t tokens)
{
	size_t room = s->room > 0 ? s->room : FIRST_ROOM;

	while (tokens > token_table_limit(room))
		room *= 2;
	if (room == s->room)
		return OK;

	uint32_t *table = calloc(room, sizeof(*table));
	if (!table)
		return STATUS_MEMORY;
	for (size_t i = 0; i < s->room; i++)
		if (s->token[i] != 0)
			*token_place(table, room, s->token[i]) = s->token[i];
	free(s->token);
	s->token = table;
	s->room = (uint32_t)room;
	return OK;
}

static enum status
add_token(struct hll *s, uint32_t token)
{
	if (s->registers) {
		raise_by_token(s->registers, s->precision, token);
		return OK;
	}
	if (s->room == 0) {
		enum status st = reserve_tokens(s, 1);
		if (st != OK)
			return st;
	}

	uint32_t *place = token_place(s->token, s->room, token);
	if (*place == token)
		return OK;
	if (s->tokens < token_table_limit(s->room) &&
	    s->tokens < hll_token_limit(s->precision)) {
		*place = token;
		s->tokens++;
		return OK;
	}

	enum status st = s->tokens < hll_token_limit(s->precision) ?
	    reserve_tokens(s, s->tokens + 1) : turn_dense(s);
	return st == OK ? add_token(s, token) : st;
}

enum status
hll_add(struct hll *s, const uint64_t *hash, size_t n)
{
	size_t i = 0;

	for (; !s->registers && i < n; i++) {
		uint32_t token = token_of(hash[i]);

		if (s->room > 0 && *token_place(s->token, s->room, token) == token)
			continue;
		enum status st = add_token(s, token);
		if (st != OK)
			return st;
	}

	unsigned char *registers = s->registers;
	unsigned precision = s->precision;
	for (; i < n; i++)
		registers_add(registers, hash[i], precision);
	return OK;
}

struct hll_view
hll_view(const struct hll *s)
{
	return (struct hll_view){
		.precision = s->precision,
		.tokens = s->tokens,
		.token = s->token,
		.room = s->room,
		.registers = s->registers,
	};
}

/* Pairs of items that share a token, as expected among c tokens. None, if 39 of
 * 40 sets have none (0.0253 is -log 0.975): then tokens are items, and the
 * interval says so too. */
static double
collisions(double c)
{
	double mean = c * c / (6.0 * ((uint32_t)1 << TOKEN_INDEX_BITS));

	return mean < 0.0253 ? 0 : mean;
}

double
hll_view_estimate(const struct hll_view *v)
{
	if (!v->registers)
		return (double)v->tokens + collisions((double)v->tokens);

	struct histogram h;
	registers_histogram(&h, v->registers, v->precision);
	return histogram_estimate(&h);
}

void
hll_view_interval(const struct hll_view *v, double *low, double *high)
{
	double estimate = hll_view_estimate(v);

	if (v->registers) {
		struct histogram h;

		registers_histogram(&h, v->registers, v->precision);
		histogram_interval(&h, low, high);
	} else {
		/* Items without a token of their own are Poisson: so many that
		 * more of them have a probability of at most 2.5 %. */
		double mean = collisions((double)v->tokens);
		double term = exp(-mean), sum = term;
		unsigned k = 0;

		while (sum < 0.975) {
			term *= mean / ++k;
			sum += term;
		}
		*low = (double)v->tokens;
		*high = (double)v->tokens + k;
	}
	*low = fmin(*low, estimate);
	*high = fmax(*high, estimate);
}

double
hll_estimate(const struct hll *s)
{
	struct hll_view v = hll_view(s);

	return hll_view_estimate(&v);
}

void
hll_interval(const struct hll *s, double *low, double *high)
{
	struct hll_view v = hll_view(s);

	hll_view_interval(&v, low, high);
}

enum status
hll_fold(struct hll *s, unsigned precision)
{
	if (precision < HLL_PRECISION_MIN || precision > s->precision)
		return STATUS_PARAMETER;
	if (precision == s->precision)
		return OK;

	if (!s->registers) {
		unsigned before = s->precision;

		s->precision = precision;
		if (s->tokens <= hll_token_limit(precision))
			return OK;
		enum status st = turn_dense(s);
		if (st != OK)
			s->precision = before;
		return st;
	}
	unsigned char *registers = calloc((size_t)1 << precision, 1);
	if (!registers)
		return STATUS_MEMORY;
	registers_merge(registers, precision, s->registers, s->precision);
	free(s->registers);
	s->registers = registers;
	s->precision = precision;
	return OK;
}

enum status
hll_unite(struct hll *into, const struct hll_view *from)
{
	enum status st = OK;

	if (from->precision < into->precision)
		st = hll_fold(into, from->precision);
	if (st == OK && from->registers && !into->registers)
		st = turn_dense(into);
	if (st == OK && from->registers)
		registers_merge(into->registers, into->precision,
		    from->registers, from->precision);
	for (size_t i = 0; st == OK && i < from->room; i++)
		if (from->token[i] != 0)
			st = add_token(into, from->token[i]);
	return st;
}

enum status
hll_merge(struct hll *into, const struct hll *from)
{
	struct hll_view v = hll_view(from);

	return into == from ? OK : hll_unite(into, &v);
}

unsigned
hll_precision(const struct hll *s)
{
	return s->precision;
}

bool
hll_has_token(const struct hll *s, uint32_t token)
{
	return s->room > 0 && *token_place(s->token, s->room, token) == token;
}

size_t
hll_memory(const struct hll *s)
{
	return sizeof(*s) + s->room * sizeof(*s->token) +
	    (s->registers ? (size_t)1 << s->precision : 0);
}

double
hll_error(unsigned precision)
{
	return 1.04 / sqrt((double)((size_t)1 << precision));
}

unsigned
hll_precision_for(double error, double confidence)
{
	for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++) {
		double sigmas = error / hll_error(p);

		if (confidence == 0 ? sigmas >= 1 : erf(sigmas / sqrt(2)) >= confidence)
			return p;
	}
	return 0;
}

size_t
hll_bytes(unsigned precision)
{
	return registers_packed_size(precision);
}
