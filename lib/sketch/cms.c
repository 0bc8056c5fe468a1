/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "sketch/cms.h"
#include "sketch/cms_body.h"

#define FAR ((size_t)512 << 10)  /* more counters than this leave a core's cache */
#define PLACES 1024              /* looked ahead for at a time */
#define BATCH 256

enum status
cms_new(struct cms **out, uint64_t width, unsigned depth, double epsilon, double delta,
    unsigned candidates)
{
	if (!cms_in_range(width, depth, epsilon, delta, candidates))
		return STATUS_PARAMETER;
	if (width > SIZE_MAX / sizeof(uint64_t) / depth)
		return STATUS_MEMORY;

	struct cms *c = malloc(sizeof *c);
	if (!c)
		return STATUS_MEMORY;
	*c = (struct cms){
		.width = width,
		.depth = depth,
		.epsilon = epsilon,
		.delta = delta,
		.capacity = candidates,
		.cells = calloc((size_t)width * depth, sizeof *c->cells),
	};
	if (!c->cells) {
		free(c);
		return STATUS_MEMORY;
	}
	*out = c;
	return OK;
}

enum status
cms_new_like(struct cms **out, const struct cms *c)
{
	return cms_new(out, c->width, c->depth, c->epsilon, c->delta, c->capacity);
}

void
cms_free(struct cms *c)
{
	if (!c)
		return;
	candidates_free(&c->candidates);
	free(c->cells);
	free(c);
}

/* Where in the counters an item has its one of this row. */
static size_t
place(const struct cms *c, uint64_t hash, unsigned row)
{
	return (size_t)(row * c->width + hash_place(hash_step(hash, row + 1), c->width));
}

static void
add_near(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned row = 0; row < c->depth; row++)
			c->cells[place(c, hash[i], row)] += weight ? weight[i] : 1;
}

/* The same for counters that are not in the cache: touch them first. */
static void
add_far(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	size_t at[PLACES], batch = PLACES / c->depth;

	for (size_t done = 0; done < n; done += batch) {
		if (batch > n - done)
			batch = n - done;
		size_t *to = at;
		for (size_t i = 0; i < batch; i++)
			for (unsigned row = 0; row < c->depth; row++) {
				*to = place(c, hash[done + i], row);
				__builtin_prefetch(&c->cells[*to++], 1);
			}
		const size_t *from = at;
		for (size_t i = 0; i < batch; i++)
			for (unsigned row = 0; row < c->depth; row++)
				c->cells[*from++] += weight ? weight[done + i] : 1;
	}
}

static void
add_saturating(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned row = 0; row < c->depth; row++) {
			uint64_t *cell = &c->cells[place(c, hash[i], row)];
			*cell = add_saturated(*cell, weight ? weight[i] : 1);
		}
}

void
cms_add(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	uint64_t total = c->total;
	bool over = false;

	assert(c->candidates.n == 0);
	for (size_t i = 0; i < n; i++) {
		uint64_t w = weight ? weight[i] : 1;
		over |= total + w < w;
		total = add_saturated(total, w);
	}
	/* No counter is larger than the total. */
	if (over)
		add_saturating(c, hash, weight, n);
	else if (c->width * c->depth > FAR / sizeof *c->cells)
		add_far(c, hash, weight, n);
	else
		add_near(c, hash, weight, n);
	c->saturated |= over;
	c->total = c->missing = total;
}

/* Give the counters each item's sum from the table. */
static void
settle(struct cms *c, const struct spacesaving *table)
{
	uint64_t hash[BATCH], weight[BATCH];
	struct counter from;
	size_t n = 0;

	for (size_t at = 0; spacesaving_each(table, &at, &from);) {
		hash[n] = from.hash;
		weight[n++] = from.low;
		if (n == BATCH) {
			cms_add(c, hash, weight, n);
			n = 0;
		}
	}
	cms_add(c, hash, weight, n);
	c->saturated |= spacesaving_saturated(table);
}

/* A total of 0 says that whatever was added still is in the table alone. */
enum status
cms_feed(struct cms *c, struct spacesaving *table, const struct slice *item,
    const uint64_t *hash, const uint64_t *weight, size_t n)
{
	size_t done = 0;

	if (c->total == 0) {
		enum status st = spacesaving_add_exact(table, item, hash, weight, n, &done);
		if (st != OK || done == n)
			return st;
		settle(c, table);
	}
	weight = weight ? weight + done : NULL;
	cms_add(c, hash + done, weight, n - done);
	return spacesaving_add(table, item + done, hash + done, weight, n - done);
}

enum status
cms_take_candidates(struct cms *c, const struct spacesaving *table)
{
	struct counter *top;
	size_t n;
	enum status st = spacesaving_top(table, (size_t)c->capacity + 1, &top, &n);

	if (st != OK)
		return st;
	uint64_t missing = spacesaving_missing(table);
	if (n > c->capacity) {
		n = c->capacity;
		if (missing < top[n].high)
			missing = top[n].high;
	}
	if (c->total == 0)
		settle(c, table);
	st = candidates_set(&c->candidates, top, n);
	if (st == OK && c->capacity > 0)
		c->missing = missing;
	free(top);
	return st;
}

uint64_t
cms_estimate(const struct cms *c, uint64_t hash)
{
	uint64_t least = UINT64_MAX;

	for (unsigned row = 0; row < c->depth; row++) {
		uint64_t count = c->cells[place(c, hash, row)];
		if (count < least)
			least = count;
	}
	return least;
}

uint64_t
cms_outsider_high(const struct cms *c, uint64_t hash)
{
	uint64_t estimate = cms_estimate(c, hash);

	return estimate < c->missing ? estimate : c->missing;
}

void
cms_bounds(const struct cms *c, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high)
{
	const struct counter *found = candidates_find(&c->candidates, item, hash);

	if (!found) {
		*low = 0;
		*high = cms_outsider_high(c, hash);
		return;
	}
	*low = found->low;
	*high = cms_estimate(c, hash);
	if (*high > found->high)
		*high = found->high;
}

uint64_t
cms_excess(const struct cms *c)
{
	double product = c->epsilon * (double)c->total;

	if (product >= 0x1p64)
		return UINT64_MAX;
	uint64_t whole = (uint64_t)product;
	return whole + ((double)whole < product);
}

uint64_t
cms_probable_low(const struct cms *c, uint64_t estimate)
{
	uint64_t most = cms_excess(c);

	return estimate > most ? estimate - most : 0;
}

uint64_t
cms_total(const struct cms *c)
{
	return c->total;
}

bool
cms_saturated(const struct cms *c)
{
	return c->saturated;
}

uint64_t
cms_missing(const struct cms *c)
{
	return c->missing;
}

size_t
cms_candidates(const struct cms *c)
{
	return c->candidates.n;
}

unsigned
cms_candidates_max(const struct cms *c)
{
	return c->capacity;
}

uint64_t
cms_bytes(const struct cms *c)
{
	return c->width * c->depth * sizeof(*c->cells);
}

bool
cms_each(const struct cms *c, size_t *at, struct counter *out)
{
	if (*at >= c->candidates.n)
		return false;
	*out = c->candidates.at[(*at)++];
	cms_bounds(c, out->item, out->hash, &out->low, &out->high);
	return true;
}

static bool
next_candidate(const void *source, size_t *at, struct counter *c)
{
	return cms_each(source, at, c);
}

enum status
cms_top(const struct cms *c, size_t k, struct counter **out, size_t *n)
{
	return top_of(c, next_candidate, k, c->missing, out, n);
}
