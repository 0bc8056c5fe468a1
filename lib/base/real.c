/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A decimal is taken apart into a whole mantissa and an exponent of ten. If the
 * mantissa is at most 2^53 and the exponent within 22, both the mantissa and the
 * power of ten are exact as doubles, so that one multiplication or division
 * rounds once and correctly (W. D. Clinger, "How to Read Floating Point Numbers
 * Accurately", 1990). That is nearly every number in a log. The others go to
 * strtod, as a text of our own with no more in it than it has to know. It
 * follows a locale, but ours is "C": no program here ever calls setlocale.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/real.h"
#include "base/real_short.h"

/* So many digits always fit in 64 bits. */
#define MANTISSA_DIGITS 19

/* A point half-way between two doubles has no more than 767 significant digits.
 * So of more only this matters: is there one that is not zero? */
#define DIGITS_THAT_COUNT 768

/* An exponent so far off is beyond all doubles, however many digits there are. */
#define EXPONENT_FAR 2000

/* Behind it, no further digit of a written exponent matters: no line is so long
 * that its digits could make up for it. */
#define EXPONENT_MAX INT64_C(100000000000000000)

#define MANTISSA_EXACT (UINT64_C(1) << 53)

const double real_power_of_ten[REAL_POWER_EXACT + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
	1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* mantissa * 10^exponent, and a little more if digits were left out. */
struct decimal {
	bool minus, more;
	uint64_t mantissa;
	int64_t exponent;
	struct slice digits;         /* from the first that is not zero, perhaps a dot among them */
};

static bool
is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_blank(unsigned char c)
{
	return c == ' ' || c == '\t';
}

/* The exponent behind an 'e'. Returns what follows, NULL if it is none. */
static const unsigned char *
read_exponent(int64_t *exponent, const unsigned char *p, const unsigned char *end)
{
	bool minus = p < end && *p == '-';
	int64_t v = 0;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	const unsigned char *start = p;
	for (; p < end && is_digit(*p); p++)
		if (v < EXPONENT_MAX)
			v = v * 10 + (*p - '0');
	*exponent += minus ? -v : v;
	return p > start ? p : NULL;
}

/* A decimal from here on. Returns what follows, NULL if it is none. */
static const unsigned char *
read_decimal(struct decimal *d, const unsigned char *p, const unsigned char *end)
{
	unsigned digits = 0;
	bool some = false, dot = false;

	*d = (struct decimal){.minus = p < end && *p == '-'};
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	d->digits.at = p;
	for (; p < end && (is_digit(*p) || (*p == '.' && !dot)); p++) {
		if (*p == '.') {
			dot = true;
			continue;
		}
		unsigned digit = *p - (unsigned)'0';
		some = true;
		if (digits == MANTISSA_DIGITS) {
			d->more |= digit != 0;
			d->exponent += !dot;
			continue;
		}
		if (d->mantissa == 0)
			d->digits.at = p;
		digits += d->mantissa != 0 || digit != 0;
		d->mantissa = d->mantissa * 10 + digit;
		d->exponent -= dot;
	}
	if (!some)
		return NULL;
	d->digits.len = (size_t)(p - d->digits.at);
	return p < end && (*p == 'e' || *p == 'E') ? read_exponent(&d->exponent, p + 1, end) : p;
}

/* The nearest double of any decimal, without its sign; perhaps infinite. */
static double
convert(const struct decimal *d)
{
	char text[DIGITS_THAT_COUNT + 32];
	size_t n = 0;
	int exponent = d->exponent > EXPONENT_FAR ? EXPONENT_FAR :
	    d->exponent < -EXPONENT_FAR ? -EXPONENT_FAR : (int)d->exponent;

	if (!d->more) {
		snprintf(text, sizeof text, "%" PRIu64 "e%d", d->mantissa, exponent);
		return strtod(text, NULL);
	}
	for (size_t i = 0; i < d->digits.len; i++) {
		unsigned char c = d->digits.at[i];
		if (c != '.' && n < DIGITS_THAT_COUNT)
			text[n++] = (char)c;
		else if (c != '.' && c != '0') {
			text[n++] = '1';
			break;
		}
	}
	snprintf(text + n, sizeof text - n, "e%d", exponent + MANTISSA_DIGITS - (int)n);
	return strtod(text, NULL);
}

static double
nearest(const struct decimal *d)
{
	double v = (double)d->mantissa;

	if (d->more || (d->mantissa > MANTISSA_EXACT && d->exponent != 0) ||
	    d->exponent < -REAL_POWER_EXACT || d->exponent > REAL_POWER_EXACT)
		v = convert(d);
	else if (d->exponent < 0)
		v /= real_power_of_ten[-d->exponent];
	else
		v *= real_power_of_ten[d->exponent];
	return d->minus ? -v : v;
}

/* d in another unit. Units scale the mantissa and the exponent, as long as that
 * is exact. */
static bool
rescale(struct decimal *d, struct unit_scale scale, double *out)
{
	double after = 1;

	d->exponent += scale.exponent;
	if (!d->more && d->mantissa <= UINT64_MAX / scale.times)
		d->mantissa *= scale.times;
	else
		after = scale.times;

	double v = nearest(d) * after;
	if (scale.by > 1)
		v /= scale.by;
	if (!isfinite(v))
		return false;
	*out = v;
	return true;
}

/* What is behind a number. The scale is left if it is the unit it is to have. */
static bool
take_unit(struct slice name, enum unit unit, struct unit_scale *scale)
{
	enum unit from = unit_find(name);

	if (from != unit)
		*scale = unit_scale(from, unit);
	return unit != UNIT_NONE && from != UNIT_NONE;
}

bool
real_parse_unit(struct slice text, enum unit unit, double *out)
{
	const unsigned char *p = text.at, *end = text.at + text.len;
	struct unit_scale scale = {1, 1, 0};
	struct decimal d;

	while (p < end && is_blank(*p))
		p++;
	while (p < end && is_blank(end[-1]))
		end--;
	p = read_decimal(&d, p, end);
	if (!p)
		return false;
	while (p < end && is_blank(*p))
		p++;
	if (p < end && !take_unit((struct slice){p, (size_t)(end - p)}, unit, &scale))
		return false;
	return rescale(&d, scale, out);
}

bool
real_parse(struct slice text, double *out)
{
	return real_parse_unit(text, UNIT_NONE, out);
}

bool
real_parse_inside(struct slice text, enum unit unit, double *out)
{
	struct unit_scale scale = {1, 1, 0};
	struct real_short s;
	size_t n = text.len;

	while (n > 0 && text.len - n < UNIT_NAME_MAX && text.at[n - 1] > '9')
		n--;
	size_t minus = n > 1 && *text.at == '-';
	if (!real_short_read(text.at + minus, n - minus, &s))
		return real_parse_unit(text, unit, out);
	if (n < text.len &&
	    !take_unit((struct slice){text.at + n, text.len - n}, unit, &scale))
		return false;
	struct decimal d = {
		.minus = minus, .mantissa = s.mantissa, .exponent = -(int64_t)s.places,
	};
	return rescale(&d, scale, out);
}
