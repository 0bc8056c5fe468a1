/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_OPTS_BODY_H
#define TOOL_OPTS_BODY_H

#include <getopt.h>
#include <stdbool.h>

#include "tool/options/usage.h"

/*
 * What the files of tool/options/opts share: opts.c reads the command line, opts_rows.c has
 * the rows that mean the same everywhere and does what each says, opts_settle.c
 * judges what can only be judged when all are known.
 */

#define ROWS_MAX 64

/* Numbers of shared rows that have no letter; a program's own start at 256. */
enum {
	ROW_QUOTED = 1024, ROW_CSV, ROW_HEADER, ROW_CRLF, ROW_SKIP_EMPTY, ROW_BY, ROW_UPDATE,
	ROW_LIKE, ROW_SEED, ROW_BOUNDS, ROW_JSON, ROW_STATS, ROW_STRICT, ROW_LINE_BUFFERED,
	ROW_PROGRESS, ROW_COMPAT, ROW_ITEM, ROW_FROM, ROW_WINDOW, ROW_TIME_FIELD, ROW_TIME_FORMAT,
	ROW_EVERY, ROW_TUMBLE, ROW_UNIT, ROW_KEY_FILE, ROW_ID, ROW_EXPECT,
};

struct opts_state {
	struct opts_row row[ROWS_MAX];
	unsigned n, own;
	char letters[2 * ROWS_MAX + 2];
	struct option longs[ROWS_MAX + 1];
	const char *usage, *about;
	const struct opts_hint *hints;
	char typed[64];              /* the option at hand as it was given, for messages */
	char lines[64];              /* the first one that only lines can heed */
	bool delimiter_given, quoted, csv;
};
extern struct opts_state opts;

/* The row of this letter or number, if the program has it. */
const struct opts_row *opts_row(int letter);

/* Add the shared rows of these groups to the program's own. */
void opts_add_row(const struct opts_row *);
void opts_add_shared(unsigned groups);

/* Is it a shared row? Then do what it says. */
bool opts_take_shared(int letter);

/* All options are known: do they go together? */
void opts_settle(void);

/* What a program says of this option of others that means something else here: the
 * end of a message, or nothing. */
const char *opts_habit(const char *typed);

#endif
