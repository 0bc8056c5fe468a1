/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "sketch/distinct/hll_postgres.h"

/*
 * The payload of kind 17, version 1. param[0] to param[3] are log2m, regwidth, the
 * code of expthresh and sparseon; param[4] is the type of what follows, with the
 * numbers of the extension. With m = 2^log2m, and bits taken from the most
 * significant one of each byte on:
 *
 *	1 EMPTY     nothing; no item has been added
 *	2 EXPLICIT  the distinct hashes, u64 each, big-endian, ascending as
 *	            numbers with a sign; at most as many as are kept
 *	3 SPARSE    for each register above 0, ascending: log2m bits with its
 *	            index, regwidth bits with its rank; then zeros to a byte
 *	4 FULL      m times regwidth bits, register 0 first
 *
 * Registers are SPARSE if sparseon is 1 and that takes fewer bits than FULL. A
 * payload in a record is in the one form that its items make, so that equal
 * sketches are equal bytes. PostgreSQL takes others, and so does
 * hll_postgres_decode: hashes beyond the threshold, which it turns to registers
 * as the next addition would there, and SPARSE registers in any order, of which
 * the last one counts where an index is repeated. Words without a rank are left
 * out: with a log2m of 4 to 6 and few bits a register, the zeros at the end may
 * be long enough for one more word, which is none.
 *
 * Example, 11,5,0,1, items 1 to 5: 14a1 2821 3303 41c5 8e21, which is register
 * 165 at 1, 321 at 1, 408 at 3, 526 at 5 and 1137 at 1. With expthresh -1 the
 * items 1 and 2 are 497692bff289820e 71fbbbfe8a7b7c71.
 */

#define WORD_MAX (HLL_POSTGRES_LOG2M_MAX + HLL_POSTGRES_REGWIDTH_MAX)
_Static_assert(WORD_MAX + 7 <= 32, "a word at any bit lies in four bytes");

static uint64_t
get_be64(const unsigned char *p)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static void
put_be64(unsigned char *p, uint64_t v)
{
	for (size_t i = 8; i-- > 0; v >>= 8)
		p[i] = (unsigned char)v;
}

/* n bits, 1..WORD_MAX, from bit at on; behind the end there are zeros. */
static uint32_t
get_bits(struct slice s, size_t at, unsigned n)
{
	uint32_t word = 0;

	for (size_t i = at / 8; i < at / 8 + 4; i++)
		word = word << 8 | (i < s.len ? s.at[i] : 0);
	return word << at % 8 >> (32 - n);
}

/* The same out, over zeros. */
static void
put_bits(unsigned char *out, size_t at, unsigned n, uint32_t bits)
{
	uint32_t word = bits << (32 - n) >> at % 8;

	for (size_t i = at / 8; word != 0; i++, word <<= 8)
		out[i] |= (unsigned char)(word >> 24);
}

size_t
hll_postgres_full_size(const struct hll_postgres_shape *s)
{
	return ((size_t)s->regwidth << s->log2m) / 8;
}

/* A sparse body of so many registers; bits, to be compared with FULL's. */
static size_t
sparse_bits(const struct hll_postgres_shape *s, size_t used)
{
	return used * (s->log2m + s->regwidth);
}

static int
compare_signed(const void *a, const void *b)
{
	int64_t x = (int64_t)get_be64(a), y = (int64_t)get_be64(b);

	return (x > y) - (x < y);
}

static enum status
encode_hashes(const struct hll_explicit *few, struct buffer *body)
{
	size_t size = 8 * hll_explicit_count(few), at = 0;
	enum status st = buffer_reserve(body, size);
	uint64_t hash;

	if (st != OK || size == 0)
		return st;
	unsigned char *start = body->at + body->len;
	for (; hll_explicit_next(few, &at, &hash); body->len += 8)
		put_be64(body->at + body->len, hash);
	qsort(start, size / 8, 8, compare_signed);
	return OK;
}

static enum status
encode_registers(const struct hll_postgres *s, struct buffer *body, bool sparse)
{
	const struct hll_postgres_shape *shape = hll_postgres_shape(s);
	const struct hll_low *low = hll_postgres_registers(s);
	size_t m = (size_t)1 << shape->log2m, start = body->len, at = 0;
	size_t size = sparse ? (sparse_bits(shape, hll_low_used(low)) + 7) / 8 :
	    hll_postgres_full_size(shape);
	unsigned char *rank = malloc(m);
	enum status st = rank ? buffer_zeros(body, size) : STATUS_MEMORY;

	if (st != OK || size == 0) {
		free(rank);
		return st;
	}
	hll_low_spread(low, rank);
	for (size_t i = 0; i < m; i++) {
		if (sparse && rank[i] == 0)
			continue;
		uint32_t index = sparse ? (uint32_t)i << shape->regwidth : 0;
		unsigned bits = sparse ? shape->log2m + shape->regwidth : shape->regwidth;
		put_bits(body->at + start, at, bits, index | rank[i]);
		at += bits;
	}
	free(rank);
	return OK;
}

enum hll_postgres_type
hll_postgres_type(const struct hll_postgres *s)
{
	const struct hll_postgres_shape *shape = hll_postgres_shape(s);
	const struct hll_explicit *few = hll_postgres_hashes(s);

	if (few)
		return hll_explicit_count(few) > 0 ? HLL_POSTGRES_EXPLICIT : HLL_POSTGRES_EMPTY;
	size_t used = hll_low_used(hll_postgres_registers(s));
	return shape->sparseon && sparse_bits(shape, used) < 8 * hll_postgres_full_size(shape) ?
	    HLL_POSTGRES_SPARSE : HLL_POSTGRES_FULL;
}

enum status
hll_postgres_encode(const struct hll_postgres *s, struct buffer *body,
    enum hll_postgres_type *type)
{
	const struct hll_explicit *few = hll_postgres_hashes(s);

	*type = hll_postgres_type(s);
	return few ? encode_hashes(few, body) :
	    encode_registers(s, body, *type == HLL_POSTGRES_SPARSE);
}

static enum status
decode_hashes(struct hll_postgres *s, struct slice body)
{
	enum status st = OK;

	if (body.len % 8 != 0)
		return STATUS_SIZE;
	for (size_t at = 0; st == OK && at < body.len; at += 8) {
		uint64_t hash = get_be64(body.at + at);

		if (at > 0 && compare_signed(body.at + at - 8, body.at + at) >= 0)
			return STATUS_INVARIANT;
		st = hll_postgres_add(s, &hash, 1);
	}
	return st;
}

static enum status
unpack_sparse(const struct hll_postgres_shape *s, struct slice body, unsigned char *rank)
{
	unsigned bits = s->log2m + s->regwidth;
	size_t end = body.len * 8, at = 0;

	for (; end - at >= bits; at += bits) {
		uint32_t word = get_bits(body, at, bits);
		uint32_t value = word & ((1u << s->regwidth) - 1);

		if (value > 0)
			rank[word >> s->regwidth] = (unsigned char)value;
	}
	if (end - at >= 8)
		return STATUS_SIZE;
	return end > at && get_bits(body, at, (unsigned)(end - at)) != 0 ? STATUS_INVARIANT : OK;
}

static enum status
unpack_full(const struct hll_postgres_shape *s, struct slice body, unsigned char *rank)
{
	if (body.len != hll_postgres_full_size(s))
		return body.len < hll_postgres_full_size(s) ? STATUS_TRUNCATED : STATUS_SIZE;
	for (size_t i = 0; i >> s->log2m == 0; i++)
		rank[i] = (unsigned char)get_bits(body, i * s->regwidth, s->regwidth);
	return OK;
}

static enum status
decode_registers(struct hll_postgres *s, bool sparse, struct slice body)
{
	const struct hll_postgres_shape *shape = hll_postgres_shape(s);
	size_t m = (size_t)1 << shape->log2m;
	unsigned char *rank = calloc(m, 1);

	if (!rank)
		return STATUS_MEMORY;
	enum status st = sparse ? unpack_sparse(shape, body, rank) : unpack_full(shape, body, rank);
	for (size_t i = 0; st == OK && i < m; i++)
		if (rank[i] > 64 - shape->log2m)
			st = STATUS_INVARIANT;
	if (st == OK)
		st = hll_postgres_raise(s, rank);
	free(rank);
	return st;
}

enum status
hll_postgres_decode(struct hll_postgres *s, enum hll_postgres_type type, struct slice body)
{
	switch (type) {
	case HLL_POSTGRES_EMPTY:
		return body.len == 0 ? OK : STATUS_SIZE;
	case HLL_POSTGRES_EXPLICIT:
		return decode_hashes(s, body);
	case HLL_POSTGRES_SPARSE:
	case HLL_POSTGRES_FULL:
		return decode_registers(s, type == HLL_POSTGRES_SPARSE, body);
	default:
		return STATUS_PARAMETER;
	}
}
