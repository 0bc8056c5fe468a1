/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Rows beside those of a plain list of lines. A sketch is a set of the numbers
 * 0 to 63, so it is exact, and tells what it was asked to do.
 */
#include "base/time.h"
#include "tool/time/panes.h"
#include "check.h"

#define LINES 4000
#define ROWS 100000

struct line {
	int64_t time;
	uint64_t item;
};

struct row {
	char time[TIME_SIZE];
	uint64_t set;
};

struct book {
	size_t rows, made, unions;
	struct row row[ROWS];
};

static struct book book, wanted;
static struct line line[LINES];

static void *
make(void *context)
{
	struct book *b = context;

	b->made++;
	return calloc(1, sizeof(uint64_t));
}

static void
add(void *context, void *sketch, const struct batch *b, size_t from, size_t n)
{
	uint64_t *set = sketch;

	(void)context;
	CHECK(n > 0);
	for (size_t i = from; i < from + n; i++)
		*set |= UINT64_C(1) << b->hash[i];
}

static void
unite(void *context, void *into, void *from)
{
	struct book *b = context;

	CHECK(into != from);
	*(uint64_t *)into |= *(uint64_t *)from;
	b->unions++;
}

static void
release(void *context, void *sketch)
{
	struct book *b = context;

	b->made--;
	free(sketch);
}

static void
write_row(void *context, const char *time, void *sketch)
{
	struct book *b = context;
	struct row *r = &b->row[b->rows];

	CHECK(b->rows < ROWS - 1);
	b->rows += b->rows < ROWS - 1;
	strcpy(r->time, time);
	r->set = *(uint64_t *)sketch;
}

static void
begin(struct book *b)
{
	b->rows = b->made = b->unions = 0;
}

static const struct pane_sketch set = {&book, make, add, unite, release, write_row};

/* n lines, in batches of any size: they must not matter. */
static void
take(struct panes *p, const struct line *l, size_t n, uint64_t *state)
{
	static struct batch b;

	for (size_t i = 0; i < n; i += b.n) {
		b.n = 1 + check_random(state) % BATCH_MAX;
		if (b.n > n - i)
			b.n = n - i;
		for (size_t k = 0; k < b.n; k++) {
			b.time[k] = l[i + k].time;
			b.hash[k] = l[i + k].item;
		}
		panes_take(p, &b);
	}
}

static void
run(int64_t window, int64_t every, size_t n, uint64_t *state)
{
	begin(&book);
	struct panes *p = panes_new(&set, window, every, false);
	take(p, line, n, state);
	panes_end(p);
	panes_free(p);
	CHECK_EQ(book.made, 0);
}

/*
 * The rule, told by a list: where each line counts, and from which of them on.
 */
struct model {
	int64_t length, count, per_row, newest, told;
	bool started;
	size_t lines;
	int64_t pane[LINES];
	uint64_t item[LINES];
	uint64_t late, wrong;
};

static struct model model;

static int64_t
floor_of(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* What the panes from..to hold now. */
static uint64_t
held(int64_t from, int64_t to)
{
	uint64_t all = 0;

	for (size_t i = 0; i < model.lines; i++)
		if (model.pane[i] >= from && model.pane[i] <= to)
			all |= UINT64_C(1) << model.item[i];
	return all;
}

static void
expect_row(int64_t pane)
{
	char time[TIME_SIZE];
	uint64_t all = held(model.count > 0 ? pane - model.count + 1 : INT64_MIN, pane);

	if (all != 0)
		write_row(&wanted, time_print(time, (pane + 1) * model.length), &all);
}

/* The clock is at a pane: the steps before are over. */
static void
expect_rows(int64_t to)
{
	int64_t last = model.newest + (model.count > 0 ? model.count : 1);

	for (int64_t pane = model.newest; pane < to && pane < last; pane++)
		if ((pane + 1) % model.per_row == 0)
			expect_row(pane);
	model.newest = to;
}

static void
count_as(int64_t pane, uint64_t item)
{
	model.pane[model.lines] = pane;
	model.item[model.lines++] = item;
}

/* Of a window as long as a step at least, what the next row holds; of a shorter
 * one, which leaves out what is between two of them, what is behind the newest. */
static int64_t
oldest_that_counts(void)
{
	int64_t last = model.newest;

	if (model.count == 0)
		return INT64_MIN;
	while (model.count >= model.per_row && (last + 1) % model.per_row != 0)
		last++;
	return last - model.count + 1;
}

/* Doubt needs the next line only, since there is one: so the list can look
 * ahead. Times of the first line are right in what follows. */
static void
expect(int64_t window, int64_t every, size_t n)
{
	int64_t length = every;

	while (window % length != 0 || every % length != 0)
		length--;
	model = (struct model){.length = length, .count = window / length, .per_row = every / length};
	begin(&wanted);
	int64_t ahead = model.count > 0 ? model.count : 1;
	model.newest = floor_of(line[0].time, length);
	for (size_t i = 0; i < n; i++) {
		int64_t pane = floor_of(line[i].time, length);
		int64_t next = i + 1 < n ? floor_of(line[i + 1].time, length) : pane;
		int64_t oldest = oldest_that_counts();
		if (pane > model.newest + ahead && next < pane - ahead) {
			model.wrong++;
			pane = model.newest;
		} else if (pane > model.newest) {
			expect_rows(pane);
		} else if (pane < oldest) {
			model.late++;
			pane = oldest;
		}
		count_as(pane, line[i].item);
	}
	int64_t end = model.newest;
	while ((end + 1) % model.per_row != 0)
		end++;
	expect_row(end);
}

static void
must_agree(void)
{
	CHECK_EQ(book.rows, wanted.rows);
	for (size_t i = 0; i < book.rows && i < wanted.rows; i++) {
		if (strcmp(book.row[i].time, wanted.row[i].time) == 0 &&
		    book.row[i].set == wanted.row[i].set)
			continue;
		printf("# row %zu: %s %llx, not %s %llx\n", i, book.row[i].time,
		    (unsigned long long)book.row[i].set, wanted.row[i].time,
		    (unsigned long long)wanted.row[i].set);
		CHECK(!"rows agree");
		break;
	}
}

static void
random_lines(size_t n, int64_t step, int64_t jitter, int64_t gap, uint64_t *state)
{
	int64_t now = (int64_t)(check_random(state) % 2000) - 1000;

	for (size_t i = 0; i < n; i++) {
		now += (int64_t)(check_random(state) % (uint64_t)step);
		if (gap > 0 && i > 1 && check_random(state) % 50 == 0)
			now += (int64_t)(check_random(state) % (uint64_t)gap);
		/* The first two agree. */
		line[i].time = now;
		if (i > 1)
			line[i].time -= (int64_t)(check_random(state) % (uint64_t)(jitter + 1));
		if (gap > 0 && i > 1 && check_random(state) % 97 == 0)
			line[i].time += (int64_t)(check_random(state) % 100000);
		line[i].item = check_random(state) % 64;
	}
}

static void
rows_are_those_of_a_list(void)
{
	static const int64_t form[][2] = {
		{10, 10}, {30, 10}, {100, 10}, {1000, 10}, {70, 1}, {25, 10}, {10, 4}, {0, 10}, {64, 48},
	};
	uint64_t state = 1;
	size_t n = check_long() ? LINES : 600, rows = 0, late = 0, wrong = 0;

	for (unsigned round = 0; round < 20; round++) {
		int64_t step = 1 + (int64_t)(check_random(&state) % 12);
		int64_t jitter = round % 2 == 0 ? 0 : (int64_t)(check_random(&state) % 150);
		random_lines(n, step, jitter, round % 3 == 0 ? 0 : 600, &state);
		for (size_t f = 0; f < sizeof form / sizeof *form; f++) {
			expect(form[f][0], form[f][1], n);
			run(form[f][0], form[f][1], n, &state);
			must_agree();
			rows += wanted.rows;
			late += model.late;
			wrong += model.wrong;
		}
	}
	CHECK(rows > 10000 && late > 1000 && wrong > 50);
}

/* However long the window is, two unions a row and a pane are enough. */
static void
a_row_costs_no_more_for_a_long_window(void)
{
	uint64_t state = 2;

	for (size_t i = 0; i < LINES; i++)
		line[i] = (struct line){(int64_t)i * 10, i % 64};
	for (int64_t window = 20; window <= 20000; window *= 10) {
		run(window, 10, LINES, &state);
		CHECK_EQ(book.rows, LINES);
		CHECK(book.unions <= 3 * LINES);
	}
}

static void
a_gap_of_years_takes_no_time(void)
{
	const int64_t century = INT64_C(36525) * 86400 * 1000000;
	uint64_t state = 3;

	for (size_t i = 0; i < 100; i++)
		line[i] = (struct line){(int64_t)(i / 2) * century, i % 64};
	run(3000, 1000, 100, &state);
	/* A window of three steps is told three times. */
	CHECK_EQ(book.rows, 49 * 3 + 1);
	run(0, 1000, 100, &state);
	CHECK_EQ(book.rows, 50);
	run(1000, 1000, 100, &state);
	CHECK_EQ(book.rows, 50);
	CHECK_EQ(book.row[7].set, 3 << 14);
}

static void
no_line_no_row(void)
{
	uint64_t state = 4;

	run(30, 10, 0, &state);
	CHECK_EQ(book.rows, 0);
	run(0, 10, 0, &state);
	CHECK_EQ(book.rows, 0);
}

/* All wrong until one is believed: the last of them has no next. */
static void
lines_that_go_back_far_are_counted_in_the_end(void)
{
	uint64_t state = 5;

	for (size_t i = 0; i < 10; i++)
		line[i] = (struct line){-(int64_t)i * 1000, i};
	run(30, 10, 10, &state);
	CHECK_EQ(book.rows, 1);
	CHECK_EQ(book.row[0].set, 0x3ff);
	run(0, 10, 10, &state);
	CHECK_EQ(book.rows, 1);
	CHECK_EQ(book.row[0].set, 0x3ff);
}

/* A doubted line counts with the newest ones, before the clock goes on. */
static void
a_wrong_time_moves_nothing(void)
{
	static const struct line some[] = {{5, 0}, {6, 1}, {10000, 2}, {12, 3}, {25, 4}, {24, 5}};
	uint64_t state = 6;

	memcpy(line, some, sizeof some);
	run(10, 10, 6, &state);
	CHECK_EQ(book.rows, 3);
	CHECK_EQ(book.row[0].set, 7);
	CHECK_EQ(book.row[1].set, 8);
	CHECK_EQ(book.row[2].set, 0x30);
}

/*
 * By arrival.
 */

static void
arrive(struct panes *p, int64_t now, uint64_t item)
{
	const struct line one = {now, item};
	uint64_t state = 7;

	take(p, &one, 1, &state);
}

static void
by_arrival_every_step_has_a_row(void)
{
	begin(&book);
	struct panes *p = panes_new(&set, 20, 10, true);

	CHECK_EQ(panes_clock(p, 5), 10);
	CHECK_EQ(book.rows, 0);
	CHECK_EQ(panes_clock(p, 10), 20);
	CHECK_EQ(book.rows, 1);
	arrive(p, 12, 3);
	arrive(p, 11, 4);                    /* the clock was set back: it stands */
	arrive(p, 1, 5);
	CHECK_EQ(panes_clock(p, 25), 30);
	CHECK_EQ(panes_clock(p, 35), 40);
	CHECK_EQ(panes_clock(p, 45), 50);
	CHECK_EQ(book.rows, 4);
	CHECK_EQ(book.row[0].set, 0);
	CHECK_EQ(book.row[1].set, 0x38);
	CHECK_EQ(book.row[2].set, 0x38);
	CHECK_EQ(book.row[3].set, 0);
	panes_end(p);
	CHECK_EQ(book.rows, 5);
	CHECK_EQ(panes_window(p)->late + panes_window(p)->wrong, 0);
	panes_free(p);
	CHECK_EQ(book.made, 0);
}

/* What passed while nobody looked: as long as the window holds lines, and the
 * last step. */
static void
by_arrival_a_sleep_is_not_told_step_by_step(void)
{
	begin(&book);
	struct panes *p = panes_new(&set, 20, 10, true);

	panes_clock(p, 5);
	arrive(p, 5, 1);
	CHECK_EQ(panes_clock(p, INT64_C(1000000000000005)), INT64_C(1000000000000010));
	CHECK_EQ(book.rows, 3);
	CHECK_EQ(book.row[0].set, 2);
	CHECK_EQ(book.row[1].set, 2);
	CHECK_EQ(book.row[2].set, 0);
	CHECK(strcmp(book.row[2].time, "2001-09-09T01:46:40Z") == 0);
	panes_free(p);
	CHECK_EQ(book.made, 0);

	/* Running totals are told again. */
	begin(&book);
	p = panes_new(&set, 0, 10, true);
	panes_clock(p, 5);
	arrive(p, 5, 1);
	panes_clock(p, 15);
	panes_clock(p, 1005);
	CHECK_EQ(book.rows, 2);
	CHECK_EQ(book.row[1].set, 2);
	panes_free(p);
	CHECK_EQ(book.made, 0);
}

int
main(void)
{
	RUN(rows_are_those_of_a_list);
	RUN(a_row_costs_no_more_for_a_long_window);
	RUN(a_gap_of_years_takes_no_time);
	RUN(no_line_no_row);
	RUN(lines_that_go_back_far_are_counted_in_the_end);
	RUN(a_wrong_time_moves_nothing);
	RUN(by_arrival_every_step_has_a_row);
	RUN(by_arrival_a_sleep_is_not_told_step_by_step);
	return check_done();
}
