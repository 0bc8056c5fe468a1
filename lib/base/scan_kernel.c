/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The scanner's hot loops. This file is compiled more than once, with other
 * flags and another SCAN_KERNEL each time (see the Makefile); scan.c chooses
 * one at run time.
 */

#include "base/num.h"
#include "base/real.h"
#include "base/real_short.h"
#include "base/salt.h"
#include "base/scan.h"
#include "base/scan_cut.h"
#include "base/scan_mask.h"

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define KERNEL(name) PASTE(name, SCAN_KERNEL)

size_t KERNEL(scan_split)(const struct scan *, struct slice, struct slice *,
    size_t, struct buffer *);

/*
 * Whole lines: one pass, each line hashed where its end is found.
 */

static inline __attribute__((always_inline)) const unsigned char *
scan_whole(const struct scan *s, const unsigned char *at, const unsigned char *end,
    struct batch *b, bool items, bool plain, bool hashed)
{
	const unsigned char *start = at;
	size_t n = 0, lines = 0;
	uint64_t seed = plain ? 0 : s->seed;

	for (const unsigned char *p = at; p < end; p += 64) {
		uint64_t mask = mask_of(p, s->end) & bits_below((size_t)(end - p));

		for (; mask; mask &= mask - 1) {
			const unsigned char *stop = p + low_bit(mask);
			size_t len = (size_t)(stop - start);

			if (!plain) {
				if (s->crlf && len > 0 && stop[-1] == '\r')
					len--;
				if (s->skip_empty && len == 0) {
					lines++;
					start = stop + 1;
					continue;
				}
				if (s->want_lines)
					b->line[n] = (struct slice){start, (size_t)(stop - start)};
			}
			if (hashed)
				b->hash[n] = hash_bytes(start, len, seed);
			if (items)
				b->item[n] = (struct slice){start, len};
			start = stop + 1;
			if (++n == BATCH_MAX)
				goto full;
		}
	}
full:
	b->n = n;
	b->lines = lines + n;
	return start;
}

/*
 * Numbers.
 */

/* The number of a text that lies in a line. */
static inline __attribute__((always_inline)) bool
take_number(const struct scan *s, struct slice text, double *out)
{
	return real_short(text.at, text.len, out) || real_parse_inside(text, s->unit, out);
}

/* Whole lines, as scan_whole. */
static inline __attribute__((always_inline)) const unsigned char *
scan_numbers(const struct scan *s, const unsigned char *at, const unsigned char *end,
    struct batch *b, bool plain)
{
	const unsigned char *start = at;
	size_t n = 0, lines = 0;

	for (const unsigned char *p = at; p < end; p += 64) {
		uint64_t mask = mask_of(p, s->end) & bits_below((size_t)(end - p));

		for (; mask; mask &= mask - 1) {
			const unsigned char *stop = p + low_bit(mask);
			struct slice line = {start, (size_t)(stop - start)}, item = line;

			start = stop + 1;
			if (!plain) {
				if (s->crlf && item.len > 0 && stop[-1] == '\r')
					item.len--;
				if (s->skip_empty && item.len == 0) {
					lines++;
					continue;
				}
				b->item[n] = item;
				b->line[n] = line;
			}
			if (!take_number(s, item, &b->value[n])) {
				b->rejected++;
				continue;
			}
			if (++n == BATCH_MAX)
				goto full;
		}
	}
full:
	b->n = n;
	b->lines = lines + n + b->rejected;
	return start;
}

/*
 * Items that are not plain slices of the line are put together in scratch.
 * Scratch may move while it grows, so their slices hold offsets until the
 * batch is complete.
 */

struct loose {
	size_t offset;
	bool moved;
};

static inline unsigned char
folded(unsigned char c)
{
	return (unsigned char)(c | (c >= 'A' && c <= 'Z') << 5);
}

static inline bool
append_field(struct batch *b, struct slice field, bool doubled, bool fold)
{
	if (buffer_reserve(&b->scratch, field.len + 1) != OK)
		return false;

	unsigned char *to = b->scratch.at + b->scratch.len;
	size_t n = 0;
	if (!doubled) {
		for (; n < field.len; n++)
			to[n] = fold ? folded(field.at[n]) : field.at[n];
	} else {
		/* The second of two quotes is only there to hide the first. */
		for (size_t i = 0; i < field.len; i++) {
			to[n++] = fold ? folded(field.at[i]) : field.at[i];
			i += field.at[i] == '"';
		}
	}
	b->scratch.len += n;
	return true;
}

static inline bool
append_byte(struct batch *b, unsigned char c)
{
	if (buffer_reserve(&b->scratch, 1) != OK)
		return false;
	b->scratch.at[b->scratch.len++] = c;
	return true;
}

/* How fields become one text. */
struct glue {
	unsigned char byte;          /* between any two */
	bool fold;
	bool first;                  /* none has been taken yet */
};

/* Another field behind those that are there. */
static inline __attribute__((always_inline)) bool
join_field(struct batch *b, struct slice field, bool doubled, struct glue *glue)
{
	bool good = (glue->first || append_byte(b, glue->byte)) &&
	    append_field(b, field, doubled, glue->fold);

	if (!good)
		b->status = STATUS_MEMORY;
	glue->first = false;
	return good;
}

/* The kth field, and a walk that stands behind it. */
static enum cut
walk_to(const struct scan *s, struct walk *w, struct slice line, int k, struct slice *out)
{
	enum cut cut;

	walk_start(s, w, line);
	if (!has_quotes(s->mode)) {
		cut = cut_field(s, line, k, out, &w->doubled);
		if (cut == CUT_FOUND)
			walk_behind(s, w, out->at + out->len, s->mode);
		else
			w->more = false;
		return cut;
	}
	do
		cut = walk_next(s, w, out);
	while (cut == CUT_FOUND && --k > 0);
	return cut;
}

/* The fields of a range, in one walk: cutting each out by its number would
 * make a line of many fields quadratic. */
static enum cut
join_range(const struct scan *s, const struct field_range *r, struct slice line,
    struct batch *b, struct glue *glue)
{
	struct walk w;
	struct slice field = {NULL, 0};
	enum cut cut = walk_to(s, &w, line, r->first, &field);

	for (int k = r->first; cut != CUT_REJECT; k++) {
		/* An open range ends with the line, but is never nothing. */
		if (cut == CUT_MISSING && r->last == FIELD_OPEN && k > r->first)
			break;
		if (cut == CUT_MISSING)
			field.len = 0;
		if (!join_field(b, field, cut == CUT_FOUND && w.doubled, glue))
			return CUT_REJECT;
		if (k == r->last)
			break;
		cut = walk_next(s, &w, &field);
	}
	while (has_quotes(s->mode) && cut == CUT_FOUND)
		cut = walk_next(s, &w, &field);
	return cut == CUT_REJECT ? CUT_REJECT : CUT_FOUND;
}

/* Several fields, put together in scratch. */
static enum cut
join_fields(const struct scan *s, const struct fields *f, struct slice line,
    struct batch *b, struct glue glue)
{
	for (unsigned i = 0; i < f->n; i++) {
		const struct field_range *r = &f->at[i];
		enum cut cut;
		if (r->first == r->last) {
			struct slice field = {NULL, 0};
			bool doubled;
			cut = cut_field(s, line, r->first, &field, &doubled);
			if (cut != CUT_REJECT && !join_field(b, field, doubled, &glue))
				cut = CUT_REJECT;
		} else {
			cut = join_range(s, r, line, b, &glue);
		}
		if (cut == CUT_REJECT)
			return CUT_REJECT;
	}
	return CUT_FOUND;
}

/* The item of these fields: a slice of the line where it can be. Several are
 * joined by the end byte, which none of them can hold. */
static inline __attribute__((always_inline)) enum cut
take(const struct scan *s, const struct fields *f, struct slice line, struct batch *b,
    bool fold, struct slice *out, struct loose *loose)
{
	bool doubled = false;

	loose->moved = false;
	if (!f->joined) {
		*out = line;
		if (f->n > 0) {
			enum cut cut = cut_field(s, line, f->at[0].first, out, &doubled);
			if (cut == CUT_REJECT)
				return CUT_REJECT;
			if (cut == CUT_MISSING)
				*out = (struct slice){line.at, 0};
		}
		if (!fold && !doubled)
			return CUT_FOUND;
	}

	loose->offset = b->scratch.len;
	loose->moved = true;
	if (f->joined) {
		enum cut cut = join_fields(s, f, line, b, (struct glue){s->end, fold, true});
		if (cut == CUT_REJECT)
			return CUT_REJECT;
	} else if (!append_field(b, *out, doubled, fold)) {
		b->status = STATUS_MEMORY;
		return CUT_REJECT;
	}
	*out = (struct slice){b->scratch.at + loose->offset, b->scratch.len - loose->offset};
	return CUT_FOUND;
}

/* The instant in the fields of a time. Its text is put together behind what
 * lies in scratch, and forgotten. */
static bool
take_time(const struct scan *s, struct slice line, struct batch *b, int64_t *out)
{
	size_t before = b->scratch.len;
	struct slice text;

	if (join_fields(s, &s->stamp, line, b, (struct glue){' ', false, true}) != CUT_FOUND)
		return false;
	text = (struct slice){b->scratch.at + before, b->scratch.len - before};
	b->scratch.len = before;
	return time_read(&s->format, text, out);
}

/* Up to BATCH_MAX lines, first and by themselves: the field masks that follow
 * start at a line's start. Whether 64 bytes hold an end of line is a coin when
 * lines are longer, so the first one is taken without asking; whether there is
 * a second depends on the file, and is guessed well. */
static const unsigned char *
find_lines(const struct scan *s, const unsigned char *at, const unsigned char *end,
    struct slice *line, size_t *count)
{
	const unsigned char *stop[BATCH_MAX];
	size_t n = 0;

	for (const unsigned char *p = at; p < end && n < BATCH_MAX; p += 64) {
		uint64_t mask = mask_of(p, s->end) & bits_below((size_t)(end - p));

		stop[n] = p + low_bit(mask | UINT64_C(1) << 63);
		n += mask != 0;
		for (mask &= mask - 1; mask && n < BATCH_MAX; mask &= mask - 1)
			stop[n++] = p + low_bit(mask);
	}
	for (size_t i = 0; i < n; i++) {
		line[i] = (struct slice){at, (size_t)(stop[i] - at)};
		at = stop[i] + 1;
	}
	*count = n;
	return at;
}

static inline void
settle(struct slice *item, const struct loose *loose, size_t n, const struct batch *b)
{
	for (size_t i = 0; i < n; i++)
		if (loose[i].moved)
			item[i].at = b->scratch.at + loose[i].offset;
}

static inline __attribute__((always_inline)) const unsigned char *
scan_general(const struct scan *s, const unsigned char *at, const unsigned char *end,
    struct batch *b)
{
	struct slice line[BATCH_MAX];
	struct loose item_loose[BATCH_MAX], key_loose[BATCH_MAX];
	bool copies = s->fold || s->item.joined || s->key.joined || s->mode == FIELD_CSV;
	size_t lines, n = 0;
	const unsigned char *next = find_lines(s, at, end, line, &lines);

	for (size_t i = 0; i < lines; i++) {
		struct slice l = line[i];
		if (s->crlf && l.len > 0 && l.at[l.len - 1] == '\r')
			l.len--;
		if (s->item.n == 0 && has_quotes(s->mode) && quote_is_open(s, l))
			goto reject;
		if (take(s, &s->item, l, b, s->fold, &b->item[n], &item_loose[n]) == CUT_REJECT)
			goto reject;
		if (s->skip_empty && b->item[n].len == 0)
			continue;
		/* Around what is in scratch not all is readable. */
		if (s->want_values && !(item_loose[n].moved ?
		    real_parse_unit(b->item[n], s->unit, &b->value[n]) :
		    take_number(s, b->item[n], &b->value[n])))
			goto reject;
		if (s->has_key) {
			if (take(s, &s->key, l, b, false, &b->key[n], &key_loose[n]) == CUT_REJECT)
				goto reject;
			b->key_hash[n] = salt_shard_hash(b->key[n].at, b->key[n].len);
		}
		if (s->has_weight) {
			struct slice field = {NULL, 0};
			bool doubled;
			if (cut_field(s, l, s->weight.at[0].first, &field, &doubled) != CUT_FOUND ||
			    !num_field(field, &b->weight[n]))
				goto reject;
		}
		if (s->has_stamp && !take_time(s, l, b, &b->time[n]))
			goto reject;
		if (!s->no_hash && !s->want_values && hash_is_fused(s->hash)) {
			/* An item in scratch may have moved when others were joined. */
			const unsigned char *p = item_loose[n].moved ?
			    b->scratch.at + item_loose[n].offset : b->item[n].at;
			b->hash[n] = hash_bytes(p, b->item[n].len, s->seed);
		}
		if (s->want_lines)
			b->line[n] = line[i];
		n++;
		continue;
reject:
		if (b->status != OK)
			break;
		b->rejected++;
	}
	if (copies) {
		settle(b->item, item_loose, n, b);
		if (s->has_key)
			settle(b->key, key_loose, n, b);
	}
	b->n = n;
	b->lines = lines;
	return next;
}

/* One field, as it lies in the line: the most frequent wish gets a loop without
 * the others' questions. */
static inline __attribute__((always_inline)) const unsigned char *
scan_field(const struct scan *s, const unsigned char *at, const unsigned char *end,
    struct batch *b, enum field_mode mode, bool numbers, bool hashed)
{
	struct slice line[BATCH_MAX];
	size_t lines, n = 0;
	unsigned k = (unsigned)s->item.at[0].first;
	const unsigned char *next = find_lines(s, at, end, line, &lines);

	for (size_t i = 0; i < lines; i++) {
		const unsigned char *stop = line[i].at + line[i].len;
		struct slice field = {line[i].at, 0};

		if (s->crlf && line[i].len > 0 && stop[-1] == '\r')
			stop--;
		if (mode == FIELD_BLANK)
			cut_blank(line[i].at, stop, k, &field);
		else
			cut_delimiter(line[i].at, stop, s->delimiter, k, &field);
		if (s->skip_empty && field.len == 0)
			continue;
		if (hashed)
			b->hash[n] = hash_bytes(field.at, field.len, s->seed);
		if (numbers && !take_number(s, field, &b->value[n])) {
			b->rejected++;
			continue;
		}
		b->item[n] = field;
		if (s->want_lines)
			b->line[n] = line[i];
		n++;
	}
	b->n = n;
	b->lines = lines;
	return next;
}

/* May scan_field do it? */
static bool
is_plain_field(const struct scan *s)
{
	return s->item.n == 1 && !s->item.joined && s->item.at[0].first > 0 && !s->fold &&
	    !s->has_key && !s->has_weight && !s->has_stamp && !has_quotes(s->mode) &&
	    (!s->no_hash || s->want_values);
}

/* Is an item the whole line, and nothing else wanted of it? */
static bool
is_plain_line(const struct scan *s)
{
	return s->item.n == 0 && !s->fold && !s->has_key && !s->has_weight && !s->has_stamp &&
	    !has_quotes(s->mode);
}

/* Another system's hash, or one with a key, in a second loop. Kept out of line, since
 * a second copy of what is inlined would cost the others. */
static __attribute__((noinline)) const unsigned char *
scan_hashed(const struct scan *s, const unsigned char *at, const unsigned char *end,
    struct batch *b)
{
	const unsigned char *next;

	if (s->no_hash)
		return scan_general(s, at, end, b);
	if (is_plain_line(s))
		next = scan_whole(s, at, end, b, true, false, false);
	else if (is_plain_field(s) && s->mode == FIELD_BLANK)
		next = scan_field(s, at, end, b, FIELD_BLANK, false, false);
	else if (is_plain_field(s))
		next = scan_field(s, at, end, b, FIELD_DELIMITER, false, false);
	else
		next = scan_general(s, at, end, b);
	scan_hash(s, b);
	return next;
}

/* Numbers that need no more than a place in their line, or the long way. */
static __attribute__((noinline)) const unsigned char *
scan_values(const struct scan *s, const unsigned char *at, const unsigned char *end,
    struct batch *b)
{
	if (is_plain_field(s))
		return s->mode == FIELD_BLANK ?
		    scan_field(s, at, end, b, FIELD_BLANK, true, false) :
		    scan_field(s, at, end, b, FIELD_DELIMITER, true, false);
	if (!is_plain_line(s))
		return scan_general(s, at, end, b);
	if (s->crlf || s->skip_empty || s->want_items || s->want_lines)
		return scan_numbers(s, at, end, b, false);
	return scan_numbers(s, at, end, b, true);
}

const unsigned char *
KERNEL(scan_batch)(const struct scan *s, const unsigned char *at, const unsigned char *end,
    struct batch *b)
{
	b->n = 0;
	b->lines = b->rejected = b->ignored = 0;
	b->status = OK;
	b->scratch.len = 0;
	if (s->want_values)
		return scan_values(s, at, end, b);
	if (!hash_is_fused(s->hash))
		return scan_hashed(s, at, end, b);
	if (is_plain_field(s))
		return s->mode == FIELD_BLANK ?
		    scan_field(s, at, end, b, FIELD_BLANK, false, true) :
		    scan_field(s, at, end, b, FIELD_DELIMITER, false, true);
	if (!is_plain_line(s) || s->no_hash)
		return scan_general(s, at, end, b);
	if (s->seed != 0 || s->crlf || s->skip_empty || s->want_lines)
		return scan_whole(s, at, end, b, true, false, true);
	if (s->want_items)
		return scan_whole(s, at, end, b, true, true, true);
	return scan_whole(s, at, end, b, false, true, true);
}

size_t
KERNEL(scan_split)(const struct scan *s, struct slice line, struct slice *names,
    size_t max, struct buffer *scratch)
{
	struct batch copies = {.scratch = *scratch};
	struct walk w;
	struct slice name;
	size_t n = 0;
	enum cut cut;

	/* Names that must be unquoted all lie in scratch, so reserve it once. */
	if (buffer_reserve(&copies.scratch, line.len + 1) != OK)
		return SIZE_MAX;
	walk_start(s, &w, line);
	for (; (cut = walk_next(s, &w, &name)) == CUT_FOUND; n++) {
		if (n >= max)
			continue;
		if (w.doubled) {
			size_t from = copies.scratch.len;
			append_field(&copies, name, true, false);
			name = (struct slice){copies.scratch.at + from, copies.scratch.len - from};
		}
		names[n] = name;
	}
	*scratch = copies.scratch;
	return cut == CUT_REJECT ? SIZE_MAX : n;
}
