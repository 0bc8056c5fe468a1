/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * The k first of n counters are kept in a heap whose root is the last of them:
 * a newcomer is compared with the root alone, and nearly always stays outside.
 *
 * Certainty. Let a counter's worst place be the one it has if its count is its
 * low. Another one can come before it only if the other's high does, in the
 * same order. A counter that fewer than k others can precede, and no item
 * outside the source either, is among the first k for sure. A second walk
 * counts the possible predecessors of all k at once: with the k sorted by
 * their worst places, what can precede one can precede all behind it too.
 */
#include <stdlib.h>

#include "sketch/frequency/top.h"

bool
counter_before(const struct counter *a, const struct counter *b)
{
	if (a->high != b->high)
		return a->high > b->high;
	if (a->low != b->low)
		return a->low > b->low;
	return slice_compare(a->item, b->item) < 0;
}

int
counter_order(const void *a, const void *b)
{
	return counter_before(a, b) ? -1 : counter_before(b, a);
}

static void
swap(struct counter *a, struct counter *b)
{
	struct counter c = *a;

	*a = *b;
	*b = c;
}

static void
heap_raise(struct counter *heap, size_t i)
{
	for (size_t up; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!counter_before(&heap[up], &heap[i]))
			return;
		swap(&heap[up], &heap[i]);
	}
}

static void
heap_lower(struct counter *heap, size_t n)
{
	for (size_t i = 0, down; (down = 2 * i + 1) < n; i = down) {
		if (down + 1 < n && counter_before(&heap[down], &heap[down + 1]))
			down++;
		if (!counter_before(&heap[i], &heap[down]))
			return;
		swap(&heap[i], &heap[down]);
	}
}

/* Could a, at its best, come before b at its worst? */
static bool
may_precede(const struct counter *a, const struct counter *b)
{
	if (a->high != b->low)
		return a->high > b->low;
	return slice_compare(a->item, b->item) < 0;
}

/* One of the first k, in the order of worst places. */
struct place {
	struct counter *of;
	size_t rivals;               /* that may precede it, but none before it */
};

static int
worst_order(const void *a, const void *b)
{
	const struct counter *x = ((const struct place *)a)->of;
	const struct counter *y = ((const struct place *)b)->of;

	if (x->low != y->low)
		return x->low > y->low ? -1 : 1;
	return slice_compare(x->item, y->item);
}

/* The first of the n that a may precede. */
static size_t
first_preceded(const struct place *worst, size_t n, const struct counter *a)
{
	size_t from = 0;

	while (from < n) {
		size_t middle = from + (n - from) / 2;
		if (may_precede(a, worst[middle].of))
			n = middle;
		else
			from = middle + 1;
	}
	return from;
}

static enum status
set_certain(const void *source, bool (*next)(const void *, size_t *, struct counter *),
    size_t k, uint64_t missing, struct counter *top, size_t n)
{
	/* One place more, for those that precede none. */
	struct place *worst = calloc(n + 1, sizeof *worst);

	if (!worst)
		return STATUS_MEMORY;
	for (size_t i = 0; i < n; i++)
		worst[i].of = &top[i];
	qsort(worst, n, sizeof *worst, worst_order);

	struct counter c;
	for (size_t at = 0; next(source, &at, &c);)
		if (c.high >= worst[n - 1].of->low)
			worst[first_preceded(worst, n, &c)].rivals++;

	size_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		struct counter *of = worst[i].of;
		sum += worst[i].rivals;
		/* Unless its count is exact, a counter precedes its own worst. */
		size_t others = sum - may_precede(of, of);
		of->certain = others < k && (missing == 0 || missing < of->low);
	}
	free(worst);
	return OK;
}

enum status
top_of(const void *source, bool (*next)(const void *, size_t *, struct counter *),
    size_t k, uint64_t missing, struct counter **out, size_t *n)
{
	struct counter *heap = NULL, c;
	size_t used = 0, room = 0;

	for (size_t at = 0; k > 0 && next(source, &at, &c);) {
		c.certain = false;
		if (used == k) {
			if (counter_before(&c, &heap[0])) {
				heap[0] = c;
				heap_lower(heap, used);
			}
			continue;
		}
		if (used == room) {
			room = room ? room * 2 : 16;
			struct counter *more = realloc(heap, room * sizeof *heap);
			if (!more) {
				free(heap);
				return STATUS_MEMORY;
			}
			heap = more;
		}
		heap[used] = c;
		heap_raise(heap, used++);
	}

	if (used > 0) {
		qsort(heap, used, sizeof *heap, counter_order);
		enum status st = set_certain(source, next, k, missing, heap, used);
		if (st != OK) {
			free(heap);
			return st;
		}
	}
	*out = heap;
	*n = used;
	return OK;
}
