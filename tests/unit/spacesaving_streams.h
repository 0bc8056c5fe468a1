/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef UNIT_SPACESAVING_STREAMS_H
#define UNIT_SPACESAVING_STREAMS_H

#include <math.h>

#include "base/hash.h"
#include "sketch/frequency/spacesaving.h"

#include "check.h"

/* Streams of events over IDS items, whose true counts are known. */
#define IDS 30000
#define ABSENT 10000
#define KEY_MAX 48

enum shape { ZIPF, FLAT, SORTED, LATE, WAVES, SHAPES };

struct stream {
	enum shape shape;
	double skew;
	bool weighted;
	uint64_t seed;
	size_t events;
};

static uint64_t truth[IDS], true_hits[IDS];
static double share[IDS];

static char keys[IDS + ABSENT][KEY_MAX];
static struct slice item_of[IDS + ABSENT];
static uint64_t hash_of[IDS + ABSENT];

/* Items of 2 to some 40 bytes, with a NUL in every fifth. */
static inline void
make_items(void)
{
	for (size_t id = 0; id < IDS + ABSENT; id++) {
		int n = snprintf(keys[id], KEY_MAX, "k%zu%s", id,
		    id % 3 ? "" : "/a/rather/long/path/of/it");
		if (id % 5 == 0)
			keys[id][0] = '\0';
		item_of[id] = (struct slice){(const unsigned char *)keys[id], (size_t)n};
		hash_of[id] = hash_bytes(keys[id], (size_t)n, 0);
	}
}

static inline void
zipf_shares(double skew)
{
	double sum = 0;

	for (size_t i = 0; i < IDS; i++)
		sum += pow((double)i + 1, -skew);
	double so_far = 0;
	for (size_t i = 0; i < IDS; i++)
		share[i] = (so_far += pow((double)i + 1, -skew)) / sum;
}

static inline size_t
zipf_id(uint64_t *random)
{
	double u = (double)(check_random(random) >> 11) * 0x1p-53;
	size_t low = 0, high = IDS - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (share[middle] < u)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline size_t
next_id(const struct stream *from, size_t i, uint64_t *random)
{
	switch (from->shape) {
	case ZIPF:
		return zipf_id(random);
	case FLAT:
		return check_random(random) % IDS;
	case SORTED:
		return i * IDS / from->events;
	case LATE:
		/* Everything once, over and over; at last a few often. */
		return i < from->events * 9 / 10 ? i % IDS : IDS - 1 - i % 30;
	default:
		/* Each item is heavy for a while, then never seen again. */
		return i / 500 % IDS * 7 % IDS + (i % 5 ? 0 : check_random(random) % IDS) % 7;
	}
}

/* Batches of unlike sizes, so that they end anywhere. What was true before stays
 * so. */
static inline void
feed_more(struct spacesaving *s, const struct stream *from, size_t most)
{
	uint64_t random = from->seed, sizes = most;
	static struct slice item[1000];
	static uint64_t hash[1000], weight[1000];

	if (from->shape == ZIPF)
		zipf_shares(from->skew);
	for (size_t done = 0, n; done < from->events; done += n) {
		n = 1 + check_random(&sizes) % most;
		if (n > from->events - done)
			n = from->events - done;
		for (size_t i = 0; i < n; i++) {
			size_t id = next_id(from, done + i, &random) % IDS;
			item[i] = item_of[id];
			hash[i] = hash_of[id];
			weight[i] = from->weighted ? check_random(&random) % 1000 : 1;
			truth[id] += weight[i];
			true_hits[id]++;
		}
		CHECK(spacesaving_add(s, item, hash, from->weighted ? weight : NULL, n) == OK);
	}
}

static inline void
feed(struct spacesaving *s, const struct stream *from, size_t most)
{
	memset(truth, 0, sizeof truth);
	memset(true_hits, 0, sizeof true_hits);
	feed_more(s, from, most);
}

/* Everything the summary says about any item must be true. */
static inline void
check_bounds(const struct spacesaving *s)
{
	uint64_t missing = spacesaving_missing(s), total = 0;
	size_t seen = 0, monitored = 0;

	for (size_t id = 0; id < IDS + ABSENT; id++) {
		uint64_t count = id < IDS ? truth[id] : 0, low, high;
		spacesaving_bounds(s, item_of[id], hash_of[id], &low, &high);
		CHECK(low <= count && count <= high);
		if (spacesaving_exact(s))
			CHECK(low == count && high == count);
		total += count;
		seen += count > 0;
		/* One above the bound for the others must have a counter. */
		CHECK(count <= missing || low > 0 || high > missing);
	}
	CHECK_EQ(spacesaving_total(s), total);
	CHECK(!spacesaving_saturated(s));

	struct counter c;
	for (size_t at = 0; spacesaving_each(s, &at, &c); monitored++) {
		CHECK(c.low <= c.high && c.high <= total);
		CHECK_EQ(hash_bytes(c.item.at, c.item.len, 0), c.hash);
	}
	CHECK_EQ(monitored, spacesaving_distinct(s));
	if (spacesaving_exact(s)) {
		CHECK(monitored >= seen);        /* items of weight 0 count too */
		CHECK_EQ(missing, 0);
	}
}

static inline int
exact_order(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (truth[x] != truth[y])
		return truth[x] > truth[y] ? -1 : 1;
	return slice_compare(item_of[x], item_of[y]);
}

/* What is called certain is among the true top k; exact means equal. Returns
 * how many were certain. */
static inline size_t
check_top(const struct spacesaving *s, size_t k)
{
	static size_t order[IDS];
	struct counter *top;
	size_t n, certain = 0;

	for (size_t i = 0; i < IDS; i++)
		order[i] = i;
	qsort(order, IDS, sizeof *order, exact_order);
	CHECK(spacesaving_top(s, k, &top, &n) == OK);
	CHECK(n == k || (n < k && n == spacesaving_distinct(s)));

	for (size_t i = 0; i < n; i++) {
		bool found = false;
		for (size_t j = 0; j < k && !found; j++)
			found = slice_equal(top[i].item, item_of[order[j]]);
		CHECK(!top[i].certain || found);
		CHECK(i == 0 || counter_before(&top[i - 1], &top[i]));
		certain += top[i].certain;
		if (spacesaving_exact(s)) {
			CHECK(top[i].certain);
			CHECK(slice_equal(top[i].item, item_of[order[i]]));
			CHECK(top[i].low == truth[order[i]] && top[i].high == top[i].low);
		}
	}
	free(top);
	return certain;
}

/* A checksum of all counters in the order in which they lie. */
static inline uint64_t
fingerprint(const struct spacesaving *s)
{
	struct buffer all = {0};
	struct counter c;

	for (size_t at = 0; spacesaving_each(s, &at, &c);) {
		unsigned char fixed[16];
		put_le64(fixed, c.low);
		put_le64(fixed + 8, c.high);
		CHECK(buffer_append(&all, fixed, sizeof fixed) == OK);
		CHECK(buffer_append(&all, c.item.at, c.item.len) == OK);
	}
	uint64_t sum = hash_bytes(all.at, all.len, spacesaving_missing(s));
	buffer_free(&all);
	return sum;
}

#endif
