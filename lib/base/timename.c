/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/timename.h"

#include "base/word.h"

static const char month[12][10] = {
	"january", "february", "march", "april", "may", "june", "july", "august",
	"september", "october", "november", "december",
};

static const char day[7][10] = {
	"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
};

static const char zone[][10] = {
	"utc", "gmt", "wet", "west", "cet", "cest", "eet", "eest", "msk", "bst", "est", "edt",
	"cst", "cdt", "mst", "mdt", "pst", "pdt", "ist", "jst", "kst", "hkt", "aest", "aedt",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool
spells(const unsigned char *p, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if ((p[i] | 0x20) != name[i] || !is_letter(p[i]))
			return false;
	return true;
}

/* Is it one of these, or, if short, the first three letters of one? */
static bool
is_name(const unsigned char *p, size_t n, const char (*name)[10], size_t names, bool abbreviated)
{
	if (n < 3 || n > 9)
		return false;
	for (size_t i = 0; i < names; i++)
		if (spells(p, 3, name[i]) && ((abbreviated && n == 3) ||
		    (spells(p, n, name[i]) && name[i][n] == '\0')))
			return true;
	return false;
}

bool
timename_month(const unsigned char *p, size_t n)
{
	return is_name(p, n, month, COUNT(month), true);
}

bool
timename_day(const unsigned char *p, size_t n)
{
	return is_name(p, n, day, COUNT(day), true);
}

bool
timename_zone(const unsigned char *p, size_t n)
{
	return is_name(p, n, zone, COUNT(zone), false);
}
