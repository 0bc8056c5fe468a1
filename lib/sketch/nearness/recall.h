/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_RECALL_H
#define SKETCH_RECALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/*
 * What was answered for a text not long ago, by its 128-bit hash: where most
 * lines are ones that came before, this is all that they cost. It forgets: a text
 * has one place, and the last one that came to it is there; so texts that were made
 * to meet cost no more than a second look. So it must be
 * possible to find the answer in another way.
 */
struct recall;

struct recalled {
	uint32_t number;             /* of the document that the text is like */
	uint32_t similarity;         /* in millionths */
};

enum status recall_new(struct recall **);
void recall_free(struct recall *);

/* Has there been an answer? From any thread at any time. It may be wrong, or be
 * no longer true when the answer is asked for. */
bool recall_knows(const struct recall *, const uint64_t key[2]);

/* The answer; false if there is none. By one thread at a time, and so below. */
bool recall_find(const struct recall *, const uint64_t key[2], struct recalled *);
void recall_put(struct recall *, const uint64_t key[2], struct recalled);

#endif
