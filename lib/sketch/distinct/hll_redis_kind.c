/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "sketch/distinct/hll_redis.h"

/*
 * Payload, kind 16, version 1. There are no parameters. The payload is the body
 * of the value in Redis, and its length tells which of two forms it has.
 *
 * DENSE, 12288 bytes: 6 bits a register, register i from bit 6 i on, the least
 * significant bit first; see hll_kind.c, which has the same.
 *
 * SPARSE, 2 to 2984 bytes: runs that cover the registers from 0 to 16383.
 *
 *	00xxxxxx            ZERO   x + 1 registers of 0,       1..64
 *	01xxxxxx yyyyyyyy   XZERO  256 x + y + 1 of them,      1..16384
 *	1vvvvvxx            VAL    x + 1 registers of v + 1,   1..4 of rank 1..32
 *
 * Registers of 0 in a row can be cut in many ways, so there is one canonical
 * one: all of them as one ZERO if they are at most 64, or else as one XZERO;
 * registers of one rank as VALs of 4 and a last one of the rest. The form is
 * sparse unless a rank is above 32 or that would take more than 2984 bytes, at
 * which Redis turns to dense, too: 3000 bytes with its header. A payload in a
 * record is canonical, so that equal sketches are equal bytes. Redis itself
 * reads any form, and so does hll_redis_decode.
 *
 * Example. Of the items 1 and 2 the body is 5d66 80 5ea2 8c 43f3: 7527 zeros, a
 * 1, 7843 zeros, a 4, 1012 zeros.
 */
#define REGISTERS (1u << HLL_REDIS_PRECISION)
#define ZERO_MAX 64u
#define VAL_MAX 4u
#define VAL_RANK_MAX 32

enum { XZERO = 0x40, VAL = 0x80 };

/* A sparse body under construction; full: it does not fit. */
struct program {
	unsigned char at[HLL_REDIS_SPARSE];
	size_t len;
	bool full;
};

static void
put_byte(struct program *p, unsigned byte)
{
	if (p->len < sizeof p->at)
		p->at[p->len++] = (unsigned char)byte;
	else
		p->full = true;
}

static void
put_run(struct program *p, unsigned rank, unsigned length)
{
	if (rank > VAL_RANK_MAX) {
		p->full = true;
	} else if (rank > 0) {
		for (; length > VAL_MAX; length -= VAL_MAX)
			put_byte(p, VAL | (rank - 1) << 2 | (VAL_MAX - 1));
		put_byte(p, VAL | (rank - 1) << 2 | (length - 1));
	} else if (length <= ZERO_MAX) {
		put_byte(p, length - 1);
	} else {
		put_byte(p, XZERO | (length - 1) >> 8);
		put_byte(p, (length - 1) & 255);
	}
}

static void
put_runs(struct program *p, const unsigned char *registers)
{
	*p = (struct program){.len = 0};
	for (unsigned i = 0, end; i < REGISTERS && !p->full; i = end) {
		for (end = i + 1; end < REGISTERS && registers[end] == registers[i]; end++)
			;
		put_run(p, registers[i], end - i);
	}
}

enum status
hll_redis_encode(const struct hll_low *l, struct buffer *body, bool *sparse)
{
	unsigned char registers[REGISTERS];
	struct program p;

	hll_low_spread(l, registers);
	put_runs(&p, registers);
	*sparse = !p.full;
	if (*sparse)
		return buffer_append(body, p.at, p.len);
	enum status st = buffer_reserve(body, HLL_REDIS_DENSE);
	if (st == OK) {
		registers_pack(body->at + body->len, registers, HLL_REDIS_PRECISION);
		body->len += HLL_REDIS_DENSE;
	}
	return st;
}

static enum status
decode_dense(struct hll_low *l, struct slice body)
{
	unsigned char registers[REGISTERS];
	enum status st = OK;

	if (body.len != HLL_REDIS_DENSE)
		return STATUS_SIZE;
	registers_unpack(registers, body.at, HLL_REDIS_PRECISION);
	for (unsigned i = 0; i < REGISTERS; i++)
		if (registers[i] > HLL_REDIS_RANK_MAX)
			return STATUS_INVARIANT;
	for (unsigned i = 0; st == OK && i < REGISTERS; i++)
		st = hll_low_raise(l, i, registers[i]);
	return st;
}

/* The run at this place, of n bytes; false if it is cut short. */
static bool
get_run(struct slice body, size_t at, unsigned *rank, unsigned *length, size_t *n)
{
	unsigned byte = body.at[at];

	*rank = 0;
	*n = 1;
	if (byte & VAL) {
		*rank = (byte >> 2 & 31) + 1;
		*length = (byte & 3) + 1;
	} else if (byte & XZERO) {
		*n = 2;
		if (body.len - at < *n)
			return false;
		*length = ((byte & 63) << 8 | body.at[at + 1]) + 1;
	} else {
		*length = byte + 1;
	}
	return true;
}

static enum status
decode_sparse(struct hll_low *l, struct slice body)
{
	unsigned i = 0, rank, length;
	enum status st = OK;
	size_t n;

	/* A run is held against the registers that are left before it counts:
	 * a sum that is checked in the end can have wrapped by then, as in
	 * CVE-2025-32023. */
	for (size_t at = 0; st == OK && at < body.len; at += n) {
		if (!get_run(body, at, &rank, &length, &n) || length > REGISTERS - i)
			return STATUS_INVARIANT;
		for (unsigned end = i + length; st == OK && i < end; i++)
			st = hll_low_raise(l, i, rank);
	}
	return st == OK && i < REGISTERS ? STATUS_INVARIANT : st;
}

enum status
hll_redis_decode(struct hll_low *l, bool sparse, struct slice body)
{
	return sparse ? decode_sparse(l, body) : decode_dense(l, body);
}

static enum status
kind_check(const struct record *head)
{
	for (size_t i = 0; i < 8; i++)
		if (head->param[i] != 0)
			return STATUS_PARAMETER;
	return head->size == HLL_REDIS_DENSE ||
	    (head->size >= 2 && head->size <= HLL_REDIS_SPARSE) ? OK : STATUS_SIZE;
}

/* Is this the one form that the registers have? */
static enum status
demand_canonical(const struct hll_low *l, struct slice body)
{
	struct buffer again = {0};
	bool sparse;

	enum status st = hll_redis_encode(l, &again, &sparse);
	if (st == OK && !slice_equal((struct slice){again.at, again.len}, body))
		st = STATUS_INVARIANT;
	buffer_free(&again);
	return st;
}

static enum status
kind_load(void **sketch, const struct record *head, struct buffer *payload)
{
	struct slice body = {payload->at, (size_t)head->size};
	struct hll_low *l;
	enum status st = hll_redis_new(&l);

	if (st != OK)
		return st;
	st = hll_redis_decode(l, body.len != HLL_REDIS_DENSE, body);
	if (st == OK)
		st = demand_canonical(l, body);
	if (st != OK) {
		hll_redis_free(l);
		return st;
	}
	*sketch = l;
	return OK;
}

static enum status
kind_save(const void *sketch, struct record *head, struct buffer *payload)
{
	size_t before = payload->len;
	bool sparse;
	enum status st = hll_redis_encode(sketch, payload, &sparse);

	if (st != OK)
		return st;
	head->kind = hll_redis_kind.id;
	head->version = hll_redis_kind.version;
	memset(head->param, 0, sizeof head->param);
	head->size = payload->len - before;
	return OK;
}

static enum status
kind_merge(void *into, const void *from, struct mismatch *why)
{
	(void)why;
	return hll_low_merge(into, from);
}

static enum status
kind_compare(const void *a, const void *b, struct comparison *c, struct mismatch *why)
{
	return hll_low_compare(a, b, c, why);
}

static void
kind_settings(const struct record *head, struct facts *facts)
{
	(void)head;
	fact_count(facts, "precision", HLL_REDIS_PRECISION);
	fact_count(facts, "registers", REGISTERS);
	/* 1.04 / sqrt(registers) */
	fact_real(facts, "standard_error", 1.04 / 128);
}

static void
kind_facts(const void *sketch, struct facts *facts)
{
	unsigned char registers[REGISTERS];
	struct program p;
	double low, high;

	hll_redis_interval(sketch, &low, &high);
	kind_settings(NULL, facts);
	hll_low_spread(sketch, registers);
	put_runs(&p, registers);
	fact_text(facts, "encoding", p.full ? "dense" : "sparse");
	fact_count(facts, "registers_used", hll_low_used(sketch));
	fact_real(facts, "estimate", hll_redis_estimate(sketch));
	fact_real(facts, "low", low);
	fact_real(facts, "high", high);
	fact_count(facts, "memory", sizeof(struct hll_low) + hll_low_memory(sketch));
}

static void
kind_free(void *sketch)
{
	hll_redis_free(sketch);
}

const struct kind hll_redis_kind = {
	.id = KIND_HLL_REDIS,
	.version = 1,
	.name = "hll-redis",
	.retry_safe = true,
	.hash = HASH_MURMUR64A,
	.check = kind_check,
	.load = kind_load,
	.save = kind_save,
	.merge = kind_merge,
	.compare = kind_compare,
	.settings = kind_settings,
	.facts = kind_facts,
	.free = kind_free,
};
