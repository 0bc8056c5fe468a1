/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sketch/distinct/hll_datasketches.h"
#include "sketch/distinct/registers.h"

/*
 * Payload, kind 18, version 1. param[0] is lgk, param[1] the form of what follows,
 * param[2] the bits of HIP's answer as a double, 0 if there is none.
 *
 *	0 coupons     the distinct coupons, u32 each, ascending; at most 7, and from
 *	              lgk 8 on at most 3 * 2^(lgk - 5)
 *	1 registers   2^lgk of them, 6 bits each, register i from bit 6 i on, the
 *	              least significant bit first; not all of them 0
 *
 * Equal sketches are equal bytes. The library has a form for up to 7 coupons,
 * one for more of them and three for registers; they are a matter of its files.
 *
 * Example. The items 1 and 2 are the coupons aaa60f06 8f2cd90e.
 */
enum { COUPONS = 0, REGISTERS = 1 };

_Static_assert(HLL_DATASKETCHES_RANK_MAX < 64, "a register has 6 bits");

static enum status
kind_check(const struct record *head)
{
	uint64_t lgk = head->param[HLL_DATASKETCHES_LGK];

	if (lgk < HLL_DATASKETCHES_LGK_MIN || lgk > HLL_DATASKETCHES_LGK_MAX)
		return STATUS_PARAMETER;
	for (size_t i = HLL_DATASKETCHES_HIP + 1; i < 8; i++)
		if (head->param[i] != 0)
			return STATUS_PARAMETER;
	switch (head->param[HLL_DATASKETCHES_FORM]) {
	case COUPONS:
		if (head->param[HLL_DATASKETCHES_HIP] != 0)
			return STATUS_PARAMETER;
		return head->size % 4 == 0 &&
		    head->size / 4 <= hll_datasketches_limit((unsigned)lgk) ? OK : STATUS_SIZE;
	case REGISTERS:
		return head->size == registers_packed_size((unsigned)lgk) ? OK : STATUS_SIZE;
	default:
		return STATUS_PARAMETER;
	}
}

static enum status
load_coupons(struct hll_datasketches *s, struct slice body)
{
	enum status st = OK;
	uint32_t before = 0;

	for (size_t at = 0; st == OK && at < body.len; at += 4) {
		uint64_t coupon = get_le32(body.at + at);

		if (coupon <= before || coupon >> HLL_DATASKETCHES_PLACE_BITS == 0)
			return STATUS_INVARIANT;
		before = (uint32_t)coupon;
		st = hll_datasketches_add(s, &coupon, 1);
	}
	return st;
}

static enum status
load_registers(struct hll_datasketches *s, struct slice body)
{
	unsigned char *rank = malloc((size_t)1 << hll_datasketches_lgk(s));

	if (!rank)
		return STATUS_MEMORY;
	registers_unpack(rank, body.at, hll_datasketches_lgk(s));
	enum status st = hll_datasketches_raise(s, rank);
	free(rank);
	return st != OK || hll_datasketches_registers(s) ? st : STATUS_INVARIANT;
}

/* A double from its bits and back. */
static double
real_of(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint64_t
bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static enum status
kind_load(void **sketch, const struct record *head, struct buffer *payload)
{
	struct slice body = {payload->at, (size_t)head->size};
	uint64_t hip = head->param[HLL_DATASKETCHES_HIP];
	bool registers = head->param[HLL_DATASKETCHES_FORM] == REGISTERS;
	struct hll_datasketches *s;

	enum status st = hll_datasketches_new(&s, (unsigned)head->param[HLL_DATASKETCHES_LGK]);
	if (st != OK)
		return st;
	st = registers ? load_registers(s, body) : load_coupons(s, body);
	if (st == OK && hip != 0 && !hll_datasketches_set_hip(s, real_of(hip)))
		st = STATUS_INVARIANT;
	if (st != OK) {
		hll_datasketches_free(s);
		return st;
	}
	*sketch = s;
	return OK;
}

static enum status
save_coupons(const struct hll_datasketches *s, struct buffer *payload)
{
	size_t n = hll_explicit_count(hll_datasketches_coupons(s));
	uint32_t *coupon = malloc(n > 0 ? n * sizeof *coupon : 1);
	enum status st = coupon ? buffer_reserve(payload, 4 * n) : STATUS_MEMORY;

	if (st == OK) {
		hll_datasketches_sorted(s, coupon);
		for (size_t i = 0; i < n; i++, payload->len += 4)
			put_le32(payload->at + payload->len, coupon[i]);
	}
	free(coupon);
	return st;
}

static enum status
save_registers(const struct hll_datasketches *s, struct buffer *payload)
{
	unsigned lgk = hll_datasketches_lgk(s);
	size_t size = registers_packed_size(lgk);
	enum status st = buffer_reserve(payload, size);

	if (st == OK) {
		registers_pack(payload->at + payload->len, hll_datasketches_registers(s), lgk);
		payload->len += size;
	}
	return st;
}

static enum status
kind_save(const void *sketch, struct record *head, struct buffer *payload)
{
	const struct hll_datasketches *s = sketch;
	bool registers = hll_datasketches_registers(s) != NULL;
	size_t before = payload->len;
	enum status st = registers ? save_registers(s, payload) : save_coupons(s, payload);

	if (st != OK)
		return st;
	head->kind = hll_datasketches_kind.id;
	head->version = hll_datasketches_kind.version;
	memset(head->param, 0, sizeof head->param);
	head->param[HLL_DATASKETCHES_LGK] = hll_datasketches_lgk(s);
	head->param[HLL_DATASKETCHES_FORM] = registers ? REGISTERS : COUPONS;
	head->param[HLL_DATASKETCHES_HIP] = bits_of(hll_datasketches_hip(s));
	head->size = payload->len - before;
	return OK;
}

static enum status
kind_merge(void *into, const void *from, struct mismatch *why)
{
	(void)why;
	return hll_datasketches_merge(into, from);
}

static enum status
kind_compare(const void *a, const void *b, struct comparison *c, struct mismatch *why)
{
	return hll_datasketches_compare(a, b, c, why);
}

/* A size is a number of registers; what it divides is a power of 2 too. */

static uint64_t
size_of(const void *sketch)
{
	return UINT64_C(1) << hll_datasketches_lgk(sketch);
}

static unsigned
lgk_of(uint64_t size)
{
	unsigned lgk = HLL_DATASKETCHES_LGK_MIN;

	while (size >> lgk > 1)
		lgk++;
	return lgk;
}

/* Registers, or as many coupons as there may be instead, which is more only at
 * the smallest lgk. */
static uint64_t
bytes_at(const void *sketch, uint64_t size)
{
	size_t full = registers_packed_size(lgk_of(size));
	size_t few = 4 * hll_datasketches_limit(lgk_of(size));

	(void)sketch;
	return full > few ? full : few;
}

static enum status
fold_to(void *sketch, uint64_t size)
{
	return hll_datasketches_fold(sketch, lgk_of(size));
}

static const struct folding folding = {.size = size_of, .bytes = bytes_at, .fold = fold_to};

static void
lgk_facts(unsigned lgk, struct facts *facts)
{
	fact_count(facts, "lg_k", lgk);
	fact_count(facts, "registers", UINT64_C(1) << lgk);
	fact_count(facts, "coupons_limit", hll_datasketches_limit(lgk));
	fact_real(facts, "standard_error", 1.03896 / sqrt(ldexp(1, (int)lgk)));
}

static void
kind_settings(const struct record *head, struct facts *facts)
{
	lgk_facts((unsigned)head->param[HLL_DATASKETCHES_LGK], facts);
}

static void
kind_facts(const void *sketch, struct facts *facts)
{
	const struct hll_datasketches *s = sketch;
	const struct hll_explicit *few = hll_datasketches_coupons(s);
	struct composite c;
	double low, high;

	hll_datasketches_interval(s, &low, &high);
	lgk_facts(hll_datasketches_lgk(s), facts);
	fact_text(facts, "encoding", few ? "coupons" : "registers");
	if (few) {
		fact_count(facts, "coupons", hll_explicit_count(few));
	} else {
		hll_datasketches_histogram(s, &c);
		fact_count(facts, "registers_used", (UINT64_C(1) << c.lgk) - c.count[0]);
	}
	fact_flag(facts, "hip", hll_datasketches_hip(s) > 0);
	fact_real(facts, "estimate", hll_datasketches_estimate(s));
	fact_real(facts, "low", low);
	fact_real(facts, "high", high);
	fact_count(facts, "memory", hll_datasketches_memory(s));
}

static void
kind_free(void *sketch)
{
	hll_datasketches_free(sketch);
}

const struct kind hll_datasketches_kind = {
	.id = KIND_HLL_DATASKETCHES,
	.version = 1,
	.name = "hll-datasketches",
	.retry_safe = true,
	.hash = HASH_MURMUR3_COUPON,
	.typed = true,
	.check = kind_check,
	.load = kind_load,
	.save = kind_save,
	.merge = kind_merge,
	.fold = &folding,
	.compare = kind_compare,
	.settings = kind_settings,
	.facts = kind_facts,
	.free = kind_free,
};
