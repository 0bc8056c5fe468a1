/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "sketch/frequency/change.h"

struct difference
difference_of(uint64_t a, uint64_t b)
{
	return a < b ? (struct difference){true, b - a} : (struct difference){false, a - b};
}

struct difference
change_likely(const struct change *c)
{
	return difference_of(c->after.high, c->before.high);
}

struct difference
change_low(const struct change *c)
{
	return difference_of(c->after.low, c->before.high);
}

struct difference
change_high(const struct change *c)
{
	return difference_of(c->after.high, c->before.low);
}

bool
change_certain(const struct change *c)
{
	return c->after.low > c->before.high || c->after.high < c->before.low;
}

uint64_t
change_surely(const struct change *c)
{
	if (c->after.low > c->before.high)
		return c->after.low - c->before.high;
	return c->after.high < c->before.low ? c->before.low - c->after.high : 0;
}

static int
item_order(const void *a, const void *b)
{
	return slice_compare(((const struct counter *)a)->item, ((const struct counter *)b)->item);
}

static size_t
gather(const struct frequency *of, const void *body, struct counter *out)
{
	size_t n = 0;

	for (size_t at = 0; of->each(body, &at, &out[n]);)
		n++;
	return n;
}

enum status
changes_of(const struct frequency *of, const void *before, const void *after,
    struct change **out, size_t *n)
{
	size_t most = of->listed(before) + of->listed(after) + 1;
	struct counter *all = malloc(most * sizeof *all);
	struct change *changes = malloc(most * sizeof *changes);
	size_t listed, distinct = 0;

	if (!all || !changes) {
		free(all);
		free(changes);
		return STATUS_MEMORY;
	}
	listed = gather(of, before, all);
	listed += gather(of, after, all + listed);
	qsort(all, listed, sizeof *all, item_order);
	for (size_t i = 0; i < listed; i++) {
		const struct counter *c = &all[i];
		if (i > 0 && slice_equal(c->item, all[i - 1].item))
			continue;
		struct change *to = &changes[distinct++];
		to->item = c->item;
		of->bounds(before, c->item, c->hash, &to->before.low, &to->before.high);
		of->bounds(after, c->item, c->hash, &to->after.low, &to->after.high);
	}
	free(all);
	*out = changes;
	*n = distinct;
	return OK;
}
