/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "tool/report.h"
#include "tool/answers/rows.h"
#include "tool/answers/toplist.h"

/* What is asked for a count, and where counts come from. */
struct source {
	const struct frequency *of;
	const void *body;
	uint64_t need;               /* 0: the place in the order decides */
	bool surely;
};

/* The least count that is at least this share: in whole units of 10^-12, lest
 * 7 % of 100 be a little more than 7. At least 1. */
static uint64_t
share_of(double share, uint64_t total)
{
	__extension__ typedef unsigned __int128 wide;
	const uint64_t whole = UINT64_C(1000000000000);
	uint64_t units = (uint64_t)(share * (double)whole + 0.5);
	uint64_t count = (uint64_t)(((wide)units * total + whole - 1) / whole);

	return count > 0 ? count : 1;
}

/* The next counter that reaches what is needed. */
static bool
next_counter(const void *source, size_t *at, struct counter *c)
{
	const struct source *s = source;

	while (s->of->each(s->body, at, c))
		if ((s->surely ? c->low : c->high) >= s->need)
			return true;
	return false;
}

static void
take(struct toplist *list, const struct source *s, size_t k, uint64_t missing)
{
	enum status st = top_of(s, next_counter, k, missing, &list->at, &list->n);

	if (st != OK)
		die(st, "cannot list");
}

/* At least so many: if the bounds allow it, it belongs here, and if the lower
 * one does, for certain. */
static void
by_count(struct toplist *list, struct source *s, const struct toplist_wish *wish)
{
	uint64_t missing = s->of->missing(s->body);

	s->need = wish->min;
	if (wish->share > 0) {
		uint64_t need = share_of(wish->share, s->of->total(s->body));
		if (s->need < need)
			s->need = need;
	}
	s->surely = wish->choice == TOPLIST_SURE;
	take(list, s, wish->k ? (size_t)wish->k : s->of->listed(s->body), missing);
	for (size_t i = 0; i < list->n; i++)
		list->at[i].certain = list->at[i].low >= s->need;
	if (!s->surely && missing >= s->need)
		list->escaped = missing;
}

/* By what they have at least. */
static int
worst_order(const void *a, const void *b)
{
	const struct counter *x = a, *y = b;

	if (x->low != y->low)
		return x->low > y->low ? -1 : 1;
	return slice_compare(x->item, y->item);
}

/* Could x, at its best, come before last at its worst? */
static bool
may_come_before(const struct counter *x, const struct counter *last)
{
	if (x->high != last->low)
		return x->high > last->low;
	return slice_compare(x->item, last->item) <= 0;
}

/* The kth of the list in the order of what each has at least; k is at most n. */
static struct counter
kth_at_least(const struct toplist *list, size_t k)
{
	struct counter *worst = malloc(list->n * sizeof *worst);

	if (!worst)
		die(STATUS_MEMORY, "cannot list");
	memcpy(worst, list->at, list->n * sizeof *worst);
	qsort(worst, list->n, sizeof *worst, worst_order);
	struct counter kth = worst[k - 1];
	free(worst);
	return kth;
}

/*
 * An item may be among the first k unless k others precede it even if each of
 * them has its least and it has its most: then the kth of those does. Only the
 * first k by their most can be certain.
 */
static void
all_that_may(struct toplist *list, const struct source *s, size_t k)
{
	uint64_t missing = s->of->missing(s->body);
	struct toplist first;

	take(&first, s, k, missing);
	take(list, s, s->of->listed(s->body), missing);
	for (size_t i = 0; i < list->n; i++)
		list->at[i].certain = i < first.n && first.at[i].certain;
	toplist_free(&first);

	if (list->n < k) {
		list->escaped = missing;
		return;
	}
	struct counter last = kth_at_least(list, k);
	size_t n = 0;
	for (size_t i = 0; i < list->n; i++)
		if (may_come_before(&list->at[i], &last))
			list->at[n++] = list->at[i];
	list->n = n;
	if (missing >= last.low)
		list->escaped = missing;
}

static void
by_place(struct toplist *list, const struct source *s, const struct toplist_wish *wish)
{
	size_t k = (size_t)wish->k, n = 0;
	uint64_t missing = s->of->missing(s->body);

	if (wish->choice == TOPLIST_ALL) {
		all_that_may(list, s, k);
		return;
	}
	take(list, s, k, missing);
	if (wish->choice == TOPLIST_LIKELY) {
		if (list->n < k)
			list->escaped = missing;
		return;
	}
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].certain)
			list->at[n++] = list->at[i];
	list->n = n;
}

/* Once a sum stopped at 2^64-1, nobody knows how much is left. */
static void
set_rest(struct toplist *list, const struct source *s)
{
	uint64_t low = 0, high = 0, total = s->of->total(s->body);

	for (size_t i = 0; i < list->n; i++) {
		low = add_saturated(low, list->at[i].low);
		high = add_saturated(high, list->at[i].high);
	}
	list->rest_low = total > high ? total - high : 0;
	list->rest_high = s->of->saturated(s->body) ? UINT64_MAX : total > low ? total - low : 0;
}

void
toplist_make(struct toplist *list, const struct toplist_wish *wish,
    const struct frequency *of, const void *body)
{
	struct source s = {.of = of, .body = body};

	*list = (struct toplist){0};
	if (wish->min > 0 || wish->share > 0)
		by_count(list, &s, wish);
	else
		by_place(list, &s, wish);
	set_rest(list, &s);
}

void
toplist_free(struct toplist *list)
{
	free(list->at);
	*list = (struct toplist){0};
}

static void
print(const struct toplist_wish *wish, struct row *row, const struct counter *of)
{
	if (wish->print)
		wish->print(row, of);
	else
		row_print(row);
}

void
toplist_print(const struct toplist *list, const struct toplist_wish *wish, const char *time)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct counter *c = &list->at[i];
		struct row row = {
			.estimate = c->high, .low = c->low, .high = c->high,
			.uncertain = !c->certain, .time = time,
			.label = "item", .item = c->item,
		};
		print(wish, &row, c);
	}
	if (wish->rest) {
		struct row row = {
			.estimate = list->rest_high, .low = list->rest_low,
			.high = list->rest_high, .time = time, .rest = true,
		};
		print(wish, &row, NULL);
	}
}

void
toplist_warn(const struct toplist *list, const struct toplist_wish *wish, const char *help)
{
	bool early = wish->choice == TOPLIST_LIKELY && wish->min == 0 && wish->share <= 0;

	if (list->escaped == 0)
		return;
	lament("the list %s: an item that is not in it may have occurred %llu times; %s",
	    early ? "ends early" : "may lack some", (unsigned long long)list->escaped, help);
}
