/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Open addressing with linear probing, as in sketch/member/slots.h, of entries that
 * are a few words large:
 *
 *	| hash | meter | hash | meter | 0 ... |
 *
 * An array that is full to 4/5, or the largest to 7/8, gives way to another one.
 * How large that is follows from the meters that are still of use. There is a
 * quarter of its room left then, so the next change is that many new hashes
 * away, and a hash costs a fixed number of moves on average however many of them
 * are forgotten; of the largest array an eighth is enough. Hashes are taken in
 * the order in which they lie, which is the same in every size, so that the new
 * array is written from its beginning to its end.
 */
#include <assert.h>
#include <string.h>

#include "sketch/frequency/meters.h"

#define SIZE_START 256

static uint64_t
limit_of(const struct meters *m, uint64_t size)
{
	return size < m->size_max ? size / 5 * 4 : size - size / 8;
}

static enum status
make_array(struct meters *m, uint64_t size)
{
	enum status st = pages_map(&m->pages, size * m->stride * sizeof *m->at);

	if (st != OK)
		return st;
	m->at = (uint64_t *)(void *)m->pages.at;
	m->size = size;
	m->limit = limit_of(m, size);
	m->taken = 0;
	return OK;
}

/* The size that doubling comes from. */
static uint64_t
smallest(const struct meters *m)
{
	uint64_t size = m->size_max;

	while (size >= 2 * SIZE_START)
		size /= 2;
	return size;
}

enum status
meters_init(struct meters *m, const struct meter_form *form, uint64_t bytes)
{
	*m = (struct meters){.stride = 1 + form->words};
	m->size_max = bytes / (m->stride * sizeof *m->at);
	assert(m->size_max >= METERS_LEAST);
	for (uint64_t step = 1; m->size_max / step >= 2 * SIZE_START; step *= 2)
		m->size_max -= m->size_max % (2 * step);
	return make_array(m, smallest(m));
}

void
meters_clear(struct meters *m)
{
	pages_unmap(&m->pages);
	*m = (struct meters){0};
}

enum status
meters_empty(struct meters *m, const struct meter_form *form)
{
	uint64_t bytes = m->size_max * m->stride * sizeof *m->at;

	if (m->size > smallest(m)) {
		meters_clear(m);
		return meters_init(m, form, bytes);
	}
	if (m->taken > 0)
		memset(m->at, 0, meters_bytes(m));
	m->taken = 0;
	return OK;
}

/* Is it of any use still? */
static bool
stays(const struct meter_form *form, const uint64_t *entry, unsigned now, uint64_t mask)
{
	return *entry != 0 && (*entry & mask) == 0 && meter_live(form, entry + 1, now);
}

static uint64_t
count_staying(const struct meters *m, const struct meter_form *form, unsigned now, uint64_t mask)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < m->size; i++)
		n += stays(form, m->at + i * m->stride, now, mask);
	return n;
}

/* For so many hashes and some that will come; 0: there is no such size. */
static uint64_t
choose_size(const struct meters *m, uint64_t hashes)
{
	uint64_t size = smallest(m);

	while (size < m->size_max && hashes > limit_of(m, size) / 4 * 3)
		size *= 2;
	return size < m->size_max || hashes <= limit_of(m, size) / 8 * 7 ? size : 0;
}

enum status
meters_renew(struct meters *m, const struct meter_form *form, unsigned now, unsigned then,
    uint64_t mask)
{
	uint64_t size = choose_size(m, count_staying(m, form, now, mask));
	struct meters old = *m, new = *m;

	if (size == 0 && then == now)
		return STATUS_FULL;
	enum status st = make_array(&new, size > 0 ? size : m->size_max);
	if (st != OK)
		return st;
	for (uint64_t i = 0; i < old.size; i++) {
		const uint64_t *entry = old.at + i * old.stride;
		struct meter_sums sums;

		if (!stays(form, entry, now, mask))
			continue;
		uint64_t *to = meters_find(&new, *entry);
		*to = *entry;
		meter_read(form, entry + 1, now, &sums);
		meter_write(form, to + 1, then, &sums);
		new.taken++;
	}
	pages_unmap(&old.pages);
	*m = new;
	return OK;
}
