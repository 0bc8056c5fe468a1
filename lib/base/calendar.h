/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_CALENDAR_H
#define BASE_CALENDAR_H

#include <stdint.h>

/*
 * Days and dates of the Gregorian calendar, which is taken for the one of all
 * times. Days are counted from 1970-01-01, which is 0; months and days of a month
 * from 1.
 */

/* The day's number. The month is 1 to 12; a day past the month's end belongs to
 * the next. */
int64_t calendar_days(int64_t year, int month, int day);

/* And back: which date is it? */
void calendar_date(int64_t days, int64_t *year, int *month, int *day);

/* How many days the month has: 28 to 31. */
int calendar_days_in(int year, int month);

#endif
