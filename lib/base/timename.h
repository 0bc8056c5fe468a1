/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_TIMENAME_H
#define BASE_TIMENAME_H

#include <stdbool.h>
#include <stddef.h>

/* The English names in dates and times, in any case. Are these n letters the
 * name of a month or of a day, or its first three letters? */
bool timename_month(const unsigned char *, size_t n);
bool timename_day(const unsigned char *, size_t n);

/* Are they what date(1) and mailers call a zone: UTC, GMT, CET, EST ...? */
bool timename_zone(const unsigned char *, size_t n);

#endif
