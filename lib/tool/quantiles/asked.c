/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/real.h"
#include "tool/quantiles/asked.h"
#include "tool/options/opts.h"
#include "tool/report.h"

/* Finer shares than this have no use, and names of any length. */
#define SHARE_LEAST 1e-12

static const struct {
	const char *name;
	enum quantity what;
} words[] = {
	{"n", QUANTITY_N}, {"min", QUANTITY_MIN}, {"max", QUANTITY_MAX}, {"mean", QUANTITY_MEAN},
};

static struct question *
next(struct asked *a)
{
	if (a->n == ASKED_MAX)
		die_usage("cannot use %s '%s': more than %d answers", opts_typed(), opts_text(),
		    ASKED_MAX);
	return &a->at[a->n++];
}

void
asked_name(char out[ASKED_NAME], double q)
{
	char text[40], percent[40];
	int digits = 0;

	do
		snprintf(text, sizeof text, "%.*e", digits, q);
	while (strtod(text, NULL) != q && digits++ < 16);
	/* The digits of this text, two places on: 100 times q might have others. */
	char *at = strchr(text, 'e');
	int exponent = (int)strtol(at + 1, NULL, 10) + 2;
	snprintf(percent, sizeof percent, "%.*se%d", (int)(at - text), text, exponent);
	snprintf(out, ASKED_NAME, "p%.*f", digits > exponent ? digits - exponent : 0,
	    strtod(percent, NULL));
}

/* The next of the parts between commas, of at most size - 1 bytes; false: there is
 * none. */
static bool
part(const char **list, char *out, size_t size)
{
	if (!*list)
		return false;
	size_t len = strcspn(*list, ",");
	if (len >= size)
		die_usage("cannot use %s '%s': '%.*s...' is too long", opts_typed(), opts_text(),
		    (int)size - 1, *list);
	memcpy(out, *list, len);
	out[len] = '\0';
	*list = (*list)[len] == ',' ? *list + len + 1 : NULL;
	return true;
}

/* "0.99", "99%" or "p99". */
static enum num
share(const char *text, double *q)
{
	char percent[ASKED_LIMIT + 2];

	if (*text == 'p')
		snprintf(percent, sizeof percent, "%s%%", text + 1);
	enum num is = num_share(*text == 'p' ? percent : text, 0, 1, q);
	return is == NUM_OK && *q > 0 && *q < SHARE_LEAST ? NUM_RANGE : is;
}

void
asked_quantiles(struct asked *a)
{
	const char *list = opts_text();
	char text[ASKED_LIMIT];

	while (part(&list, text, sizeof text)) {
		struct question *at = next(a);
		*at = (struct question){.what = QUANTITY_QUANTILE};
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (strcmp(text, words[i].name) == 0) {
				at->what = words[i].what;
				strcpy(at->name, text);
			}
		if (at->what != QUANTITY_QUANTILE)
			continue;
		switch (share(text, &at->q)) {
		case NUM_OK:
			asked_name(at->name, at->q);
			break;
		case NUM_JUNK:
			die_usage("cannot use %s '%s': '%s' is not n, min, max, mean, "
			    "a share such as 0.99, or p99", opts_typed(), opts_text(), text);
		default:
			die_usage("cannot use %s '%s': '%s' is not in 0..1 (p50 is 0.5)", opts_typed(),
			    opts_text(), text);
		}
	}
}

/* Whatever the unit will be, is it a number? */
static void
must_be_number(const char *text)
{
	double v;

	if (!real_parse_unit(slice_of(text), UNIT_MS, &v))
		die_usage("cannot use %s '%s': '%s' is not a number such as 250 or 250ms", opts_typed(),
		    opts_text(), text);
}

void
asked_ranks(struct asked *a)
{
	const char *list = opts_text();
	char text[ASKED_LIMIT];

	while (part(&list, text, sizeof text)) {
		struct question *at = next(a);
		must_be_number(text);
		*at = (struct question){.what = QUANTITY_SHARE};
		strcpy(at->limit, text);
		snprintf(at->name, sizeof at->name, "rank %s", text);
	}
}

void
asked_promise(struct asked *a)
{
	const char *text = opts_text(), *colon = strrchr(text, ':');
	struct question *at = next(a);

	*at = (struct question){.what = QUANTITY_PROMISE};
	if (!colon || colon == text || strlen(text) >= ASKED_LIMIT)
		die_usage("cannot use %s '%s': not a limit and a share such as 250ms:99%%",
		    opts_typed(), text);
	memcpy(at->limit, text, (size_t)(colon - text));
	must_be_number(at->limit);
	switch (share(colon + 1, &at->q)) {
	case NUM_OK:
		break;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': '%s' is not a share such as 99%%", opts_typed(), text,
		    colon + 1);
	default:
		die_usage("cannot use %s '%s': '%s' is not in 0..1", opts_typed(), text, colon + 1);
	}
	snprintf(at->name, sizeof at->name, "slo %s", text);
}

void
asked_default(struct asked *a)
{
	static const struct question usual[] = {
		{.what = QUANTITY_N, .name = "n"},
		{.what = QUANTITY_MIN, .name = "min"},
		{.what = QUANTITY_QUANTILE, .q = 0.5, .name = "p50"},
		{.what = QUANTITY_QUANTILE, .q = 0.9, .name = "p90"},
		{.what = QUANTITY_QUANTILE, .q = 0.99, .name = "p99"},
		{.what = QUANTITY_QUANTILE, .q = 0.999, .name = "p99.9"},
		{.what = QUANTITY_MAX, .name = "max"},
		{.what = QUANTITY_MEAN, .name = "mean"},
	};

	if (a->n > 0)
		return;
	a->n = sizeof usual / sizeof *usual;
	memcpy(a->at, usual, sizeof usual);
}

bool
asked_promises(const struct asked *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->at[i].what == QUANTITY_PROMISE)
			return true;
	return false;
}

/* A bare number is in the unit that is shown: said with it, it is rounded once. */
static bool
read_number(const char *typed, enum unit kept, enum unit shown, double *out)
{
	char text[ASKED_LIMIT + 8];
	bool bare = real_parse(slice_of(typed), out);

	snprintf(text, sizeof text, "%s%s", typed, bare ? unit_name(shown) : "");
	return real_parse_unit(slice_of(text), kept, out);
}

static const char *
hint(void)
{
	return shared.sketch ? "" : " (see --unit)";
}

void
asked_units(struct asked *a, enum unit kept, enum unit shown)
{
	for (size_t i = 0; i < a->n; i++) {
		struct question *at = &a->at[i];
		if (at->what != QUANTITY_SHARE && at->what != QUANTITY_PROMISE)
			continue;
		if (!read_number(at->limit, kept, shown, &at->number))
			die_usage("cannot use '--%s': the numbers have no unit%s", at->name, hint());
	}
}

double
asked_interval(const char *option, const char *text, enum unit kept, enum unit shown)
{
	double v;

	if (strlen(text) >= ASKED_LIMIT || !real_parse_unit(slice_of(text), UNIT_MS, &v) || v <= 0)
		die_usage("cannot use %s '%s': not a number above 0, such as 10 or 10ms", option, text);
	if (!read_number(text, kept, shown, &v))
		die_usage("cannot use %s '%s': the numbers have no unit%s", option, text, hint());
	return v;
}
