/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "sketch/quantiles/tdigest.h"
#include "sketch/quantiles/tdigest_body.h"
#include "sketch/quantiles/tdigest_sort.h"

/* The tail and the centroids together, in their order. */
struct feed {
	const struct centroid *at, *end;
	const uint64_t *key, *key_end, *weight;
};

static struct feed
feed_of(const struct tdigest *t)
{
	return (struct feed){
		t->at, t->at + t->n, t->tail, t->tail + t->waiting, t->weight,
	};
}

/* How many of the tail's next keys are this one. */
static inline uint64_t
feed_equal(struct feed *f, uint64_t key)
{
	uint64_t weight = 0;

	for (; f->key < f->key_end && *f->key == key; f->key++)
		weight += f->weight ? *f->weight++ : 1;
	return weight;
}

/* So many centroids are merged at once. */
#define SOME 64

/* Of the tail what is below a key, behind the n there are. Samples repeat
 * themselves or not, as they like: so there is no branch for that. */
static size_t
feed_tail(struct feed *f, uint64_t below, struct centroid out[SOME], size_t n)
{
	const uint64_t *key = f->key, *end = f->key_end, *weight = f->weight;
	uint64_t last = key < end ? ~*key : 0, sum = 0;

	for (; key < end && n < SOME && *key < below; key++) {
		uint64_t more = weight ? *weight++ : 1;
		bool again = *key == last;
		sum = more + (again ? sum : 0);
		n -= again;
		last = *key;
		out[n++] = (struct centroid){tdigest_value(last), sum, true};
	}
	f->key = key;
	f->weight = weight;
	if (n > 0 && sum > 0)
		out[n - 1].weight += feed_equal(f, last);
	return n;
}

/* The next ones. How many it were, 0 only at the end. */
static size_t
feed_some(struct feed *feed, struct centroid out[SOME])
{
	struct feed f = *feed;
	size_t n = 0;

	while (n < SOME) {
		if (f.at == f.end) {
			n = feed_tail(&f, UINT64_MAX, out, n);
			break;
		}
		uint64_t key = tdigest_key(f.at->mean);
		n = feed_tail(&f, key, out, n);
		if (n < SOME) {
			out[n] = *f.at++;
			if (out[n].point)
				out[n].weight += feed_equal(&f, key);
			n++;
		}
	}
	*feed = f;
	return n;
}

static void
sort_tail(struct tdigest *t)
{
	tdigest_sort(t->tail, t->weight, t->tail + t->tail_room,
	    t->weight ? t->weight + t->tail_room : NULL, t->waiting);
}

static void
sweep_all(struct tdigest *t)
{
	struct sweep sweep;
	struct centroid some[SOME];
	size_t n;

	sweep_begin(&sweep, t->seen, t->gap, t->compression, t->total);
	do {
		struct feed feed = feed_of(t);
		while ((n = feed_some(&feed, some)) > 0)
			sweep_put(&sweep, some, n);
	} while (sweep_again(&sweep));
	t->seen_n = (uint32_t)sweep.n;
	t->fresh = true;
}

/* Points and tail are so many different samples. */
static size_t
different(const struct tdigest *t)
{
	struct feed feed = feed_of(t);
	struct centroid some[SOME];
	size_t all = 0, n;

	while ((n = feed_some(&feed, some)) > 0)
		all += n;
	return all;
}

/* Take the sorted tail in among the points; then there are n. From behind, where
 * there is room. */
static void
take_tail(struct tdigest *t, size_t n)
{
	size_t i = t->n, j = t->waiting, to = n;

	while (j > 0) {
		uint64_t key = t->tail[j - 1];
		struct centroid c = {tdigest_value(key), 0, true};

		while (i > 0 && t->at[i - 1].mean > c.mean)
			t->at[--to] = t->at[--i];
		for (; j > 0 && t->tail[j - 1] == key; j--)
			c.weight += t->weight ? t->weight[j - 1] : 1;
		if (i > 0 && t->at[i - 1].mean == c.mean)
			c.weight += t->at[--i].weight;
		t->at[--to] = c;
	}
	t->n = (uint32_t)n;
	t->waiting = 0;
}

void
tdigest_settle(struct tdigest *t)
{
	if (t->waiting == 0 || t->fresh)
		return;
	sort_tail(t);
	if (t->points) {
		size_t n = different(t);
		if (n <= sweep_room(t->compression)) {
			take_tail(t, n);
			return;
		}
	}
	sweep_all(t);
}

struct centroids
tdigest_look(const struct tdigest *t)
{
	tdigest_settle((struct tdigest *)(uintptr_t)t);
	return t->waiting == 0 ? (struct centroids){t->at, t->n} :
	    (struct centroids){t->seen, t->seen_n};
}

void
tdigest_commit(struct tdigest *t)
{
	tdigest_settle(t);
	if (t->waiting > 0) {
		struct centroid *swap = t->at;
		t->at = t->seen;
		t->seen = swap;
		t->n = t->seen_n;
		t->waiting = 0;
		t->points = false;
	}
	t->since = 0;
	t->fresh = false;
}
