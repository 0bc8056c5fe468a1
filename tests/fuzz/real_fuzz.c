/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A byte that chooses a unit, and a number. What is a number has the value that
 * strtod says, what is none is none for strtod either, or is of a form that only
 * strtod reads; the short way agrees where it answers; and a unit scales.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/real_short.h"

#define UNTOUCHED 123.5

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "real_fuzz: %s\n", what);
	abort();
}

static bool
same(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

/* By strtod, which reads more: leave out what is not made of these bytes. */
static bool
reads(const char *text, double *out)
{
	char *end;

	text += strspn(text, " \t");
	if (text[strspn(text, "0123456789+-.eE \t")] != '\0')
		return false;
	*out = strtod(text, &end);
	return end > text && end[strspn(end, " \t")] == '\0' && isfinite(*out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	enum unit unit = (enum unit)(data[0] % UNITS);
	struct slice text = {data + 1, size - 1};
	char *copy = calloc(1, size + 8);
	double v = UNTOUCHED, want, got = UNTOUCHED;

	if (!copy)
		abort();
	memcpy(copy, data + 1, size - 1);
	bool good = real_parse(text, &v);
	demand(good || same(v, UNTOUCHED), "what was refused is told");
	demand(good == (strlen(copy) == text.len && reads(copy, &want)), "strtod disagrees");
	demand(!good || same(v, want), "strtod says another number");

	if (real_short((const unsigned char *)copy, text.len, &want))
		demand(good && same(v, want), "the short way differs");

	bool converted = real_parse_unit(text, unit, &got);
	demand(converted || same(got, UNTOUCHED), "what was refused is told");
	demand(!converted || isfinite(got), "a number is finite");
	demand(!good || (converted && same(got, v)), "a plain number has the unit");
	want = UNTOUCHED;
	text.at = (const unsigned char *)copy;
	demand(real_parse_inside(text, unit, &want) == converted && same(want, got),
	    "with room behind it, it is another number");
	if (converted && !good)
		demand(unit != UNIT_NONE && text.at[text.len - 1] != '.', "a unit out of nothing");
	free(copy);
	return 0;
}
