/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A byte that chooses a rule, and a document, which may be no UTF-8. It has one
 * feature at least and no more than bytes; memory that has seen another document
 * changes nothing, nor do capitals.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sketch/nearness/features.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "features_fuzz: %s\n", what);
	abort();
}

static void
must_be(struct features *f, const struct features *want, struct slice document, const char *what)
{
	demand(features_of(f, document) == OK, "no memory");
	demand(f->n == want->n && memcmp(f->at, want->at, f->n * sizeof *f->at) == 0, what);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct features used[2][FEATURE_RUN_MAX];
	struct features fresh;

	if (size == 0)
		return 0;
	struct feature_rule rule = {.unit = data[0] & 1 ? FEATURE_CHAR : FEATURE_WORD,
	    .n = 1 + data[0] / 2 % FEATURE_RUN_MAX};
	struct slice document = {data + 1, size - 1};

	features_init(&fresh, rule);
	demand(features_of(&fresh, document) == OK, "no memory");
	demand(fresh.n >= 1 && fresh.n <= document.len + 1, "an odd number of features");

	struct features *other = &used[rule.unit][rule.n - 1];
	if (other->rule.n == 0)
		features_init(other, rule);
	must_be(other, &fresh, document, "memory makes a difference");

	/* A document without a word is its bytes. */
	struct buffer capitals = {0};
	bool letters = false;
	demand(buffer_append(&capitals, document.at, document.len) == OK, "no memory");
	for (size_t i = 0; i < capitals.len; i++) {
		letters |= capitals.at[i] >= 'a' && capitals.at[i] <= 'z';
		if (capitals.at[i] >= 'a' && capitals.at[i] <= 'z')
			capitals.at[i] = (unsigned char)(capitals.at[i] - 'a' + 'A');
	}
	if (letters)
		must_be(other, &fresh, (struct slice){capitals.at, capitals.len},
		    "capitals make a difference");
	buffer_free(&capitals);
	features_clear(&fresh);
	return 0;
}
