/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/value.h"

#include <string.h>

#include "base/moment.h"
#include "base/word.h"

/* Where a URL, or the query of a path, ends. */
static size_t
url_end(struct slice line, size_t at)
{
	size_t end = at;

	while (end < line.len && !is_blank(line.at[end]) && !strchr("\"'<>{|}", line.at[end]))
		end++;
	while (end > at && (is_stop(line.at[end - 1]) || strchr(",;:)]", line.at[end - 1])))
		end--;
	return end;
}

/* scheme://rest: the word is the scheme, or the rest. */
static bool
is_url(struct slice line, size_t first, struct span word, struct span *span)
{
	size_t colon = word.to, from = word.from;

	if (from > first && line.at[from - 1] == ':' && line.at[from] == '/') {
		colon = --from;
		while (from > first && !is_separator(line.at[from - 1]))
			from--;
	}
	if (line.len - colon < 4 || memcmp(line.at + colon, "://", 3) != 0 ||
	    !is_letter(line.at[from]))
		return false;
	for (size_t i = from; i < colon; i++) {
		unsigned char c = line.at[i];
		if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.')
			return false;
	}
	*span = (struct span){from, url_end(line, colon + 3)};
	return span->to > colon + 3;
}

/* C:\ and what follows, or \\host. */
static bool
is_windows_path(struct slice line, size_t first, struct span word, struct span *span)
{
	const unsigned char *p = line.at + word.from;
	size_t n = word.to - word.from;

	*span = word;
	if (n > 1 && (*p == '\\' || *p == '/') && word.from >= first + 2 && p[-1] == ':' &&
	    is_letter(p[-2]) && (word.from == 2 || is_separator(p[-3]))) {
		span->from -= 2;
		return true;
	}
	return n > 2 && p[0] == '\\' && p[1] == '\\' && p[2] != '\\';
}

/* A word with its full stop cut off. */
static struct span
without_stop(struct slice line, struct span word)
{
	while (word.to > word.from && is_stop(line.at[word.to - 1]))
		word.to--;
	return word;
}

/* :port behind an address. */
static size_t
port_end(struct slice line, size_t at)
{
	size_t end = at + 1;

	if (at >= line.len || line.at[at] != ':')
		return at;
	while (end < line.len && end - at < 7 && is_digit(line.at[end]))
		end++;
	return end > at + 1 && end - at < 7 && word_over(line.at + end, line.at + line.len) ? end : at;
}

static bool
touches_colon(struct slice line, struct span word)
{
	return (word.from > 0 && line.at[word.from - 1] == ':') ||
	    (word.to < line.len && line.at[word.to] == ':');
}

/* /path?query, or path/to?query: all of it. */
static bool
is_query(struct slice line, struct span word, struct span *span)
{
	const unsigned char *from = line.at + word.from, *slash;
	size_t n = word.to - word.from;

	slash = memchr(from, '/', n);
	if (!slash || !memchr(from, '?', n) ||
	    (slash > from && !memchr(slash + 1, '/', n - (size_t)(slash + 1 - from))))
		return false;
	*span = (struct span){word.from, url_end(line, word.from)};
	return true;
}

static bool
has_digit(struct slice line, size_t from, size_t to)
{
	while (from < to && !is_digit(line.at[from]))
		from++;
	return from < to;
}

bool
value_find(struct slice line, size_t first, struct span word, size_t at, bool typed,
    struct span *span, enum shape *shape)
{
	bool digit = has_digit(line, at, word.to), colon = touches_colon(line, word);

	if (colon) {
		if (digit && shape_of_colons(line, first, word, span, shape))
			return true;
		*shape = SHAPE_URL;
		if (is_url(line, first, word, span))
			return true;
	}
	*shape = SHAPE_TIME;
	if (is_digit(line.at[word.from]) && moment_find(line, first, word.from, span))
		return true;

	word = without_stop(line, word);
	*shape = SHAPE_PATH;
	if (is_windows_path(line, first, word, span) || is_query(line, word, span))
		return true;
	*span = word;
	struct slice text = {line.at + word.from, word.to - word.from};
	if (!digit) {
		*shape = shape_is_letters(text) ? SHAPE_HEX : shape_is_email(text) ? SHAPE_EMAIL : SHAPE_PATH;
		return *shape != SHAPE_PATH || shape_is_path(text);
	}
	/* A port behind an address is no word of its own. */
	*shape = typed || colon ? shape_of(text) : SHAPE_ID;
	if (*shape == SHAPE_IP)
		span->to = port_end(line, span->to);
	return true;
}
