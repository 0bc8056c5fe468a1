/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * How a Count-Min sketch lies in a record, kind 6, version 1. The parameters
 * are listed below; numbers are little-endian.
 *
 *	counters, u64 each, row after row
 *	  +-----------+-----------+-- ... --+-----------+-----------+-- ...
 *	  | row 0, 0  | row 0, 1  |         | row 1, 0  | row 1, 1  |
 *	  +-----------+-----------+-- ... --+-----------+-----------+-- ...
 *	candidates, by ascending bytes of the item, no two alike
 *	  +-----------+-----------+-------+-- n bytes --+
 *	  | count u64 | error u64 | n u32 | item        |  ...
 *	  +-----------+-----------+-------+-------------+
 *
 * Where items are hashed with a key, each candidate's hash, u64, stands before its
 * item, so that whoever has no key can unite such sketches.
 *
 * A payload is taken if no part contradicts another: every row adds up to the total,
 * or of conservative counters to no more; no candidate's count exceeds it, and none
 * is said to have occurred more often than its counters hold.
 *
 * Example, w = 4, d = 2, one candidate kept, after the items a, b, a. In row 0
 * both have place 3; in row 1 a has place 2 and b has 0. As bytes, with the
 * zeros that fill each number left out:
 *
 *	row 0   0 0 0 3
 *	row 1   1 0 2 0
 *	        2 | 0 | 1 | 'a'
 *
 * 85 bytes, and T = 1: no item other than a occurred more than once. The
 * estimate of a is min(3, 2) = 2, that of b min(3, 1) = 1.
 */
#include <stdlib.h>

#include "sketch/frequency/cms.h"
#include "sketch/frequency/cms_body.h"

/* Parameters of a record. */
enum {
	WIDTH,                       /* w */
	DEPTH,                       /* d */
	EPSILON,                     /* this and the next: a double's bits */
	DELTA,
	CAPACITY,                    /* candidates, at most */
	SAVED,                       /* candidates in this record */
	MISSING,                     /* T */
	TOTAL,                       /* N, saturated */
};

static double
to_real(uint64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof real);
	return real;
}

static uint64_t
from_real(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof bits);
	return bits;
}

static enum status
check(const struct record *head)
{
	const uint64_t *p = head->param;

	if (!cms_in_range(p[WIDTH], p[DEPTH], to_real(p[EPSILON]), to_real(p[DELTA]),
	    p[CAPACITY]) || p[SAVED] > p[CAPACITY] || p[MISSING] > p[TOTAL])
		return STATUS_PARAMETER;

	/* At most 2^49 bytes of counters. */
	uint64_t counters = p[WIDTH] * p[DEPTH] * 8;
	uint64_t least = p[SAVED] * candidate_fixed(head->hash);
	uint64_t most = least + p[SAVED] * UINT32_MAX;
	if (head->size < counters + least || head->size > counters + most)
		return STATUS_SIZE;
	return OK;
}

/* Each item is in every row once: so each row adds up to the total. Counters
 * that were raised no more than needed add up to less. */
static bool
rows_agree(const struct cms *c)
{
	const uint64_t *cell = c->cells;

	if (c->saturated && c->total != UINT64_MAX)
		return false;
	for (unsigned row = 0; row < c->depth; row++) {
		uint64_t sum = 0;
		bool over = false;
		for (uint64_t i = 0; i < c->width; i++, cell++) {
			over |= sum + *cell < sum;
			sum = add_saturated(sum, *cell);
		}
		bool agree = c->conservative ? sum <= c->total : sum == c->total;
		if (!agree || (over && !c->saturated))
			return false;
	}
	return true;
}

/* Could the candidates' bounds be true? */
static bool
candidates_agree(const struct cms *c)
{
	if (c->capacity == 0 && c->missing != c->total)
		return false;
	for (size_t i = 0; i < c->candidates.n; i++) {
		const struct counter *candidate = &c->candidates.at[i];
		if (candidate->high > c->total ||
		    candidate->low > cms_estimate(c, candidate->hash))
			return false;
	}
	return true;
}

static enum status
load(void **sketch, const struct record *head, struct buffer *payload)
{
	const uint64_t *p = head->param;
	size_t n = (size_t)(p[WIDTH] * p[DEPTH]);
	struct cms *c = malloc(sizeof *c);

	if (!c)
		return STATUS_MEMORY;
	*c = (struct cms){
		.width = p[WIDTH],
		.depth = (unsigned)p[DEPTH],
		.epsilon = to_real(p[EPSILON]),
		.delta = to_real(p[DELTA]),
		.capacity = (unsigned)p[CAPACITY],
		.missing = p[MISSING],
		.total = p[TOTAL],
		.saturated = head->flags & FLAG_SATURATED,
		.conservative = head->flags & FLAG_CONSERVATIVE,
	};
	struct slice rest = {payload->at + n * 8, payload->len - n * 8};
	enum status st = candidates_load(&c->candidates, rest, (size_t)p[SAVED], head);
	if (st != OK) {
		cms_free(c);
		return st;
	}

	/* The counters stay where they are. */
	c->cells = realloc(payload->at, n * 8);
	if (!c->cells)
		c->cells = (uint64_t *)(void *)payload->at;
	*payload = (struct buffer){0};
	const unsigned char *bytes = (const unsigned char *)c->cells;
	for (size_t i = 0; i < n; i++)
		c->cells[i] = get_le64(bytes + i * 8);

	if (!rows_agree(c) || !candidates_agree(c)) {
		cms_free(c);
		return STATUS_INVARIANT;
	}
	*sketch = c;
	return OK;
}

struct cms_parameters
cms_parameters(const struct cms *c)
{
	return (struct cms_parameters){
		c->width, c->depth, c->epsilon, c->delta, c->capacity, c->conservative,
	};
}

struct cms_parameters
cms_parameters_of(const struct record *head)
{
	const uint64_t *p = head->param;

	return (struct cms_parameters){
		p[WIDTH], (unsigned)p[DEPTH], to_real(p[EPSILON]), to_real(p[DELTA]),
		(unsigned)p[CAPACITY], head->flags & FLAG_CONSERVATIVE,
	};
}

/* What the header says, but for the payload's size. */
static void
describe(const struct cms *c, struct record *head)
{
	head->kind = KIND_CMS;
	head->version = 1;
	head->flags &= (uint16_t)~(FLAG_SATURATED | FLAG_CONSERVATIVE);
	if (c->saturated)
		head->flags |= FLAG_SATURATED;
	if (c->conservative)
		head->flags |= FLAG_CONSERVATIVE;
	head->param[WIDTH] = c->width;
	head->param[DEPTH] = c->depth;
	head->param[EPSILON] = from_real(c->epsilon);
	head->param[DELTA] = from_real(c->delta);
	head->param[CAPACITY] = c->capacity;
	head->param[SAVED] = c->candidates.n;
	head->param[MISSING] = c->missing;
	head->param[TOTAL] = c->total;
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	const struct cms *c = sketch;
	size_t n = (size_t)(c->width * c->depth), before = payload->len;
	enum status st = buffer_reserve(payload, n * 8);

	if (st != OK)
		return st;
	for (size_t i = 0; i < n; i++)
		put_le64(payload->at + before + i * 8, c->cells[i]);
	payload->len += n * 8;
	st = candidates_save(&c->candidates, head->hash, payload);
	if (st != OK) {
		payload->len = before;
		return st;
	}

	describe(c, head);
	head->size = payload->len - before;
	return OK;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	return cms_merge(into, from, why);
}

static enum status
subtract(void *into, const void *from, struct mismatch *why)
{
	return cms_subtract(into, from, why);
}

static void
settings(const struct record *head, struct facts *f)
{
	fact_count(f, "width", head->param[WIDTH]);
	fact_count(f, "depth", head->param[DEPTH]);
	fact_real(f, "epsilon", to_real(head->param[EPSILON]));
	fact_real(f, "delta", to_real(head->param[DELTA]));
	fact_flag(f, "conservative", head->flags & FLAG_CONSERVATIVE);
	fact_count(f, "candidates", head->param[CAPACITY]);
	fact_count(f, "candidates_saved", head->param[SAVED]);
	fact_count(f, "missing", head->param[MISSING]);
	fact_count(f, "total", head->param[TOTAL]);
}

static void
facts(const void *sketch, struct facts *f)
{
	const struct cms *c = sketch;
	size_t n = (size_t)(c->width * c->depth), set = 0;
	struct record head = {0};

	describe(c, &head);
	settings(&head, f);
	for (size_t i = 0; i < n; i++)
		set += c->cells[i] != 0;
	fact_count(f, "error", cms_excess(c));
	fact_real(f, "fill", (double)set / (double)n);
}

static void
release(void *sketch)
{
	cms_free(sketch);
}

const struct kind cms_kind = {
	.id = KIND_CMS,
	.version = 1,
	.name = "cms",
	.flags = FLAG_CONSERVATIVE,
	.check = check,
	.load = load,
	.save = save,
	.merge = merge,
	.subtract = subtract,
	.settings = settings,
	.facts = facts,
	.free = release,
};
