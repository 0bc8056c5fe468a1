/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_JOIN_H
#define TOOL_JOIN_H

#include <stdint.h>

#include "tool/files/parts.h"
#include "tool/files/unite.h"

/*
 * Keyed files as sorted streams. Each holds one record whose keys ascend, so
 * the union is made key by key, as sort -m does it, and needs memory for one
 * chunk of each file, however many keys there are.
 */
struct join;

/*
 * NULL unless every operand is a regular file with one keyed record and
 * nothing else, and all of them can be open at a time. Each is read to its end
 * here, so that what is damaged or does not match ends the program before
 * anything is written; where sketches of one key may turn out not to unite,
 * they are united once without being written. What comes again is passed over, as
 * parts says, and without a join that is as at the beginning.
 */
struct join *join_open(const struct unite *, struct parts *, int count,
    char *const *operands);

/* Write the union, from table_begin to table_end; HyperLogLogs in the coarsest
 * of all precisions. Returns how many keys have an overfilled filter. */
uint64_t join_write(struct join *);

void join_free(struct join *);

#endif
