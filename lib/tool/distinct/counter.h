/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_COUNTER_H
#define TOOL_COUNTER_H

#include <stdint.h>

#include "base/scan.h"
#include "sketch/distinct/distinct.h"
#include "sketch/kinds.h"
#include "tool/lines/job.h"

/*
 * One count of distinct items of any kind: a sketch for each worker, united in
 * the end. A union does not depend on order, so neither does the result.
 * Failures of memory end the program.
 */
struct counter {
	const struct distinct *what;
	const struct kind *kind;
	struct record settings;      /* kind, and parameters as for distinct's make() */
	void *part[WORKERS_MAX];     /* NULL until the worker has a batch */
};

/* With --compat: refuse this option about the precision, NULL if none is given,
 * with what says it instead. */
void counter_compat(const char *precision);

void counter_begin(struct counter *, const struct record *settings);

void counter_add(struct counter *, unsigned worker, const struct batch *);

/* What all workers have, in new memory; the counter is at its beginning again. */
void *counter_take(struct counter *);

/* An empty sketch of these settings. */
void *counter_empty(const struct counter *);

/* The same by parts, for sketches of the counter's settings: n items go in, and
 * into = union of both. */
void counter_put(const struct counter *, void *into, const uint64_t *hash, size_t n);
void counter_merge(const struct counter *, void *into, const void *from);

/* into = union of both, which are of the counter's settings; from is freed. */
void counter_unite(const struct counter *, void *into, void *from);

#endif
