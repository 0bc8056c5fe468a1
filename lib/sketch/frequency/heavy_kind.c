/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * How the heaviest items lie in a record, kind 7, version 1. The parameters are
 * listed below; numbers are little-endian.
 *
 *	items, by ascending bytes, no two alike
 *	  +-----------+-----------+-------+-- n bytes --+
 *	  | count u64 | error u64 | n u32 | item        |  ...
 *	  +-----------+-----------+-------+-------------+
 *
 * This is how Count-Min saves its candidates, too, with a hash before each item where
 * a key is needed to make it. A payload is taken if no part
 * contradicts another: no error exceeds its count, nor a count the total; what
 * surely occurred does not add up to more than the total; and if the record says
 * that it is exact, T and all errors are 0, and the counts add up to the total.
 *
 * Example, after the items a, b, a, where one is kept:
 *
 *	2 | 0 | 1 | 'a'
 *
 * 21 bytes, with T = 1, N = 3, and not exact: b, which occurred once, was left out.
 */
#include <stdlib.h>

#include "sketch/frequency/heavy.h"
#include "sketch/frequency/heavy_body.h"

/* Parameters of a record. */
enum {
	CAPACITY,                    /* items, at most */
	SAVED,                       /* items in this record */
	MISSING,                     /* T */
	TOTAL,                       /* N, saturated */
	EXACT,                       /* 1 or 0 */
};

static enum status
check(const struct record *head)
{
	const uint64_t *p = head->param;

	if (p[CAPACITY] < 1 || p[CAPACITY] > HEAVY_MAX || p[SAVED] > p[CAPACITY] ||
	    p[MISSING] > p[TOTAL] || p[EXACT] > 1 || (p[EXACT] && p[MISSING] > 0) ||
	    p[EXACT + 1] || p[EXACT + 2] || p[EXACT + 3])
		return STATUS_PARAMETER;

	uint64_t least = p[SAVED] * candidate_fixed(head->hash);
	if (head->size < least || head->size > least + p[SAVED] * UINT32_MAX)
		return STATUS_SIZE;
	return OK;
}

/* Could all bounds be true? */
static bool
agrees(const struct heavy *h)
{
	uint64_t sure = 0;
	bool over = false;

	if (h->saturated && h->total != UINT64_MAX)
		return false;
	for (size_t i = 0; i < h->candidates.n; i++) {
		const struct counter *c = &h->candidates.at[i];
		if (c->high > h->total || (h->exact && c->low != c->high))
			return false;
		over |= sure + c->low < sure;
		sure = add_saturated(sure, c->low);
	}
	if (over && !h->saturated)
		return false;
	return h->exact ? sure == h->total : sure <= h->total;
}

static enum status
load(void **sketch, const struct record *head, struct buffer *payload)
{
	const uint64_t *p = head->param;
	struct heavy *h = malloc(sizeof *h);

	if (!h)
		return STATUS_MEMORY;
	*h = (struct heavy){
		.capacity = (unsigned)p[CAPACITY],
		.missing = p[MISSING],
		.total = p[TOTAL],
		.saturated = head->flags & FLAG_SATURATED,
		.exact = p[EXACT],
	};
	enum status st = candidates_load(&h->candidates,
	    (struct slice){payload->at, payload->len}, (size_t)p[SAVED], head);
	if (st == OK && !agrees(h))
		st = STATUS_INVARIANT;
	if (st != OK) {
		heavy_free(h);
		return st;
	}
	*sketch = h;
	return OK;
}

unsigned
heavy_capacity_of(const struct record *head)
{
	return (unsigned)head->param[CAPACITY];
}

/* What the header says, but for the payload's size. */
static void
describe(const struct heavy *h, struct record *head)
{
	head->kind = KIND_SPACESAVING;
	head->version = 1;
	head->flags &= (uint16_t)~FLAG_SATURATED;
	if (h->saturated)
		head->flags |= FLAG_SATURATED;
	head->param[CAPACITY] = h->capacity;
	head->param[SAVED] = h->candidates.n;
	head->param[MISSING] = h->missing;
	head->param[TOTAL] = h->total;
	head->param[EXACT] = h->exact;
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	const struct heavy *h = sketch;
	size_t before = payload->len;
	enum status st = candidates_save(&h->candidates, head->hash, payload);

	if (st != OK) {
		payload->len = before;
		return st;
	}
	describe(h, head);
	head->size = payload->len - before;
	return OK;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	(void)why;
	return heavy_merge(into, from);
}

static void
settings(const struct record *head, struct facts *f)
{
	fact_count(f, "candidates", head->param[CAPACITY]);
	fact_count(f, "candidates_saved", head->param[SAVED]);
	fact_count(f, "missing", head->param[MISSING]);
	fact_count(f, "total", head->param[TOTAL]);
	fact_flag(f, "exact", head->param[EXACT]);
}

static void
facts(const void *sketch, struct facts *f)
{
	struct record head = {0};

	describe(sketch, &head);
	settings(&head, f);
	fact_count(f, "error", heavy_excess(sketch));
}

static void
release(void *sketch)
{
	heavy_free(sketch);
}

const struct kind heavy_kind = {
	.id = KIND_SPACESAVING,
	.version = 1,
	.name = "spacesaving",
	.check = check,
	.load = load,
	.save = save,
	.merge = merge,
	.settings = settings,
	.facts = facts,
	.free = release,
};
