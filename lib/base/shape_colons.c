/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/shape.h"

#include <stdint.h>

#include "base/word.h"

/* What lies between colons. */
struct groups {
	unsigned n, pairs;           /* groups of hex digits, those of them that are two */
	unsigned doubles;            /* :: */
	size_t last;                 /* where the last group begins */
};

/* No address is longer than this; more groups are digits of something else. */
#define GROUPS_MAX 64
#define REACH (5 * GROUPS_MAX)

/* Where does the run of hex digits and colons begin that goes on at this place?
 * SIZE_MAX: it is no address. */
static size_t
run_begin(struct slice line, size_t first, size_t at)
{
	size_t from = at, least = at - first > REACH ? at - REACH : first;

	while (from > least && (is_hex(line.at[from - 1]) || line.at[from - 1] == ':'))
		from--;
	/* Behind a value that was such a group it is none. */
	if (from == least) {
		size_t group = from;
		while (group > 0 && is_hex(line.at[group - 1]))
			group--;
		if (group < from && (group == 0 || is_separator(line.at[group - 1])))
			return SIZE_MAX;
	}
	/* It begins where a word does, or with two colons. */
	while (from < at && from > 0 && !is_separator(line.at[from - 1]))
		from++;
	if (line.at[from] == ':' && line.at[from + 1] != ':')
		from++;
	/* Nor do more colons stand before it. */
	if (from > 0 && line.at[from - 1] == ':' &&
	    (line.at[from] == ':' || (from > 1 && line.at[from - 2] == ':')))
		return SIZE_MAX;
	return from;
}

/* Groups from a place on, where they end. False: there is one too long. */
static bool
count_groups(struct slice line, size_t at, size_t *end, struct groups *g)
{
	*g = (struct groups){0};
	size_t i = at;

	for (;;) {
		size_t from = i;
		while (i < line.len && i - from < 5 && is_hex(line.at[i]))
			i++;
		bool empty = i == from && from > at && i < line.len && line.at[i] == ':';
		if (i - from > 4 || empty || g->n > GROUPS_MAX)
			return false;
		if (i > from) {
			g->n++;
			g->pairs += i - from == 2;
			g->last = from;
		}
		if (i == line.len || line.at[i] != ':')
			break;
		/* A colon behind which nothing of the kind comes is not part of it. */
		bool twice = i + 1 < line.len && line.at[i + 1] == ':';
		if (!twice && (i + 1 == line.len || !is_hex(line.at[i + 1])))
			break;
		g->doubles += twice;
		i += 1 + twice;
	}
	*end = i;
	return g->n > 0;
}

/* Where the word at this place ends, without its full stop. */
static size_t
word_end(struct slice line, size_t at)
{
	size_t end = at;

	while (end < line.len && !is_separator(line.at[end]))
		end++;
	while (end > at && is_stop(line.at[end - 1]))
		end--;
	return end;
}

static bool
all_digits(struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_digit(text.at[i]))
			return false;
	return text.len > 0;
}

/* An IPv6 address may go on: .1.2.3 of a last group in decimal, %eth0, /64. */
static bool
ip6_tail(struct slice line, const struct groups *g, size_t *end)
{
	size_t to = word_end(line, *end);

	if (to > *end) {
		struct slice word = {line.at + g->last, to - g->last};
		struct slice behind = {line.at + *end + 1, to - *end - 1};
		unsigned char c = line.at[*end];
		if (!(c == '%' || (c == '/' && all_digits(behind)) ||
		    (c == '.' && shape_of(word) == SHAPE_IP)))
			return false;
	}
	*end = to;
	return true;
}

bool
shape_of_colons(struct slice line, size_t first, struct span word, struct span *span,
    enum shape *shape)
{
	struct groups g;
	size_t end, from = run_begin(line, first, word.from);

	if (from == SIZE_MAX || !count_groups(line, from, &end, &g) || end <= word.from || end - from < 3)
		return false;
	bool whole = word_over(line.at + end, line.at + line.len);
	if (whole && g.doubles == 0 && g.pairs == g.n && g.n >= 6 && g.n != 7) {
		*shape = g.n <= 8 ? SHAPE_MAC : SHAPE_HEX;
	} else if ((g.doubles == 1 && g.n <= 7) || (g.doubles == 0 && g.n >= 7 && g.n <= 8)) {
		*shape = SHAPE_IP;
		bool dotted = end < line.len && line.at[end] == '.';
		if (!ip6_tail(line, &g, &end) || (g.doubles == 0 && g.n == 7 && !dotted))
			return false;
	} else {
		return false;
	}
	*span = (struct span){from, end};
	return true;
}
