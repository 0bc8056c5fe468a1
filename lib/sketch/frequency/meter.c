/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A meter in its words, from the lowest bit on: the stamp, then a count for
 * each pane, the stamp's own first and then older ones; none lies in two words.
 * A count never exceeds the limit, so it takes as many bits as that.
 *
 *	limit        bits  words for 1 pane   for 9   for 17
 *	1            1     1                  1       1
 *	7            3     1                  1       1
 *	31           5     1                  1       2
 *	63           6     1                  2       2
 *	1,023        10    1                  2       3
 *	4,095        12    1                  2       4
 *	1,000,000    20    1                  4       6
 *
 * Whoever works with them takes sums out, of each pane and all since, and puts
 * sums back. That is more than the difference of one count, but these are a few
 * words that are in the cache by then.
 */
#include <assert.h>

#include "sketch/frequency/meter.h"

#define WORD 64
#define STAMP 13

_Static_assert(METER_STAMP_MAX < 1 << STAMP, "a stamp fits its bits");

static unsigned
bits_of(uint64_t n)
{
	return WORD - (unsigned)__builtin_clzll(n);
}

static struct meter_form
lay_out(struct meter_form f)
{
	assert(f.limit > 0 && f.limit <= METER_LIMIT_MAX && f.panes <= METER_PANES_MAX);
	f.bits = bits_of(f.limit);
	f.first = (WORD - f.stamp) / f.bits;
	f.each = WORD / f.bits;
	assert(f.each > 0);
	unsigned left = f.panes > f.first ? f.panes - f.first : 0;
	f.words = 1 + (left + f.each - 1) / f.each;
	return f;
}

struct meter_form
meter_for_ever(uint64_t limit)
{
	return lay_out((struct meter_form){.limit = limit, .panes = 1});
}

struct meter_form
meter_sliding(uint64_t limit, unsigned back, unsigned ages)
{
	return lay_out((struct meter_form){
		.limit = limit, .panes = 1 + back + ages, .back = back, .stamp = STAMP,
	});
}

struct meter_form
meter_tumbling(uint64_t limit, unsigned ages)
{
	return lay_out((struct meter_form){
		.limit = limit, .panes = 1 + ages, .tumbling = true, .stamp = STAMP,
	});
}

unsigned
meter_bits(const struct meter_form *f)
{
	return f->words == 1 ? f->stamp + f->panes * f->bits : f->words * WORD;
}

static inline uint64_t
low_bits(unsigned n)
{
	return (UINT64_C(1) << n) - 1;
}

/* How many panes have begun since it was written. */
static inline unsigned
idle(const struct meter_form *f, const uint64_t *meter, unsigned now)
{
	return f->stamp == 0 ? 0 : now - (unsigned)(*meter & low_bits(f->stamp));
}

void
meter_read(const struct meter_form *f, const uint64_t *meter, unsigned now,
    struct meter_sums *sums)
{
	unsigned since = idle(f, meter, now), k = 0, left = f->first;
	uint64_t word = *meter >> f->stamp, sum = 0;

	for (; k < since && k < f->panes; k++)
		sums->at[k] = 0;
	for (; k < f->panes; k++) {
		if (left-- == 0) {
			word = *++meter;
			left = f->each - 1;
		}
		uint64_t count = word & low_bits(f->bits);
		word >>= f->bits;
		sum = f->tumbling ? count : sum + count;
		sums->at[k] = sum;
	}
}

void
meter_write(const struct meter_form *f, uint64_t *meter, unsigned now,
    const struct meter_sums *sums)
{
	uint64_t word = f->stamp == 0 ? 0 : now, before = 0;
	unsigned used = f->stamp, left = f->first;

	for (unsigned k = 0; k < f->panes; k++) {
		if (left-- == 0) {
			*meter++ = word;
			word = 0;
			used = 0;
			left = f->each - 1;
		}
		word |= (sums->at[k] - before) << used;
		used += f->bits;
		if (!f->tumbling)
			before = sums->at[k];
	}
	*meter = word;
}

bool
meter_live(const struct meter_form *f, const uint64_t *meter, unsigned now)
{
	struct meter_sums sums;
	uint64_t any = 0;

	if (idle(f, meter, now) >= f->panes)
		return false;
	meter_read(f, meter, now, &sums);
	for (unsigned k = 0; k < f->panes; k++)
		any |= sums.at[k];
	return any != 0;
}

void
meter_raise(const struct meter_form *f, struct meter_sums *sums, const struct meter_sums *others,
    unsigned age, uint64_t weight)
{
	unsigned end = f->tumbling ? age + 1 : f->panes;

	for (unsigned k = age; k < end; k++)
		if (sums->at[k] < others->at[k] + weight)
			sums->at[k] = others->at[k] + weight;
}

void
meter_join(const struct meter_form *f, struct meter_sums *sums, const struct meter_sums *others)
{
	for (unsigned k = 0; k < f->panes; k++)
		if (sums->at[k] < others->at[k])
			sums->at[k] = others->at[k];
}

void
meter_meet(const struct meter_form *f, struct meter_sums *sums, const struct meter_sums *others)
{
	for (unsigned k = 0; k < f->panes; k++)
		if (sums->at[k] > others->at[k])
			sums->at[k] = others->at[k];
}
