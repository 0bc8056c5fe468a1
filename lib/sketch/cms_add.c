/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * How items get into the counters of a Count-Min sketch.
 */
#include <assert.h>

#include "sketch/cms.h"
#include "sketch/cms_body.h"

#define FAR ((size_t)512 << 10)  /* more counters than this leave a core's cache */
#define PLACES 1024              /* looked ahead for at a time */

/* The hottest loop: the sketch's fields are held in registers, which a store
 * to a counter, for all the compiler knows, might change. */
static void
add_near(struct cms *c, const uint64_t *hash, const uint64_t *weight, size_t n)
{
	const uint64_t width = c->width;
	const unsigned depth = c->depth;
	uint64_t *const cells = c->cells;

	for (size_t i = 0; i < n; i++) {
		uint64_t w = weight ? weight[i] : 1;
		uint64_t *row = cells;
		for (unsigned step = 1; step <= depth; step++, row += width)
			row[hash_place(hash_step(hash[i], step), width)] += w;
	}
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
				*to = cms_place(c, hash[done + i], row);
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
			uint64_t *cell = &c->cells[cms_place(c, hash[i], row)];
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
