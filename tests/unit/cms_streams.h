/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef UNIT_CMS_STREAMS_H
#define UNIT_CMS_STREAMS_H

#include "base/hash.h"
#include "sketch/frequency/cms.h"

#include "check.h"

/* What the tests of Count-Min do alike: a stream, and what is true of it. */

#define IDS 20000
#define KEY_MAX 24
#define BUDGET ((size_t)100000)  /* of a table that cannot hold all items */

static char keys[IDS][KEY_MAX];
static struct slice item_of[IDS];
static uint64_t hash_of[IDS];
static uint64_t truth[IDS];
static size_t stream[100000];    /* of item numbers */
static uint64_t weights[100000];

static inline void
make_stream(void)
{
	uint64_t random = 1;

	for (size_t id = 0; id < IDS; id++) {
		int n = snprintf(keys[id], KEY_MAX, "%zu.%zu", id * 7919 % 256, id);
		item_of[id] = (struct slice){(const unsigned char *)keys[id], (size_t)n};
		hash_of[id] = hash_bytes(keys[id], (size_t)n, 0);
	}
	for (size_t i = 0; i < 100000; i++) {
		/* Half flat, half skewed: below a random number below a random ... */
		uint64_t below = IDS;
		for (unsigned j = 0; j < i % 2 * 5; j++)
			below = 1 + check_random(&random) % below;
		stream[i] = check_random(&random) % below;
		weights[i] = check_random(&random) % 100;
	}
}

static inline struct cms *
cms_of(uint64_t width, unsigned depth, unsigned candidates)
{
	struct cms *c = NULL;

	CHECK(cms_new(&c, width, depth, cms_epsilon_of(width), cms_delta_of(depth),
	    candidates) == OK);
	return c;
}

/* The events from..to of the stream into this sketch, through a table of this
 * budget. */
static inline struct cms *
cms_fed(struct cms *c, size_t from, size_t to, size_t budget, bool weighted)
{
	struct spacesaving *table;
	struct slice item[100];
	uint64_t hash[100];

	CHECK(spacesaving_new(&table, budget) == OK);
	for (size_t n; from < to; from += n) {
		n = to - from < 100 ? to - from : 100;
		for (size_t i = 0; i < n; i++) {
			size_t id = stream[from + i];
			item[i] = item_of[id];
			hash[i] = hash_of[id];
			truth[id] += weighted ? weights[from + i] : 1;
		}
		CHECK(cms_feed(c, table, item, hash, weighted ? weights + from : NULL, n) == OK);
	}
	CHECK(cms_take_candidates(c, table) == OK);
	spacesaving_free(table);
	return c;
}

static inline struct cms *
cms_from(size_t from, size_t to, size_t budget, bool weighted, unsigned candidates)
{
	return cms_fed(cms_of(272, 5, candidates), from, to, budget, weighted);
}

struct saved {
	struct record head;
	struct buffer payload;
};

static inline struct saved
save(const struct cms *c)
{
	struct saved s = {.head = {.hash = HASH_XXH3}};

	CHECK(cms_kind.save(c, &s.head, &s.payload) == OK);
	CHECK_EQ(s.head.size, s.payload.len);
	CHECK(cms_kind.check(&s.head) == OK);
	return s;
}

static inline bool
same(const struct saved *a, const struct saved *b)
{
	return memcmp(a->head.param, b->head.param, sizeof a->head.param) == 0 &&
	    a->head.flags == b->head.flags && a->payload.len == b->payload.len &&
	    memcmp(a->payload.at, b->payload.at, a->payload.len) == 0;
}

static inline bool
same_bytes(const struct cms *a, const struct cms *b)
{
	struct saved x = save(a), y = save(b);
	bool equal = same(&x, &y);

	buffer_free(&x.payload);
	buffer_free(&y.payload);
	return equal;
}

/* As a reader would: check, then load from a copy. */
static inline enum status
load(const struct saved *s, struct cms **out)
{
	struct buffer copy = {0};
	void *body = NULL;
	enum status st = cms_kind.check(&s->head);

	if (st != OK)
		return st;
	if (s->head.size != s->payload.len)
		return STATUS_TRUNCATED;
	CHECK(buffer_append(&copy, s->payload.at, s->payload.len) == OK);
	st = cms_kind.load(&body, &s->head, &copy);
	buffer_free(&copy);
	if (st == OK)
		*out = body;
	return st;
}

static inline bool
heavier(size_t a, size_t b)
{
	if (truth[a] != truth[b])
		return truth[a] > truth[b];
	return slice_compare(item_of[a], item_of[b]) < 0;
}

/* Everything that is said of any item is true. Returns how many of the ten
 * heaviest are certain. */
static inline size_t
check_bounds(const struct cms *c)
{
	uint64_t total = 0, low, high;
	size_t largest[10], filled = 0, certain = 0, n;
	struct counter *top;

	for (size_t id = 0; id < IDS; id++) {
		cms_bounds(c, item_of[id], hash_of[id], &low, &high);
		CHECK(low <= truth[id] && truth[id] <= high);
		CHECK(high <= cms_estimate(c, hash_of[id]));
		total += truth[id];

		size_t place = filled;
		while (place > 0 && heavier(id, largest[place - 1]))
			place--;
		if (place == 10)
			continue;
		filled += filled < 10;
		memmove(largest + place + 1, largest + place,
		    (filled - 1 - place) * sizeof *largest);
		largest[place] = id;
	}
	CHECK_EQ(cms_total(c), total);
	for (uint64_t i = 0; i < 10000; i++) {
		char absent[KEY_MAX];
		int len = snprintf(absent, sizeof absent, "absent %u", (unsigned)i);
		struct slice item = {(const unsigned char *)absent, (size_t)len};
		cms_bounds(c, item, hash_bytes(absent, (size_t)len, 0), &low, &high);
		CHECK(low == 0 && high <= cms_missing(c));
	}

	CHECK(cms_top(c, 10, &top, &n) == OK);
	for (size_t i = 0; i < n; i++) {
		bool found = false;
		for (size_t j = 0; j < 10 && !found; j++)
			found = slice_equal(top[i].item, item_of[largest[j]]);
		CHECK(found || !top[i].certain);
		certain += top[i].certain;
	}
	free(top);
	return certain;
}

#endif
