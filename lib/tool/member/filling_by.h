/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_FILLING_BY_H
#define TOOL_FILLING_BY_H

#include "base/record.h"
#include "tool/member/filling.h"

/*
 * One filter for each key (--by), from all lines of the inputs, and written to
 * where tool/files/build.h says: as one keyed record, or with -a as a line each. With
 * --update those of the file are united with them key by key. If filling is not
 * sized, each filter gets the size of its own items. With -M, needing more ends
 * the program.
 *
 * For types that form_flat() knows. identity: hash, seed, item type, transform
 * and join of all items. filling->body stays NULL. Filters that hold more than
 * they were sized for are lamented, all at once; with stats there is a note
 * about how many keys there are.
 */
void filling_by(struct filling *, const struct record *identity, int count,
    char *const *operands);

#endif
