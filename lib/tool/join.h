/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_JOIN_H
#define TOOL_JOIN_H

/*
 * Keyed files as sorted streams. Each holds one record whose keys ascend, so
 * the union is made key by key, as sort -m does it, and needs memory for one
 * chunk of each file, however many keys there are.
 */
struct join;

/*
 * NULL unless every operand is a regular file with one keyed HyperLogLog and
 * nothing else, and all of them can be open at a time. Each is read to its end
 * here, so that what is damaged or does not match ends the program before
 * anything is written.
 */
struct join *join_open(int count, char *const *operands);

/* Write the union, from table_begin to table_end, in the coarsest of all
 * precisions. */
void join_write(struct join *);

void join_free(struct join *);

#endif
