/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A line, masked at every level: no digit is left, nothing grows more than
 * fivefold, folding before is folding after, and memory that has seen another
 * line changes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mask.h"
#include "base/word.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "mask_fuzz: %s\n", what);
	abort();
}

static struct slice
masked(struct masker *m, enum mask_level level, struct slice line)
{
	struct slice out;

	demand(mask_line(m, level, line, &out) == OK, "no memory");
	demand(out.len <= 5 * line.len, "too long");
	for (size_t i = 0; level >= MASK_DIGITS && i < out.len; i++)
		demand(!is_digit(out.at[i]), "a digit is left");
	return out;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct masker used;
	struct slice line = {data, size};

	for (enum mask_level level = MASK_NONE; level <= MASK_TYPED; level++) {
		struct masker fresh = {0}, fold = {0}, again = {0};
		struct slice a = masked(&fresh, level, line), b = masked(&used, level, line);

		demand(slice_equal(a, b), "memory makes a difference");
		if (level <= MASK_LOG) {
			struct slice folded = masked(&fold, MASK_CASE, line);
			b = masked(&used, level, folded);
			demand(slice_equal(masked(&again, MASK_CASE, a), b), "folded otherwise");
		}
		masker_clear(&fresh);
		masker_clear(&fold);
		masker_clear(&again);
	}
	return 0;
}
