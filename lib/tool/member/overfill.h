/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_OVERFILL_H
#define TOOL_OVERFILL_H

#include "sketch/member/member.h"

/*
 * Lament a filter that holds more than it was sized for: its fpp is not the
 * wanted one, and every further item makes it worse. A filter that was offered
 * no more items than it has room for is not looked at; the estimate gets the
 * benefit of its error. One for any number of items is lamented when uniting has
 * brought its fpp past the wanted one. name is the file's, or NULL.
 */
void overfill_report(const struct member *, const void *body, const struct record *head,
    const char *name);

/* Would it be lamented? */
bool overfill_is(const struct member *, const void *body, const struct record *head);

/* "1.5 %" */
#define FILL_PERCENT_SIZE 32
const char *fill_percent(char out[FILL_PERCENT_SIZE], double);

#endif
