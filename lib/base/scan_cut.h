/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_SCAN_CUT_H
#define BASE_SCAN_CUT_H

#include "base/scan.h"
#include "base/scan_mask.h"

/*
 * Cutting one field out of a line. Inlined into each build of the scanner's
 * kernel, and of no use to anybody else.
 */

/* What cutting one field out of a line comes to. */
enum cut { CUT_FOUND, CUT_MISSING, CUT_REJECT };

static inline unsigned
low_bit(uint64_t mask)
{
	return (unsigned)__builtin_ctzll(mask);
}

/* The bits below n; n <= 64. */
static inline uint64_t
bits_below(size_t n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

static inline uint64_t
mask_blank(const unsigned char *p)
{
	return mask_of(p, ' ') | mask_of(p, '\t');
}

/*
 * One field of a line. Fields count from 1, or from -1 at the end.
 */

/* The end of the field that starts at p: the next blank, or end. */
static inline const unsigned char *
blank_after(const unsigned char *p, const unsigned char *end)
{
	for (; p < end; p += 64) {
		uint64_t mask = mask_blank(p);
		if (mask) {
			p += low_bit(mask);
			break;
		}
	}
	return p < end ? p : end;
}

static inline enum cut
cut_blank(const unsigned char *at, const unsigned char *end, unsigned k, struct slice *out)
{
	uint64_t before = 1;         /* the byte before the line counts as a blank */

	for (const unsigned char *p = at; p < end; p += 64) {
		uint64_t blank = mask_blank(p) | ~bits_below((size_t)(end - p));
		uint64_t starts = ~blank & (blank << 1 | before);
		unsigned count = (unsigned)__builtin_popcountll(starts);

		if (count < k) {
			k -= count;
			before = blank >> 63;
			continue;
		}
		while (--k > 0)
			starts &= starts - 1;
		/* Its end is looked for in a mask of its own: whether it lies in
		 * the same 64 bytes is a coin that no processor can guess. */
		const unsigned char *start = p + low_bit(starts);
		uint64_t rest = mask_blank(start) | ~bits_below((size_t)(end - start));
		const unsigned char *stop = rest ? start + low_bit(rest) : blank_after(start + 64, end);
		*out = (struct slice){start, (size_t)(stop - start)};
		return CUT_FOUND;
	}
	return CUT_MISSING;
}

static inline enum cut
cut_blank_back(const unsigned char *at, const unsigned char *end, unsigned k, struct slice *out)
{
	const unsigned char *p = end;

	for (;;) {
		while (p > at && (p[-1] == ' ' || p[-1] == '\t'))
			p--;
		if (p == at)
			return CUT_MISSING;
		const unsigned char *stop = p;
		while (p > at && p[-1] != ' ' && p[-1] != '\t')
			p--;
		if (--k == 0) {
			*out = (struct slice){p, (size_t)(stop - p)};
			return CUT_FOUND;
		}
	}
}

static inline enum cut
cut_delimiter(const unsigned char *at, const unsigned char *end, unsigned char delimiter,
    unsigned k, struct slice *out)
{
	const unsigned char *start = at;

	for (const unsigned char *p = at; p < end; p += 64) {
		uint64_t mask = mask_of(p, delimiter) & bits_below((size_t)(end - p));
		unsigned count = (unsigned)__builtin_popcountll(mask);

		if (count < k) {
			k -= count;
			if (count)
				start = p + (64 - (unsigned)__builtin_clzll(mask));
			continue;
		}
		for (; k > 1; k--) {
			start = p + low_bit(mask) + 1;
			mask &= mask - 1;
		}
		*out = (struct slice){start, (size_t)(p + low_bit(mask) - start)};
		return CUT_FOUND;
	}
	if (k > 1)
		return CUT_MISSING;
	*out = (struct slice){start, (size_t)(end - start)};
	return CUT_FOUND;
}

static inline enum cut
cut_delimiter_back(const unsigned char *at, const unsigned char *end, unsigned char delimiter,
    unsigned k, struct slice *out)
{
	for (const unsigned char *stop = end;; k--) {
		const unsigned char *p = memrchr(at, delimiter, (size_t)(stop - at));
		if (k == 1) {
			p = p ? p + 1 : at;
			*out = (struct slice){p, (size_t)(stop - p)};
			return CUT_FOUND;
		}
		if (!p)
			return CUT_MISSING;
		stop = p;
	}
}

/*
 * One field after another, for ranges and headers. Quoted fields are always
 * walked, and to the line's end, since a quote that is still open there
 * rejects the line.
 */

struct walk {
	const unsigned char *at, *end;
	bool more;                   /* another field follows, perhaps an empty one */
	bool doubled;                /* the last field holds "" for one quote (CSV) */
};

static inline bool
by_blanks(enum field_mode mode)
{
	return mode == FIELD_QUOTED || mode == FIELD_BLANK;
}

static inline bool
has_quotes(enum field_mode mode)
{
	return mode >= FIELD_QUOTED;
}

static inline bool
at_boundary(const struct scan *s, const unsigned char *p, enum field_mode mode)
{
	return by_blanks(mode) ? *p == ' ' || *p == '\t' : *p == s->delimiter;
}

static inline void
walk_start(const struct scan *s, struct walk *w, struct slice line)
{
	*w = (struct walk){.at = line.at, .end = line.at + line.len};
	if (by_blanks(s->mode))
		while (w->at < w->end && at_boundary(s, w->at, s->mode))
			w->at++;
	w->more = !by_blanks(s->mode) || w->at < w->end;
}

/* Go on behind a field that ends at p. */
static inline void
walk_behind(const struct scan *s, struct walk *w, const unsigned char *p, enum field_mode mode)
{
	if (by_blanks(mode))
		while (p < w->end && at_boundary(s, p, mode))
			p++;
	w->more = p < w->end;
	w->at = p + (w->more && !by_blanks(mode));
}

/* The closing byte of a quoted field that starts at p, or NULL. A backslash
 * hides the byte behind it, as Apache writes a quote inside a quoted field;
 * in CSV a quote is doubled instead. */
static inline const unsigned char *
closing(const unsigned char *p, const unsigned char *end, unsigned char close, bool csv,
    bool *doubled)
{
	for (;; p++) {
		p = memchr(p, close, (size_t)(end - p));
		if (!p)
			return NULL;
		if (csv) {
			if (p + 1 == end || p[1] != '"')
				return p;
			*doubled = true;
			p++;
			continue;
		}
		const unsigned char *q = p;
		while (q[-1] == '\\')
			q--;
		if (close != '"' || (p - q) % 2 == 0)
			return p;
	}
}

/* The next field, or CUT_MISSING after the last. The mode is a constant where
 * this is inlined, so that each mode gets a loop of its own. */
static inline __attribute__((always_inline)) enum cut
walk_as(const struct scan *s, struct walk *w, struct slice *out, enum field_mode mode)
{
	if (!w->more)
		return CUT_MISSING;
	w->doubled = false;

	const unsigned char *p = w->at;
	bool quote = has_quotes(mode) && p < w->end && *p == '"';
	bool bracket = has_quotes(mode) && mode != FIELD_CSV && p < w->end && *p == '[';
	if (quote || bracket) {
		const unsigned char *stop = closing(p + 1, w->end, quote ? '"' : ']',
		    mode == FIELD_CSV, &w->doubled);
		if (!stop)
			return CUT_REJECT;
		*out = (struct slice){p + 1, (size_t)(stop - p - 1)};
		p = stop + 1;
		if (p < w->end && !at_boundary(s, p, mode))
			return CUT_REJECT;
	} else {
		const unsigned char *start = p;
		if (by_blanks(mode)) {
			p = blank_after(p, w->end);
		} else {
			p = memchr(p, s->delimiter, (size_t)(w->end - p));
			if (!p)
				p = w->end;
		}
		*out = (struct slice){start, (size_t)(p - start)};
	}
	walk_behind(s, w, p, mode);
	return CUT_FOUND;
}

static inline __attribute__((always_inline)) enum cut
walk_next(const struct scan *s, struct walk *w, struct slice *out)
{
	switch (s->mode) {
	case FIELD_BLANK:
		return walk_as(s, w, out, FIELD_BLANK);
	case FIELD_DELIMITER:
		return walk_as(s, w, out, FIELD_DELIMITER);
	case FIELD_QUOTED:
		return walk_as(s, w, out, FIELD_QUOTED);
	case FIELD_QUOTED_DELIMITER:
		return walk_as(s, w, out, FIELD_QUOTED_DELIMITER);
	default:
		return walk_as(s, w, out, FIELD_CSV);
	}
}

/* Even a whole line is refused for a quote that has no end in it. */
static inline bool
quote_is_open(const struct scan *s, struct slice line)
{
	struct walk w;
	struct slice field;
	enum cut cut;

	walk_start(s, &w, line);
	while ((cut = walk_next(s, &w, &field)) == CUT_FOUND)
		;
	return cut == CUT_REJECT;
}

/* The kth field, with the whole line looked at; k < 0 counts from the end. */
static inline __attribute__((always_inline)) enum cut
cut_quoted(const struct scan *s, struct slice line, int64_t k, struct slice *out,
    bool *doubled, enum field_mode mode)
{
	for (;;) {
		struct walk w;
		struct slice field;
		enum cut cut, answer = CUT_MISSING;
		int64_t n = 0;

		walk_start(s, &w, line);
		while ((cut = walk_as(s, &w, &field, mode)) == CUT_FOUND)
			if (++n == k) {
				*out = field;
				*doubled = w.doubled;
				answer = CUT_FOUND;
			}
		if (cut == CUT_REJECT)
			return CUT_REJECT;
		if (k > 0 || n + 1 + k < 1)
			return answer;
		/* Now the count is known, so the place is. */
		k = n + 1 + k;
	}
}

static inline enum cut
cut_field(const struct scan *s, struct slice line, int k, struct slice *out, bool *doubled)
{
	const unsigned char *end = line.at + line.len;

	*doubled = false;
	switch (s->mode) {
	case FIELD_BLANK:
		return k > 0 ? cut_blank(line.at, end, (unsigned)k, out) :
		    cut_blank_back(line.at, end, (unsigned)-k, out);
	case FIELD_DELIMITER:
		return k > 0 ? cut_delimiter(line.at, end, s->delimiter, (unsigned)k, out) :
		    cut_delimiter_back(line.at, end, s->delimiter, (unsigned)-k, out);
	case FIELD_QUOTED:
		return cut_quoted(s, line, k, out, doubled, FIELD_QUOTED);
	case FIELD_QUOTED_DELIMITER:
		return cut_quoted(s, line, k, out, doubled, FIELD_QUOTED_DELIMITER);
	default:
		return cut_quoted(s, line, k, out, doubled, FIELD_CSV);
	}
}

#endif
