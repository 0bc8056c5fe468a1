/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_DISTINCT_BUILD_H
#define TOOL_DISTINCT_BUILD_H

#include <stdbool.h>

#include "base/record.h"
#include "sketch/nearness/features.h"
#include "tool/options/opts.h"

/*
 * What hll-build and minhash-build do alike: lines into a sketch of a set, or with
 * --by one for each key, and that where tool/files/build.h says.
 */
#define DISTINCT_BUILD_OPTIONS (OPTS_LINES | OPTS_BY | OPTS_BUILD)

struct distinct_build {
	const char *only;            /* how the names of its kinds begin */
	struct record settings;      /* kind and parameters: the defaults, and what was told */
	bool told[8];                /* which parameters these are */

	/* The elements of the set are features of the items, with the seed of the items'
	 * hash; settled when this is asked. NULL, or false: they are the items. */
	bool (*features)(const struct record *settings, struct feature_rule *);

	/* Its hash as an element. */
	uint64_t (*element)(uint64_t feature);
};

/* After the options, and before anything is read: what was not told is as in the
 * sketch to resemble or to update. */
void distinct_build_settle(struct distinct_build *);

void distinct_build_run(const struct distinct_build *, int argc, char *argv[]);

#endif
