/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_FILTERS_H
#define TOOL_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/scan.h"

/*
 * The filters that a program asks, of any type (sketch/member/member.h): files, each
 * with one record or many, keyed ones too. An item was seen if any of them has
 * it. A file of one binary record is mapped, not loaded: up to 64 MiB of it are
 * verified first, of a larger one the header alone is, unless verify is set.
 * All else is read.
 *
 * A filter's name is its file's, or its key where it has one. Filters of one
 * name count as one, wherever they lie.
 */

/* Up to BATCH_MAX items at a time: has[i] = is item i in any of the filters?,
 * and how many are. From any thread. */
size_t filters_have(const uint64_t *hash, size_t n, bool *has);

/* Names are numbered from 0, in the order in which they came. */
size_t filters_names(void);

/* As filters_have, for the filters of one name. */
size_t filters_named_have(size_t name, const uint64_t *hash, size_t n, bool *has);

/* Append a name as it is shown: an end of line within a key, which joins its
 * fields, as TAB. Ends the program if memory is short. */
void filters_show(struct buffer *, size_t name);

/* Another file ("-" is standard input); what is wrong with it ends the program.
 * The first one decides how items are made (see opts_adopt), the others must
 * agree; types need not. One that holds more than it was sized for is lamented,
 * if it was looked at as a whole. */
void filters_open(const char *name, bool verify);
void filters_close(void);

/* The chance that an item which is in none of them is reported all the same:
 * as it is where a filter was looked at as a whole, else as it was wanted. */
double filters_fpp(void);

#endif
