/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdbool.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "sketch/distinct/hll.h"

/*
 * How a HyperLogLog lies in a record.
 *
 * Payload, kind 8, version 1. param[0] is the precision, param[1] says which
 * of two forms follows; the other parameters are 0.
 *
 *	param[1] = 0, tokens: u32 each, little-endian, strictly ascending
 *	  +------+------+------+------+-- ... one for each distinct token,
 *	  | rank and  | index         |       none at all for an empty sketch
 *	  +------+------+------+------+--
 *	    bits 0..5: rank 1..39     bits 6..31: the hash's top 26 bits
 *
 *	param[1] = 1, registers: 6 bits each, register i from bit 6 i on, least
 *	significant bit first, so that 4 registers take 3 bytes
 *	  byte 0              byte 1              byte 2
 *	  +--------+--------+ +--------+--------+ +--------+--------+
 *	  | r1 0-1 | r0 0-5 | | r2 0-3 | r1 2-5 | | r3 0-5 | r2 4-5 |
 *	  +--------+--------+ +--------+--------+ +--------+--------+
 *	   bits 7-6  5-0       bits 7-4  3-0       bits 7-2  1-0
 *
 * A payload is taken if some set of items could have made it, and else
 * refused. For tokens: at most the limit, ascending, ranks 1..39. (No other
 * link between index and rank exists: any 26 bits may precede any rank.) For
 * registers: none above 64 - p + 1, and together they have room for more
 * distinct tokens than the limit; else the sketch would still hold tokens. A
 * register of rank v stands for tokens whose unused 26 - p index bits begin
 * with fewer than v zeros, each with 39 ranks of its own; see capacity().
 *
 * Example. A sketch of the two hashes b2d05e00 00000001 and 00000000 00000000
 * at any precision: the first has the index b2d05e00 >> 6 and 37 zeros in the
 * other 38 bits, rank 38 = 26 in hexadecimal, token b2d05e26; the second has
 * index 0 and rank 39, token 00000027. The payload is 8 bytes, ascending:
 * 27 00 00 00 26 5e d0 b2. Had more than 128 other items turned a sketch of
 * p = 4 dense, the same two would raise register 11 to 3 and register 0 to
 * 61: bits 66..71 of the payload would be at least 3 and bits 0..5 be 61.
 */

static int
compare_le32(const void *a, const void *b)
{
	uint32_t x = get_le32(a), y = get_le32(b);

	return (x > y) - (x < y);
}

enum status
hll_view_save(const struct hll_view *v, struct record *head, struct buffer *payload)
{
	size_t size = v->registers ? hll_bytes(v->precision) : 4 * v->tokens;
	enum status st = buffer_reserve(payload, size);

	if (st != OK)
		return st;
	/* An empty sketch has no payload, and the buffer perhaps no memory. */
	unsigned char *at = size > 0 ? payload->at + payload->len : NULL;
	if (v->registers) {
		registers_pack(at, v->registers, v->precision);
	} else {
		unsigned char *end = at;

		for (size_t i = 0; at && i < v->room; i++) {
			if (v->token[i] == 0)
				continue;
			put_le32(end, v->token[i]);
			end += 4;
		}
		if (at && v->tokens > 1)
			qsort(at, v->tokens, 4, compare_le32);
	}
	payload->len += size;

	head->kind = hll_kind.id;
	head->version = hll_kind.version;
	memset(head->param, 0, sizeof(head->param));
	head->param[HLL_PARAM_PRECISION] = v->precision;
	head->param[HLL_PARAM_ENCODING] = v->registers ? HLL_REGISTERS : HLL_TOKENS;
	head->size = size;
	return OK;
}

static enum status
kind_save(const void *sketch, struct record *head, struct buffer *payload)
{
	struct hll_view v = hll_view(sketch);

	return hll_view_save(&v, head, payload);
}

static enum status
kind_check(const struct record *head)
{
	uint64_t precision = head->param[HLL_PARAM_PRECISION];
	uint64_t encoding = head->param[HLL_PARAM_ENCODING];

	if (precision < HLL_PRECISION_MIN || precision > HLL_PRECISION_MAX ||
	    (encoding != HLL_TOKENS && encoding != HLL_REGISTERS))
		return STATUS_PARAMETER;
	for (size_t i = HLL_PARAM_ENCODING + 1; i < 8; i++)
		if (head->param[i] != 0)
			return STATUS_PARAMETER;

	if (encoding == HLL_REGISTERS)
		return head->size == hll_bytes((unsigned)precision) ? OK : STATUS_SIZE;
	return head->size % 4 == 0 &&
	    head->size / 4 <= hll_token_limit((unsigned)precision) ? OK : STATUS_SIZE;
}

static enum status
load_tokens(struct hll *s, const unsigned char *at, size_t tokens)
{
	uint32_t some[64], before = 0;
	struct hll_view v = {.precision = hll_precision(s), .token = some};
	enum status st = OK;

	for (size_t done = 0; st == OK && done < tokens; done += v.room) {
		v.room = tokens - done < 64 ? tokens - done : 64;
		for (size_t i = 0; i < v.room; i++) {
			some[i] = get_le32(at + 4 * (done + i));
			if (some[i] <= before || !token_valid(some[i]))
				return STATUS_INVARIANT;
			before = some[i];
		}
		v.tokens = v.room;
		st = hll_unite(s, &v);
	}
	return st;
}

/* How many distinct tokens leave a register at a rank. */
static uint64_t
capacity(unsigned rank, unsigned precision)
{
	unsigned unused = TOKEN_INDEX_BITS - precision;
	uint64_t indexes = (uint64_t)1 << unused;

	if (rank <= unused)
		return (indexes - (indexes >> rank)) * TOKEN_RANK_MAX;
	/* All unused bits may be zero if the token's own rank is the rest. */
	return (indexes - 1) * TOKEN_RANK_MAX + (rank - unused);
}

/* Is there a set of items that leaves these, and no fewer tokens than registers
 * begin with? The first few registers tell: every one that is in use stands for
 * many tokens. */
static bool
registers_possible(const unsigned char *registers, unsigned precision)
{
	size_t m = (size_t)1 << precision, limit = hll_token_limit(precision);
	uint64_t tokens = 0;

	if (registers_largest(registers, precision) > registers_rank_max(precision))
		return false;
	for (size_t i = 0; i < m && tokens <= limit; i++)
		if (registers[i] > 0)
			tokens += capacity(registers[i], precision);
	return tokens > limit;
}

static enum status
load_registers(struct hll *s, const unsigned char *packed)
{
	unsigned precision = hll_precision(s);
	unsigned char *registers = malloc((size_t)1 << precision);
	struct hll_view v = {.precision = precision, .registers = registers};

	if (!registers)
		return STATUS_MEMORY;
	registers_unpack(registers, packed, precision);
	enum status st = registers_possible(registers, precision) ?
	    hll_unite(s, &v) : STATUS_INVARIANT;
	free(registers);
	return st;
}

static enum status
kind_load(void **sketch, const struct record *head, struct buffer *payload)
{
	struct hll *s;
	enum status st = hll_new(&s, (unsigned)head->param[HLL_PARAM_PRECISION]);

	if (st != OK)
		return st;
	st = head->param[HLL_PARAM_ENCODING] == HLL_REGISTERS ?
	    load_registers(s, payload->at) :
	    load_tokens(s, payload->at, (size_t)head->size / 4);
	if (st != OK) {
		hll_free(s);
		return st;
	}
	*sketch = s;
	return OK;
}

static enum status
kind_merge(void *into, const void *from, struct mismatch *why)
{
	/* Any two precisions unite; the header's comparison has done the rest. */
	(void)why;
	return hll_merge(into, from);
}

static enum status
kind_compare(const void *a, const void *b, struct comparison *c, struct mismatch *why)
{
	return hll_compare(a, b, c, why);
}

static void
precision_facts(unsigned precision, struct facts *facts)
{
	fact_count(facts, "precision", precision);
	fact_count(facts, "registers", (uint64_t)1 << precision);
	fact_real(facts, "standard_error", hll_error(precision));
}

static void
kind_settings(const struct record *head, struct facts *facts)
{
	precision_facts((unsigned)head->param[HLL_PARAM_PRECISION], facts);
}

static void
kind_facts(const void *sketch, struct facts *facts)
{
	struct hll_view v = hll_view(sketch);
	size_t m = (size_t)1 << v.precision;
	double low, high;

	hll_view_interval(&v, &low, &high);
	precision_facts(v.precision, facts);
	fact_text(facts, "encoding", v.registers ? "registers" : "tokens");
	if (v.registers) {
		struct histogram h;

		registers_histogram(&h, v.registers, v.precision);
		fact_count(facts, "registers_used", m - h.count[0]);
	} else {
		fact_count(facts, "tokens", v.tokens);
	}
	fact_count(facts, "token_limit", hll_token_limit(v.precision));
	fact_real(facts, "estimate", hll_view_estimate(&v));
	fact_real(facts, "low", low);
	fact_real(facts, "high", high);
	fact_count(facts, "memory", hll_memory(sketch));
}

/* A size is a number of registers; what it divides is a power of 2 too. */

static uint64_t
size_of(const void *sketch)
{
	return (uint64_t)1 << hll_precision(sketch);
}

static unsigned
precision_of(uint64_t size)
{
	unsigned precision = 0;

	while (size >> precision > 1)
		precision++;
	return precision;
}

/* Registers, or as many tokens as there may be instead. */
static uint64_t
bytes_at(const void *sketch, uint64_t size)
{
	unsigned precision = precision_of(size);
	size_t tokens = 4 * hll_token_limit(precision);

	(void)sketch;
	return hll_bytes(precision) > tokens ? hll_bytes(precision) : tokens;
}

static enum status
fold_to(void *sketch, uint64_t size)
{
	return hll_fold(sketch, precision_of(size));
}

static const struct folding folding = {.size = size_of, .bytes = bytes_at, .fold = fold_to};

static void
kind_free(void *sketch)
{
	hll_free(sketch);
}

const struct kind hll_kind = {
	.id = KIND_HLL,
	.version = 1,
	.name = "hll",
	.retry_safe = true,
	.check = kind_check,
	.load = kind_load,
	.save = kind_save,
	.merge = kind_merge,
	.compare = kind_compare,
	.fold = &folding,
	.settings = kind_settings,
	.facts = kind_facts,
	.free = kind_free,
};
