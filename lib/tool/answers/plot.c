/* sketchutils: BSD-2-Clause, see LICENSE */
#include "tool/answers/plot.h"
#include "tool/report.h"

#define NUMBERS_MAX 16
#define BAR_LEAST 8

/* How the line is shared out. */
struct layout {
	unsigned numbers[NUMBERS_MAX];       /* columns of each */
	unsigned n;
	bool uncertain;              /* some place is */
	unsigned label, bar;
	double most;                 /* what fills the bar's columns */
};

static void
append(struct buffer *out, const char *text)
{
	if (buffer_append(out, text, strlen(text)) != OK)
		die(STATUS_MEMORY, "cannot draw");
}

static void
blanks(struct buffer *out, unsigned n)
{
	while (n-- > 0)
		append(out, " ");
}

/* The next of several texts with TAB between; false behind the last one. */
static bool
next_number(struct slice *rest, struct slice *number)
{
	if (!rest->at)
		return false;
	const unsigned char *tab = rest->len ? memchr(rest->at, '\t', rest->len) : NULL;
	*number = *rest;
	if (!tab) {
		rest->at = NULL;
		return true;
	}
	number->len = (size_t)(tab - rest->at);
	rest->len -= number->len + 1;
	rest->at = tab + 1;
	return true;
}

static void
widen(unsigned *columns, unsigned to)
{
	if (*columns < to)
		*columns = to;
}

static struct layout
lay_out(const struct bar *bar, size_t n, const struct screen *screen)
{
	struct layout l = {0};
	unsigned taken = 0;

	for (size_t i = 0; i < n; i++) {
		struct slice rest = bar[i].numbers, number;
		for (unsigned j = 0; j < NUMBERS_MAX && next_number(&rest, &number); j++) {
			widen(&l.numbers[j], (unsigned)number.len);
			widen(&l.n, j + 1);
		}
		widen(&l.label, screen_width(bar[i].label, screen));
		l.uncertain |= bar[i].uncertain;
		if (l.most < bar[i].high)
			l.most = bar[i].high;
	}
	for (unsigned j = 0; j < l.n; j++)
		taken += l.numbers[j] + 2;
	taken += l.uncertain ? 2 : 0;
	unsigned left = screen->columns > taken + 2 * BAR_LEAST ? screen->columns - taken : 2 * BAR_LEAST;
	if (l.label > left / 2 - 2)
		l.label = left / 2 - 2;
	l.bar = left - l.label - (l.label > 0 ? 2 : 0);
	return l;
}

/* In eighths of a column. */
static unsigned
length(const struct layout *l, double value)
{
	unsigned whole = l->bar * 8;

	if (!(value > 0))
		return 0;
	double eighths = value / l->most * whole;
	return eighths < 1 ? 1 : eighths > whole ? whole : (unsigned)eighths;
}

/* The column in which a length ends. */
static unsigned
column(unsigned eighths)
{
	return eighths > 0 ? (eighths - 1) / 8 : 0;
}

static void
append_bar(struct buffer *out, const struct layout *l, const struct bar *bar, bool utf8)
{
	static const char *const part[] = {
		"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"
	};
	unsigned low = column(length(l, bar->low)), high = column(length(l, bar->high));
	unsigned value = column(length(l, bar->value)), eighths = length(l, bar->value);

	if (low < high)
		eighths = low * 8;
	for (unsigned i = 0; i < (utf8 ? eighths / 8 : (eighths + 7) / 8); i++)
		append(out, utf8 ? "\u2588" : "#");
	if (utf8)
		append(out, part[eighths % 8]);
	for (unsigned i = low; low < high && i <= high; i++) {
		bool end = i == low || i == high;
		if (i == value && !end)
			append(out, utf8 ? "\u253c" : "+");
		else if (end)
			append(out, !utf8 ? "|" : i == low ? "\u251c" : "\u2524");
		else
			append(out, utf8 ? "\u2500" : "-");
	}
}

static void
append_line(struct buffer *out, const struct layout *l, const struct bar *bar,
    const struct screen *screen)
{
	struct slice rest = bar->numbers, number;

	for (unsigned j = 0; j < l->n; j++) {
		if (!next_number(&rest, &number))
			number = (struct slice){0};
		blanks(out, (j > 0 ? 2 : 0) + l->numbers[j] - (unsigned)number.len);
		screen_append(out, number, l->numbers[j], screen);
	}
	if (l->uncertain)
		append(out, bar->uncertain ? " ~" : "  ");
	if (l->label > 0) {
		blanks(out, l->n > 0 ? 2 : 0);
		blanks(out, l->label - screen_append(out, bar->label, l->label, screen));
	}
	size_t before = out->len;
	blanks(out, l->n > 0 || l->label > 0 ? 2 : 0);
	size_t empty = out->len;
	append_bar(out, l, bar, screen->utf8);
	/* No blanks at the end of a line. */
	if (out->len == empty) {
		out->len = before;
		while (out->len > 0 && out->at[out->len - 1] == ' ')
			out->len--;
	}
	append(out, "\n");
}

void
plot_bars(struct buffer *out, const struct bar *bar, size_t n, const struct screen *screen)
{
	struct layout l = lay_out(bar, n, screen);

	for (size_t i = 0; i < n; i++)
		append_line(out, &l, &bar[i], screen);
}
