/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <stdlib.h>

#include "base/time.h"
#include "tool/time/panes.h"

/*
 * A union per pane and row would cost the square of what it should. So the older
 * panes of the window do not hold what is theirs alone, but all from themselves
 * up to one in the middle, and one sketch, the head, holds all that comes after:
 *
 *	oldest             mid              newest
 *	  |  a  b  c  d  e  |  f   g   h   i  |
 *	   ae be ce de e      f   g   h   i       slots
 *	                      +---- fghi ---+     head
 *
 * The row is the union of the oldest slot and the head, and what leaves with
 * the oldest pane is in no other. When mid itself has left, the slots behind it
 * are united from the newest to the oldest, and mid is the newest: one union for
 * each pane, once in as many rows. (It is how a queue is made of two stacks.)
 *
 * A line is added to the slot of its pane and the head, or, if it comes so much
 * out of order that its pane is not behind mid, to all slots it belongs to.
 */
struct panes {
	struct pane_sketch what;
	struct window window;
	int64_t count;               /* panes of the window; 0: it has no end */
	int64_t per_row;             /* panes of a step */
	bool begun;
	int64_t newest;              /* the window's, as soon as rows up to it are printed */
	int64_t mid;
	void **slot;                 /* of pane n at n modulo count; NULL: no line */
	int64_t held;                /* slots that are not NULL */
	void *head;                  /* NULL: no line */
	bool any;                    /* a line since the last row, if there is no end */
	void *doubted;               /* lines in doubt, or NULL */
};

/* Some lines of a batch, or a sketch of others. */
struct lot {
	const struct batch *batch;
	size_t from, n;
	void *sketch;
};

/* The length of a pane: the longest of which both are a multiple. */
static int64_t
pane_length(int64_t window, int64_t every)
{
	return (int64_t)common_divisor((uint64_t)window, (uint64_t)every);
}

static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

int64_t
panes_count(int64_t window, int64_t every)
{
	return window / pane_length(window, every);
}

struct panes *
panes_new(const struct pane_sketch *what, int64_t window, int64_t every, bool arrival)
{
	struct panes *p = calloc(1, sizeof *p);
	int64_t length = pane_length(window, every);

	if (!p)
		return NULL;
	p->what = *what;
	p->count = window / length;
	p->per_row = every / length;
	assert(p->count <= PANES_MAX);
	p->slot = calloc((size_t)p->count + 1, sizeof *p->slot);
	if (!p->slot) {
		free(p);
		return NULL;
	}
	/* To a window without an end nothing is late. One shorter than a step leaves
	 * out what is between two of them. */
	p->window = (struct window){
		.length = length, .arrival = arrival,
		.back = p->count > 0 ? p->count - 1 : INT64_MAX / 4,
		.ahead = p->count > 0 ? p->count : 1,
		.step = p->count >= p->per_row ? p->per_row : 0,
	};
	return p;
}

static void
drop(struct panes *p, void **sketch)
{
	if (*sketch)
		p->what.free(p->what.context, *sketch);
	*sketch = NULL;
}

void
panes_free(struct panes *p)
{
	if (!p)
		return;
	for (int64_t i = 0; i < p->count; i++)
		drop(p, &p->slot[i]);
	drop(p, &p->head);
	drop(p, &p->doubted);
	free(p->slot);
	free(p);
}

static void **
slot_of(const struct panes *p, int64_t pane)
{
	return &p->slot[pane - floor_div(pane, p->count) * p->count];
}

static int64_t
oldest(const struct panes *p)
{
	return p->newest - p->count + 1;
}

/*
 * Lines go in.
 */

static void
put_in(struct panes *p, void **sketch, const struct lot *lot)
{
	if (!*sketch)
		*sketch = p->what.make(p->what.context);
	if (lot->sketch)
		p->what.unite(p->what.context, *sketch, lot->sketch);
	else
		p->what.add(p->what.context, *sketch, lot->batch, lot->from, lot->n);
}

static void
put_in_slot(struct panes *p, int64_t pane, const struct lot *lot)
{
	void **slot = slot_of(p, pane);

	p->held += *slot == NULL;
	put_in(p, slot, lot);
}

static void
put(struct panes *p, int64_t pane, const struct lot *lot)
{
	p->any = true;
	if (p->count == 0) {
		put_in(p, &p->head, lot);
		return;
	}
	if (pane > p->mid) {
		put_in_slot(p, pane, lot);
		if (p->count > 1)
			put_in(p, &p->head, lot);
		return;
	}
	for (int64_t i = oldest(p); i <= pane; i++)
		put_in_slot(p, i, lot);
}

static void
put_doubted(struct panes *p, int64_t pane)
{
	put(p, pane, &(struct lot){.sketch = p->doubted});
	drop(p, &p->doubted);
}

/*
 * Rows come out.
 */

/* From mid on all begins anew. */
static void
fold_slots(struct panes *p)
{
	for (int64_t i = p->newest - 1; i >= oldest(p); i--)
		if (*slot_of(p, i + 1))
			put_in_slot(p, i, &(struct lot){.sketch = *slot_of(p, i + 1)});
	drop(p, &p->head);
	p->mid = p->newest;
}

static void
print(struct panes *p, void *sketch)
{
	char time[TIME_SIZE];
	void *none = NULL;

	if (!sketch)
		sketch = none = p->what.make(p->what.context);
	p->what.row(p->what.context, time_print(time, window_end(&p->window, p->newest)), sketch);
	drop(p, &none);
}

/* The row of the step that ends with the newest pane. */
static void
print_row(struct panes *p)
{
	void *all = NULL, *old;

	p->any = false;
	if (p->count == 0) {
		print(p, p->head);
		return;
	}
	if (oldest(p) > p->mid)
		fold_slots(p);
	old = *slot_of(p, oldest(p));
	if (!old || !p->head) {
		print(p, old ? old : p->head);
		return;
	}
	put_in(p, &all, &(struct lot){.sketch = old});
	put_in(p, &all, &(struct lot){.sketch = p->head});
	print(p, all);
	drop(p, &all);
}

/* Does a step end with the newest pane? */
static bool
at_end(const struct panes *p)
{
	return (p->newest + 1) % p->per_row == 0;
}

/* Is there no line in the window, or, without an end, none in this step? */
static bool
is_empty(const struct panes *p)
{
	return p->count > 0 ? p->held == 0 : !p->any;
}

static void
next_pane(struct panes *p)
{
	if (p->count > 0) {
		void **slot = slot_of(p, oldest(p));
		p->held -= *slot != NULL;
		drop(p, slot);
	}
	p->newest++;
}

/* Go to a pane, with nothing to tell on the way there. By arrival the last of
 * the steps that have passed says so. */
static void
leap(struct panes *p, int64_t to)
{
	int64_t last = floor_div(to, p->per_row) * p->per_row - 1;

	if (p->count > 0)
		drop(p, &p->head);
	if (p->window.arrival && last >= p->newest) {
		p->newest = last;
		print_row(p);
	}
	p->newest = to;
}

static void
go_to(struct panes *p, int64_t to)
{
	if (!p->begun) {
		p->begun = true;
		p->newest = to;
		p->mid = to - p->count;
	}
	while (p->newest < to) {
		if (is_empty(p)) {
			leap(p, to);
			break;
		}
		if (at_end(p))
			print_row(p);
		next_pane(p);
	}
}

/* The pane of the next line, once the clock is there. What was in doubt is
 * settled, and if this line is, it goes nowhere yet. */
static int64_t
turn(struct panes *p, int64_t time)
{
	const struct window before = p->window;
	int64_t pane = window_take(&p->window, time);

	if (before.doubting && p->window.wrong == before.wrong) {
		go_to(p, before.doubted);
		put_doubted(p, before.doubted);
	} else if (before.doubting && before.started) {
		put_doubted(p, p->newest);
	}
	if (p->window.started)
		go_to(p, p->window.newest);
	return pane;
}

/* Most lines are of the same pane as the one before. */
static bool
stays(const struct panes *p, int64_t pane, int64_t time)
{
	const struct window *w = &p->window;

	return w->started && !w->doubting && time >= pane * w->length &&
	    time - pane * w->length < w->length;
}

void
panes_take(struct panes *p, const struct batch *b)
{
	struct lot lot = {.batch = b};
	int64_t pane = p->newest;

	for (size_t i = 0; i < b->n; i++) {
		if (stays(p, pane, b->time[i])) {
			lot.n++;
			continue;
		}
		if (lot.n > 0)
			put(p, pane, &lot);
		pane = turn(p, b->time[i]);
		lot.from = i;
		lot.n = 1;
		if (p->window.doubting) {
			put_in(p, &p->doubted, &lot);
			lot.n = 0;
		}
	}
	if (lot.n > 0)
		put(p, pane, &lot);
}

int64_t
panes_clock(struct panes *p, int64_t now)
{
	window_take(&p->window, now);
	go_to(p, p->window.newest);
	return (floor_div(p->newest, p->per_row) + 1) * p->per_row * p->window.length;
}

void
panes_end(struct panes *p)
{
	window_believe(&p->window);
	if (!p->window.started)
		return;
	go_to(p, p->window.newest);
	if (p->doubted)
		put_doubted(p, p->window.newest);
	while (!at_end(p))
		next_pane(p);
	if (!is_empty(p) || p->window.arrival)
		print_row(p);
}

const struct window *
panes_window(const struct panes *p)
{
	return &p->window;
}
