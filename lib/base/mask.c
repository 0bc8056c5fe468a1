/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/mask.h"

#include <stdlib.h>
#include <string.h>

#include "base/mask_bits.h"
#include "base/value.h"
#include "base/word.h"

/*
 * A line's bytes are classed first, a bit for each. Most words hold nothing
 * that a value must hold, and are never looked at: the walk goes from one such
 * byte to the next, and what lies between is copied in one piece.
 */

static const char *const level_name[] = {"none", "case", "digits", "log", "typed"};

const char *
mask_level_name(unsigned level)
{
	return level <= MASK_LEVEL_MAX ? level_name[level] : NULL;
}

int
mask_level_find(const char *name)
{
	for (int i = 0; i <= MASK_LEVEL_MAX; i++)
		if (strcmp(name, level_name[i]) == 0)
			return i;
	return -1;
}

void
masker_clear(struct masker *m)
{
	buffer_free(&m->text);
	free(m->bits);
	*m = (struct masker){0};
}

/*
 * Case and digits.
 */

static enum status
append_folded(struct slice line, struct buffer *to)
{
	if (buffer_reserve(to, line.len) != OK)
		return STATUS_MEMORY;
	unsigned char *out = to->at + to->len;

	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = line.at[i];
		out[i] = (unsigned char)(c | ((unsigned)c - 'A' < 26) << 5);
	}
	to->len += line.len;
	return OK;
}

/* 64 bytes, or the last ones with blanks behind. */
static const unsigned char *
block_of(struct slice line, size_t block, unsigned char last[64])
{
	size_t left = line.len - 64 * block;

	if (left >= 64)
		return line.at + 64 * block;
	memset(last, ' ', 64);
	if (left > 0)
		memcpy(last, line.at + 64 * block, left);
	return last;
}

static enum status
append_digits(struct slice line, struct buffer *to)
{
	unsigned char last[64];
	uint64_t before = 0;         /* was the byte before this block a digit? */
	size_t done = 0;

	if (buffer_reserve(to, line.len + 1) != OK)
		return STATUS_MEMORY;
	for (size_t block = 0; 64 * block < line.len; block++) {
		uint64_t digit = mask_digits(block_of(line, block, last));
		uint64_t edge = digit ^ (digit << 1 | before);  /* a run begins, or is over */

		for (; edge; edge &= edge - 1) {
			size_t at = 64 * block + (unsigned)__builtin_ctzll(edge);
			if (digit >> (at & 63) & 1) {
				memcpy(to->at + to->len, line.at + done, at - done);
				to->len += at - done;
				to->at[to->len++] = '#';
			}
			done = at;
		}
		before = digit >> 63;
	}
	if (done < line.len && !is_digit(line.at[done])) {
		memcpy(to->at + to->len, line.at + done, line.len - done);
		to->len += line.len - done;
	}
	return OK;
}

/*
 * Values.
 */

#define ANY SHAPES                   /* the shape of a value at MASK_LOG */
#define NO_SHAPE (SHAPES + 1)

struct walk {
	struct slice line;
	uint64_t *bits[MASK_CLASSES]; /* with all set from the line's end on */
	bool typed;
	struct buffer *to;
	size_t done;                 /* what is before it has been written */
	unsigned last;               /* shape of the value that ended there */
	struct {
		size_t from;         /* no quote before this one closes anything */
		bool none;           /* nor does one behind it */
	} closing[2];
	size_t field;                /* a quote here opens the value of a quoted name */
	enum status status;
};

/* The first bit from a place on. There is one, at the end at the latest. */
static inline size_t
next(const uint64_t *bits, size_t at)
{
	uint64_t word = bits[at / 64] >> at % 64;

	if (word)
		return at + (unsigned)__builtin_ctzll(word);
	for (at = at / 64 + 1; bits[at] == 0; at++)
		;
	return 64 * at + (unsigned)__builtin_ctzll(bits[at]);
}

/* Behind the last bit before a place; 0 if there is none. */
static inline size_t
behind_last(const uint64_t *bits, size_t at)
{
	size_t i = at / 64;
	uint64_t word = at % 64 ? bits[i] << (64 - at % 64) : 0;

	if (word)
		return at - (unsigned)__builtin_clzll(word);
	while (i > 0)
		if (bits[--i])
			return 64 * i + 64 - (unsigned)__builtin_clzll(bits[i]);
	return 0;
}

static enum status
classify(struct masker *m, struct walk *w)
{
	size_t blocks = w->line.len / 64 + 1;
	unsigned char last[64];

	if (blocks > m->room) {
		size_t room = blocks + blocks / 2 + 8;
		uint64_t *bits = realloc(m->bits, room * MASK_CLASSES * sizeof *bits);
		if (!bits)
			return STATUS_MEMORY;
		m->bits = bits;
		m->room = room;
	}
	for (unsigned c = 0; c < MASK_CLASSES; c++)
		w->bits[c] = m->bits + c * m->room;
	for (size_t block = 0; block < blocks; block++) {
		uint64_t bits[MASK_CLASSES];

		mask_classes(block_of(w->line, block, last), bits);
		for (unsigned c = 0; c < MASK_CLASSES; c++)
			w->bits[c][block] = bits[c];
	}
	uint64_t high = 0;
	for (size_t block = blocks; block-- > 0;) {
		uint64_t low = w->bits[MASK_AF][block];
		w->bits[MASK_TRIGGER][block] |= mask_eight(low, high);
		high = low;
	}
	for (unsigned c = 0; c < MASK_CLASSES; c++)
		w->bits[c][blocks - 1] |= ~UINT64_C(0) << w->line.len % 64;
	return OK;
}

/* Do values on both sides of this say no more than one? */
static bool
joins(const unsigned char *p, const unsigned char *end)
{
	while (p < end && (is_blank(*p) || *p == ',' || *p == ';' || *p == ':' || *p == '='))
		p++;
	return p == end;
}

/* What stands in place of a value: 16 bytes of which some count. */
static const struct {
	unsigned char len;
	char text[16];
} placeholder[SHAPES + 1] = {
	[SHAPE_NUM] = {5, "<num>"}, [SHAPE_SIZE] = {6, "<size>"},
	[SHAPE_DURATION] = {10, "<duration>"}, [SHAPE_VERSION] = {9, "<version>"},
	[SHAPE_HEX] = {5, "<hex>"}, [SHAPE_UUID] = {6, "<uuid>"}, [SHAPE_IP] = {4, "<ip>"},
	[SHAPE_MAC] = {5, "<mac>"}, [SHAPE_TIME] = {6, "<time>"}, [SHAPE_PATH] = {6, "<path>"},
	[SHAPE_URL] = {5, "<url>"}, [SHAPE_EMAIL] = {7, "<email>"}, [SHAPE_STR] = {5, "<str>"},
	[SHAPE_ID] = {4, "<id>"}, [ANY] = {3, "<*>"},
};

/* Write what is left before the span, and in its place what it is. */
static void
put(struct walk *w, struct span span, enum shape shape)
{
	unsigned now = w->typed ? shape : ANY;
	const unsigned char *from = w->line.at + w->done, *to = w->line.at + span.from;
	size_t gap = (size_t)(to - from);

	w->done = span.to;
	if (now == w->last && joins(from, to))
		return;
	w->last = now;
	if (w->to->room - w->to->len < gap + 16) {
		if (w->status == OK)
			w->status = buffer_reserve(w->to, gap + 16);
		if (w->status != OK)
			return;
	}
	unsigned char *out = w->to->at + w->to->len;
	memcpy(out, from, gap);
	memcpy(out + gap, placeholder[now].text, 16);
	w->to->len += gap + placeholder[now].len;
}

/*
 * Quotes.
 */

/* Is this byte taken by a backslash? */
static bool
escaped(struct slice line, size_t at)
{
	size_t n = 0;

	while (n < at && line.at[at - 1 - n] == '\\')
		n++;
	return n % 2 == 1;
}

/* The quote that closes the one at a place, or the line's length: not escaped,
 * and no word goes on behind it. Looks at each quote once only, since what was
 * passed over on the way to one closes no other either. */
static size_t
closing_quote(struct walk *w, size_t open)
{
	struct slice line = w->line;
	unsigned char quote = line.at[open];
	unsigned which = quote == '"';
	size_t at = open + 1 > w->closing[which].from ? open + 1 : w->closing[which].from;

	if (w->closing[which].none)
		return line.len;
	const unsigned char *p, *end = line.at + line.len;
	for (; (p = memchr(line.at + at, quote, line.len - at)); at++) {
		unsigned char c = p + 1 < end ? p[1] : ' ';
		at = (size_t)(p - line.at);
		if (!(is_letter(c) || is_digit(c) || c == '_' || c > 127) && !escaped(line, at)) {
			w->closing[which].from = at;
			return at;
		}
	}
	w->closing[which].none = true;
	return line.len;
}

/* Does the quote at a place stand behind this byte, blanks between? */
static bool
stands_behind(const struct walk *w, size_t at, const char *bytes)
{
	while (at > 0 && w->line.at[at - 1] == ' ')
		at--;
	return at > 0 && w->line.at[at - 1] != '\0' && strchr(bytes, w->line.at[at - 1]);
}

/*
 * Quoted text is a value. Not so a name, as in {"name": ...}; nor a text of
 * several words that is the value of such a name or stands behind '=', where
 * all texts are quoted: these are masked word by word. Returns where to go on.
 */
static size_t
mask_quoted(struct walk *w, size_t open)
{
	struct slice line = w->line;

	if (open > 0 && !is_separator(line.at[open - 1]))
		return open + 1;
	size_t close = closing_quote(w, open);
	if (close >= line.len)
		return open + 1;

	bool field = open == w->field || (open > 0 && line.at[open - 1] == '=');
	bool name = close + 1 < line.len && line.at[close + 1] == ':' &&
	    stands_behind(w, open, "{,");
	if (name)
		for (w->field = close + 2; w->field < line.len && line.at[w->field] == ' ';)
			w->field++;
	if (name || (field && memchr(line.at + open, ' ', close - open))) {
		/* It shall open nothing, nor close anything else. */
		w->bits[MASK_TRIGGER][close / 64] &= ~(UINT64_C(1) << close % 64);
		w->closing[line.at[open] == '"'].from = close + 1;
		return open + 1;
	}
	put(w, (struct span){open + 1, close}, SHAPE_STR);
	w->closing[line.at[open] == '"'].from = close + 1;
	return close + 1;
}

/*
 * The walk.
 */

static enum status
append_values(struct masker *m, enum mask_level level, struct slice line, struct buffer *to)
{
	struct walk w = {
		.line = line, .typed = level == MASK_TYPED, .to = to, .last = NO_SHAPE,
		.field = SIZE_MAX,
	};

	if (classify(m, &w) != OK || buffer_reserve(to, line.len + 64) != OK)
		return STATUS_MEMORY;
	const uint64_t *trigger = w.bits[MASK_TRIGGER], *separator = w.bits[MASK_SEPARATOR];

	for (size_t at = next(trigger, 0); at < line.len; at = next(trigger, at)) {
		struct span span;
		enum shape shape;

		if (separator[at / 64] >> at % 64 & 1) {
			at = mask_quoted(&w, at);
			continue;
		}
		struct span word = {behind_last(separator, at), next(separator, at)};
		bool value = value_find(line, w.done, word, at, w.typed, &span, &shape);
		at = word.to;
		if (value) {
			put(&w, span, shape);
			if (span.to > at)
				at = span.to;
		}
	}
	return w.status != OK ? w.status : buffer_append(to, line.at + w.done, line.len - w.done);
}

enum status
mask_append(struct masker *m, enum mask_level level, struct slice line, struct buffer *to)
{
	/* It may be at no address. */
	if (line.len == 0)
		return OK;
	size_t before = to->len;
	enum status st = level == MASK_NONE ? buffer_append(to, line.at, line.len) :
	    level == MASK_CASE ? append_folded(line, to) :
	    level == MASK_DIGITS ? append_digits(line, to) : append_values(m, level, line, to);

	if (st != OK)
		to->len = before;
	return st;
}

enum status
mask_line(struct masker *m, enum mask_level level, struct slice line, struct slice *masked)
{
	*masked = line;
	if (level == MASK_NONE)
		return OK;
	m->text.len = 0;
	enum status st = mask_append(m, level, line, &m->text);
	if (st == OK)
		*masked = (struct slice){m->text.at, m->text.len};
	return st;
}
