/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Three bytes that choose a range, and a text as all the numbers that options
 * take. What is accepted lies in its range, and only there; a plain number is what
 * strtoull and strtod say; and what is printed is read as the same number.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define UNTOUCHED UINT64_C(987654321987654321)

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "num_fuzz: %s\n", what);
	abort();
}

typedef enum num parser(const char *, uint64_t lo, uint64_t hi, uint64_t *);

static bool
is_digits(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static void
check_whole(parser *parse, const char *text, uint64_t lo, uint64_t hi)
{
	uint64_t all = UNTOUCHED, v = UNTOUCHED, none = UNTOUCHED;
	enum num good = parse(text, 0, UINT64_MAX, &all), ranged = parse(text, lo, hi, &v);

	demand(good == NUM_OK || all == UNTOUCHED, "what was refused is told");
	demand(ranged == NUM_OK || v == UNTOUCHED, "what was refused is told");
	demand((good == NUM_JUNK) == (ranged == NUM_JUNK), "a range makes junk");
	if (good == NUM_OK) {
		demand((ranged == NUM_OK) == (lo <= all && all <= hi), "not what the range says");
		demand(ranged != NUM_OK || v == all, "a range makes another number");
		demand(all == UINT64_MAX || parse(text, all + 1, UINT64_MAX, &none) == NUM_RANGE,
		    "above itself");
		demand(parse(text, all, all, &none) == NUM_OK && none == all, "not itself");
	} else {
		demand(ranged != NUM_OK, "a smaller range takes more");
	}
	/* Another reader of plain numbers. */
	errno = 0;
	uint64_t plain = strtoull(text, NULL, 10);
	if (is_digits(text) && parse != num_duration)
		demand(errno == ERANGE ? good == NUM_RANGE : good == NUM_OK && all == plain,
		    "not what strtoull says");
}

static void
check_share(const char *text, double lo, double hi)
{
	double all = -1, v = -1, back = -1;
	char shown[NUM_REAL_SIZE], *end;
	enum num good = num_share(text, 0, DBL_MAX, &all), ranged = num_share(text, lo, hi, &v);

	demand(good == NUM_OK || all == -1, "what was refused is told");
	demand((good == NUM_JUNK) == (ranged == NUM_JUNK), "a range makes junk");
	demand(ranged != NUM_OK || (lo <= v && v <= hi && v == all), "out of its range");
	if (good != NUM_OK)
		return;
	demand(all >= 0 && isfinite(all), "an odd share");
	demand(num_share(num_real(shown, all), 0, DBL_MAX, &back) == NUM_OK && back == all,
	    "it does not come back");
	if (text[strspn(text, "0123456789.eE+-")] == '\0')
		demand(strtod(text, &end) == all && *end == '\0', "not what strtod says");
}

static void
check_shown(uint64_t value)
{
	char text[NUM_REAL_SIZE];
	uint64_t ms = value / 1000 % (UINT64_MAX / 1000000) * 1000, back = UNTOUCHED;

	demand(num_duration(num_span(text, ms), 0, UINT64_MAX, &back) == NUM_OK && back == ms,
	    "a duration does not come back");
	demand(*num_bytes(text, value) != '\0' && strlen(text) < NUM_REAL_SIZE, "no bytes");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static parser *const parsers[] = {num_count, num_size, num_duration};

	if (size < 3)
		return 0;
	uint64_t lo = (uint64_t)data[0] << data[2] % 57, hi = lo + ((uint64_t)data[1] << data[2] / 5);
	if (hi < lo)
		hi = UINT64_MAX;
	struct slice field = {data + 3, size - 3};
	char *text = strndup((const char *)data + 3, size - 3);
	uint64_t v = UNTOUCHED;

	demand(text != NULL, "no memory");
	for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++)
		check_whole(parsers[i], text, lo, hi);
	check_share(text, (double)lo / 256, (double)hi / 256);
	check_shown(lo);
	check_shown(hi);

	/* A field of a line is no text: a NUL in it is junk. */
	bool good = num_field(field, &v);
	errno = 0;
	uint64_t plain = strtoull(text, NULL, 10);
	demand(good == (strlen(text) == field.len && is_digits(text) && errno == 0 &&
	    plain <= INT64_MAX), "not what strtoull says");
	demand(good ? v == plain : v == UNTOUCHED, "not what strtoull says");
	free(text);
	return 0;
}
