/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/record.h"
#include "sketch/kinds.h"

/*
 * One sketch for each key, written through build_sink() in the order of the
 * keys: as one keyed record, or with -a as a line each, with build_ids(). What fails ends the
 * program.
 *
 *	build_open();
 *	table_begin(&head);
 *	table_sketch(key, &sketch);
 *	...
 *	table_end();
 *	build_close();
 */

/* The header of an empty sketch, of a kind with a row in sketch/distinct/distinct.h or
 * sketch/quantiles/quantiles.h. identity: hash, seed, item type, transform and join of all
 * items. settings: kind, and parameters as for make(). */
struct record table_empty(const struct record *identity, const struct record *settings);

/* head: of an empty sketch with the settings that all share, as its kind's
 * save fills it in; size and items do not matter, and of the flags only
 * FLAG_AUTO, which then is every entry's. */
void table_begin(const struct record *head);

/*
 * For records united: head is that of the first of them, and first the sketch
 * with the least key, or NULL if there is none. What they were folded to counts
 * as a setting; HyperLogLogs all have this precision.
 */
void table_begin_united(const struct record *head, unsigned precision,
    const struct sketch *first);

/* Keys must ascend. */
void table_sketch(struct slice key, const struct sketch *);

/* The same from a header and its payload. */
void table_entry(struct slice key, const struct record *head, struct slice payload);

void table_end(void);

/* Of sketches with a row in sketch/distinct/distinct.h that lie in a group: as table_empty,
 * then of each items, parameters and size. */
void table_begin_distinct(const struct record *identity, const struct record *settings);
void table_distinct(struct slice key, const struct record *entry, struct slice payload);

#endif
