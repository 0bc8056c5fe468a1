/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * How a t-digest lies in a record, kind 12, version 1. The parameters are listed
 * below; numbers are little-endian, means are doubles, and weights numbers of
 * variable length.
 *
 *	  +------------------+-----------------+-------------------+
 *	  | means, ascending | which are mixed | weights, one each |
 *	  +------------------+-----------------+-------------------+
 *	    8 bytes each       a bit each; not there if none is
 *
 * A centroid is mixed unless all its samples equal its mean. Whatever waits to be
 * swept is swept into a record, so all that a digest answers it answers when
 * it was saved and loaded.
 *
 * Example, compression 100, after the samples 2.5, 1, 2.5: all is kept as it
 * came, so none is mixed.
 *
 *	00 00 00 00 00 00 f0 3f   00 00 00 00 00 00 04 40   01   02
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/unit.h"
#include "sketch/quantiles/tdigest.h"
#include "sketch/quantiles/tdigest_body.h"

/* Parameters of a record, beside those in tdigest.h. */
enum {
	CENTROIDS = 1,
	MIXED,                       /* so many of them are */
	TOTAL,                       /* n: the sum of the weights */
};

static size_t
bitmap_bytes(size_t n, uint64_t mixed)
{
	return mixed > 0 ? (n + 7) / 8 : 0;
}

static enum status
check(const struct record *head)
{
	const uint64_t *p = head->param;
	uint64_t compression = p[TDIGEST_PARAM_COMPRESSION], n = p[CENTROIDS];

	if (compression < TDIGEST_COMPRESSION_MIN || compression > TDIGEST_COMPRESSION_MAX ||
	    n > sweep_room((unsigned)compression) || p[TOTAL] < n || (n == 0) != (p[TOTAL] == 0) ||
	    p[QUANTILES_UNIT] >= UNITS || (p[4] | p[5] | p[6]) != 0)
		return STATUS_PARAMETER;
	/* The least and the greatest sample never mix. */
	if (p[MIXED] > (n > 2 ? n - 2 : 0))
		return STATUS_PARAMETER;

	uint64_t fixed = 8 * n + bitmap_bytes((size_t)n, p[MIXED]);
	if (head->size < fixed + n || head->size > fixed + NUMBER_BYTES * n)
		return STATUS_SIZE;
	return OK;
}

/* The weights, in what is left of a payload; they add up to the total. */
static bool
read_weights(struct centroid *at, size_t n, struct slice rest, uint64_t total)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!number_get(&rest, &at[i].weight) || at[i].weight < (at[i].point ? 1 : 2) ||
		    at[i].weight > total - sum)
			return false;
		sum += at[i].weight;
	}
	return rest.len == 0 && sum == total;
}

/* Means and which are mixed (bits, unless it is NULL): in strict order, and at
 * both ends a point. */
static bool
read_means(struct centroid *at, size_t n, const unsigned char *payload,
    const unsigned char *bits)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t mean = get_le64(payload + 8 * i);
		at[i].mean = real_from(mean);
		at[i].point = !bits || !(bits[i / 8] >> i % 8 & 1);
		/* The zero that has no sign is the only one. */
		if (!isfinite(at[i].mean) || real_bits(at[i].mean + 0.0) != mean ||
		    (i > 0 && !centroid_before(&at[i - 1], &at[i])))
			return false;
	}
	return n == 0 || (at[0].point && at[n - 1].point);
}

/* Are as many bits set as are mixed, and none behind the last? */
static bool
bits_agree(const unsigned char *bits, size_t n, uint64_t mixed)
{
	uint64_t set = 0;

	for (size_t i = 0; i < n; i++)
		set += bits[i / 8] >> i % 8 & 1;
	return set == mixed && (n % 8 == 0 || bits[n / 8] >> n % 8 == 0);
}

static enum status
load(void **sketch, const struct record *head, struct buffer *payload)
{
	const uint64_t *p = head->param;
	size_t n = (size_t)p[CENTROIDS];
	size_t fixed = 8 * n + bitmap_bytes(n, p[MIXED]);
	const unsigned char *bits = p[MIXED] > 0 ? payload->at + 8 * n : NULL;
	struct tdigest *t;

	assert(payload->at || n == 0);
	enum status st = tdigest_new(&t, (unsigned)p[TDIGEST_PARAM_COMPRESSION]);
	if (st != OK)
		return st;
	t->unit = (uint8_t)p[QUANTILES_UNIT];
	t->saturated = head->flags & FLAG_SATURATED;
	t->total = p[TOTAL];
	struct centroid *at = malloc((n + 1) * sizeof *at);
	if (!at) {
		tdigest_free(t);
		return STATUS_MEMORY;
	}
	tdigest_replace(t, at, n, p[MIXED] == 0);
	if ((t->saturated && t->total != UINT64_MAX) ||
	    (bits && !bits_agree(bits, n, p[MIXED])) ||
	    !read_means(at, n, payload->at, bits) ||
	    !read_weights(at, n, (struct slice){payload->at + fixed, payload->len - fixed}, p[TOTAL])) {
		tdigest_free(t);
		return STATUS_INVARIANT;
	}
	*sketch = t;
	return OK;
}

/* What the header says, but for the payload's size. */
static void
describe(const struct tdigest *t, struct centroids all, struct record *head)
{
	uint64_t mixed = 0;

	for (size_t i = 0; i < all.n; i++)
		mixed += !all.at[i].point;
	head->kind = KIND_TDIGEST;
	head->version = 1;
	head->flags &= (uint16_t)~FLAG_SATURATED;
	if (t->saturated)
		head->flags |= FLAG_SATURATED;
	memset(head->param, 0, sizeof head->param);
	head->param[TDIGEST_PARAM_COMPRESSION] = t->compression;
	head->param[CENTROIDS] = all.n;
	head->param[MIXED] = mixed;
	head->param[TOTAL] = t->total;
	head->param[QUANTILES_UNIT] = t->unit;
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	const struct tdigest *t = sketch;
	struct centroids all = tdigest_look(t);
	size_t before = payload->len;

	describe(t, all, head);
	size_t bits = bitmap_bytes(all.n, head->param[MIXED]);
	enum status st = buffer_reserve(payload, (8 + NUMBER_BYTES) * all.n + bits);
	if (st != OK)
		return st;
	unsigned char *p = payload->at + before;
	if (bits > 0)
		memset(p + 8 * all.n, 0, bits);
	for (size_t i = 0; i < all.n; i++) {
		put_le64(p + 8 * i, real_bits(all.at[i].mean));
		if (!all.at[i].point)
			p[8 * all.n + i / 8] |= (unsigned char)(1 << i % 8);
	}
	p += 8 * all.n + bits;
	for (size_t i = 0; i < all.n; i++)
		p += number_put(p, all.at[i].weight);
	payload->len = (size_t)(p - payload->at);
	head->size = payload->len - before;
	return OK;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	return tdigest_merge(into, from, why);
}

static void
settings(const struct record *head, struct facts *f)
{
	fact_count(f, "compression", head->param[TDIGEST_PARAM_COMPRESSION]);
	fact_text(f, "unit", unit_label((enum unit)head->param[QUANTILES_UNIT]));
	fact_count(f, "total", head->param[TOTAL]);
	fact_count(f, "centroids", head->param[CENTROIDS]);
	fact_flag(f, "exact", head->param[MIXED] == 0);
}

static void
facts(const void *sketch, struct facts *f)
{
	const struct tdigest *t = sketch;
	struct record head = {0};
	struct span span;

	describe(t, tdigest_look(t), &head);
	settings(&head, f);
	if (t->total == 0)
		return;
	tdigest_quantiles.least(t, &span);
	fact_real(f, "least", span.value);
	tdigest_quantiles.quantile(t, 0.5, false, &span);
	fact_real(f, "median", span.value);
	tdigest_quantiles.quantile(t, 0.99, false, &span);
	fact_real(f, "p99", span.value);
	tdigest_quantiles.most(t, &span);
	fact_real(f, "most", span.value);
}

static void
release(void *sketch)
{
	tdigest_free(sketch);
}

const struct kind tdigest_kind = {
	.id = KIND_TDIGEST,
	.version = 1,
	.name = "tdigest",
	.hash = HASH_XXH3,
	.check = check,
	.load = load,
	.save = save,
	.merge = merge,
	.settings = settings,
	.facts = facts,
	.free = release,
};
