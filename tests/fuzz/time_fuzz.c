/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A format, a newline, a time. What a format accepts is an instant that prints
 * as ISO 8601, which the usual format reads as the same instant; and a refused
 * format says from where it is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

#define UNTOUCHED INT64_C(123454321)
#define DAY INT64_C(86400000000)
#define FIRST INT64_C(-62135596800000000)
#define LAST INT64_C(253402300799999999)

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "time_fuzz: %s\n", what);
	abort();
}

static void
check_text(const struct time_format *f, struct slice text)
{
	static const struct time_format usual;
	char shown[TIME_SIZE];
	int64_t instant = UNTOUCHED, again;

	if (!time_read(f, text, &instant)) {
		demand(instant == UNTOUCHED, "what was refused is told");
		return;
	}
	demand(instant >= FIRST - DAY && instant <= LAST + DAY + 1000000, "an instant out of range");
	time_print(shown, instant);
	if (instant >= FIRST && instant <= LAST)
		demand(time_read(&usual, slice_of(shown), &again) && again == instant,
		    "the instant does not come back");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	struct slice text = {data, size};
	struct time_format f = {0};

	check_text(&f, text);
	if (!end)
		return 0;
	text = (struct slice){end + 1, (size_t)(data + size - end - 1)};

	char *format = strndup((const char *)data, (size_t)(end - data));
	if (!format)
		abort();
	const char *at = NULL, *wrong = time_compile(format, &f, &at);
	if (wrong)
		demand(*wrong && at >= format && at <= format + strlen(format), "wrong, but where?");
	else
		check_text(&f, text);
	free(format);
	return 0;
}
