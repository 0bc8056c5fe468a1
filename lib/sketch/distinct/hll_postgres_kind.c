/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "base/hash.h"
#include "sketch/distinct/hll_postgres.h"

/* A record of kind 17; what its payload is, tells hll_postgres_body.c. */

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
		return head->size <= hll_postgres_full_size(&shape) ? OK : STATUS_SIZE;
	case HLL_POSTGRES_FULL:
		return head->size == hll_postgres_full_size(&shape) ? OK : STATUS_SIZE;
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

/* A size is a number of registers; what it divides is a power of 2 too. */

static uint64_t
size_of(const void *sketch)
{
	return UINT64_C(1) << hll_postgres_shape(sketch)->log2m;
}

static unsigned
log2m_of(uint64_t size)
{
	unsigned log2m = 0;

	while (size >> log2m > 1)
		log2m++;
	return log2m < HLL_POSTGRES_LOG2M_MIN ? HLL_POSTGRES_LOG2M_MIN : log2m;
}

/* Registers, or as many hashes as there may be instead. */
static uint64_t
bytes_at(const void *sketch, uint64_t size)
{
	struct hll_postgres_shape shape = *hll_postgres_shape(sketch);

	shape.log2m = log2m_of(size);
	size_t full = hll_postgres_full_size(&shape), few = 8 * hll_postgres_threshold(&shape);
	return full > few ? full : few;
}

static enum status
fold_to(void *sketch, uint64_t size)
{
	return hll_postgres_fold(sketch, log2m_of(size));
}

static const struct folding folding = {.size = size_of, .bytes = bytes_at, .fold = fold_to};

static enum status
kind_compare(const void *a, const void *b, struct comparison *c, struct mismatch *why)
{
	return hll_postgres_compare(a, b, c, why);
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
	fact_text(facts, "encoding", name[hll_postgres_type(sketch)]);
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
	.retry_safe = true,
	.hash = HASH_MURMUR3,
	.typed = true,
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
