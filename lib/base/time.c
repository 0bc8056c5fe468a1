/* sketchutils: BSD-2-Clause, see LICENSE */
#include <inttypes.h>
#include <stdio.h>

#include "base/calendar.h"
#include "base/time.h"

#define SECOND INT64_C(1000000)
#define MINUTE (60 * SECOND)
#define DAY (24 * 60 * MINUTE)

/* 9999-12-31T23:59:59Z. */
#define UNIX_LAST INT64_C(253402300799)

enum step {
	STEP_BYTE, STEP_BLANKS, STEP_YEAR, STEP_MONTH, STEP_NAME, STEP_DAY, STEP_HOUR,
	STEP_MINUTE, STEP_SECOND, STEP_ZONE, STEP_UNIX,
};

/* What is still to be read. */
struct text {
	const unsigned char *at, *end;
};

/* What has been read. */
struct moment {
	int year, month, day, hour, minute, second;
	int64_t unix_seconds;        /* instead of the six above */
	int64_t fraction;            /* microseconds */
	int64_t zone;                /* microseconds east of Greenwich */
};

static bool
moment_instant(const struct moment *m, int64_t *out)
{
	if (m->year < 1 || m->month < 1 || m->month > 12 || m->day < 1 ||
	    m->day > calendar_days_in(m->year, m->month) || m->hour > 23 || m->minute > 59 ||
	    m->second > 60 || m->unix_seconds > UNIX_LAST)
		return false;
	*out = calendar_days(m->year, m->month, m->day) * DAY +
	    (m->hour * 60 + m->minute) * MINUTE + m->second * SECOND +
	    m->unix_seconds * SECOND + m->fraction - m->zone;
	return true;
}

/*
 * Pieces of a time. Each takes what it knows off the text, or returns false.
 */

static inline bool
is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
is_blank(unsigned char c)
{
	return c == ' ' || c == '\t';
}

static inline bool
read_byte(struct text *t, unsigned char c)
{
	bool found = t->at < t->end && *t->at == c;

	t->at += found;
	return found;
}

static bool
read_blanks(struct text *t)
{
	const unsigned char *start = t->at;

	while (t->at < t->end && is_blank(*t->at))
		t->at++;
	return t->at > start;
}

static inline bool
read_long(struct text *t, int least, int most, int64_t *out)
{
	int64_t v = 0;
	int n = 0;

	for (; n < most && t->at < t->end && is_digit(*t->at); n++)
		v = v * 10 + (*t->at++ - '0');
	*out = v;
	return n >= least;
}

/* From least to most digits. */
static inline bool
read_number(struct text *t, int least, int most, int *out)
{
	int64_t v;
	bool good = read_long(t, least, most, &v);

	*out = (int)v;
	return good;
}

/* A number of these bytes whose letters are small ones. */
#define WORD(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))

/* Three letters. No byte but a letter becomes a letter by the bit 0x20. */
static inline uint32_t
peek_word(const struct text *t)
{
	if (t->end - t->at < 3)
		return 0;
	return WORD(t->at[0] | 0x20, t->at[1] | 0x20, t->at[2] | 0x20);
}

static bool
read_name(struct text *t, int *month)
{
	static const uint32_t names[] = {
		WORD('j', 'a', 'n'), WORD('f', 'e', 'b'), WORD('m', 'a', 'r'), WORD('a', 'p', 'r'),
		WORD('m', 'a', 'y'), WORD('j', 'u', 'n'), WORD('j', 'u', 'l'), WORD('a', 'u', 'g'),
		WORD('s', 'e', 'p'), WORD('o', 'c', 't'), WORD('n', 'o', 'v'), WORD('d', 'e', 'c'),
	};
	uint32_t word = peek_word(t);

	for (int i = 0; i < 12; i++)
		if (names[i] == word) {
			*month = i + 1;
			t->at += 3;
			return true;
		}
	return false;
}

/* A fraction if there is one; a point without a digit is left for others. */
static void
read_fraction(struct text *t, int64_t *micros)
{
	int64_t unit = SECOND;

	if (t->end - t->at < 2 || (*t->at != '.' && *t->at != ',') || !is_digit(t->at[1]))
		return;
	for (t->at++; t->at < t->end && is_digit(*t->at); t->at++) {
		unit /= 10;
		*micros += (*t->at - '0') * unit;
	}
}

static bool
read_zone(struct text *t, int64_t *zone)
{
	uint32_t word = peek_word(t);
	int hours, minutes = 0;

	if (read_byte(t, 'Z') || read_byte(t, 'z'))
		return true;
	if (word == WORD('u', 't', 'c') || word == WORD('g', 'm', 't')) {
		t->at += 3;
		return true;
	}
	bool west = read_byte(t, '-');
	if (!west && !read_byte(t, '+'))
		return false;
	if (!read_number(t, 2, 2, &hours))
		return false;
	bool colon = read_byte(t, ':');
	bool more = t->at < t->end && is_digit(*t->at);
	if ((colon || more) && !read_number(t, 2, 2, &minutes))
		return false;
	*zone = (west ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
	return hours <= 23 && minutes <= 59;
}

/*
 * The usual shapes.
 */

static bool
read_clock(struct text *t, struct moment *m)
{
	if (!read_number(t, 2, 2, &m->hour) || !read_byte(t, ':') ||
	    !read_number(t, 2, 2, &m->minute) || !read_byte(t, ':') ||
	    !read_number(t, 2, 2, &m->second))
		return false;
	read_fraction(t, &m->fraction);
	if (t->at == t->end || *t->at == ']')
		return true;
	read_blanks(t);
	return read_zone(t, &m->zone);
}

static bool
read_iso(struct text *t, struct moment *m)
{
	return read_number(t, 4, 4, &m->year) && read_byte(t, '-') &&
	    read_number(t, 2, 2, &m->month) && read_byte(t, '-') &&
	    read_number(t, 2, 2, &m->day) &&
	    (read_byte(t, 'T') || read_byte(t, 't') || read_blanks(t)) && read_clock(t, m);
}

static bool
read_apache(struct text *t, struct moment *m)
{
	return read_number(t, 1, 2, &m->day) && read_byte(t, '/') && read_name(t, &m->month) &&
	    read_byte(t, '/') && read_number(t, 4, 4, &m->year) && read_byte(t, ':') &&
	    read_clock(t, m);
}

/* Each shape begins with a number of digits that no other does. */
static bool
read_usual(struct text *t, struct moment *m)
{
	bool good = false;
	int digits = 0;

	read_byte(t, '[');
	while (digits < 14 && t->at + digits < t->end && is_digit(t->at[digits]))
		digits++;
	switch (digits) {
	case 1: case 2:
		good = read_apache(t, m);
		break;
	case 4:
		good = read_iso(t, m);
		break;
	case 9: case 10:
		good = read_long(t, 9, 10, &m->unix_seconds);
		read_fraction(t, &m->fraction);
		break;
	case 13:
		good = read_long(t, 13, 13, &m->unix_seconds);
		m->fraction = m->unix_seconds % 1000 * 1000;
		m->unix_seconds /= 1000;
		break;
	}
	read_byte(t, ']');
	return good;
}

/*
 * Formats.
 */

/* A point or comma that the format asks for next is no fraction's. */
static bool
wants_point(const struct time_format *f, unsigned next)
{
	return next < f->n && f->step[next].what == STEP_BYTE &&
	    (f->step[next].byte == '.' || f->step[next].byte == ',');
}

static bool
read_format(struct text *t, struct moment *m, const struct time_format *f)
{
	bool good = true;

	for (unsigned i = 0; i < f->n && good; i++)
		switch (f->step[i].what) {
		case STEP_BYTE:
			good = read_byte(t, f->step[i].byte);
			break;
		case STEP_BLANKS:
			good = read_blanks(t);
			break;
		case STEP_YEAR:
			good = read_number(t, 4, 4, &m->year);
			break;
		case STEP_MONTH:
			good = read_number(t, 1, 2, &m->month);
			break;
		case STEP_NAME:
			good = read_name(t, &m->month);
			break;
		case STEP_DAY:
			good = read_number(t, 1, 2, &m->day);
			break;
		case STEP_HOUR:
			good = read_number(t, 1, 2, &m->hour);
			break;
		case STEP_MINUTE:
			good = read_number(t, 1, 2, &m->minute);
			break;
		case STEP_SECOND:
			good = read_number(t, 1, 2, &m->second);
			if (!wants_point(f, i + 1))
				read_fraction(t, &m->fraction);
			break;
		case STEP_ZONE:
			good = read_zone(t, &m->zone);
			break;
		case STEP_UNIX:
			good = read_long(t, 1, 12, &m->unix_seconds);
			if (!wants_point(f, i + 1))
				read_fraction(t, &m->fraction);
			break;
		}
	return good;
}

bool
time_read(const struct time_format *f, struct slice text, int64_t *out)
{
	struct text t = {text.at, text.at + text.len};
	struct moment m = {.year = 1970, .month = 1, .day = 1};
	bool good = f->n > 0 ? read_format(&t, &m, f) : read_usual(&t, &m);

	return good && t.at == t.end && moment_instant(&m, out);
}

static bool
add_step(struct time_format *f, enum step what, char byte)
{
	if (f->n == TIME_STEPS_MAX)
		return false;
	f->step[f->n].what = (unsigned char)what;
	f->step[f->n].byte = (unsigned char)byte;
	f->n++;
	return true;
}

/* The step of a conversion, or STEP_BYTE if it is none. */
static enum step
step_of(char letter)
{
	switch (letter) {
	case 'Y': return STEP_YEAR;
	case 'm': return STEP_MONTH;
	case 'b': return STEP_NAME;
	case 'd': return STEP_DAY;
	case 'H': return STEP_HOUR;
	case 'M': return STEP_MINUTE;
	case 'S': return STEP_SECOND;
	case 'z': return STEP_ZONE;
	case 's': return STEP_UNIX;
	}
	return STEP_BYTE;
}

#define BIT(step) (1u << (step))
#define MONTHS (BIT(STEP_MONTH) | BIT(STEP_NAME))

/* Can an instant be made of these? The parts of a clock may be missing from
 * the small end on. */
static const char *
wrong_parts(unsigned parts)
{
	if (parts & BIT(STEP_UNIX))
		return parts == BIT(STEP_UNIX) ? NULL : "%s goes with no other";
	if (!(parts & BIT(STEP_YEAR)))
		return "the year is missing (%Y, or %s for all)";
	if (!(parts & MONTHS))
		return "the month is missing (%b or %m)";
	if (!(parts & BIT(STEP_DAY)))
		return "the day is missing (%d)";
	if (!(parts & BIT(STEP_HOUR)) && parts & (BIT(STEP_MINUTE) | BIT(STEP_SECOND)))
		return "the hour is missing (%H)";
	if (!(parts & BIT(STEP_MINUTE)) && parts & BIT(STEP_SECOND))
		return "the minute is missing (%M)";
	return NULL;
}

/* One conversion or literal byte at *p, which is moved behind it. */
static const char *
compile_step(struct time_format *f, const char **p, unsigned *parts)
{
	char c = *(*p)++;

	if (is_blank((unsigned char)c)) {
		*p += strspn(*p, " \t");
		return add_step(f, STEP_BLANKS, 0) ? NULL : "too long";
	}
	if (c == '%') {
		c = *(*p)++;
		enum step what = step_of(c);
		if (what == STEP_BYTE && c != '%')
			return "not one of %Y %m %b %d %H %M %S %z %s %F %T %%";
		unsigned bits = what == STEP_BYTE ? 0 : BIT(what) & MONTHS ? MONTHS : BIT(what);
		if (*parts & bits)
			return "said twice";
		*parts |= bits;
		return add_step(f, what, c) ? NULL : "too long";
	}
	return add_step(f, STEP_BYTE, c) ? NULL : "too long";
}

const char *
time_compile(const char *text, struct time_format *f, const char **at)
{
	const char *wrong = NULL;
	unsigned parts = 0;

	*f = (struct time_format){0};
	for (const char *p = text; !wrong && *p;) {
		const char *whole = strncmp(p, "%F", 2) == 0 ? "%Y-%m-%d" :
		    strncmp(p, "%T", 2) == 0 ? "%H:%M:%S" : NULL;
		*at = p;
		if (!whole) {
			wrong = compile_step(f, &p, &parts);
			continue;
		}
		while (!wrong && *whole)
			wrong = compile_step(f, &whole, &parts);
		p += 2;
	}
	if (wrong)
		return wrong;
	*at = text;
	return wrong_parts(parts);
}

const char *
time_print(char out[TIME_SIZE], int64_t instant)
{
	int64_t days = instant / DAY - (instant % DAY < 0);
	int64_t rest = instant % DAY + (instant % DAY < 0 ? DAY : 0), year;
	int fraction = (int)(rest % SECOND), month, day, n;

	calendar_date(days, &year, &month, &day);
	n = snprintf(out, TIME_SIZE, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", year, month, day,
	    (int)(rest / (60 * MINUTE)), (int)(rest / MINUTE % 60), (int)(rest / SECOND % 60));
	if (fraction % 1000 != 0)
		n += snprintf(out + n, (size_t)(TIME_SIZE - n), ".%06d", fraction);
	else if (fraction != 0)
		n += snprintf(out + n, (size_t)(TIME_SIZE - n), ".%03d", fraction / 1000);
	snprintf(out + n, (size_t)(TIME_SIZE - n), "Z");
	return out;
}
