/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/unit.h"

/* The length of a unit is factor * 10^exponent seconds. */
static const struct {
	const char *name;
	unsigned factor;
	int exponent;
} units[UNITS] = {
	[UNIT_NONE] = {"", 1, 0},
	[UNIT_NS] = {"ns", 1, -9}, [UNIT_US] = {"us", 1, -6}, [UNIT_MS] = {"ms", 1, -3},
	[UNIT_S] = {"s", 1, 0}, [UNIT_MIN] = {"min", 6, 1}, [UNIT_H] = {"h", 36, 2},
	[UNIT_D] = {"d", 864, 2},
};

/* Other ways to write them: the micro sign, and the Greek letter in its place. */
static const struct {
	const char *name;
	enum unit unit;
} aliases[] = {
	{"m", UNIT_MIN}, {"\xc2\xb5s", UNIT_US}, {"\xce\xbcs", UNIT_US},
};

const char *
unit_name(enum unit unit)
{
	return units[unit].name;
}

const char *
unit_label(enum unit unit)
{
	return unit == UNIT_NONE ? "none" : unit_name(unit);
}

/* Byte by byte, since nearly all differ in the first. */
static bool
is_name(struct slice text, const char *name)
{
	size_t i = 0;

	while (i < text.len && name[i] != '\0' && (unsigned char)name[i] == text.at[i])
		i++;
	return i == text.len && name[i] == '\0';
}

enum unit
unit_find(struct slice name)
{
	for (int i = UNIT_NONE + 1; i < UNITS; i++)
		if (is_name(name, units[i].name))
			return (enum unit)i;
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (is_name(name, aliases[i].name))
			return aliases[i].unit;
	return UNIT_NONE;
}

struct unit_scale
unit_scale(enum unit from, enum unit to)
{
	if (from == UNIT_NONE || to == UNIT_NONE)
		return (struct unit_scale){1, 1, 0};
	unsigned a = units[from].factor, b = units[to].factor;
	int exponent = units[from].exponent - units[to].exponent;

	/* The larger one is a multiple of the smaller. */
	if (a == b)
		return (struct unit_scale){1, 1, exponent};
	return (struct unit_scale){a > b ? a / b : 1, a > b ? 1 : b / a, exponent};
}

double
unit_ratio(enum unit from, enum unit to)
{
	struct unit_scale s = unit_scale(from, to);
	double ten = 1;

	/* Exact, as is the product: at most a day in nanoseconds. */
	for (int i = s.exponent < 0 ? -s.exponent : s.exponent; i > 0; i--)
		ten *= 10;
	/* One of the units is so many of the other: one rounding at most, since the
	 * powers of ten never stand against the factors. */
	return s.exponent < 0 ? s.times / (s.by * ten) : s.times * ten / s.by;
}
