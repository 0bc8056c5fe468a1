/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_NEARINDEX_FILE_H
#define SKETCH_NEARINDEX_FILE_H

#include "base/bytes.h"
#include "base/record.h"
#include "sketch/kind.h"
#include "sketch/nearness/nearindex.h"

/*
 * An index of near-duplicates in a file. The layout is drawn in
 * nearindex_file.c. Contents are saved, and signatures, and features if the rule
 * verifies; of a document's text nothing is.
 */

/* The rule that a header tells, which check() of its kind found right; the seed
 * is the header's. */
struct near_rule near_rule_of(const struct record *head);

/* What check() of such a kind does. */
enum status nearindex_check(const struct nearness *, const struct record *head);

/* Are documents alike for both in the same cases? OK, or STATUS_MISMATCH and
 * the first that differs, with both values. */
enum status near_rule_compare(const struct near_rule *, const struct near_rule *,
    struct mismatch *why);

/* Fill in kind, version, parameters and size. Sorts what was not sorted yet:
 * OK or STATUS_MEMORY. */
enum status nearindex_head(struct nearindex *, struct record *head);

/* The payload, in pieces, after nearindex_head. What the sink returned, or OK. */
enum status nearindex_write(const struct nearindex *, struct sink);

/* Add what a payload of head->size bytes holds, but for contents that are there.
 * nearindex_saves has been called. OK, STATUS_MEMORY; STATUS_INVARIANT: it is no
 * such payload, and the index is lost. */
enum status nearindex_load(struct nearindex *, const struct record *head,
    const unsigned char *payload);

/* into has what it had, and what from has in another content. from was loaded, or
 * is as nearindex_head has left it. OK or STATUS_MEMORY. */
enum status nearindex_unite(struct nearindex *into, const struct nearindex *from);

#endif
