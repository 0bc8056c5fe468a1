/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "tool/answers/chart.h"
#include "tool/output.h"
#include "tool/answers/plot.h"
#include "tool/report.h"

/* A row's texts lie in one buffer, which moves while it grows. */
struct held {
	size_t numbers, label, end;
	double value, low, high;
	bool uncertain;
};

static struct held *row;
static size_t rows, room;
static struct buffer texts;

void
chart_add(const struct row *r)
{
	if (rows == room) {
		room = room ? 2 * room : 16;
		row = realloc(row, room * sizeof *row);
		if (!row)
			die(STATUS_MEMORY, "cannot draw");
	}
	struct held *h = &row[rows++];
	*h = (struct held){
		.numbers = texts.len, .uncertain = r->uncertain,
		.value = r->real ? r->real[0] : (double)r->estimate,
		.low = r->real ? r->real[1] : (double)r->low,
		.high = r->real ? r->real[2] : (double)r->high,
	};
	if (r->rest)
		h->value = h->low = h->high = 0;
	row_numbers(&texts, r);
	h->label = texts.len;
	row_item(&texts, r->rest ? slice_of("rest") : r->label ? r->item : slice_of(""));
	h->end = texts.len;
}

static struct slice
text(size_t from, size_t end)
{
	return (struct slice){texts.at + from, end - from};
}

void
chart_draw(const char *time)
{
	static bool again;
	struct screen screen = screen_of_output();
	struct buffer out = {0};

	if (rows == 0)
		return;
	struct bar *bar = malloc(rows * sizeof *bar);
	if (!bar)
		die(STATUS_MEMORY, "cannot draw");
	for (size_t i = 0; i < rows; i++) {
		const struct held *h = &row[i];
		bar[i] = (struct bar){
			text(h->numbers, h->label), text(h->label, h->end),
			h->value, h->low, h->high, h->uncertain,
		};
	}
	if (again)
		output_byte('\n');
	if (time) {
		output_text(time);
		output_byte('\n');
	}
	plot_bars(&out, bar, rows, &screen);
	output_bytes(out.at, out.len);
	buffer_free(&out);
	free(bar);
	again = true;
	rows = texts.len = 0;
}
