/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "sketch/hll_postgres.h"

/*
 * Payload, kind 17, version 1. param[0] to param[3] are log2m, regwidth, the
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

static size_t
full_size(const struct hll_postgres_shape *s)
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
	size_t size = sparse ? (sparse_bits(shape, hll_low_used(low)) + 7) / 8 : full_size(shape);
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

static enum hll_postgres_type
type_of(const struct hll_postgres *s)
{
	const struct hll_postgres_shape *shape = hll_postgres_shape(s);
	const struct hll_explicit *few = hll_postgres_hashes(s);

	if (few)
		return hll_explicit_count(few) > 0 ? HLL_POSTGRES_EXPLICIT : HLL_POSTGRES_EMPTY;
	size_t used = hll_low_used(hll_postgres_registers(s));
	return shape->sparseon && sparse_bits(shape, used) < 8 * full_size(shape) ?
	    HLL_POSTGRES_SPARSE : HLL_POSTGRES_FULL;
}

enum status
hll_postgres_encode(const struct hll_postgres *s, struct buffer *body,
    enum hll_postgres_type *type)
{
	const struct hll_explicit *few = hll_postgres_hashes(s);

	*type = type_of(s);
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
	if (body.len != full_size(s))
		return body.len < full_size(s) ? STATUS_TRUNCATED : STATUS_SIZE;
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

static enum status
kind_check(const struct record *head)
{
	struct hll_postgres_shape shape;
	enum status st = hll_postgres_get(head, &shape);

	if (st != OK)
		return st;
	for (size_t i = HLL_POSTGRES_TYPE + 1; i < 8; i++)
		if (head->param[i] != 0)
			return STATUS_PARAMETER;
	switch (head->param[HLL_POSTGRES_TYPE]) {
	case HLL_POSTGRES_EMPTY:
		return head->size == 0 ? OK : STATUS_SIZE;
	case HLL_POSTGRES_EXPLICIT:
		return head->size % 8 == 0 && head->size > 0 &&
		    head->size / 8 <= hll_postgres_threshold(&shape) ? OK : STATUS_SIZE;
	case HLL_POSTGRES_SPARSE:
		return head->size <= full_size(&shape) ? OK : STATUS_SIZE;
	case HLL_POSTGRES_FULL:
		return head->size == full_size(&shape) ? OK : STATUS_SIZE;
	default:
		return STATUS_PARAMETER;
	}
}

/* Is this the one form that the items have? */
static enum status
demand_canonical(const struct hll_postgres *s, uint64_t type, struct slice body)
{
	struct buffer again = {0};
	enum hll_postgres_type canonical;

	enum status st = hll_postgres_encode(s, &again, &canonical);
	if (st == OK && (canonical != type ||
	    !slice_equal((struct slice){again.at, again.len}, body)))
		st = STATUS_INVARIANT;
	buffer_free(&again);
	return st;
}

static enum status
kind_load(void **sketch, const struct record *head, struct buffer *payload)
{
	struct slice body = {payload->at, (size_t)head->size};
	struct hll_postgres_shape shape;
	struct hll_postgres *s;

	enum status st = hll_postgres_get(head, &shape);
	if (st == OK)
		st = hll_postgres_new(&s, &shape);
	if (st != OK)
		return st;
	st = hll_postgres_decode(s, (enum hll_postgres_type)head->param[HLL_POSTGRES_TYPE], body);
	if (st == OK)
		st = demand_canonical(s, head->param[HLL_POSTGRES_TYPE], body);
	if (st != OK) {
		hll_postgres_free(s);
		return st == STATUS_MEMORY ? st : STATUS_INVARIANT;
	}
	*sketch = s;
	return OK;
}

static enum status
kind_save(const void *sketch, struct record *head, struct buffer *payload)
{
	size_t before = payload->len;
	enum hll_postgres_type type;
	enum status st = hll_postgres_encode(sketch, payload, &type);

	if (st != OK)
		return st;
	head->kind = hll_postgres_kind.id;
	head->version = hll_postgres_kind.version;
	memset(head->param, 0, sizeof head->param);
	hll_postgres_put(hll_postgres_shape(sketch), head);
	head->param[HLL_POSTGRES_TYPE] = type;
	head->size = payload->len - before;
	return OK;
}

static enum status
kind_merge(void *into, const void *from, struct mismatch *why)
{
	return hll_postgres_merge(into, from, why);
}

static void
shape_facts(const struct hll_postgres_shape *s, struct facts *facts)
{
	double m = 1 << s->log2m;

	fact_count(facts, "log2m", s->log2m);
	fact_count(facts, "regwidth", s->regwidth);
	fact_real(facts, "expthresh", (double)hll_postgres_expthresh(s->expthresh));
	fact_flag(facts, "sparseon", s->sparseon);
	fact_count(facts, "registers", (uint64_t)m);
	fact_count(facts, "explicit_limit", hll_postgres_threshold(s));
	fact_real(facts, "standard_error", 1.04 / sqrt(m));
}

static void
kind_settings(const struct record *head, struct facts *facts)
{
	struct hll_postgres_shape shape;

	if (hll_postgres_get(head, &shape) == OK)
		shape_facts(&shape, facts);
}

static void
kind_facts(const void *sketch, struct facts *facts)
{
	static const char *const name[] = {
		[HLL_POSTGRES_EMPTY] = "empty", [HLL_POSTGRES_EXPLICIT] = "explicit",
		[HLL_POSTGRES_SPARSE] = "sparse", [HLL_POSTGRES_FULL] = "full",
	};
	const struct hll_explicit *few = hll_postgres_hashes(sketch);
	double low, high;

	hll_postgres_interval(sketch, &low, &high);
	shape_facts(hll_postgres_shape(sketch), facts);
	fact_text(facts, "encoding", name[type_of(sketch)]);
	if (few)
		fact_count(facts, "hashes", hll_explicit_count(few));
	else
		fact_count(facts, "registers_used", hll_low_used(hll_postgres_registers(sketch)));
	fact_real(facts, "estimate", hll_postgres_estimate(sketch));
	fact_real(facts, "low", low);
	fact_real(facts, "high", high);
	fact_count(facts, "memory", hll_postgres_memory(sketch));
}

static void
kind_free(void *sketch)
{
	hll_postgres_free(sketch);
}

const struct kind hll_postgres_kind = {
	.id = KIND_HLL_POSTGRES,
	.version = 1,
	.name = "hll-postgres",
	.hash = HASH_MURMUR3,
	.check = kind_check,
	.load = kind_load,
	.save = kind_save,
	.merge = kind_merge,
	.settings = kind_settings,
	.facts = kind_facts,
	.free = kind_free,
};
