/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_MOMENT_H
#define BASE_MOMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/*
 * Where in a line a date or a time of day stands, by its looks. What it means
 * is not asked (base/time.h does that): 31 February is a date.
 *
 *	2026-01-02T03:04:05.678Z    2026/01/02 03:04:05,678 +0100    20260102-03:04:05
 *	Jan  2 03:04:05             Fri Jan  2 03:04:05 UTC 2026     January 2, 2026
 *	02/Jan/2026:03:04:05 +0000  Fri, 02 Jan 2026 03:04:05 GMT    2026-01-02-03.04.05.678
 *	02.01.2026                  1/2/2026, 3:04 PM                03:04:05.678
 */

/* Part of a line: from is its first byte, to the one behind its last. */
struct span {
	size_t from, to;
};

/*
 * Is the word at place at, which begins with a digit, part of a date or a time?
 * Names of days and months in front of it belong to it, but not from before
 * the place first. The longest one, which ends where a word ends.
 */
bool moment_find(struct slice line, size_t first, size_t at, struct span *);

#endif
