/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/moment.h"

#include "base/timename.h"
#include "base/word.h"

/*
 * One walk from left to right, in which each part may be missing:
 *
 *	day's name, date, T or blanks or the like, time of day, zone, year
 *
 * Whenever a part is complete and a word ends there, that place is noted; the
 * last one noted is the end.
 */

struct walk {
	const unsigned char *at, *end;       /* where it is, the line's end */
	const unsigned char *good;           /* noted last, or NULL */
};

static size_t
letters(const struct walk *w)
{
	size_t n = 0;

	while (w->at + n < w->end && n < 10 && is_letter(w->at[n]))
		n++;
	return n;
}

static void
note(struct walk *w)
{
	if (word_over(w->at, w->end))
		w->good = w->at;
}

static bool
take(struct walk *w, unsigned char c)
{
	if (w->at == w->end || *w->at != c)
		return false;
	w->at++;
	return true;
}

/* One of these bytes; which, or 0. */
static inline unsigned char
take_any(struct walk *w, const char *bytes)
{
	if (w->at == w->end)
		return 0;
	for (; *bytes; bytes++)
		if (*w->at == (unsigned char)*bytes)
			return *w->at++;
	return 0;
}

static bool
take_blanks(struct walk *w)
{
	const unsigned char *from = w->at;

	while (w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
		w->at++;
	return w->at > from;
}

/* How many digits come next; 10 if more than 9. */
static unsigned
digits(const struct walk *w)
{
	unsigned n = 0;

	while (n < 10 && w->at + n < w->end && is_digit(w->at[n]))
		n++;
	return n;
}

/* A number of least to most digits, and no more, within its range. */
static inline bool
take_number(struct walk *w, unsigned least, unsigned most, unsigned low, unsigned high)
{
	unsigned n = 0, value = 0;

	for (; n <= most && w->at + n < w->end && is_digit(w->at[n]); n++)
		value = 10 * value + (w->at[n] - (unsigned)'0');
	if (n < least || n > most || value < low || value > high)
		return false;
	w->at += n;
	return true;
}

static void
take_digits(struct walk *w)
{
	while (w->at < w->end && is_digit(*w->at))
		w->at++;
}

static bool
take_year(struct walk *w)
{
	return take_number(w, 4, 4, 1900, 2199);
}

/* The fraction of a second. */
static void
take_fraction(struct walk *w)
{
	if (w->end - w->at >= 2 && (*w->at == '.' || *w->at == ',') && is_digit(w->at[1])) {
		w->at++;
		take_digits(w);
	}
}

/* HH:MM:SS with a fraction or :mmm, HH:MM, AM or PM. Without a date or what
 * follows a time HH:MM may be anything, and is not noted. */
static bool
take_clock(struct walk *w, bool dated)
{
	struct walk old = *w;

	if (!take_number(w, 1, 2, 0, 24) || !take(w, ':') || !take_number(w, 2, 2, 0, 59)) {
		*w = old;
		return false;
	}
	bool more = w->end - w->at >= 2 && *w->at == ':' && is_digit(w->at[1]);
	if (dated && !more)
		note(w);
	struct walk minutes = *w;
	if (take(w, ':') && take_number(w, 2, 2, 0, 60)) {
		note(w);
		struct walk seconds = *w;
		if (!take(w, ':') || !take_number(w, 3, 3, 0, 999)) {
			*w = seconds;
			take_fraction(w);
		}
		note(w);
	} else {
		*w = minutes;
	}

	struct walk half = *w;
	take_blanks(&half);
	if (half.end - half.at >= 2 && (half.at[1] | 0x20) == 'm' &&
	    ((half.at[0] | 0x20) == 'a' || (half.at[0] | 0x20) == 'p')) {
		half.at += 2;
		if (word_over(half.at, half.end)) {
			*w = half;
			note(w);
		}
	}
	return true;
}

/* HHMM[SS] or HH.MM.SS, which only a date makes a time. */
static bool
take_tight_clock(struct walk *w)
{
	struct walk old = *w;
	unsigned n = digits(w);

	if (n == 4 || n == 6)
		w->at += n;
	else if (!take_number(w, 2, 2, 0, 24) || !take(w, '.') ||
	    !take_number(w, 2, 2, 0, 59) || !take(w, '.') || !take_number(w, 2, 2, 0, 60)) {
		*w = old;
		return false;
	}
	take_fraction(w);
	note(w);
	return true;
}

/* +HH:MM, +HHMM, and if short ones will do +H and +HH. */
static bool
take_offset(struct walk *w, bool short_ones)
{
	struct walk old = *w;

	if (take_any(w, "+-")) {
		unsigned n = digits(w);
		if (n == 4 || (n <= 2 && n > 0)) {
			w->at += n;
			if (n == 4 || (take(w, ':') && take_number(w, 2, 2, 0, 59)))
				return true;
			w->at = old.at + 1 + n;
			if (short_ones)
				return true;
		}
	}
	*w = old;
	return false;
}

static bool
take_zone_name(struct walk *w)
{
	size_t n = letters(w);

	if (!timename_zone(w->at, n))
		return false;
	w->at += n;
	note(w);
	if (take_offset(w, true))
		note(w);
	return true;
}

/* Z, or an offset, or a name; then the year, as date(1) has it, unless the date
 * has one: in "2026-01-02 03:04:05 2048 bytes" the last number is none. */
static void
take_tail(struct walk *w, bool year)
{
	struct walk old = *w;

	if (take_any(w, "Zz") || take_offset(w, true)) {
		note(w);
		old = *w;
	} else if (take_blanks(w) && (take_offset(w, false) || take_zone_name(w))) {
		note(w);
		old = *w;
	} else {
		*w = old;
	}
	if (year && take_blanks(w) && take_year(w))
		note(w);
	else
		*w = old;
}

enum date {
	DATE_NONE,
	DATE_WHOLE,                  /* can stand alone */
	DATE_DAY,                    /* likewise, but without a year */
	DATE_SHORT,                  /* could be something else: a time must follow */
};

/* Behind the day and a separator, in 02/01/2026, 02-Jan-2026, 26/01/02. */
static enum date
take_rest_of_date(struct walk *w, unsigned char separator)
{
	size_t n = letters(w);

	if (timename_month(w->at, n))
		w->at += n;
	else if (!take_number(w, 1, 2, 1, 31))
		return DATE_NONE;
	if (!take(w, separator))
		return DATE_NONE;
	if (take_year(w))
		return DATE_WHOLE;
	return take_number(w, 2, 2, 0, 99) ? DATE_SHORT : DATE_NONE;
}

/* Behind the day of "Jan 2" or before the month of "2 Jan". */
static enum date
take_day(struct walk *w, bool month_seen)
{
	if (!month_seen) {
		if (!take_blanks(w))
			return DATE_NONE;
		size_t n = letters(w);
		if (!timename_month(w->at, n))
			return DATE_NONE;
		w->at += n;
	}
	note(w);
	struct walk old = *w;
	take(w, ',');
	if (take_blanks(w) && take_year(w))
		return DATE_WHOLE;
	*w = old;
	return DATE_DAY;
}

/* The digits that a date begins with say which it can be. */
static enum date
take_date(struct walk *w, unsigned n, bool month_seen)
{
	unsigned char separator;

	switch (n) {
	case 1:
	case 2:
		w->at += n;
		struct walk day = *w;
		separator = take_any(w, "/-.");
		enum date date = separator ? take_rest_of_date(w, separator) : DATE_NONE;
		if (date != DATE_NONE || (separator && !month_seen))
			return date;
		*w = day;
		return take_day(w, month_seen);
	case 4:
		if (!take_year(w))
			return DATE_NONE;
		struct walk year = *w;
		separator = take_any(w, "-/.");
		if (separator && take_number(w, 1, 2, 1, 12) && take(w, separator) &&
		    take_number(w, 1, 2, 1, 31))
			return DATE_WHOLE;
		*w = year;
		return month_seen ? DATE_WHOLE : DATE_NONE;
	case 8:
		return take_number(w, 8, 8, 19000101, 21991231) ? DATE_SHORT : DATE_NONE;
	}
	return DATE_NONE;
}

/* Between a date and its time of day. */
static bool
take_between(struct walk *w, bool *tight)
{
	*tight = take_any(w, "Tt_-") != 0;
	if (*tight)
		return true;
	return take(w, ',') ? take_blanks(w) : take(w, ':') || take_blanks(w);
}

static void
take_moment(struct walk *w, unsigned n, bool month_seen)
{
	struct walk start = *w;
	enum date date = take_date(w, n, month_seen);
	bool tight;

	if (date == DATE_NONE) {
		*w = start;
		if (take_clock(w, false))
			take_tail(w, true);
		return;
	}
	if (date != DATE_SHORT)
		note(w);
	struct walk dated = *w;
	if (take_between(w, &tight) && (take_clock(w, true) || (tight && take_tight_clock(w))))
		take_tail(w, date == DATE_DAY);
	else
		*w = dated;
}

/* The name in front of a place, blanks (and for a day's name a comma) between:
 * where it begins, or the place itself if there is none. */
static size_t
name_before(struct slice line, size_t first, size_t at, bool day)
{
	size_t end = at, from;

	while (end > first && (line.at[end - 1] == ' ' || line.at[end - 1] == '\t'))
		end--;
	if (end == at)
		return at;
	if (day && end > first && line.at[end - 1] == ',')
		end--;
	for (from = end; from > first && end - from < 10 && is_letter(line.at[from - 1]);)
		from--;
	if (from == end || (from > 0 && !is_separator(line.at[from - 1])))
		return at;
	bool found = day ? timename_day(line.at + from, end - from) :
	    timename_month(line.at + from, end - from);
	return found ? from : at;
}

/* Most numbers are no times: can one of so many digits be, by what follows? */
static bool
may_begin(const struct walk *w, unsigned n)
{
	unsigned char c = w->at + n < w->end ? w->at[n] : 0;

	switch (n) {
	case 1:
	case 2:
		return c == ':' || c == '/' || c == '-' || c == '.' || c == ' ' || c == '\t';
	case 4:
		return c == '-' || c == '/' || c == '.';
	case 8:
		return true;
	}
	return false;
}

bool
moment_find(struct slice line, size_t first, size_t at, struct span *span)
{
	struct walk w = {.at = line.at + at, .end = line.at + line.len};
	unsigned n = digits(&w);
	bool month = n == 1 || n == 2 || n == 4;
	size_t from = month ? name_before(line, first, at, false) : at;

	if (from == at && !may_begin(&w, n))
		return false;
	take_moment(&w, n, from < at);
	if (!w.good)
		return false;
	*span = (struct span){name_before(line, first, from, true), (size_t)(w.good - line.at)};
	return true;
}
