/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_USAGE_H
#define TOOL_USAGE_H

/*
 * What a program says about its options: a table of them makes --help, and an
 * option that is not in it gets an answer that names the one meant.
 */

/* A row: getopt's letter (or, for a long option only, a number from 256), the
 * long name, the argument's name or NULL, and a few words of help. A table
 * ends with a row of zeros. */
struct opts_row {
	int letter;
	const char *name;
	const char *argument;
	const char *help;
};

/* What people type who come from another tool, and what we say: "-n 10" with
 * "use -k to say how many". Ends with a row of NULLs. */
struct opts_hint {
	const char *typed, *answer;
};

/* --help and --version, to standard output; they end the program. */
_Noreturn void usage_help(const char *usage, const char *about, const struct opts_row *,
    unsigned rows);
_Noreturn void usage_version(void);

/* "unknown option", what to use instead if that can be guessed, status 2. */
_Noreturn void usage_unknown(const char *typed, const struct opts_hint *,
    const struct opts_row *, unsigned rows);

#endif
