/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Instants as logs write them. An instant is an int64_t: microseconds since
 * 1970-01-01T00:00:00Z, of the years 1 to 9999 of the Gregorian calendar, which
 * is taken to have been in force always; there are no leap seconds in it, so
 * 23:59:60 is the same instant as the 00:00:00 that follows.
 *
 * Neither the locale nor TZ has a say: names of months are the English ones,
 * and a time without a zone is UTC. That is why strptime is not used.
 */

#define TIME_STEPS_MAX 64

/*
 * A format, ready for use. Its text is literal bytes and conversions:
 *
 *	%Y  the year, four digits           %H  the hour, 0..23
 *	%m  the month, 1..12                %M  the minute
 *	%b  its name, Jan..Dec, any case    %S  the second, 0..60
 *	%d  the day, 1..31                  %s  seconds since 1970, digits alone
 *	%z  the zone: +0200, +02:00, +02, Z, UTC or GMT
 *	%F  %Y-%m-%d     %T  %H:%M:%S       %%  a percent sign
 *
 * Numbers of two digits may have one. Behind %S and %s a fraction is read as
 * well, after a point or a comma (which is not taken if the format itself goes
 * on with it); what is finer than a microsecond is cut off. A run of blanks
 * stands for one blank or more, a blank being a space or a TAB.
 *
 * All zero, struct time_format is the usual format, which knows by their shape
 *
 *	ISO 8601 and RFC 3339    2026-11-30T13:00:00Z   2026-11-30 13:00:00,123
 *	Apache and nginx         [30/Nov/2026:13:00:00 +0000]
 *	seconds since 1970       1796043600   1796043600.123: 9 or 10 digits
 *	milliseconds since 1970  1796043600123: 13 digits
 *
 * with or without brackets, fraction and zone.
 */
struct time_format {
	unsigned n;
	struct {
		unsigned char what, byte;
	} step[TIME_STEPS_MAX];
};

/* Compile a format. Returns NULL, or what is wrong with it; then *at is the
 * place in the text from where it is wrong. */
const char *time_compile(const char *text, struct time_format *, const char **at);

/* Read an instant. All of the text must fit the format, and the date must
 * exist; else false, and *out is left alone. With a zone the result may lie up
 * to a day outside of the years 1 to 9999. */
bool time_read(const struct time_format *, struct slice text, int64_t *out);

#define TIME_SIZE 40

/* An instant of any size as ISO 8601 in UTC: "2026-11-30T13:00:00Z", with three
 * or six digits of fraction if it has one. */
const char *time_print(char out[TIME_SIZE], int64_t);

#endif
