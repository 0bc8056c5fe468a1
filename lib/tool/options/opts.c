/* sketchutils: BSD-2-Clause, see LICENSE */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tool/options/opts.h"
#include "tool/options/opts_body.h"
#include "tool/output.h"
#include "tool/report.h"

struct shared_options shared = {
	.scan = {.end = '\n', .hash = HASH_XXH3},
};

struct opts_state opts;

void
opts_add_row(const struct opts_row *row)
{
	opts.row[opts.n] = *row;
	opts.longs[opts.n] = (struct option){
		row->name, row->argument ? required_argument : no_argument, NULL, row->letter
	};
	opts.n++;
	if (row->letter < 256) {
		size_t len = strlen(opts.letters);
		snprintf(opts.letters + len, sizeof opts.letters - len, "%c%s", row->letter,
		    row->argument ? ":" : "");
	}
}

void
opts_start(unsigned groups, const struct opts_row *own, const char *usage, const char *about,
    const struct opts_hint *hints)
{
	if (groups & OPTS_SKETCH)
		report_reason(STATUS_NOT_SKETCH, "it is a sketch, not lines (use -s)");
	opts.usage = usage;
	opts.about = about;
	opts.hints = hints;
	opterr = 0;
	/* Where options may stand must not depend on the environment. */
	unsetenv("POSIXLY_CORRECT");
	/* The colon tells a missing argument from an unknown option. */
	strcpy(opts.letters, ":");
	for (; own && own->name; own++)
		opts_add_row(own);
	opts.own = opts.n;
	opts_add_shared(groups);
}

/* The text of the long option that getopt_long has just taken: getopt accepts
 * any unambiguous start of a name, we do not, or every new name could break a
 * script. */
static const char *
long_text(char **argv)
{
	const char *last = argv[optind - 1];

	return optarg && optarg == last ? argv[optind - 2] : last;
}

const struct opts_row *
opts_row(int letter)
{
	for (unsigned i = 0; i < opts.n; i++)
		if (opts.row[i].letter == letter)
			return &opts.row[i];
	return NULL;
}

const char *
opts_typed(void)
{
	return opts.typed;
}

const char *
opts_text(void)
{
	return optarg;
}

const char *
opts_habit(const char *typed)
{
	for (const struct opts_hint *h = opts.hints; h && h->typed; h++)
		if (strcmp(h->typed, typed) == 0)
			return h->answer;
	return "";
}

/* What getopt_long refused: with optopt 0 a long name, with a known one a long
 * option that has an argument too many. */
static _Noreturn void
refuse(int c, const char *last)
{
	const struct opts_row *row = optopt ? opts_row(optopt) : NULL;
	char letter[3] = {'-', (char)optopt, '\0'};

	if (row && last[1] == '-' && strcspn(last + 2, "=") != strlen(row->name))
		usage_unknown(last, opts.hints, opts.row, opts.n);
	if (c == ':')
		die_usage("option '%s' needs an argument", last[1] == '-' ? last : letter);
	if (row)
		die_usage("option '--%s' takes no argument", row->name);
	usage_unknown(optopt ? letter : last, opts.hints, opts.row, opts.n);
}

int
opts_next(int *argc, char ***argv)
{
	for (;;) {
		int at = -1;
		int c = getopt_long(*argc, *argv, opts.letters, opts.longs, &at);

		if (c == -1) {
			*argv += optind;
			*argc -= optind;
			opts_settle();
			return -1;
		}
		if (c == '?' || c == ':')
			refuse(c, (*argv)[optind - 1]);

		const struct opts_row *row = at >= 0 ? &opts.row[at] : opts_row(c);
		if (at < 0)
			snprintf(opts.typed, sizeof opts.typed, "-%c", c);
		else
			snprintf(opts.typed, sizeof opts.typed, "--%s", row->name);
		const char *text = at >= 0 ? long_text(*argv) : NULL;
		if (text && strcspn(text + 2, "=") != strlen(row->name))
			usage_unknown(text, opts.hints, opts.row, opts.n);
		if (c == 'h')
			usage_help(opts.usage, opts.about, opts.row, opts.n);
		if (c == 'V')
			usage_version();
		/* A program's own rows come first, and win. */
		if (row < opts.row + opts.own || !opts_take_shared(c))
			return c;
	}
}
