/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SAMPLES_BUILD_H
#define TOOL_SAMPLES_BUILD_H

#include <stdbool.h>

#include "base/record.h"
#include "tool/options/opts.h"

/*
 * What hdr-build and tdigest-build do alike: lines into a sketch of percentiles, or
 * with --by one for each key, and that where tool/files/build.h says.
 */
#define SAMPLES_OPTIONS (OPTS_INPUT | OPTS_WEIGHT | OPTS_BY | OPTS_UNIT | OPTS_UPDATE)

struct samples_build {
	const char *only;            /* the kind: "hdr" */
	struct record settings;      /* and its parameters: the defaults, and what was told */
	bool told[8];                /* which these are */

	/* Once the unit of the numbers is known: settings that are such a number. May
	 * be NULL. */
	void (*unit_known)(struct samples_build *);
};

/* After the options, and before anything is read: what was not told is as in the
 * sketch to resemble or to update, the unit of --unit among it. */
void samples_build_settle(struct samples_build *);

void samples_build_run(const struct samples_build *, int argc, char *argv[]);

#endif
