/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * The picture is a grid of dots, a byte each, as many in a character as it can
 * show. Ticks stand under the character that holds their dot, so what is drawn
 * at a tick's value is above it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/answers/canvas.h"
#include "tool/report.h"

#define TICKS_MAX 16
#define LABEL_MAX 24             /* of struct tick */
#define COLUMNS_LEAST 10

struct canvas {
	struct axis x, y;
	struct tick x_tick[TICKS_MAX], y_tick[TICKS_MAX];
	size_t x_ticks, y_ticks;
	unsigned margin;             /* columns of the labels on the left */
	unsigned columns, lines;     /* of the picture, in characters */
	unsigned across, down;       /* dots of a character */
	bool utf8;
	unsigned char *dot;          /* line by line, from the top */
};

/*
 * Axes.
 */

static double
scaled(enum axis_scale scale, double value)
{
	switch (scale) {
	case AXIS_LOG:
		return log10(value);
	case AXIS_TAIL:
		return -log10(1 - value);
	default:
		return value;
	}
}

double
axis_place(const struct axis *a, double value)
{
	if (!(value > a->low))
		return 0;
	if (value >= a->high)
		return 1;
	double low = scaled(a->scale, a->low), high = scaled(a->scale, a->high);
	return (scaled(a->scale, value) - low) / (high - low);
}

static bool
add_tick(const struct axis *a, struct tick *tick, size_t *n, size_t most, double value)
{
	if (value < a->low || value > a->high)
		return true;
	if (*n == most)
		return false;
	tick[*n].value = value;
	if (a->scale == AXIS_TAIL)
		snprintf(tick[*n].label, LABEL_MAX, "p%.12g", value * 100);
	else
		snprintf(tick[*n].label, LABEL_MAX, "%.6g", value);
	++*n;
	return true;
}

/* Multiples of 1, 2 or 5 times a power of ten. */
static size_t
even_ticks(const struct axis *a, struct tick *tick, size_t most)
{
	static const double round[] = {1, 2, 5, 10};
	/* Ticks at both ends are one more than there are steps. */
	double step = (a->high - a->low) / (double)(most > 1 ? most - 1 : 1);
	double power = pow(10, floor(log10(step)));
	size_t n = 0, i = 0;

	while (i < 3 && round[i] * power < step)
		i++;
	step = round[i] * power;
	for (double k = ceil(a->low / step); k * step <= a->high; k++)
		/* Plus nothing, for there is a -0. */
		if (!add_tick(a, tick, &n, most, k * step + 0.0))
			break;
	return n;
}

/* Powers of ten, every so many that there are not too many. */
static size_t
log_ticks(const struct axis *a, struct tick *tick, size_t most)
{
	int low = (int)ceil(log10(a->low)), high = (int)floor(log10(a->high));
	int step = 1;
	size_t n = 0;

	while ((high - low) / step + 1 > (int)most)
		step++;
	for (int e = low; e <= high; e += step)
		add_tick(a, tick, &n, most, pow(10, e));
	return n > 1 || a->high / a->low > 100 ? n : even_ticks(a, tick, most);
}

/* p0, p50, p90, p99 and so on. */
static size_t
tail_ticks(const struct axis *a, struct tick *tick, size_t most)
{
	size_t n = 0;

	add_tick(a, tick, &n, most, 0);
	add_tick(a, tick, &n, most, 0.5);
	for (int nines = 1; nines < 12; nines++)
		add_tick(a, tick, &n, most, 1 - pow(10, -nines));
	return n;
}

size_t
axis_ticks(const struct axis *a, struct tick *tick, size_t most)
{
	if (most == 0 || !(a->high > a->low))
		return 0;
	switch (a->scale) {
	case AXIS_LOG:
		return log_ticks(a, tick, most);
	case AXIS_TAIL:
		return tail_ticks(a, tick, most);
	default:
		return even_ticks(a, tick, most);
	}
}

/*
 * Dots.
 */

struct canvas *
canvas_new(const struct axis *x, const struct axis *y, unsigned lines, const struct screen *screen)
{
	struct canvas *c = calloc(1, sizeof *c);

	if (!c)
		die(STATUS_MEMORY, "cannot draw");
	*c = (struct canvas){
		.x = *x, .y = *y, .lines = lines, .utf8 = screen->utf8,
		.across = screen->utf8 ? 2 : 1, .down = screen->utf8 ? 4 : 2,
	};
	size_t most = lines / 3 + 1;
	c->y_ticks = axis_ticks(y, c->y_tick, most < TICKS_MAX ? most : TICKS_MAX);
	for (size_t i = 0; i < c->y_ticks; i++)
		if (c->margin < strlen(c->y_tick[i].label))
			c->margin = (unsigned)strlen(c->y_tick[i].label);
	/* A blank and the axis are between labels and dots. */
	c->columns = screen->columns > c->margin + 2 + COLUMNS_LEAST ?
	    screen->columns - c->margin - 2 : COLUMNS_LEAST;
	/* Percentiles crowd on the left, where some labels are left out. */
	most = x->scale == AXIS_TAIL ? TICKS_MAX : c->columns < 40 ? 5 : c->columns / 8;
	c->x_ticks = axis_ticks(x, c->x_tick, most < TICKS_MAX ? most : TICKS_MAX);
	c->dot = calloc((size_t)c->columns * c->across, (size_t)lines * c->down);
	if (!c->dot)
		die(STATUS_MEMORY, "cannot draw");
	return c;
}

void
canvas_free(struct canvas *c)
{
	if (!c)
		return;
	free(c->dot);
	free(c);
}

static unsigned
dot_x(const struct canvas *c, double x)
{
	return (unsigned)(axis_place(&c->x, x) * (c->columns * c->across - 1) + 0.5);
}

/* From the bottom. */
static unsigned
dot_y(const struct canvas *c, double y)
{
	return (unsigned)(axis_place(&c->y, y) * (c->lines * c->down - 1) + 0.5);
}

static unsigned char *
dot_at(const struct canvas *c, unsigned x, unsigned y)
{
	return &c->dot[(size_t)(c->lines * c->down - 1 - y) * c->columns * c->across + x];
}

void
canvas_dot(struct canvas *c, double x, double y)
{
	*dot_at(c, dot_x(c, x), dot_y(c, y)) = 1;
}

void
canvas_line(struct canvas *c, double x0, double y0, double x1, double y1)
{
	int from_x = (int)dot_x(c, x0), from_y = (int)dot_y(c, y0);
	int dx = (int)dot_x(c, x1) - from_x, dy = (int)dot_y(c, y1) - from_y;
	int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);

	*dot_at(c, (unsigned)from_x, (unsigned)from_y) = 1;
	for (int i = 1; i <= steps; i++)
		*dot_at(c, (unsigned)lround(from_x + (double)dx * i / steps),
		    (unsigned)lround(from_y + (double)dy * i / steps)) = 1;
}

void
canvas_column(struct canvas *c, double x0, double x1, double y)
{
	unsigned from = dot_x(c, x0), to = dot_x(c, x1), top = dot_y(c, y);

	/* Nothing is not a column of one dot, and neighbours do not share one. */
	if (!(y > c->y.low))
		return;
	if (to > from && x1 < c->x.high)
		to--;
	for (unsigned i = from; i <= to; i++)
		for (unsigned j = 0; j <= top; j++)
			*dot_at(c, i, j) = 1;
}

/*
 * Characters.
 */

static void
append(struct buffer *out, const void *bytes, size_t n)
{
	if (buffer_append(out, bytes, n) != OK)
		die(STATUS_MEMORY, "cannot draw");
}

static void
append_text(struct buffer *out, const char *text)
{
	append(out, text, strlen(text));
}

/* U+2800 and a bit for each dot; or '.' below, '\'' above. */
static void
append_dots(const struct canvas *c, struct buffer *out, unsigned column, unsigned line)
{
	static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	unsigned dots = 0;

	for (unsigned j = 0; j < c->down; j++)
		for (unsigned i = 0; i < c->across; i++)
			if (c->dot[((size_t)line * c->down + j) * c->columns * c->across +
			    column * c->across + i])
				dots |= bit[j][i];
	if (dots == 0) {
		append(out, " ", 1);
	} else if (c->utf8) {
		const unsigned char braille[3] = {
			0xe2, (unsigned char)(0xa0 | dots >> 6), (unsigned char)(0x80 | (dots & 0x3f))
		};
		append(out, braille, sizeof braille);
	} else {
		append(out, &" '.:"[dots], 1);
	}
}

/* The tick of the vertical axis in this line, or NULL. */
static const struct tick *
tick_of_line(const struct canvas *c, unsigned line)
{
	for (size_t i = 0; i < c->y_ticks; i++)
		if (c->lines - 1 - dot_y(c, c->y_tick[i].value) / c->down == line)
			return &c->y_tick[i];
	return NULL;
}

static unsigned
column_of_tick(const struct canvas *c, const struct tick *t)
{
	return dot_x(c, t->value) / c->across;
}

static void
end_line(struct buffer *out)
{
	while (out->len > 0 && out->at[out->len - 1] == ' ')
		out->len--;
	append(out, "\n", 1);
}

static void
append_lines(const struct canvas *c, struct buffer *out)
{
	for (unsigned line = 0; line < c->lines; line++) {
		const struct tick *t = tick_of_line(c, line);
		char label[2 * LABEL_MAX];
		snprintf(label, sizeof label, "%*s ", (int)c->margin, t ? t->label : "");
		append_text(out, label);
		append_text(out, c->utf8 ? t ? "\u2524" : "\u2502" : t ? "+" : "|");
		for (unsigned i = 0; i < c->columns; i++)
			append_dots(c, out, i, line);
		end_line(out);
	}
}

static void
append_axis(const struct canvas *c, struct buffer *out)
{
	size_t next = 0;

	for (unsigned i = 0; i <= c->margin; i++)
		append(out, " ", 1);
	append_text(out, c->utf8 ? "\u2514" : "+");
	for (unsigned i = 0; i < c->columns; i++) {
		bool here = false;
		for (; next < c->x_ticks && column_of_tick(c, &c->x_tick[next]) == i; next++)
			here = true;
		append_text(out, c->utf8 ? here ? "\u252c" : "\u2500" : here ? "+" : "-");
	}
	append(out, "\n", 1);
}

/* Each label in the middle under its tick, if the one before leaves room. */
static void
append_labels(const struct canvas *c, struct buffer *out)
{
	unsigned first = c->margin + 2, at = 0, width = first + c->columns;

	for (size_t i = 0; i < c->x_ticks; i++) {
		const struct tick *t = &c->x_tick[i];
		unsigned len = (unsigned)strlen(t->label);
		unsigned middle = first + column_of_tick(c, t);
		unsigned from = middle > len / 2 ? middle - len / 2 : 0;
		if (from + len > width)
			from = width - len;
		if (at > 0 && from < at + 1)
			continue;
		for (; at < from; at++)
			append(out, " ", 1);
		append(out, t->label, len);
		at += len;
	}
	end_line(out);
}

void
canvas_print(const struct canvas *c, struct buffer *out)
{
	append_lines(c, out);
	append_axis(c, out);
	append_labels(c, out);
}
