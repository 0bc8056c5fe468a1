/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_UNITE_H
#define TOOL_UNITE_H

#include <stdbool.h>

#include "base/record.h"
#include "sketch/fold.h"
#include "sketch/kinds.h"

/*
 * Many sketches into one, as the options say: their union, what they have in common,
 * or the first without the others; and folded. What cannot be done ends the program,
 * with a line that names the file.
 */
struct unite {
	bool intersect;
	bool subtract;               /* the first without all others */
	bool folds;
	struct fold fold;
};

/* Can sketches of this kind be treated so, keyed or not? */
void unite_ask(const struct unite *, const char *name, const struct record *head,
    bool keyed);

/*
 * Of keyed ones, all is what their headers have in common, at first the header of
 * one of them: can sketches like this be among them? Where unlike settings unite,
 * all becomes the header of what an empty one of each unites to; then true.
 */
bool unite_head(struct record *all, const struct record *head, const char *name);

/* After that was true for any: let this one have the settings of all, too. */
void unite_settle(const struct record *all, struct sketch *, const char *name);

/* into = both of them, or as the options say. from may be changed; name is where it
 * came from. With a fold, unlike sizes may be folded further than its promise
 * allows. */
void unite_pair(const struct unite *, struct sketch *into, struct sketch *from,
    const char *name);

/* Fold the result. name is what a message calls it. */
void unite_end(const struct unite *, struct sketch *, const char *name);

/* The precision to which a HyperLogLog of this one is folded. */
unsigned unite_precision(const struct unite *, unsigned precision);

#endif
