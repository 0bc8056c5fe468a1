/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/hamming.h"

#include <stdlib.h>

#include "sketch/nearness/buckets.h"

/*
 * Multi-index hashing (Norouzi, Punjani, Fleet, CVPR 2012; the idea for
 * SimHash: Manku, Jain, Das Sarma, WWW 2007).
 *
 * Cut the 64 bits into 4 blocks of 16, and keep for each block a table of
 * buckets, 65536 when there are many signatures. If two signatures differ in
 * at most K bits, then for radii r0 .. r3 with
 *
 *	(r0 + 1) + (r1 + 1) + (r2 + 1) + (r3 + 1) = K + 1
 *
 * at least one block i differs in at most ri bits: else they would differ in
 * K + 1. So it is enough to look, in each table, into the buckets whose key
 * lies within ri of one's own; a block with ri = -1 is not looked into.
 *
 *	K    radii         buckets     signatures met, of 10^6 random ones
 *	3    0 0 0 0             4            61
 *	6    1 1 1 0            52           794
 *	8    2 1 1 1           188         2,900
 *	10   2 2 2 1           428         6,500
 *	16   4 3 3 3         4,608        70,000
 *
 * Any radii with that sum are exhaustive, so we may choose those that cost
 * least with the signatures at hand. If half of them share a block (by intent,
 * or because they come from one template), its bucket holds n / 2 and looking
 * there would make a run quadratic: then its radius is -1 and the other
 * blocks, with larger radii, do the work. And where buckets do not pay (few
 * signatures, a large K) all signatures are scanned, one after the other, at
 * some 4 a nanosecond.
 *
 * The cost is estimated from the size of the bucket in which a signature finds
 * itself on average, sum of squared sizes / n for each table, anew each time
 * n has grown by an eighth.
 *
 * What makes a run quadratic all the same is to find too many, or to find them
 * crowded in every block: lines of a few templates, each with many values. Then
 * a search ends when it has cost several times what as many random signatures
 * would have, and says so; a scan is of the latest ones then.
 *
 * Memory: 12 bytes a signature, and 70 to 170 more once there are buckets,
 * falling to some 55 when there are millions.
 */

#define PLAN_FIRST 1024              /* signatures; fewer are scanned */
#define WANTED 4                     /* signatures in a bucket, at most on average */

/* Costs, in compares of a scan: a bucket's first line comes from memory while
 * others are on their way, the ones behind it one after another. */
#define FIRST_LINE 24
#define LATER_LINE 80

/* How much more a search may cost than among random signatures: with this, twice
 * as many lines of a crowd take 2.2 times as long. */
#define COST_FREE (1 << 13)
#define COST_TIMES 4

struct hamming {
	unsigned distance;
	size_t n, room;
	uint64_t *signature;
	uint32_t *number;
	struct buckets buckets;
	int radius[BUCKETS_BLOCKS];
	bool scan;
	uint64_t limit;              /* of the cost of a search */
	size_t plan_at;              /* choose anew when n gets here */
	uint64_t memory, work;       /* memory without the buckets' */
};

static inline __attribute__((always_inline)) enum status
scan_all(const struct hamming *h, uint64_t signature, struct hits *hits)
{
	const uint64_t *at = h->signature;
	unsigned distance = h->distance;
	size_t n = h->n;

	for (size_t i = n > h->limit ? n - h->limit : 0; i < n; ) {
		size_t stop = i + 4;

		if (stop <= n && (beyond(at[i], signature, distance) |
		    beyond(at[i + 1], signature, distance) |
		    beyond(at[i + 2], signature, distance) |
		    beyond(at[i + 3], signature, distance)) >= 0) {
			i = stop;
			continue;
		}
		for (; i < stop && i < n; i++) {
			if (beyond(at[i], signature, distance) >= 0)
				continue;
			enum status st = hits_add(hits, h->number[i],
			    (uint32_t)__builtin_popcountll(at[i] ^ signature));
			if (st != OK)
				return st;
		}
	}
	return OK;
}

static enum status
scan_base(const struct hamming *h, uint64_t signature, struct hits *hits)
{
	return scan_all(h, signature, hits);
}

WITH_POPCNT static enum status
scan_popcnt(const struct hamming *h, uint64_t signature, struct hits *hits)
{
	return scan_all(h, signature, hits);
}

enum status
hamming_new(struct hamming **out, unsigned distance)
{
	struct hamming *h = calloc(1, sizeof(*h));
	if (!h)
		return STATUS_MEMORY;

	h->distance = distance;
	h->scan = true;
	h->limit = UINT64_MAX;
	h->plan_at = PLAN_FIRST;
	h->memory = sizeof(*h);
	*out = h;
	return OK;
}

void
hamming_free(struct hamming *h)
{
	if (!h)
		return;
	buckets_free(&h->buckets);
	free(h->signature);
	free(h->number);
	free(h);
}

/* Of a bucket in which so many signatures are met. */
static double
bucket_cost(double met)
{
	double later = met > BUCKETS_WAYS ? (met - BUCKETS_WAYS) / BUCKETS_WAYS : 0;

	return FIRST_LINE + met + later * LATER_LINE;
}

/* The cheapest radii, and what a search costs with them; -1: there are none. */
static double
cheapest(const struct hamming *h, const double met[BUCKETS_BLOCKS], int radius[BUCKETS_BLOCKS])
{
	double cost[BUCKETS_BLOCKS][BUCKETS_RADIUS_MAX + 2], best = -1;

	for (unsigned block = 0; block < BUCKETS_BLOCKS; block++)
		for (unsigned r = 0; r < BUCKETS_RADIUS_MAX + 2; r++)
			cost[block][r] = h->buckets.ball[r] * bucket_cost(met[block]);
	/* Digits in base 6: one more than the radius of each block. */
	for (unsigned code = 0; code < 6 * 6 * 6 * 6; code++) {
		unsigned digit[BUCKETS_BLOCKS] = {code / 216, code / 36 % 6, code / 6 % 6, code % 6};
		double sum = 0;

		if (digit[0] + digit[1] + digit[2] + digit[3] != h->distance + 1)
			continue;
		for (unsigned block = 0; block < BUCKETS_BLOCKS; block++)
			sum += cost[block][digit[block]];
		if (best >= 0 && sum >= best)
			continue;
		best = sum;
		for (unsigned block = 0; block < BUCKETS_BLOCKS; block++)
			radius[block] = (int)digit[block] - 1;
	}
	return best;
}

/* Among random signatures. */
static double
cheapest_at_random(const struct hamming *h, int radius[BUCKETS_BLOCKS])
{
	double met[BUCKETS_BLOCKS];

	for (unsigned block = 0; block < BUCKETS_BLOCKS; block++)
		met[block] = 1 + (double)h->n / (1u << h->buckets.width);
	return cheapest(h, met, radius);
}

/* Among those that are there. */
static double
cheapest_here(const struct hamming *h, int radius[BUCKETS_BLOCKS])
{
	double met[BUCKETS_BLOCKS];

	for (unsigned block = 0; block < BUCKETS_BLOCKS; block++)
		met[block] = h->buckets.squares[block] / (double)h->n;
	return cheapest(h, met, radius);
}

/* Where buckets do not pay for random signatures either, a scan is what was asked
 * for with that distance. */
static uint64_t
limit_of(const struct hamming *h)
{
	int unused[BUCKETS_BLOCKS];
	double random = cheapest_at_random(h, unused);

	return random < 0 || random >= (double)h->n ? UINT64_MAX :
	    COST_FREE + COST_TIMES * (uint64_t)random;
}

/* How to search from here on: buckets of which width, and do they pay? Until
 * there are some, the answer is for as good as random signatures. */
static enum status
plan(struct hamming *h, uint64_t most)
{
	struct buckets *b = &h->buckets;
	unsigned width = b->first ? b->width : BUCKETS_WIDTH_MIN;

	while (width < BUCKETS_WIDTH_MAX && h->n > (size_t)WANTED << width)
		width++;
	if (!b->first)
		buckets_width(b, width);
	double cost = b->first ? cheapest_here(h, h->radius) : cheapest_at_random(h, h->radius);
	bool pays = cost >= 0 && cost < (double)h->n;

	if (b->first ? width > b->width : pays) {
		if (buckets_make(b, width, h->n, most) != OK)
			return STATUS_MEMORY;
		for (size_t i = 0; i < h->n; i++)
			buckets_add(b, h->signature[i], h->number[i]);
		pays = cheapest_here(h, h->radius) < (double)h->n;
	}
	h->scan = !pays;
	h->limit = limit_of(h);
	h->plan_at = h->n + h->n / 8;
	return OK;
}

enum status
hamming_reserve(struct hamming *h, uint64_t most)
{
	if (h->n == h->room) {
		size_t room = h->room ? h->room + h->room / 2 : 1024;
		uint64_t more = (room - h->room) * (sizeof(uint64_t) + sizeof(uint32_t));

		if (room > UINT32_MAX || hamming_memory(h) + more > most)
			return STATUS_MEMORY;
		uint64_t *signature = realloc(h->signature, room * sizeof(*signature));
		if (!signature)
			return STATUS_MEMORY;
		h->signature = signature;
		uint32_t *number = realloc(h->number, room * sizeof(*number));
		if (!number)
			return STATUS_MEMORY;
		h->number = number;
		h->room = room;
		h->memory += more;
	}
	if (h->n >= h->plan_at && plan(h, most - h->memory) != OK)
		return STATUS_MEMORY;
	return h->buckets.first ? buckets_reserve(&h->buckets, most - h->memory) : OK;
}

void
hamming_add(struct hamming *h, uint64_t signature, uint32_t number)
{
	h->signature[h->n] = signature;
	h->number[h->n++] = number;
	if (h->buckets.first)
		buckets_add(&h->buckets, signature, number);
}

void
hamming_expect(const struct hamming *h, uint64_t signature)
{
	if (!h->scan)
		buckets_expect(&h->buckets, h->radius, signature);
}

static enum status
scan_for(struct hamming *h, uint64_t signature, struct hits *hits)
{
	enum status st = has_popcnt() ? scan_popcnt(h, signature, hits) :
	    scan_base(h, signature, hits);

	h->work += h->n < h->limit ? h->n : h->limit;
	return st == OK && h->n > h->limit ? STATUS_FULL : st;
}

enum status
hamming_find(struct hamming *h, uint64_t signature, struct hits *hits, bool *cut)
{
	size_t most = hits->most;
	enum status st;

	if (h->scan) {
		st = scan_for(h, signature, hits);
	} else {
		/* A signature that is near in two blocks is met twice. */
		hits->most = most <= SIZE_MAX / BUCKETS_BLOCKS ? BUCKETS_BLOCKS * most : SIZE_MAX;
		st = buckets_search(&h->buckets, h->radius, signature, h->distance,
		    h->limit / LATER_LINE, hits, &h->work);
		hits->most = most;
	}
	if (st == STATUS_MEMORY)
		return st;
	hits_sort(hits);
	*cut = st == STATUS_FULL || hits->n > most;
	if (hits->n > most)
		hits->n = most;
	return OK;
}

uint64_t
hamming_memory(const struct hamming *h)
{
	return h->memory + h->buckets.memory;
}

uint32_t
hamming_largest(const struct hamming *h)
{
	return h->buckets.largest;
}

uint64_t
hamming_work(const struct hamming *h)
{
	return h->work;
}
