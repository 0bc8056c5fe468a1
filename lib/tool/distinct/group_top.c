/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>

#include "tool/distinct/group.h"
#include "tool/distinct/group_body.h"
#include "tool/report.h"

struct gather {
	struct ranked *row;
	size_t n;
	uint64_t least;
	uint32_t shard;
};

static void
gather_row(void *context, const struct distinctmap *m, uint32_t entry)
{
	struct gather *g = context;
	uint64_t estimate = (uint64_t)llround(distinctmap_estimate(m, entry));

	if (estimate >= g->least)
		g->row[g->n++] = (struct ranked){estimate, g->shard, entry};
}

static struct slice
row_key(const void *group, const struct ranked *row)
{
	return group_key(group, row);
}

void
group_fetch(const struct group *g, const struct ranked *row, size_t i, size_t n)
{
	ranking_fetch(row, i, n, row_key, g);
}

struct ranked *
group_top(struct group *g, size_t k, uint64_t least, size_t *n)
{
	struct gather gather = {
		.row = malloc((group_keys(g) + 1) * sizeof *gather.row), .least = least,
	};

	if (!gather.row)
		die(STATUS_MEMORY, "cannot list the keys");
	for (; gather.shard < g->shards; gather.shard++)
		distinctmap_each(g->map[gather.shard], gather_row, &gather);
	*n = ranking_sort(gather.row, gather.n, k, row_key, g);
	return gather.row;
}
