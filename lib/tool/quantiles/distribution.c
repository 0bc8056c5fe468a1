/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdlib.h>

#include "tool/answers/canvas.h"
#include "tool/quantiles/distribution.h"
#include "tool/report.h"

#define LINES 12

/* Numbers from so far apart on are shown by their logarithms. */
#define FAR 100

/* No further into the tail than so many samples can tell, and not too far. */
#define TAIL_LEAST 0.9
#define TAIL_MOST 0.99999

/* As many cells as there are dots across, at most two a column. */
struct cells {
	struct axis axis;
	size_t n;
	double *weight;
};

static void
add_text(struct buffer *b, const char *text)
{
	if (buffer_append(b, text, strlen(text)) != OK)
		die(STATUS_MEMORY, "cannot draw");
}

/* The least number above 0 that there may be: on a logarithmic axis nothing that is
 * less has a place but its beginning. */
static double
least_above(const struct reading *r, const void *body)
{
	uint64_t at = 0;
	struct bin bin = {0, 0, 0};

	while (bin.low <= 0 && r->what->each(body, &at, &bin))
		continue;
	return figure_convert(r, bin.low);
}

/* An axis needs two ends. */
static struct axis
numbers_axis(const struct reading *r, const void *body)
{
	struct span least, most;

	r->what->least(body, &least);
	r->what->most(body, &most);
	double low = figure_convert(r, least.value), high = figure_convert(r, most.value);
	double above = least_above(r, body);
	if (low >= 0 && above > 0 && high / above >= FAR)
		return (struct axis){AXIS_LOG, above, high};
	if (low < high)
		return (struct axis){AXIS_EVEN, low, high};
	return (struct axis){AXIS_EVEN, low > 0 ? 0 : low - 1, high < 0 ? 0 : high + 1};
}

/* Where the inverse of axis_place() is needed: the value at a place. */
static double
axis_value(const struct axis *a, double place)
{
	switch (a->scale) {
	case AXIS_LOG:
		return a->low * pow(a->high / a->low, place);
	case AXIS_TAIL:
		return 1 - (1 - a->low) * pow((1 - a->high) / (1 - a->low), place);
	default:
		return a->low + (a->high - a->low) * place;
	}
}

/* Samples of a bin lie in it evenly, as far as the axis shows. */
static void
fill(struct cells *c, const struct bin *bin)
{
	double from = axis_place(&c->axis, bin->low) * (double)c->n;
	double to = axis_place(&c->axis, bin->high) * (double)c->n;
	size_t first = (size_t)fmin(floor(from), (double)c->n - 1);
	size_t last = (size_t)fmin(floor(to), (double)c->n - 1);

	if (first == last || !(to > from)) {
		c->weight[first] += (double)bin->weight;
		return;
	}
	for (size_t i = first; i <= last; i++) {
		double part = fmin(to, (double)i + 1) - fmax(from, (double)i);
		c->weight[i] += (double)bin->weight * part / (to - from);
	}
}

static void
histogram(struct buffer *out, const struct reading *r, const void *body,
    const struct screen *screen)
{
	struct cells c = {.axis = numbers_axis(r, body), .n = screen->columns};
	struct bin bin;
	uint64_t at = 0;
	double most = 0;

	c.weight = calloc(c.n, sizeof *c.weight);
	if (!c.weight)
		die(STATUS_MEMORY, "cannot draw");
	while (r->what->each(body, &at, &bin)) {
		bin.low = figure_convert(r, bin.low);
		bin.high = figure_convert(r, bin.high);
		fill(&c, &bin);
	}
	for (size_t i = 0; i < c.n; i++)
		most = fmax(most, c.weight[i]);

	struct axis y = {AXIS_EVEN, 0, most};
	struct canvas *canvas = canvas_new(&c.axis, &y, LINES, screen);
	for (size_t i = 0; i < c.n; i++)
		if (c.weight[i] > 0)
			canvas_column(canvas, axis_value(&c.axis, (double)i / (double)c.n),
			    axis_value(&c.axis, (double)(i + 1) / (double)c.n), c.weight[i]);
	canvas_print(canvas, out);
	canvas_free(canvas);
	free(c.weight);
}

static void
curve(struct buffer *out, const struct reading *r, const void *body, const struct screen *screen)
{
	double n = (double)r->what->total(body);
	struct axis x = {AXIS_TAIL, 0, fmin(fmax(1 - 1 / n, TAIL_LEAST), TAIL_MOST)};
	struct axis y = numbers_axis(r, body);
	unsigned points = 2 * screen->columns;
	double last_x = 0, last_y = 0;

	struct canvas *canvas = canvas_new(&x, &y, LINES, screen);
	for (unsigned i = 0; i <= points; i++) {
		struct span s;
		double p = fmin(axis_value(&x, (double)i / points), 1);
		r->what->quantile(body, p, r->discrete, &s);
		double v = figure_convert(r, s.value);
		if (i > 0)
			canvas_line(canvas, last_x, last_y, p, v);
		last_x = p;
		last_y = v;
	}
	canvas_print(canvas, out);
	canvas_free(canvas);
}

void
distribution_plot(struct buffer *out, const struct reading *r, const void *body,
    const struct screen *screen)
{
	add_text(out, "\nsamples at each number\n");
	histogram(out, r, body, screen);
	add_text(out, "\nnumber at each percentile\n");
	curve(out, r, body, screen);
}
