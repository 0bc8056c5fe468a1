/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_OVERFILL_H
#define TOOL_OVERFILL_H

#include "sketch/bloom.h"

/*
 * What a Bloom filter holds and promises, read back from its bits. Each of
 * these reads all of them.
 */
struct fill {
	double distinct;             /* items, estimated; INFINITY if no bit is 0 */
	double fpp;                  /* as it is now */
};

struct fill fill_of(const struct bloom *);

/*
 * Lament a filter that holds more than it was sized for: its fpp is not the
 * wanted one, and every further item makes it worse. A filter that was offered
 * no more items than it has room for is not looked at; the estimate gets the
 * benefit of its error. name is the file's, or NULL.
 */
void overfill_report(const struct bloom *, const struct record *head, const char *name);

/* "1.5 %" */
#define FILL_PERCENT_SIZE 32
const char *fill_percent(char out[FILL_PERCENT_SIZE], double);

#endif
