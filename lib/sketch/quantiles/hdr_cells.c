/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "sketch/quantiles/hdr_cells.h"
#include "sketch/quantiles/hdr_slot.h"

#define FEW_FIRST 4
#define CHUNKS_END (HDR_SLOT_END / HDR_CHUNK)

/* Where the slot is in the list, or would be put. */
static uint32_t
find_few(const struct hdr_cells *c, int32_t slot)
{
	uint32_t low = 0, high = c->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (c->few[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Chunks are numbered from first on. Grow the table by half at least, to the side
 * where this one is missing, so that a walk over all of them stays linear. */
static enum status
widen(struct hdr_side *s, uint32_t number)
{
	uint32_t first = number, end = number + 1, more = s->n / 2 + 2;

	if (s->n > 0 && number < s->first) {
		end = s->first + s->n;
		if (first > s->first - (s->first < more ? s->first : more))
			first = s->first - (s->first < more ? s->first : more);
	} else if (s->n > 0) {
		first = s->first;
		if (end < first + s->n + more)
			end = first + s->n + more;
		if (end > CHUNKS_END)
			end = CHUNKS_END;
	}
	uint64_t **chunk = calloc(end - first, sizeof *chunk);
	if (!chunk)
		return STATUS_MEMORY;
	if (s->n > 0)
		memcpy(chunk + (s->first - first), s->chunk, s->n * sizeof *chunk);
	free(s->chunk);
	*s = (struct hdr_side){chunk, first, end - first};
	return OK;
}

/* The counter of a slot, which is made if it is missing. NULL without memory. */
static uint64_t *
counter(struct hdr_many *m, int32_t slot)
{
	if (slot == 0)
		return &m->zero;
	struct hdr_side *s = &m->side[slot < 0];
	uint32_t place = (uint32_t)(slot < 0 ? -slot : slot) - 1, number = place >> HDR_CHUNK_BITS;
	/* Below first, the difference is large. */
	if (number - s->first >= s->n && widen(s, number) != OK)
		return NULL;
	uint64_t **chunk = &s->chunk[number - s->first];
	if (!*chunk)
		*chunk = calloc(HDR_CHUNK, sizeof **chunk);
	return *chunk ? &(*chunk)[place % HDR_CHUNK] : NULL;
}

static void
free_many(struct hdr_many *m)
{
	if (!m)
		return;
	for (int i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < m->side[i].n; k++)
			free(m->side[i].chunk[k]);
		free(m->side[i].chunk);
	}
	free(m);
}

enum status
hdr_cells_spread(struct hdr_cells *c)
{
	if (c->many)
		return OK;
	struct hdr_many *m = calloc(1, sizeof *m);
	if (!m)
		return STATUS_MEMORY;
	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t *to = counter(m, c->few[i].slot);
		if (!to) {
			free_many(m);
			return STATUS_MEMORY;
		}
		*to = c->few[i].count;
	}
	free(c->few);
	*c = (struct hdr_cells){.many = m};
	return OK;
}

/* A new slot in the list, at its place. */
static enum status
insert_few(struct hdr_cells *c, uint32_t at, struct hdr_few new)
{
	if (c->n == c->room) {
		uint32_t room = c->room > 0 ? 2 * c->room : FEW_FIRST;
		struct hdr_few *more = reallocarray(c->few, room, sizeof *more);
		if (!more)
			return STATUS_MEMORY;
		c->few = more;
		c->room = room;
	}
	memmove(c->few + at + 1, c->few + at, (c->n - at) * sizeof *c->few);
	c->few[at] = new;
	c->n++;
	return OK;
}

enum status
hdr_cells_add(struct hdr_cells *c, int32_t slot, uint64_t count)
{
	if (!c->many) {
		uint32_t at = find_few(c, slot);
		bool there = at < c->n && c->few[at].slot == slot;
		uint64_t sum = add_saturated(there ? c->few[at].count : 0, count);

		if (sum <= UINT32_MAX && there) {
			c->few[at].count = (uint32_t)sum;
			return OK;
		}
		if (sum <= UINT32_MAX && c->n < HDR_FEW_MAX)
			return insert_few(c, at, (struct hdr_few){slot, (uint32_t)sum});
		if (hdr_cells_spread(c) != OK)
			return STATUS_MEMORY;
	}
	uint64_t *to = counter(c->many, slot);
	if (!to)
		return STATUS_MEMORY;
	*to = add_saturated(*to, count);
	return OK;
}

/* In chunks, *at is a slot not looked at yet, plus HDR_SLOT_END: never 0 again.
 * From there on, up or down, the first place of a side that is in use. */

static bool
next_up(const struct hdr_side *s, uint32_t place, uint32_t *out, uint64_t *count)
{
	uint32_t number = place >> HDR_CHUNK_BITS, i = place % HDR_CHUNK;

	if (number < s->first) {
		number = s->first;
		i = 0;
	}
	for (; number - s->first < s->n; number++, i = 0) {
		const uint64_t *chunk = s->chunk[number - s->first];
		while (chunk && i < HDR_CHUNK && chunk[i] == 0)
			i++;
		if (chunk && i < HDR_CHUNK) {
			*out = number << HDR_CHUNK_BITS | i;
			*count = chunk[i];
			return true;
		}
	}
	return false;
}

static bool
next_down(const struct hdr_side *s, uint32_t place, uint32_t *out, uint64_t *count)
{
	int64_t number = place >> HDR_CHUNK_BITS, last = (int64_t)s->first + s->n - 1;
	uint32_t i = place % HDR_CHUNK;

	if (number > last) {
		number = last;
		i = HDR_CHUNK - 1;
	}
	for (; number >= s->first; number--, i = HDR_CHUNK - 1) {
		const uint64_t *chunk = s->chunk[number - s->first];
		while (chunk && i > 0 && chunk[i] == 0)
			i--;
		if (chunk && chunk[i] != 0) {
			*out = (uint32_t)number << HDR_CHUNK_BITS | i;
			*count = chunk[i];
			return true;
		}
	}
	return false;
}

static bool
next_many(const struct hdr_many *m, uint64_t *at, int32_t *slot, uint64_t *count)
{
	int32_t from = *at > 0 ? (int32_t)*at - HDR_SLOT_END : -HDR_SLOT_END + 1;
	uint32_t place;

	if (from < 0 && next_down(&m->side[1], (uint32_t)-from - 1, &place, count)) {
		*slot = -(int32_t)place - 1;
	} else if (from <= 0 && m->zero > 0) {
		*slot = 0;
		*count = m->zero;
	} else if (next_up(&m->side[0], from > 0 ? (uint32_t)from - 1 : 0, &place, count)) {
		*slot = (int32_t)place + 1;
	} else {
		return false;
	}
	*at = (uint64_t)((int64_t)*slot + 1 + HDR_SLOT_END);
	return true;
}

bool
hdr_cells_next(const struct hdr_cells *c, uint64_t *at, int32_t *slot, uint64_t *count)
{
	if (c->many)
		return next_many(c->many, at, slot, count);
	if (*at >= c->n)
		return false;
	*slot = c->few[*at].slot;
	*count = c->few[(*at)++].count;
	return true;
}

static uint64_t
chunk_sum(const uint64_t *chunk)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < HDR_CHUNK; i++)
		sum = add_saturated(sum, chunk[i]);
	return sum;
}

/* Whole chunks that end before the rank. Moves *at behind them, and returns what
 * they hold. */
static uint64_t
skip_chunks(const struct hdr_many *m, uint64_t rank, uint64_t *at)
{
	const struct hdr_side *down = &m->side[1], *up = &m->side[0];
	uint64_t below = 0;

	for (uint32_t k = down->n; k-- > 0;) {
		uint64_t sum = down->chunk[k] ? chunk_sum(down->chunk[k]) : 0;
		if (add_saturated(below, sum) >= rank)
			return below;
		below += sum;
		*at = HDR_SLOT_END - ((uint64_t)(down->first + k) << HDR_CHUNK_BITS);
	}
	if (add_saturated(below, m->zero) >= rank)
		return below;
	below += m->zero;
	for (uint32_t k = 0; k < up->n; k++) {
		*at = HDR_SLOT_END + ((uint64_t)(up->first + k) << HDR_CHUNK_BITS) + 1;
		uint64_t sum = up->chunk[k] ? chunk_sum(up->chunk[k]) : 0;
		if (add_saturated(below, sum) >= rank)
			return below;
		below += sum;
	}
	return below;
}

int32_t
hdr_cells_rank(const struct hdr_cells *c, uint64_t rank)
{
	uint64_t at = 0, count, below = c->many ? skip_chunks(c->many, rank, &at) : 0;
	int32_t slot = 0;

	while (below < rank && hdr_cells_next(c, &at, &slot, &count))
		below = add_saturated(below, count);
	return slot;
}

/* Of the same shift: chunk by chunk. One that into lacks has nothing to add. */
static void
sum_chunks(struct hdr_side *into, const struct hdr_side *from)
{
	for (uint32_t k = 0; k < from->n; k++) {
		const uint64_t *add = from->chunk[k];
		uint32_t at = from->first + k - into->first;
		uint64_t *to = at < into->n ? into->chunk[at] : NULL;
		for (uint32_t i = 0; add && to && i < HDR_CHUNK; i++)
			to[i] = add_saturated(to[i], add[i]);
	}
}

/* First make sure that every counter is there. */
static enum status
unite_many(struct hdr_many *into, const struct hdr_cells *from, unsigned finer)
{
	uint64_t at = 0, count;
	int32_t slot;

	while (hdr_cells_next(from, &at, &slot, &count))
		if (!counter(into, hdr_slot_coarser(slot, finer)))
			return STATUS_MEMORY;
	if (from->many && finer == 0) {
		into->zero = add_saturated(into->zero, from->many->zero);
		sum_chunks(&into->side[0], &from->many->side[0]);
		sum_chunks(&into->side[1], &from->many->side[1]);
		return OK;
	}
	for (at = 0; hdr_cells_next(from, &at, &slot, &count);) {
		uint64_t *to = counter(into, hdr_slot_coarser(slot, finer));
		*to = add_saturated(*to, count);
	}
	return OK;
}

/* Two lists: a third one takes the place of the first. */
static enum status
unite_few(struct hdr_cells *into, const struct hdr_cells *from, unsigned finer)
{
	struct hdr_cells sum = {0};
	enum status st = OK;

	for (uint32_t i = 0; st == OK && i < into->n; i++)
		st = hdr_cells_add(&sum, into->few[i].slot, into->few[i].count);
	for (uint32_t i = 0; st == OK && i < from->n; i++)
		st = hdr_cells_add(&sum, hdr_slot_coarser(from->few[i].slot, finer),
		    from->few[i].count);
	if (st != OK) {
		hdr_cells_clear(&sum);
		return st;
	}
	hdr_cells_clear(into);
	*into = sum;
	return OK;
}

enum status
hdr_cells_unite(struct hdr_cells *into, const struct hdr_cells *from, unsigned finer)
{
	if (!into->many && !from->many)
		return unite_few(into, from, finer);
	if (hdr_cells_spread(into) != OK)
		return STATUS_MEMORY;
	return unite_many(into->many, from, finer);
}

size_t
hdr_cells_memory(const struct hdr_cells *c)
{
	size_t bytes = c->room * sizeof *c->few;

	if (!c->many)
		return bytes;
	bytes += sizeof *c->many;
	for (int i = 0; i < 2; i++) {
		const struct hdr_side *s = &c->many->side[i];
		bytes += s->n * sizeof *s->chunk;
		for (uint32_t k = 0; k < s->n; k++)
			bytes += s->chunk[k] ? HDR_CHUNK * sizeof **s->chunk : 0;
	}
	return bytes;
}

void
hdr_cells_clear(struct hdr_cells *c)
{
	free(c->few);
	free_many(c->many);
	*c = (struct hdr_cells){0};
}
