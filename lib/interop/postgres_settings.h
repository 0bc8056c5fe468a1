/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_POSTGRES_SETTINGS_H
#define INTEROP_POSTGRES_SETTINGS_H

#include <stdbool.h>

#include "sketch/distinct/hll_postgres.h"

#define POSTGRES_SETTINGS_FORM "LOG2M,REGWIDTH,EXPTHRESH,SPARSEON"

/*
 * What hll_empty() takes in PostgreSQL, and a column's type in its parentheses:
 * up to four whole numbers, "11,5,-1,1"; those left out at the end are the
 * defaults. See struct system's settings(). A register of more than 5 bits is
 * refused: PostgreSQL answers NaN from them.
 */
bool postgres_settings(const char *text, struct record *, struct mismatch *why);

#endif
