/* sketchutils: BSD-2-Clause, see LICENSE */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

/* An exponent beyond this overflows or vanishes whatever digits it has. */
#define EXPONENT_MAX 1000000000

/* A number's text, taken apart: mantissa * 10^exponent, exactly. */
struct decimal {
	uint64_t mantissa;       /* never ends in a zero, unless it is zero */
	long long exponent;
	bool wide;               /* the mantissa does not fit in 64 bits */
	size_t digits;           /* bytes of the text before the 'e' */
	long long written;       /* the exponent as written after the 'e' */
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* One more digit. Zeros wait in the exponent until a digit follows them, so
 * that 1.50 and 15e-1 come out the same. */
static void
decimal_digit(struct decimal *d, unsigned digit, unsigned long long *zeros)
{
	if (digit == 0) {
		*zeros += d->mantissa != 0 || d->wide;
		return;
	}
	for (*zeros += 1; *zeros > 0 && !d->wide; --*zeros)
		d->wide = __builtin_mul_overflow(d->mantissa, 10, &d->mantissa);
	*zeros = 0;
	d->wide = d->wide || __builtin_add_overflow(d->mantissa, digit, &d->mantissa);
}

/* Digits with at most one dot that has a digit behind it, then maybe an
 * exponent. Returns what follows, or NULL if the text does not start so. */
static const char *
decimal_read(struct decimal *d, const char *text)
{
	const char *p = text;
	unsigned long long zeros = 0;

	*d = (struct decimal){0};
	for (; is_digit(*p); p++)
		decimal_digit(d, (unsigned)(*p - '0'), &zeros);
	if (*p == '.') {
		p++;
		if (!is_digit(*p))
			return NULL;
		for (; is_digit(*p); p++, d->exponent--)
			decimal_digit(d, (unsigned)(*p - '0'), &zeros);
	}
	if (p == text)
		return NULL;
	d->exponent += (long long)zeros;
	d->digits = (size_t)(p - text);
	if (*p == 'e' || *p == 'E') {
		bool minus = *++p == '-';
		if (*p == '-' || *p == '+')
			p++;
		if (!is_digit(*p))
			return NULL;
		for (; is_digit(*p); p++)
			if (d->written < EXPONENT_MAX)
				d->written = d->written * 10 + (*p - '0');
		if (minus)
			d->written = -d->written;
		d->exponent += d->written;
	}
	return p;
}

/* mantissa * 10^exponent * 2^two as a whole number: tens are fives and twos. */
static enum num
decimal_whole(const struct decimal *d, unsigned twos, uint64_t lo, uint64_t hi,
    uint64_t *out)
{
	uint64_t v = d->mantissa;
	long long five = d->exponent, two = d->exponent + twos;

	if (d->wide)
		return d->exponent < 0 ? NUM_JUNK : NUM_RANGE;
	if (v == 0)
		five = two = 0;
	for (; five < 0; five++, v /= 5)
		if (v % 5 != 0)
			return NUM_JUNK;
	for (; two < 0; two++, v /= 2)
		if (v % 2 != 0)
			return NUM_JUNK;
	for (; five > 0; five--)
		if (__builtin_mul_overflow(v, 5, &v))
			return NUM_RANGE;
	for (; two > 0; two--)
		if (__builtin_mul_overflow(v, 2, &v))
			return NUM_RANGE;
	if (v < lo || v > hi)
		return NUM_RANGE;
	*out = v;
	return NUM_OK;
}

/* Which power a suffix letter stands for, 1 for kilo; 0 if it is none. */
static unsigned
suffix_power(char c)
{
	static const char letters[] = "KMGTP";

	if (c == 'k')
		c = 'K';
	const char *at = c ? strchr(letters, c) : NULL;
	return at ? (unsigned)(at - letters) + 1 : 0;
}

enum num
num_count(const char *text, uint64_t lo, uint64_t hi, uint64_t *out)
{
	struct decimal d;
	const char *rest = decimal_read(&d, text);

	if (!rest)
		return NUM_JUNK;
	unsigned power = suffix_power(*rest);
	if (rest[power != 0] != '\0')
		return NUM_JUNK;
	d.exponent += 3 * power;
	return decimal_whole(&d, 0, lo, hi, out);
}

enum num
num_size(const char *text, uint64_t lo, uint64_t hi, uint64_t *out)
{
	struct decimal d;
	const char *rest = decimal_read(&d, text);

	if (!rest)
		return NUM_JUNK;
	unsigned power = suffix_power(*rest), twos = 0;
	rest += power != 0;
	if (power != 0 && strcmp(rest, "B") == 0)
		d.exponent += 3 * power;
	else if (*rest == '\0' || (power != 0 && strcmp(rest, "iB") == 0))
		twos = 10 * power;
	else if (strcmp(rest, "B") != 0)
		return NUM_JUNK;
	return decimal_whole(&d, twos, lo, hi, out);
}

/* The units of durations in milliseconds, largest first. */
static const struct {
	const char *name;
	uint64_t length;
} units[] = {
	{"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1},
};

enum num
num_duration(const char *text, uint64_t lo, uint64_t hi, uint64_t *out)
{
	struct decimal d;
	const char *rest = decimal_read(&d, text);
	uint64_t v;

	if (!rest)
		return NUM_JUNK;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(rest, units[i].name) != 0)
			continue;
		d.wide |= __builtin_mul_overflow(d.mantissa, units[i].length, &d.mantissa);
		enum num result = decimal_whole(&d, 0, 0, UINT64_MAX / 1000, &v);
		if (result == NUM_OK && (v * 1000 < lo || v * 1000 > hi))
			result = NUM_RANGE;
		if (result == NUM_OK)
			*out = v * 1000;
		return result;
	}
	return NUM_JUNK;
}

enum num
num_share(const char *text, double lo, double hi, double *out)
{
	/* Longer than any share that a person or a program writes. */
	char plain[160];
	struct decimal d;
	const char *rest = decimal_read(&d, text);

	if (!rest || d.digits > 128)
		return NUM_JUNK;
	bool percent = *rest == '%';
	if (rest[percent] != '\0')
		return NUM_JUNK;

	/* The conversion rounds once, so what is shifted is the text. */
	snprintf(plain, sizeof plain, "%.*se%lld", (int)d.digits, text,
	    d.written - (percent ? 2 : 0));
	double v = strtod(plain, NULL);
	bool vanished = v == 0 && (d.mantissa != 0 || d.wide);
	if (vanished || !(v >= lo && v <= hi))
		return NUM_RANGE;
	*out = v;
	return NUM_OK;
}

bool
num_field(struct slice field, uint64_t *out)
{
	uint64_t v = 0;

	if (field.len == 0)
		return false;
	while (field.len > 19 && *field.at == '0') {
		field.at++;
		field.len--;
	}
	/* Nineteen digits always fit in 64 bits, so one test at the end is enough. */
	if (field.len > 19)
		return false;
	for (size_t i = 0; i < field.len; i++) {
		unsigned digit = field.at[i] - (unsigned)'0';
		if (digit > 9)
			return false;
		v = v * 10 + digit;
	}
	if (v > INT64_MAX)
		return false;
	*out = v;
	return true;
}

size_t
num_whole(char out[NUM_WHOLE_SIZE], uint64_t v)
{
	char digit[NUM_WHOLE_SIZE];
	size_t at = sizeof digit;

	digit[--at] = '\0';
	do
		digit[--at] = (char)('0' + v % 10);
	while (v /= 10);
	memcpy(out, digit + at, sizeof digit - at);
	return sizeof digit - at - 1;
}

/*
 * A decimal of up to 15 digits survives the way to a double and back, so 15
 * digits without trailing zeros are already the shortest if they read back;
 * else it takes 16 or 17. Only a subnormal number may need fewer digits than
 * printf would show. (At a power of two printf's nearest 16 digits can miss
 * where others would do; then we print 17.) Most numbers are whole, and those of
 * 15 digits are written without printf, which takes ten times as long.
 */
const char *
num_real(char out[NUM_REAL_SIZE], double v)
{
	if (!isfinite(v)) {
		snprintf(out, NUM_REAL_SIZE, "%s", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
		return out;
	}
	if (fabs(v) < 1e15 && v == floor(v) && (v != 0 || !signbit(v))) {
		out[0] = '-';
		num_whole(out + (v < 0), (uint64_t)fabs(v));
		return out;
	}
	int digits = v != 0 && fabs(v) < DBL_MIN ? 1 : DBL_DIG;
	do
		snprintf(out, NUM_REAL_SIZE, "%.*g", digits, v);
	while (digits++ < 17 && strtod(out, NULL) != v);
	return out;
}

const char *
num_span(char out[NUM_REAL_SIZE], uint64_t v)
{
	size_t i = 0;

	for (v /= 1000; v == 0 ? units[i].length > 1 : v % units[i].length != 0;)
		i++;
	snprintf(out, NUM_REAL_SIZE, "%" PRIu64 "%s", v / units[i].length, units[i].name);
	return out;
}

const char *
num_bytes(char out[NUM_REAL_SIZE], uint64_t v)
{
	static const char letters[] = "KMGTPE";

	if (v < 1024) {
		snprintf(out, NUM_REAL_SIZE, "%" PRIu64 " B", v);
		return out;
	}
	/* Tenths of the unit, rounded; 1023.96 KiB rounds into the next unit. */
	for (unsigned i = 0, shift = 10;; i++, shift += 10) {
		uint64_t unit = UINT64_C(1) << shift;
		uint64_t rest = v & (unit - 1);
		uint64_t tenths = (v >> shift) * 10 + ((rest * 10 + unit / 2) >> shift);
		if (tenths < 10240 || letters[i + 1] == '\0') {
			snprintf(out, NUM_REAL_SIZE, "%" PRIu64 ".%u %ciB",
			    tenths / 10, (unsigned)(tenths % 10), letters[i]);
			return out;
		}
	}
}
