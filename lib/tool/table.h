/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/record.h"
#include "sketch/hll.h"

/*
 * One HyperLogLog for each key, written through build_sink() in the order of
 * the keys: as one keyed record, or with -a as a line each. What fails ends
 * the program.
 *
 *	build_open();
 *	table_begin(&identity, precision);
 *	table_entry(key, items, &view);
 *	...
 *	table_end();
 *	build_close();
 */

/* identity: hash, seed, item type, transform and join of all items. */
void table_begin(const struct record *identity, unsigned precision);

/* Keys must ascend. */
void table_entry(struct slice key, uint64_t items, const struct hll_view *);

void table_end(void);

#endif
