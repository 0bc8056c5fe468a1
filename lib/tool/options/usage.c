/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/options/usage.h"

/* Habits from elsewhere that are the same mistake in every program. */
static const struct opts_hint shared_hints[] = {
	{"-t", "use -d C for the delimiter"},
	{"-0", "use -z for NUL-terminated records"},
	{"--null", "use -z for NUL-terminated records"},
	{"-w", "fields are split at blanks unless -d says otherwise"},
	{"-F", "use -d C for the delimiter"},
	{"-S", "use -M SIZE for the memory ceiling"},
	{"-T", "use -j N for threads"},
	{"-b", "use -f LIST; there is no choice by byte"},
	{"--fields", "use -f LIST or --field LIST"},
	{NULL, NULL},
};

void
usage_help(const char *usage, const char *about, const struct opts_row *row, unsigned n)
{
	const char *p = usage;

	for (const char *lead = "Usage: "; *p; lead = "       ") {
		int len = (int)strcspn(p, "\n");
		output_format("%s%.*s\n", lead, len, p);
		p += len + (p[len] == '\n');
	}
	output_format("%s\n\n", about);
	for (unsigned i = 0; i < n; i++) {
		const struct opts_row *r = &row[i];
		char left[64];
		int len = r->letter < 256 ? snprintf(left, sizeof left, "  -%c, --%s", r->letter, r->name) :
		    snprintf(left, sizeof left, "      --%s", r->name);
		if (r->argument)
			snprintf(left + len, sizeof left - (size_t)len, " %s", r->argument);
		output_format("%-28s %s\n", left, r->help);
	}
	output_format("\nSee %s(1), and sketch(7) for the tour.\n", tool_name());
	exit(output_finish(EXIT_YES));
}

void
usage_version(void)
{
	output_format("%s (sketchutils) %s, sketch format %d\n", tool_name(), SKETCHUTILS_VERSION,
	    RECORD_FORMAT);
	exit(output_finish(EXIT_YES));
}

/* Edits between two names, as Levenshtein counts them; names are short. */
static unsigned
edits(const char *a, const char *b)
{
	unsigned row[64];
	size_t n = strlen(b);

	if (n >= 64)
		return 64;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; *a; a++, i++) {
		unsigned corner = row[0];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned keep = corner + (*a != b[j - 1]);
			corner = row[j];
			unsigned change = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
			row[j] = keep < change ? keep : change;
		}
	}
	return row[n];
}

void
usage_unknown(const char *typed, const struct opts_hint *hints, const struct opts_row *row,
    unsigned n)
{
	const struct opts_hint *lists[] = {hints, shared_hints};
	size_t len = strcspn(typed, "=");

	for (size_t i = 0; i < 2; i++)
		for (const struct opts_hint *h = lists[i]; h && h->typed; h++)
			if (strlen(h->typed) == len && strncmp(h->typed, typed, len) == 0)
				die_usage("unknown option '%.*s': %s", (int)len, typed, h->answer);
	if (typed[1] >= '0' && typed[1] <= '9')
		die_usage("unknown option '%.*s': a number needs the option it is for", (int)len, typed);
	for (unsigned i = 0; typed[1] == '-' && i < n; i++) {
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)len - 2, typed + 2);
		size_t letters = strlen(name);
		/* Half of a short name wrong is another name. */
		if (edits(name, row[i].name) <= (letters < 5 ? 1 : 2) ||
		    (letters >= 2 && strncmp(name, row[i].name, letters) == 0))
			die_usage("unknown option '%.*s': do you mean --%s?", (int)len, typed,
			    row[i].name);
	}
	die_usage("unknown option '%.*s': try '%s --help'", (int)len, typed, tool_name());
}
