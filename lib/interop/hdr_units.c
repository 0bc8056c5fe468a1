/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdio.h>

#include "interop/hdr_units.h"

#define NUMBER_END 0x1p63

enum unit
hdr_units_usual(const struct hdr *h)
{
	return hdr_unit(h) == UNIT_NONE ? UNIT_NONE : UNIT_NS;
}

static bool
refuse(struct mismatch *why, const char *text)
{
	snprintf(why->text, sizeof why->text, "%s", text);
	return false;
}

bool
hdr_units_can(const struct hdr *h, enum unit unit, struct mismatch *why)
{
	uint64_t at = 0;
	struct bin bin;

	if (unit != UNIT_NONE && hdr_unit(h) == UNIT_NONE)
		return refuse(why, "its numbers have no unit");
	if (hdr_total(h) > INT64_MAX)
		return refuse(why, "it holds more than 2^63-1 samples");
	if (hdr_each(h, &at, &bin) && bin.low < 0)
		return refuse(why, "it holds numbers below 0");
	return true;
}

/* Whole numbers in their own unit stay what they are. */
static bool
is_same(const struct hdr *h, enum unit unit)
{
	return hdr_whole(h) && unit_ratio(hdr_unit(h), unit) == 1;
}

static double
whole_of(const struct hdr *h, const struct bin *bin, enum unit unit)
{
	return is_same(h, unit) ? bin->low :
	    floor(hdr_told(h, bin->low, bin->high) * unit_ratio(hdr_unit(h), unit) + 0.5);
}

bool
hdr_units_can_be_whole(const struct hdr *h, enum unit unit, struct mismatch *why)
{
	uint64_t at = 0;
	struct bin bin;

	if (!hdr_units_can(h, unit, why))
		return false;
	if (!hdr_whole(h) && hdr_unit(h) == UNIT_NONE)
		return refuse(why, "it holds numbers that are not whole, and have no unit that could be smaller");
	while (hdr_each(h, &at, &bin))
		if (whole_of(h, &bin, unit) >= NUMBER_END)
			return refuse(why, "it holds numbers above 2^63-1");
	return true;
}

enum status
hdr_units_whole(const struct hdr *from, enum unit unit, struct hdr **out)
{
	enum status st = hdr_new(out, hdr_digits(from));
	uint64_t at = 0;
	struct bin bin;

	if (st != OK)
		return st;
	while (st == OK && hdr_each(from, &at, &bin)) {
		double v = whole_of(from, &bin, unit);
		st = hdr_add(*out, &v, &bin.weight, 1);
	}
	if (st != OK) {
		hdr_free(*out);
		return st;
	}
	hdr_set_unit(*out, unit);
	if (is_same(from, unit)) {
		hdr_set_highest(*out, hdr_highest(from));
		hdr_set_lowest(*out, hdr_lowest(from), false);
	}
	return OK;
}
