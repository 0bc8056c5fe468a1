/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Decimals to doubles, beside strtod, and beside what is known without it: a
 * double comes back from 17 digits, and of the point half-way between two of
 * them, written out to its last digit, the even one. Doubles are compared bit by
 * bit, so that -0 is not 0.
 */

#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/real_short.h"
#include "check.h"

static uint64_t state = 1;

static size_t
below(size_t n)
{
	return (size_t)(check_random(&state) % n);
}

/* The text has this value by both ways there are; NAN: it is no number. It lies
 * in memory of its own, with the bytes around it that the short way may read. */
static bool
is(const char *text, double want)
{
	static unsigned char room[4096];
	size_t len = strlen(text);
	double got = 7, brief;
	bool good = real_parse(slice_of(text), &got);

	memset(room, "0.9x \n"[below(6)], len + 16);
	memcpy(room, text, len);
	bool is_short = real_short(room, len, &brief);
	double inside = 7;
	CHECK(real_parse_inside((struct slice){room, len}, UNIT_NONE, &inside) == good);
	CHECK(real_bits(inside) == real_bits(got));
	bool held = isnan(want) ? !good && got == 7 && !is_short :
	    good && real_bits(got) == real_bits(want) && (!is_short || real_bits(brief) == real_bits(want));
	if (!held)
		printf("# '%s': %d %a, short %d %a, not %a\n", text, good, got, is_short,
		    is_short ? brief : 0, want);
	return held;
}

static const struct {
	const char *text;
	double value;
} known[] = {
	{"0", 0.0}, {"-0", -0.0}, {"+0", 0.0}, {"-0.0e5", -0.0}, {"00012", 12}, {"+7", 7},
	{"1.", 1}, {".5", 0.5}, {"-.5", -0.5}, {"-1.e1", -10}, {"1E2", 100}, {"1e+2", 100},
	{"  1", 1}, {"1 \t", 1}, {"\t -2 ", -2}, {"0e999999999999999999999", 0},
	{"12345678", 12345678}, {"123456789", 123456789}, {"1234567890123456", 1234567890123456},
	{"1.2345678", 0x1.3c0ca2a5b1d5dp+0}, {"12345678.", 12345678}, {".12345678", 0x1.f9add1091c895p-4},
	{"9007199254740993", 0x1p53}, {"9007199254740995", 9007199254740996.0},
	{"9007199254740992.9", 9007199254740992.0}, {"9007199254740993.1", 9007199254740994.0},
	{"18446744073709551615", 0x1p64}, {"18446744073709549568", 0x1.fffffffffffffp63},
	{"1e22", 1e22}, {"1e23", 0x1.52d02c7e14af6p+76}, {"123456789012345e22", 0x1.db89cafccd3a9p+119},
	{"1.7976931348623157e308", DBL_MAX}, {"1.797693134862315807e308", DBL_MAX},
	{"1e308", 1e308}, {"-1e308", -1e308}, {"5e-324", 0x1p-1074}, {"2.5e-324", 0x1p-1074},
	{"2.4703282292062327e-324", 0}, {"-2.4703282292062327e-324", -0.0}, {"1e-400", 0},
	{"2.4703282292062328e-324", 0x1p-1074}, {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
	{"2.2250738585072014e-308", 0x1p-1022}, {"1e-99999999999999999999", 0},
};

static void
known_texts_have_their_values(void)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		CHECK(is(known[i].text, known[i].value));
}

static void
what_is_no_number_is_refused(void)
{
	static const char *const none[] = {
		"", " ", ".", "-", "+", "-.", "e", "e5", ".e5", "1e", "1e+", "1e-", "1e 5", "1 e5",
		"0x10", "0x", "inf", "nan", "infinity", "-inf", "NaN", "1_000", "1,5", "1'000",
		"--1", "+-1", "- 1", "1-", "1.2.3", "1..2", "..", "1.5.", "1 2", "1f", "1d", "12ms",
		"12345678x", "x12345678", "1234567.8.9", "12345678.9.", "123456789012345x", "1\n",
		"1\r", "\v1", "1/", "1:", "/", ":", "\xb1", "1e309", "-1e309", "1.8e308",
		"1.797693134862315808e308", "1e99999999999999999999", "\xd9\xa1",
	};

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		CHECK(is(none[i], (double)NAN));
	double got = 7;
	CHECK(!real_parse((struct slice){(const unsigned char *)"1\0", 2}, &got) && got == 7);
}

static size_t
random_digits(char *to, size_t n)
{
	static const char often[] = "0000999954321678";
	bool odd = below(3) == 0;

	for (size_t i = 0; i < n; i++)
		to[i] = odd ? often[below(16)] : (char)('0' + below(10));
	return n;
}

/* A text of any shape that a number has. */
static void
random_text(char *to)
{
	size_t shape = below(8), n = 0;

	if (below(4) == 0)
		to[n++] = "+-"[below(2)];
	size_t whole = shape < 4 ? 1 + below(9) : shape < 7 ? below(25) : below(400);
	size_t behind = shape < 2 ? 0 : shape < 4 ? below(9) : shape < 7 ? below(25) : below(900);
	n += random_digits(to + n, whole);
	if (whole + behind == 0)
		to[n++] = '3';
	if (behind > 0 || below(8) == 0)
		to[n++] = '.';
	n += random_digits(to + n, behind);
	to[n] = '\0';
	if (shape > 2 && below(2) == 0)
		sprintf(to + n, "%c%d", "eE"[below(2)], below(3) == 0 ? (int)below(700) - 350 :
		    (int)below(60) - 30);
}

static void
random_texts_are_as_strtod_says(void)
{
	static char text[2000];

	for (int i = 0; i < 1000000; i++) {
		random_text(text);
		double want = strtod(text, NULL);
		if (!is(text, isinf(want) ? (double)NAN : want)) {
			CHECK(!"as strtod");
			return;
		}
	}
}

/* Few digits: all of them, with the dot everywhere. */
static void
short_texts_are_as_strtod_says(void)
{
	char text[40];

	for (size_t len = 1; len <= 17; len++)
		for (size_t dot = 0; dot <= len; dot++)
			for (int i = 0; i < 300; i++) {
				random_digits(text, len);
				text[len] = '\0';
				if (dot < len && len > 1)
					text[dot] = '.';
				if (!is(text, strtod(text, NULL))) {
					CHECK(!"as strtod");
					return;
				}
			}
}

/* Texts of the bytes of numbers, most of which are none. */
static void
near_texts_are_as_the_grammar_says(void)
{
	for (int i = 0; i < 200000; i++) {
		char text[20], *p = text;
		size_t len = 1 + below(18), digits = 0;
		for (size_t k = 0; k < len; k++)
			text[k] = "0123456789.5e-+/:"[below(k % 2 ? 17 : 10)];
		text[len] = '\0';
		p += *p == '-' || *p == '+';
		for (; *p >= '0' && *p <= '9'; p++)
			digits++;
		for (p += *p == '.'; *p >= '0' && *p <= '9'; p++)
			digits++;
		if (*p == 'e' && digits > 0) {
			p++;
			p += *p == '-' || *p == '+';
			for (digits = 0; *p >= '0' && *p <= '9'; p++)
				digits++;
		}
		double want = digits == 0 || *p ? (double)NAN : strtod(text, NULL);
		if (!is(text, isinf(want) ? (double)NAN : want)) {
			CHECK(!"as the grammar");
			return;
		}
	}
}

/* Any finite one but the greatest, so that there is one above it. */
static double
random_double(void)
{
	uint64_t bits;

	do
		bits = check_random(&state) >> 1;
	while (bits >> 52 >= 2046);
	/* Some are subnormal, some a power of two. */
	if (below(6) == 0)
		bits &= (UINT64_C(1) << 52) - 1;
	if (below(8) == 0)
		bits &= ~((UINT64_C(1) << 52) - 1);
	return real_from(bits);
}

static void
doubles_come_back(void)
{
	char text[64];

	for (int i = 0; i < 100000; i++) {
		double v = random_double();
		snprintf(text, sizeof text, "%.17g", v);
		if (!is(text, v)) {
			CHECK(!"comes back");
			return;
		}
	}
}

/*
 * A whole number of any length, nine digits in each part, the last part first.
 */

#define PARTS 140
#define PART UINT64_C(1000000000)

static void
multiply(uint32_t *part, unsigned by)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < PARTS; i++) {
		carry += (uint64_t)part[i] * by;
		part[i] = (uint32_t)(carry % PART);
		carry /= PART;
	}
}

/* The point between v and the next double, as "DIGITSe-N", to the last digit. */
static void
print_half_way(char *to, double v)
{
	uint64_t bits = real_bits(v), fraction = bits & ((UINT64_C(1) << 52) - 1);
	int exponent = (int)(bits >> 52), n = PARTS, tens = 0;
	uint64_t m = 2 * (exponent ? fraction | UINT64_C(1) << 52 : fraction) + 1;
	uint32_t part[PARTS] = {(uint32_t)(m % PART), (uint32_t)(m / PART % PART)};

	/* m * 2^two; a half is five tenths. */
	for (int two = (exponent ? exponent : 1) - 1076; two != 0; two += two < 0 ? 1 : -1) {
		multiply(part, two < 0 ? 5 : 2);
		tens += two < 0;
	}
	while (part[n - 1] == 0)
		n--;
	to += sprintf(to, "%u", part[n - 1]);
	while (--n > 0)
		to += sprintf(to, "%09u", part[n - 1]);
	sprintf(to, "e-%d", tens);
}

static void
half_way_is_to_the_even_one(void)
{
	static char text[2000], beside[2000];
	int rounds = check_long() ? 20000 : 400;

	for (int i = 0; i < rounds; i++) {
		double v = random_double(), above = real_from(real_bits(v) + 1);
		print_half_way(text, v);
		char *e = strchr(text, 'e');
		CHECK(is(text, real_bits(v) & 1 ? above : v));

		/* A digit far behind the last one that could count is more; one less
		 * is less. */
		int tens = atoi(e + 2), zeros = (int)below(900);
		sprintf(beside, "%.*s%0*d1e-%d", (int)(e - text), text, zeros + 1, 0,
		    tens + zeros + 2);
		CHECK(is(beside, above));
		sprintf(beside, "%.*s.%0*de-%d", (int)(e - text), text, zeros + 1, 0, tens);
		CHECK(is(beside, real_bits(v) & 1 ? above : v));
		/* Of a whole number with zeros at its end it would be too much less. */
		if (*--e != '0') {
			--*e;
			CHECK(is(text, v));
		}
	}
}

static void
any_length_will_do(void)
{
	size_t len = 3000000;
	unsigned char *text = malloc(len);
	struct slice all = {text, len};
	double v;

	/* 0.000...01e2999995 is one with five zeros. */
	memset(text, '0', len);
	text[1] = '.';
	memcpy(text + len - 10, "01e2999995", 10);
	CHECK(real_parse(all, &v));
	CHECK(v == 1e5);
	/* 1000...0.000e-2999980, too long for any double but for its exponent. */
	memset(text, '0', len);
	*text = '1';
	memcpy(text + len - 14, ".0000e-2999980", 14);
	CHECK(real_parse(all, &v));
	CHECK(v == 1e5);
	free(text);
}

static bool
is_in(const char *text, enum unit unit, double want)
{
	unsigned char room[80];
	double got = 7, inside = 7;
	bool good = real_parse_unit(slice_of(text), unit, &got);

	memset(room, "0.9s \n"[below(6)], sizeof room);
	memcpy(room, text, strlen(text));
	CHECK(real_parse_inside((struct slice){room, strlen(text)}, unit, &inside) == good);
	CHECK(real_bits(inside) == real_bits(got));
	bool held = isnan(want) ? !good && got == 7 : good && real_bits(got) == real_bits(want);

	if (!held)
		printf("# '%s' in %s: %d %.17g, not %.17g\n", text, unit_name(unit), good, got, want);
	return held;
}

static void
units_are_converted(void)
{
	CHECK(is_in("12ms", UNIT_MS, 12));
	CHECK(is_in("12", UNIT_MS, 12));
	CHECK(is_in("3.4s", UNIT_MS, 3400));
	CHECK(is_in(" 3.4 \ts ", UNIT_MS, 3400));
	CHECK(is_in("1.001s", UNIT_MS, 1001));
	CHECK(is_in("0.1us", UNIT_MS, 1e-4));
	CHECK(is_in("1e3ns", UNIT_US, 1));
	CHECK(is_in("1.1m", UNIT_S, 66));
	CHECK(is_in("2.3min", UNIT_MS, 138000));
	CHECK(is_in("0.1d", UNIT_S, 8640));
	CHECK(is_in("-1.5h", UNIT_MIN, -90));
	CHECK(is_in("90min", UNIT_H, 1.5));
	CHECK(is_in("36h", UNIT_D, 1.5));
	CHECK(is_in("1d", UNIT_NS, 864e11));
	CHECK(is_in("1ns", UNIT_D, 1 / 864e11));
	CHECK(is_in("5\xc2\xb5s", UNIT_NS, 5000));
	CHECK(is_in("5\xce\xbcs", UNIT_NS, 5000));
	CHECK(is_in("12345678901234567890123min", UNIT_S, 123456789012345678901230. * 6));

	static const char *const none[] = {
		"", "ms", "12 m s", "12mss", "12 ms x", "12MS", "12.ms.", "1e", "1e5x", "12ks",
		"12%", "1m30s", "0x1d", "1\xc2\xb5", "1e308d",
	};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		CHECK(is_in(none[i], UNIT_S, (double)NAN));
	CHECK(is_in("12ms", UNIT_NONE, (double)NAN));
	CHECK(is_in("12", UNIT_NONE, 12));
}

/* Whatever is written in ns, us, ms and s is rounded once. */
static void
units_shift_the_text(void)
{
	static const char *const name[] = {"ns", "us", "ms", "s"};
	char text[64], plain[64];

	for (int i = 0; i < 20000; i++) {
		size_t from = below(4), to = below(4);
		size_t n = random_digits(text, 1 + below(12));
		text[n++] = '.';
		n += random_digits(text + n, 1 + below(12));
		sprintf(plain, "%.*se%d", (int)n, text, 3 * ((int)from - (int)to));
		strcpy(text + n, name[from]);
		CHECK(is_in(text, (enum unit)(UNIT_NS + to), strtod(plain, NULL)));
	}
}

static void
units_have_names_and_lengths(void)
{
	for (int i = UNIT_NONE + 1; i < UNITS; i++) {
		enum unit unit = (enum unit)i;
		CHECK(unit_find(slice_of(unit_name(unit))) == unit);
		CHECK(unit_ratio(unit, unit) == 1);
		CHECK(unit_ratio(unit, UNIT_NONE) == 1 && unit_ratio(UNIT_NONE, unit) == 1);
		for (int k = i + 1; k < UNITS; k++) {
			double ratio = unit_ratio((enum unit)k, unit);
			CHECK(ratio > 1 && ratio == floor(ratio));
			CHECK(unit_ratio(unit, (enum unit)k) == 1 / ratio);
		}
	}
	CHECK(unit_find(slice_of("m")) == UNIT_MIN);
	CHECK(unit_find(slice_of("")) == UNIT_NONE);
	CHECK(unit_find(slice_of("M")) == UNIT_NONE);
	CHECK(unit_ratio(UNIT_D, UNIT_NS) == 864e11);
	CHECK(unit_ratio(UNIT_H, UNIT_MIN) == 60);
	CHECK(unit_ratio(UNIT_MS, UNIT_S) == 0.001);
}

int
main(void)
{
	RUN(known_texts_have_their_values);
	RUN(what_is_no_number_is_refused);
	RUN(random_texts_are_as_strtod_says);
	RUN(short_texts_are_as_strtod_says);
	RUN(near_texts_are_as_the_grammar_says);
	RUN(doubles_come_back);
	RUN(half_way_is_to_the_even_one);
	RUN(any_length_will_do);
	RUN(units_are_converted);
	RUN(units_shift_the_text);
	RUN(units_have_names_and_lengths);
	return check_done();
}
