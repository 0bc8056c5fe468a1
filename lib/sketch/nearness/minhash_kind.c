/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * How a MinHash lies in a record, kind 10, version 1. The parameters are listed in
 * sketch/nearness/minhash.h. The payload is the hashes, at most k of them, 8 bytes each,
 * little-endian, in strictly ascending order: so there is one form for each set. With
 * k elements or fewer all hashes are there; with more the k smallest, and param[3]
 * tells so, since k of k + 1 look like k of k.
 *
 * Example, k = 16, seed 0, the items 1, 2 and 3, whose hashes are 65cd25028f98f158,
 * fb95a7322f5da314 and 7324dc1e7e9474f0: 24 bytes,
 *
 *	58 f1 98 8f 02 25 cd 65   f0 74 94 7e 1e dc 24 73   14 a3 5d 2f 32 a7 95 fb
 *
 * An element that is a feature of a text has for its hash s_1 of the feature's, see
 * sketch/nearness/features.h and hash_step().
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "sketch/nearness/minhash.h"
#include "sketch/nearness/minhash_body.h"

static enum status
check(const struct record *head)
{
	const uint64_t *p = head->param;

	if (p[MINHASH_PARAM_SIZE] < MINHASH_SIZE_MIN || p[MINHASH_PARAM_SIZE] > MINHASH_SIZE_MAX ||
	    p[MINHASH_PARAM_UNIT] > MINHASH_CHARS || p[MINHASH_PARAM_RUN] > FEATURE_RUN_MAX ||
	    (p[MINHASH_PARAM_UNIT] == MINHASH_ITEMS) != (p[MINHASH_PARAM_RUN] == 0) ||
	    p[MINHASH_PARAM_MORE] > 1)
		return STATUS_PARAMETER;
	for (size_t i = MINHASH_PARAM_MORE + 1; i < sizeof head->param / sizeof *head->param; i++)
		if (p[i] != 0)
			return STATUS_PARAMETER;
	uint64_t full = 8 * p[MINHASH_PARAM_SIZE];
	bool right = p[MINHASH_PARAM_MORE] ? head->size == full : head->size <= full;
	return right && head->size % 8 == 0 ? OK : STATUS_SIZE;
}

static enum status
load(void **sketch, const struct record *head, struct buffer *payload)
{
	size_t n = (size_t)head->size / 8;
	struct minhash *m;
	bool ascending = true;

	enum status st = minhash_new(&m, head);
	if (st != OK)
		return st;
	uint64_t *hash = malloc((n + 1) * sizeof *hash);
	if (!hash) {
		minhash_free(m);
		return STATUS_MEMORY;
	}
	for (size_t i = 0; i < n; i++) {
		hash[i] = get_le64(payload->at + 8 * i);
		ascending &= i == 0 || hash[i] > hash[i - 1];
	}
	minhash_replace(m, hash, n, head->param[MINHASH_PARAM_MORE] != 0);
	if (!ascending) {
		minhash_free(m);
		return STATUS_INVARIANT;
	}
	*sketch = m;
	return OK;
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	const struct minhash *m = sketch;
	struct minhash_view v;

	enum status st = minhash_look(m, &v);
	if (st == OK)
		st = buffer_reserve(payload, 8 * v.n);
	if (st == OK) {
		for (size_t i = 0; i < v.n; i++)
			put_le64(payload->at + payload->len + 8 * i, v.at[i]);
		payload->len += 8 * v.n;
		head->kind = KIND_MINHASH;
		head->version = 1;
		memset(head->param, 0, sizeof head->param);
		head->param[MINHASH_PARAM_SIZE] = m->size;
		head->param[MINHASH_PARAM_UNIT] = m->unit;
		head->param[MINHASH_PARAM_RUN] = m->run;
		head->param[MINHASH_PARAM_MORE] = v.more;
		head->size = 8 * v.n;
	}
	free(v.own);
	return st;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	return minhash_merge(into, from, why);
}

static enum status
compare(const void *a, const void *b, struct comparison *c, struct mismatch *why)
{
	return minhash_compare(a, b, c, why);
}

static void
settings(const struct record *head, struct facts *f)
{
	static const char *const elements[] = {"items", "words", "characters"};
	const uint64_t *p = head->param;

	fact_count(f, "size", p[MINHASH_PARAM_SIZE]);
	fact_real(f, "standard_error", minhash_error(p[MINHASH_PARAM_SIZE]));
	fact_text(f, "elements", elements[p[MINHASH_PARAM_UNIT]]);
	if (p[MINHASH_PARAM_UNIT] != MINHASH_ITEMS)
		fact_count(f, "run", p[MINHASH_PARAM_RUN]);
}

static void
facts(const void *sketch, struct facts *f)
{
	const struct minhash *m = sketch;
	const struct record head = {.param = {m->size, m->unit, m->run}};
	double low, high;

	settings(&head, f);
	fact_count(f, "hashes", m->n < m->size ? m->n : m->size);
	fact_flag(f, "exact", minhash_exact(m));
	minhash_interval(m, &low, &high);
	fact_real(f, "estimate", minhash_estimate(m));
	fact_real(f, "low", low);
	fact_real(f, "high", high);
	fact_count(f, "memory", minhash_memory(m));
}

static void
release(void *sketch)
{
	minhash_free(sketch);
}

const struct kind minhash_kind = {
	.id = KIND_MINHASH,
	.version = 1,
	.name = "minhash",
	.retry_safe = true,
	.check = check,
	.load = load,
	.save = save,
	.merge = merge,
	.compare = compare,
	.settings = settings,
	.facts = facts,
	.free = release,
};
