/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SCREEN_H
#define TOOL_SCREEN_H

#include <stdbool.h>

#include "base/bytes.h"

/*
 * What is drawn for eyes has to know how wide the screen is, which characters
 * it can show, and how many columns a text takes. This is the one place where
 * the environment is asked, and it decides about looks alone: no number and no
 * order depends on it.
 */
struct screen {
	unsigned columns;
	bool utf8;                   /* else ASCII is all that is sure */
};

#define SCREEN_COLUMNS 80        /* where nothing says how many */
#define SCREEN_LEAST 20
#define SCREEN_MOST 1000

/* Of standard output: the terminal's width; if it is none, or does not know,
 * that of COLUMNS; else 80. The characters are those of the locale's name. */
struct screen screen_of_output(void);

/* The width that COLUMNS asks for; 80 if it is no number or NULL. */
unsigned screen_columns(const char *columns);

/* Is UTF-8 the charset of the locale that these three name? The first that is
 * neither NULL nor empty counts, as in the C library; but no locale is loaded. */
bool screen_utf8(const char *lc_all, const char *lc_ctype, const char *lang);

/* Append a text, cut with an ellipsis to at most so many columns; how many it
 * takes. A TAB is a blank. What could write to the terminal, turn its text
 * around or is no character of the screen is '?'. An ideograph takes two
 * columns, a mark over another character none. Ends the program if memory is
 * short. */
unsigned screen_append(struct buffer *, struct slice text, unsigned columns,
    const struct screen *);

/* How many columns it takes if it is not cut. */
unsigned screen_width(struct slice text, const struct screen *);

#endif
