/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Scalable Bloom filters.
 *
 * A row of block Bloom filters, the stages. An item is asked of all of them,
 * and if none has it, it is added to the newest. When that one has as many
 * items as it was sized for, the next stage is opened: for twice as many
 * items, at half the fpp.
 *
 *	P. S. Almeida, C. Baquero, N. Preguica, D. Hutchison, "Scalable Bloom
 *	Filters", Information Processing Letters 101 (2007)
 *
 * An absent item is found if any stage finds it. With p/2 for the first stage
 * and a half of the last for every next one, that is at most
 * p/2 + p/4 + p/8 + ... < p, whatever the number of items. A stage knows how
 * many items were put into it, so it is never overfilled.
 *
 * The price, in bits for each item at p = 1 %, full stages:
 *
 *	stages            1     5    10    15    20
 *	bits an item   12.3  17.4  25.0  32.8  40.7
 *
 * and a look into every stage for an absent item. Who can say how many items
 * there will be is better off with a filter of that size.
 *
 * UNITING. Stages of two filters cannot be merged, their sizes and probes
 * differ; so they are kept side by side, and the newest of the second one is
 * filled on. A next stage has twice the largest capacity in the list and half
 * the smallest fpp. In a filter that was never united those are the last
 * stage's, which gives the row above. After uniting, all stages to come have
 * together at most the smallest fpp in the list, which is what the part it
 * comes from still had left of its promise; so the whole stays below the sum
 * of the promises.
 *
 * Below 1e-18 a stage gets no stricter (bloom_size.h says why).
 *
 * PAYLOAD, stages from the oldest to the newest, so that uniting two filters
 * is to concatenate their payloads. Each has 64 bytes of head:
 *
 *	 0  z, blocks           24  wanted fpp, the bits of a double
 *	 8  J, blocks an item   32  items added, 1 to the capacity
 *	16  capacity in items   40  0
 *
 * then z blocks of 32 bytes as in a block filter, and 32 bytes of 0 if z is
 * odd: a stage begins at a multiple of 64. Parameters: 2 capacity of the first
 * stage, 3 the wanted fpp over all; others 0. An empty filter has no stage.
 *
 * EXAMPLE. Capacity 1000 and 1 %: the first stage is for 1000 items at 0.5 %
 * and has 50 blocks, of which an item touches one. h = 0x78af5f94892f3950
 * falls on block floor(h * 50 / 2^64) = 23, the bytes 64 + 736 to 64 + 767.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sketch/member/bloom_bits.h"
#include "sketch/member/scalable.h"
#include "sketch/member/scalable_body.h"

/* Smaller stages come from malloc: each mapping of pages is a call. */
#define PAGES_MIN ((uint64_t)64 << 10)

bool
scalable_valid(uint64_t capacity, double fpp)
{
	return capacity >= 1 && fpp >= BLOOM_FPP_MIN && fpp <= BLOOM_FPP_MAX;
}

enum status
scalable_new(struct scalable **out, uint64_t capacity, double fpp)
{
	if (!scalable_valid(capacity, fpp))
		return STATUS_PARAMETER;
	struct scalable *s = calloc(1, sizeof *s);
	if (!s)
		return STATUS_MEMORY;
	s->capacity = capacity;
	s->fpp = fpp;
	*out = s;
	return OK;
}

static void
stage_clear(struct stage *stage)
{
	pages_unmap(&stage->pages);
	free(stage->small);
}

void
scalable_free(struct scalable *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		stage_clear(&s->stage[i]);
	free(s->stage);
	buffer_free(&s->loaded);
	free(s);
}

struct scalable_form
scalable_form(const struct scalable *s)
{
	return (struct scalable_form){s->capacity, s->fpp};
}

size_t
scalable_stages(const struct scalable *s)
{
	return s->n;
}

uint64_t
scalable_bytes(const struct scalable *s)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->n; i++)
		bytes += bloom_bytes(&s->stage[i].shape);
	return bytes;
}

/* Make room for so many more stages in the list. */
enum status
scalable_reserve(struct scalable *s, size_t more)
{
	size_t room = s->room ? s->room : 8;

	while (room - s->n < more)
		room *= 2;
	if (room == s->room)
		return OK;
	struct stage *stage = realloc(s->stage, room * sizeof *stage);
	if (!stage)
		return STATUS_MEMORY;
	s->stage = stage;
	s->room = room;
	return OK;
}

/* Put an empty stage at the end of the list, which has room for it. */
static enum status
stage_append(struct scalable *s, const struct bloom_shape *shape)
{
	struct stage stage = {.shape = *shape};
	uint64_t size = stage_size(shape);

	if (size >= PAGES_MIN) {
		enum status st = pages_map(&stage.pages, size);
		if (st != OK)
			return st;
		stage.bits = stage.pages.at + STAGE_HEAD;
	} else {
		stage.small = aligned_alloc(RECORD_ALIGN, (size_t)size);
		if (!stage.small)
			return STATUS_MEMORY;
		memset(stage.small, 0, (size_t)size);
		stage.bits = stage.small + STAGE_HEAD;
	}
	stage.read = stage.bits;
	stage_encode(&stage);
	s->stage[s->n++] = stage;
	return OK;
}

/* The smallest fpp of all stages: what those to come have together. */
static double
rest(const struct scalable *s)
{
	double least = s->fpp;

	for (size_t i = 0; i < s->n; i++)
		if (s->stage[i].shape.fpp < least)
			least = s->stage[i].shape.fpp;
	return least;
}

static enum status
open_stage(struct scalable *s)
{
	uint64_t largest = 0;
	double fpp = rest(s) / 2;
	struct bloom_shape shape;

	if (s->n >= SCALABLE_STAGES_MAX)
		return STATUS_FULL;
	for (size_t i = 0; i < s->n; i++)
		if (s->stage[i].shape.capacity > largest)
			largest = s->stage[i].shape.capacity;
	uint64_t capacity = s->n == 0 ? s->capacity : add_saturated(largest, largest);
	if (fpp < BLOOM_STAGE_FPP_MIN)
		fpp = BLOOM_STAGE_FPP_MIN;
	if (!bloom_shape_for_stage(&shape, capacity, fpp))
		return STATUS_MEMORY;
	enum status st = scalable_reserve(s, 1);
	return st == OK ? stage_append(s, &shape) : st;
}

uint64_t
scalable_room(const struct scalable *s)
{
	if (s->n == 0)
		return s->capacity;
	const struct stage *newest = &s->stage[s->n - 1];
	return newest->shape.capacity - newest->items;
}

/* The newest stage is asked first, since it has the most items; only what it
 * has not goes on to the older ones. */
static size_t
has_batch(const struct scalable *s, const uint64_t *hash, size_t n, bool *has)
{
	uint64_t left[BLOOM_BATCH];
	unsigned char item[BLOOM_BATCH];
	bool hit[BLOOM_BATCH];
	size_t all = n;

	memcpy(left, hash, n * sizeof hash[0]);
	memset(has, 0, n * sizeof has[0]);
	for (size_t i = 0; i < n; i++)
		item[i] = (unsigned char)i;
	for (size_t k = s->n; k-- > 0 && n > 0; ) {
		size_t kept = 0;

		bloom_bits_has(s->stage[k].read, &s->stage[k].shape, left, n, hit);
		for (size_t i = 0; i < n; i++) {
			has[item[i]] = hit[i];
			left[kept] = left[i];
			item[kept] = item[i];
			kept += !hit[i];
		}
		n = kept;
	}
	return all - n;
}

size_t
scalable_has(const struct scalable *s, const uint64_t *hash, size_t n, bool *has)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i += BLOOM_BATCH) {
		size_t batch = n - i < BLOOM_BATCH ? n - i : BLOOM_BATCH;
		found += has_batch(s, hash + i, batch, has + i);
	}
	return found;
}

/* Is the item in one of the stages from this one on? If not, it is added. The
 * newest is asked as it is added to, unless it is full. */
static enum status
meet_one(struct scalable *s, size_t since, uint64_t hash, bool *found)
{
	bool full = s->n == 0 || scalable_room(s) == 0;
	size_t asked = full ? s->n : s->n - 1;

	*found = false;
	for (size_t k = since; k < asked; k++)
		if (bloom_bits_has(s->stage[k].read, &s->stage[k].shape, &hash, 1, found) > 0)
			return OK;
	if (full) {
		enum status st = open_stage(s);
		if (st != OK)
			return st;
	}
	struct stage *newest = &s->stage[s->n - 1];
	*found = bloom_bits_meet(newest->bits, &newest->shape, hash);
	if (!*found) {
		newest->items++;
		stage_encode(newest);
	}
	return OK;
}

/* All are asked at once, which is what memory likes. Those not found are
 * asked again one by one, of the stages that have changed meanwhile. */
static enum status
meet_batch(struct scalable *s, const uint64_t *hash, size_t n, bool *has, size_t *done)
{
	size_t since = s->n > 0 ? s->n - 1 : 0;

	has_batch(s, hash, n, has);
	for (size_t i = 0; i < n; i++) {
		enum status st = has[i] ? OK : meet_one(s, since, hash[i], &has[i]);
		if (st != OK) {
			*done = i;
			return st;
		}
	}
	*done = n;
	return OK;
}

enum status
scalable_meet(struct scalable *s, const uint64_t *hash, size_t n, bool *has, size_t *done)
{
	enum status st = OK;

	*done = 0;
	while (st == OK && *done < n) {
		size_t batch = n - *done < BLOOM_BATCH ? n - *done : BLOOM_BATCH, met;

		st = meet_batch(s, hash + *done, batch, has + *done, &met);
		*done += met;
	}
	return st;
}

enum status
scalable_add(struct scalable *s, const uint64_t *hash, size_t n, size_t *done)
{
	bool has[BLOOM_BATCH];
	enum status st = OK;

	*done = 0;
	while (st == OK && *done < n) {
		size_t batch = n - *done < BLOOM_BATCH ? n - *done : BLOOM_BATCH, met;

		st = meet_batch(s, hash + *done, batch, has, &met);
		*done += met;
	}
	return st;
}

enum status
scalable_merge(struct scalable *into, const struct scalable *from, struct mismatch *why)
{
	size_t before = into->n, more = from->n;
	enum status st;

	if (more > SCALABLE_STAGES_MAX - before) {
		snprintf(why->text, sizeof why->text, "stages %zu and %zu, at most %d are possible",
		    before, more, SCALABLE_STAGES_MAX);
		return STATUS_MISMATCH;
	}
	if ((st = scalable_reserve(into, more)) != OK)
		return st;
	for (size_t i = 0; i < more; i++) {
		const struct stage *theirs = &from->stage[i];

		if ((st = stage_append(into, &theirs->shape)) != OK) {
			while (into->n > before)
				stage_clear(&into->stage[--into->n]);
			return st;
		}
		struct stage *ours = &into->stage[into->n - 1];
		memcpy(ours->bits, theirs->read, (size_t)bloom_bytes(&ours->shape));
		ours->items = theirs->items;
		stage_encode(ours);
	}
	if (into->capacity < from->capacity)
		into->capacity = from->capacity;
	if (into->fpp < from->fpp)
		into->fpp = from->fpp;
	return OK;
}

/* From the newest on: so the sum of halves and quarters is p to the last bit. */
double
scalable_most(const struct scalable *s)
{
	double sum = s->n > 0 ? rest(s) : 0;

	for (size_t i = s->n; i-- > 0; )
		sum += s->stage[i].shape.fpp;
	return sum > s->fpp ? sum : s->fpp;
}
