/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_FILTERS_H
#define TOOL_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The Bloom filters that a program asks: files, each with one record or many.
 * An item was seen if any of them has it. A file of one binary record is
 * mapped, not loaded: up to 64 MiB of it are verified first, of a larger one
 * the header alone is, unless verify is set. All else is read.
 */

/* Up to 256 items at a time: has[i] = is item i in any of the filters?, and
 * how many are. From any thread. */
size_t filters_have(const uint64_t *hash, size_t n, bool *has);

/* Another file ("-" is standard input); what is wrong with it ends the program.
 * The first one decides how items are made (see opts_adopt), the others must
 * agree. One that holds more than it was sized for is lamented, if it was
 * looked at as a whole. */
void filters_open(const char *name, bool verify);
void filters_close(void);

/* The chance that an item which is in none of them is reported all the same:
 * as it is where a filter was looked at as a whole, else as it was wanted. */
double filters_fpp(void);

#endif
