/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_GROUP_BODY_H
#define TOOL_GROUP_BODY_H

#include <pthread.h>
#include <stdbool.h>

#include "sketch/distinct/distinctmap.h"
#include "tool/answers/ranking.h"

/* What group.c and group_top.c know of a group. */
#define GROUP_SHARDS RANKING_SHARDS

struct group {
	unsigned workers, shards;
	bool loose;
	struct record settings;
	struct distinctmap *map[GROUP_SHARDS];
	pthread_mutex_t lock[GROUP_SHARDS];
	struct list *lists;          /* workers x GROUP_SHARDS */
};

#endif
