/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/shape.h"

#include <string.h>

#include "base/word.h"

static const char *const name[SHAPES] = {
	"num", "size", "duration", "version", "hex", "uuid", "ip", "mac", "time", "path", "url",
	"email", "str", "id",
};

/* Bytes of a word still to be told. */
struct rest {
	const unsigned char *at, *end;
};

const char *
shape_name(enum shape shape)
{
	return name[shape];
}

static bool
take(struct rest *r, unsigned char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* A letter in any case. */
static bool
take_letter(struct rest *r, char c)
{
	if (r->at == r->end || (*r->at | 0x20) != c || !is_letter(*r->at))
		return false;
	r->at++;
	return true;
}

static bool
take_word(struct rest *r, const char *word)
{
	struct rest old = *r;

	for (; *word; word++)
		if (!take_letter(r, *word)) {
			*r = old;
			return false;
		}
	return true;
}

static size_t
take_digits(struct rest *r)
{
	const unsigned char *from = r->at;

	while (r->at < r->end && is_digit(*r->at))
		r->at++;
	return (size_t)(r->at - from);
}

static size_t
take_hex(struct rest *r)
{
	const unsigned char *from = r->at;

	while (r->at < r->end && is_hex(*r->at))
		r->at++;
	return (size_t)(r->at - from);
}

static bool
over(const struct rest *r)
{
	return r->at == r->end;
}

/* n groups of so many hex digits each, this byte between. */
static bool
is_groups(struct slice word, const unsigned char *digits, unsigned n, unsigned char between)
{
	struct rest r = {word.at, word.at + word.len};

	for (unsigned i = 0; i < n; i++) {
		if (i > 0 && !take(&r, between))
			return false;
		if (take_hex(&r) != digits[i])
			return false;
	}
	return over(&r);
}

static bool
is_uuid(struct slice word)
{
	return word.len == 36 && is_groups(word, (const unsigned char[]){8, 4, 4, 4, 12}, 5, '-');
}

static bool
is_mac(struct slice word)
{
	static const unsigned char pairs[] = {2, 2, 2, 2, 2, 2, 2, 2}, fours[] = {4, 4, 4};

	return word.len == 17 ? is_groups(word, pairs, 6, '-') :
	    word.len == 23 ? is_groups(word, pairs, 8, '-') :
	    word.len == 14 && is_groups(word, fours, 3, '.');
}

/* Four numbers up to 255, perhaps a slash in front or /bits behind. */
static bool
is_ip4(struct slice word)
{
	struct rest r = {word.at, word.at + word.len};

	take(&r, '/');
	for (unsigned i = 0; i < 4; i++) {
		const unsigned char *from = r.at;
		if (i > 0 && !take(&r, '.'))
			return false;
		from += i > 0;
		size_t n = take_digits(&r);
		if (n == 0 || n > 3 || (n == 3 && memcmp(from, "255", 3) > 0))
			return false;
	}
	if (take(&r, '/') && take_digits(&r) == 0)
		return false;
	return over(&r);
}

static bool
take_duration_unit(struct rest *r)
{
	static const char *const unit[] = {
		"seconds", "second", "secs", "sec", "minutes", "minute", "mins", "min", "hours",
		"hour", "hrs", "hr", "days", "day", "ns", "us", "ms", "s", "m", "h", "d", "w",
	};

	/* The micro sign, and the Greek letter. */
	if (r->end - r->at >= 3 && (memcmp(r->at, "\xc2\xb5s", 3) == 0 ||
	    memcmp(r->at, "\xce\xbcs", 3) == 0)) {
		r->at += 3;
		return true;
	}
	for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
		if (take_word(r, unit[i]))
			return true;
	return false;
}

/* K, KB, KiB, B and so on, as a rate too. A small m alone is minutes. */
static bool
is_size_unit(struct rest r)
{
	if (*r.at == 'm' && r.end - r.at == 1)
		return false;
	if (memchr("KMGTPEkmgtpe", *r.at, 12)) {
		r.at++;
		take_letter(&r, 'i');
	}
	if (take_letter(&r, 'b') && (take(&r, '/') || take_letter(&r, 'p')) && !take_letter(&r, 's'))
		return false;
	return over(&r);
}

static void
take_fraction(struct rest *r)
{
	struct rest old = *r;

	if (!take(r, '.') || take_digits(r) == 0)
		*r = old;
}

static void
take_sign(struct rest *r)
{
	if (!take(r, '-'))
		take(r, '+');
}

static void
take_exponent(struct rest *r)
{
	struct rest old = *r;

	if (take_letter(r, 'e')) {
		take_sign(r);
		if (take_digits(r) > 0)
			return;
	}
	*r = old;
}

/* 1h2m3.5s: what follows the first number. */
static bool
is_duration(struct rest r)
{
	while (take_duration_unit(&r)) {
		if (over(&r))
			return true;
		if (take_digits(&r) == 0)
			return false;
		take_fraction(&r);
	}
	return false;
}

/* SHAPE_NUM, SHAPE_SIZE, SHAPE_DURATION; SHAPE_ID: none of them. */
static enum shape
number_shape(struct slice word)
{
	struct rest r = {word.at, word.at + word.len};

	take_sign(&r);
	size_t whole = take_digits(&r);
	take_fraction(&r);
	if (whole == 0 && !(r.at > word.at && is_digit(r.at[-1])))
		return SHAPE_ID;
	take_exponent(&r);
	if (over(&r) || (*r.at == '%' && r.end - r.at == 1))
		return SHAPE_NUM;
	return is_size_unit(r) ? SHAPE_SIZE : is_duration(r) ? SHAPE_DURATION : SHAPE_ID;
}

/* Three numbers or more, or two behind a v, then perhaps -rc1 or the like. */
static bool
is_version(struct slice word)
{
	struct rest r = {word.at, word.at + word.len};
	bool v = take_letter(&r, 'v');
	unsigned n = 0;

	do {
		if (take_digits(&r) == 0)
			return false;
		n++;
	} while (take(&r, '.'));
	return (n > 2 || (v && n == 2)) && (over(&r) || memchr("-+~_", *r.at, 4));
}

/* 0x and digits; or eight digits or more of which some are letters, or six
 * of both kinds. */
static bool
is_hex_number(struct slice word)
{
	struct rest r = {word.at, word.at + word.len};

	if (take(&r, '0') && take_letter(&r, 'x'))
		return take_hex(&r) > 0 && over(&r);
	r.at = word.at;
	return word.len >= 6 && take_hex(&r) == word.len;
}

bool
shape_is_letters(struct slice word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!is_letter(word.at[i]) || !is_hex(word.at[i]))
			return false;
	return word.len >= 8;
}

/* name@host.domain */
bool
shape_is_email(struct slice word)
{
	const unsigned char *at = memchr(word.at, '@', word.len), *end = word.at + word.len;
	const unsigned char *dot = NULL;

	if (!at || at == word.at || end - at < 2 || at[1] == '.')
		return false;
	for (const unsigned char *p = word.at; p < at; p++)
		if (!is_letter(*p) && !is_digit(*p) && !memchr("._%+-", *p, 5))
			return false;
	for (const unsigned char *p = at + 1; p < end; p++) {
		if (*p == '.')
			dot = p;
		else if (!is_letter(*p) && !is_digit(*p) && *p != '-')
			return false;
	}
	return dot && dot + 1 < end;
}

bool
shape_is_path(struct slice word)
{
	size_t slashes = 0;

	for (size_t i = 0; i < word.len; i++)
		slashes += word.at[i] == '/';
	return slashes >= 2 && slashes < word.len;
}

enum shape
shape_of(struct slice word)
{
	if (word.len == 0)
		return SHAPE_ID;
	enum shape number = number_shape(word);

	return number != SHAPE_ID ? number :
	    is_ip4(word) ? SHAPE_IP :
	    is_uuid(word) ? SHAPE_UUID :
	    is_mac(word) ? SHAPE_MAC :
	    shape_is_path(word) ? SHAPE_PATH :
	    is_version(word) ? SHAPE_VERSION :
	    is_hex_number(word) ? SHAPE_HEX :
	    shape_is_email(word) ? SHAPE_EMAIL : SHAPE_ID;
}
