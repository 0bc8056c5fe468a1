/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/hits.h"

#include <stdlib.h>

enum status
hits_add(struct hits *hits, uint32_t number, uint32_t distance)
{
	if (hits->n == hits->most)
		return STATUS_FULL;
	if (hits->n == hits->room) {
		size_t room = hits->room ? 2 * hits->room : 64;
		struct hit *at = realloc(hits->at, room * sizeof *at);
		if (!at)
			return STATUS_MEMORY;
		hits->at = at;
		hits->room = room;
	}
	hits->at[hits->n++] = (struct hit){number, distance};
	return OK;
}

static int
nearer(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

void
hits_sort(struct hits *hits)
{
	size_t kept = 1;

	if (hits->n < 2)
		return;
	qsort(hits->at, hits->n, sizeof *hits->at, nearer);
	for (size_t i = 1; i < hits->n; i++)
		if (hits->at[i].number != hits->at[kept - 1].number)
			hits->at[kept++] = hits->at[i];
	hits->n = kept;
}

void
hits_free(struct hits *hits)
{
	free(hits->at);
	*hits = (struct hits){.most = hits->most};
}
