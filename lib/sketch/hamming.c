/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/hamming.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

/*
 * Multi-index hashing (Norouzi, Punjani, Fleet, CVPR 2012; the idea for
 * SimHash: Manku, Jain, Das Sarma, WWW 2007).
 *
 * Cut the 64 bits into 4 blocks of 16, and keep for each block a table of
 * buckets, 65536 when there are many signatures. If two signatures differ in at most K bits, then for radii
 * r0 .. r3 with
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
 * blocks, with larger radii, do the work. Nothing is capped, so nothing is
 * missed. And where buckets do not pay (few signatures, a large K) all
 * signatures are scanned, one after the other, at some 4 a nanosecond.
 *
 * The cost is estimated from the size of the bucket in which a signature finds
 * itself on average, sum of squared sizes / n for each table, anew each time
 * n has grown by an eighth.
 *
 * A bucket is a line of 64 bytes with 5 signatures and their numbers, so that
 * most buckets are one cache miss; the lines of a query are asked for before
 * the first is read. A full line moves to the pool and is chained behind.
 * Buckets are keyed by as few of a block's 16 bits as keep some 2 to 4
 * signatures in each: a block that differs in r bits differs in at most r of
 * these, there are fewer keys within r, and the tables fit a nearer cache.
 * When there are more than 4 on average, twice the buckets are filled anew.
 *
 * Memory: 12 bytes a signature, and 70 to 170 more once there are buckets,
 * falling to some 55 when there are millions.
 */

#define BLOCKS 4
#define WIDTH_MIN 9                  /* bits of a key */
#define WIDTH_MAX 16
#define RADIUS_MAX 4
#define WAYS 5
#define WANTED 4                     /* signatures in a bucket, at most on average */
#define POOL_CHUNK 1024              /* lines */
#define PLAN_FIRST 1024              /* signatures; fewer are scanned */
#define QUEUE 128                    /* lines asked for at once */

struct line {
	uint64_t signature[WAYS];
	uint32_t number[WAYS];       /* plus 1; 0 is a vacancy */
	uint32_t next;               /* in the pool, plus 1 */
};

struct hits {
	struct hamming_hit *at;
	size_t n, room;
};

struct hamming {
	unsigned distance;
	size_t n, room;
	uint64_t *signature;
	uint32_t *number;

	unsigned width;
	struct pages pages;
	struct line *first;          /* BLOCKS tables of 2^width, or NULL */
	uint32_t *size;              /* of each bucket */
	struct line **pool;          /* chunks */
	size_t pool_n, pool_room, chunks_room;
	double squares[BLOCKS];      /* sum of squared sizes */
	uint32_t largest;

	int radius[BLOCKS];
	bool scan;
	size_t plan_at;              /* choose anew when n gets here */

	uint64_t memory, work;
	struct hits hits;
	enum status (*search)(struct hamming *, uint64_t);
	uint32_t ball[RADIUS_MAX + 2];       /* masks with fewer than so many bits */
	uint16_t mask[2517];                 /* all with up to 4 of 16 bits, fewest first */
};

static enum status
hit(struct hits *hits, uint32_t number, uint64_t differ)
{
	if (hits->n == hits->room) {
		size_t room = hits->room ? 2 * hits->room : 64;
		struct hamming_hit *at = realloc(hits->at, room * sizeof(*at));
		if (!at)
			return STATUS_MEMORY;
		hits->at = at;
		hits->room = room;
	}
	hits->at[hits->n++] = (struct hamming_hit){
		number, (uint32_t)__builtin_popcountll(differ)
	};
	return OK;
}

static inline unsigned
key_of(const struct hamming *h, unsigned block, uint64_t signature)
{
	return (unsigned)(signature >> (16 * block)) & ((1u << h->width) - 1);
}

static inline struct line *
pooled(const struct hamming *h, uint32_t next)
{
	return &h->pool[(next - 1) / POOL_CHUNK][(next - 1) % POOL_CHUNK];
}

/*
 * The two searches, in a form that both builds below take in: with the
 * processor's own popcount where there is one, else with shifts and adds.
 */

/* Four or five compares without a branch: hits are rare. */
static inline __attribute__((always_inline)) unsigned
near(const uint64_t *at, unsigned n, uint64_t signature, unsigned distance)
{
#define NEAR(i) (unsigned)(__builtin_popcountll(at[i] ^ signature) <= (int)distance)
	unsigned four = NEAR(0) | NEAR(1) << 1 | NEAR(2) << 2 | NEAR(3) << 3;

	return n < 5 ? four : four | NEAR(4) << 4;
#undef NEAR
}

static inline __attribute__((always_inline)) enum status
look(struct hamming *h, const struct line *line, uint64_t signature, unsigned distance,
    uint64_t *lines)
{
	for (;;) {
		++*lines;
		unsigned hits = near(line->signature, WAYS, signature, distance);

		for (unsigned i = 0; hits >> i != 0; i++)
			if ((hits >> i & 1) && line->number[i] != 0 &&
			    hit(&h->hits, line->number[i] - 1, line->signature[i] ^ signature) != OK)
				return STATUS_MEMORY;
		if (line->next == 0)
			return OK;
		line = pooled(h, line->next);
	}
}

static inline __attribute__((always_inline)) enum status
scan(struct hamming *h, uint64_t signature, unsigned distance)
{
	const uint64_t *at = h->signature;
	size_t i = 0, n = h->n;

	h->work += n;
	for (; i + 4 <= n; i += 4) {
		unsigned hits = near(at + i, 4, signature, distance);

		for (unsigned j = 0; hits >> j != 0; j++)
			if ((hits >> j & 1) &&
			    hit(&h->hits, h->number[i + j], at[i + j] ^ signature) != OK)
				return STATUS_MEMORY;
	}
	for (; i < n; i++)
		if (__builtin_popcountll(at[i] ^ signature) <= (int)distance &&
		    hit(&h->hits, h->number[i], at[i] ^ signature) != OK)
			return STATUS_MEMORY;
	return OK;
}

static inline __attribute__((always_inline)) enum status
probe(struct hamming *h, uint64_t signature, unsigned distance)
{
	const struct line *queue[QUEUE];
	size_t n = 0;
	uint64_t lines = 0;

	for (unsigned block = 0; block < BLOCKS; block++) {
		const struct line *table = h->first + ((size_t)block << h->width);
		unsigned key = key_of(h, block, signature);
		uint32_t ball = h->ball[h->radius[block] + 1];

		for (uint32_t i = 0; i < ball; i++) {
			queue[n] = table + (key ^ h->mask[i]);
			__builtin_prefetch(queue[n++]);
			if (n < QUEUE)
				continue;
			for (size_t j = 0; j < n; j++)
				if (look(h, queue[j], signature, distance, &lines) != OK)
					return STATUS_MEMORY;
			n = 0;
		}
	}
	for (size_t j = 0; j < n; j++)
		if (look(h, queue[j], signature, distance, &lines) != OK)
			return STATUS_MEMORY;
	h->work += WAYS * lines;
	return OK;
}

static inline __attribute__((always_inline)) enum status
search_all(struct hamming *h, uint64_t signature)
{
	return h->scan ? scan(h, signature, h->distance) : probe(h, signature, h->distance);
}

static enum status
search_base(struct hamming *h, uint64_t signature)
{
	return search_all(h, signature);
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static enum status
search_popcnt(struct hamming *h, uint64_t signature)
{
	return search_all(h, signature);
}

static bool
has_popcnt(void)
{
	return __builtin_cpu_supports("popcnt");
}
#else
#define search_popcnt search_base

static bool
has_popcnt(void)
{
	return false;
}
#endif

static void
set_width(struct hamming *h, unsigned width)
{
	uint32_t n = 0;

	h->width = width;
	for (int bits = 0; bits <= RADIUS_MAX; bits++) {
		for (unsigned m = 0; m < 1u << width; m++)
			if (__builtin_popcount(m) == bits)
				h->mask[n++] = (uint16_t)m;
		h->ball[bits + 1] = n;
	}
}

enum status
hamming_new(struct hamming **out, unsigned distance)
{
	struct hamming *h = calloc(1, sizeof(*h));
	if (!h)
		return STATUS_MEMORY;

	h->distance = distance;
	h->scan = true;
	h->plan_at = PLAN_FIRST;
	h->search = has_popcnt() ? search_popcnt : search_base;
	h->memory = sizeof(*h);
	set_width(h, WIDTH_MIN);
	*out = h;
	return OK;
}

void
hamming_free(struct hamming *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->pool_room / POOL_CHUNK; i++)
		free(h->pool[i]);
	free(h->pool);
	pages_unmap(&h->pages);
	free(h->size);
	free(h->signature);
	free(h->number);
	free(h->hits.at);
	free(h);
}

/* Into its bucket of each table; the pool has room for four lines. */
static void
put(struct hamming *h, uint64_t signature, uint32_t number)
{
	for (unsigned block = 0; block < BLOCKS; block++) {
		size_t bucket = ((size_t)block << h->width) + key_of(h, block, signature);
		struct line *line = &h->first[bucket];
		unsigned way = h->size[bucket] % WAYS;

		if (way == 0 && h->size[bucket] > 0) {
			uint32_t next = (uint32_t)++h->pool_n;

			*pooled(h, next) = *line;
			*line = (struct line){.next = next};
		}
		line->signature[way] = signature;
		line->number[way] = number + 1;
		uint32_t size = ++h->size[bucket];
		h->squares[block] += 2.0 * size - 1;
		h->largest = size > h->largest ? size : h->largest;
	}
}

/* The cheapest radii, in compares: a line costs a cache miss, worth 24. */
static double
cheapest(const struct hamming *h, int radius[BLOCKS])
{
	double cost[BLOCKS][RADIUS_MAX + 2], best = -1;

	for (unsigned b = 0; b < BLOCKS; b++) {
		double met = h->first ? h->squares[b] / (double)h->n :
		    1 + (double)h->n / (1u << h->width);

		for (unsigned r = 0; r < RADIUS_MAX + 2; r++)
			cost[b][r] = h->ball[r] * (24 + met);
	}
	/* Digits in base 6: one more than the radius of each block. */
	for (unsigned code = 0; code < 6 * 6 * 6 * 6; code++) {
		unsigned digit[BLOCKS] = {code / 216, code / 36 % 6, code / 6 % 6, code % 6};
		double sum = 0;

		if (digit[0] + digit[1] + digit[2] + digit[3] != h->distance + 1)
			continue;
		for (unsigned b = 0; b < BLOCKS; b++)
			sum += cost[b][digit[b]];
		if (best >= 0 && sum >= best)
			continue;
		best = sum;
		for (unsigned b = 0; b < BLOCKS; b++)
			radius[b] = (int)digit[b] - 1;
	}
	return best;
}

static enum status
grow_pool(struct hamming *h, size_t lines, uint64_t most)
{
	while (h->pool_n + lines > h->pool_room) {
		size_t chunks = h->pool_room / POOL_CHUNK;
		uint64_t bytes = POOL_CHUNK * sizeof(struct line);

		if (h->pool_room + POOL_CHUNK > UINT32_MAX || h->memory + bytes > most)
			return STATUS_MEMORY;
		if (chunks == h->chunks_room) {
			size_t room = chunks ? 2 * chunks : 64;
			struct line **pool = realloc(h->pool, room * sizeof(struct line *));
			if (!pool)
				return STATUS_MEMORY;
			h->memory += (room - h->chunks_room) * sizeof(struct line *);
			h->pool = pool;
			h->chunks_room = room;
		}
		h->pool[chunks] = aligned_alloc(sizeof(struct line), bytes);
		if (!h->pool[chunks])
			return STATUS_MEMORY;
		h->memory += bytes;
		h->pool_room += POOL_CHUNK;
	}
	return OK;
}

static uint64_t
table_bytes(unsigned width)
{
	return ((uint64_t)BLOCKS << width) * (sizeof(struct line) + sizeof(uint32_t));
}

/* Buckets of this width for all that is there. To split a bucket never takes
 * more lines from the pool, so only the first ones have to reserve some. */
static enum status
make_buckets(struct hamming *h, unsigned width, uint64_t most)
{
	size_t buckets = (size_t)BLOCKS << width;
	struct pages pages;

	if (h->memory + table_bytes(width) > most)
		return STATUS_MEMORY;
	if (!h->first && grow_pool(h, BLOCKS * (h->n / WAYS + 1), most - table_bytes(width)) != OK)
		return STATUS_MEMORY;
	uint32_t *size = calloc(buckets, sizeof(*size));
	if (!size || pages_map(&pages, buckets * sizeof(struct line)) != OK) {
		free(size);
		return STATUS_MEMORY;
	}
	if (h->first)
		h->memory -= table_bytes(h->width);
	pages_unmap(&h->pages);
	free(h->size);
	h->pages = pages;
	h->first = (struct line *)(void *)pages.at;
	h->size = size;
	h->memory += table_bytes(width);
	h->pool_n = 0;
	h->largest = 0;
	for (unsigned b = 0; b < BLOCKS; b++)
		h->squares[b] = 0;
	set_width(h, width);
	for (size_t i = 0; i < h->n; i++)
		put(h, h->signature[i], h->number[i]);
	return OK;
}

/* How to search from here on. */
static enum status
plan(struct hamming *h, uint64_t most)
{
	unsigned width = h->width;

	while (width < WIDTH_MAX && h->n > (size_t)WANTED << width)
		width++;
	if (!h->first) {
		set_width(h, width);
		double cost = cheapest(h, h->radius);
		h->scan = cost < 0 || cost >= (double)h->n;
	}
	if ((!h->scan && !h->first) || (h->first && width > h->width))
		if (make_buckets(h, width, most) != OK) {
			h->scan = true;
			return STATUS_MEMORY;
		}
	if (h->first)
		h->scan = cheapest(h, h->radius) >= (double)h->n;
	h->plan_at = h->n + h->n / 8;
	return OK;
}

enum status
hamming_reserve(struct hamming *h, uint64_t most)
{
	if (h->n == h->room) {
		size_t room = h->room ? h->room + h->room / 2 : 1024;
		uint64_t more = (room - h->room) * (sizeof(uint64_t) + sizeof(uint32_t));

		if (room > UINT32_MAX || h->memory + more > most)
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
	if (h->n >= h->plan_at && plan(h, most) != OK)
		return STATUS_MEMORY;
	return h->first ? grow_pool(h, BLOCKS, most) : OK;
}

void
hamming_add(struct hamming *h, uint64_t signature, uint32_t number)
{
	h->signature[h->n] = signature;
	h->number[h->n++] = number;
	if (h->first)
		put(h, signature, number);
}

static int
nearer(const void *left, const void *right)
{
	const struct hamming_hit *a = left, *b = right;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

enum status
hamming_find(struct hamming *h, uint64_t signature, const struct hamming_hit **out, size_t *n)
{
	struct hits *hits = &h->hits;

	hits->n = 0;
	if (h->search(h, signature) != OK)
		return STATUS_MEMORY;
	if (hits->n > 1) {
		size_t kept = 1;

		/* A signature that is near in two blocks was met twice. */
		qsort(hits->at, hits->n, sizeof(*hits->at), nearer);
		for (size_t i = 1; i < hits->n; i++)
			if (hits->at[i].number != hits->at[i - 1].number)
				hits->at[kept++] = hits->at[i];
		hits->n = kept;
	}
	*out = hits->at;
	*n = hits->n;
	return OK;
}

uint64_t
hamming_memory(const struct hamming *h)
{
	return h->memory + h->hits.room * sizeof(struct hamming_hit);
}

uint32_t
hamming_largest(const struct hamming *h)
{
	return h->largest;
}

uint64_t
hamming_work(const struct hamming *h)
{
	return h->work;
}
