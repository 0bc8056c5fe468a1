/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Open addressing with linear probing (Knuth, TAOCP 3, 6.4); a slot is the
 * hash itself. The home of a hash is the high half of a product, so slots are
 * nearly in the order of the hashes.
 *
 *	load    probes a new hash takes
 *	4/5     13      two or three cache lines: then it doubles
 *	7/8     32      the largest size may be filled further
 *
 * DOUBLING. A hash with home i has 2i or 2i + 1 afterwards, so the array can
 * be walked from its end, each hash moving to where no old one is any more:
 *
 *	| a | . | b | c |
 *	| a | . | b | . | . | . | c | . |	c had home 3
 *	| a | . | . | . | b | . | c | . |	b had home 2
 *
 * What was pushed over the end lies in front of the first empty slot, and is
 * set aside; so is a hash that would move to before the walk, since it lay
 * more than its own home away from home. With hashes as they come these are a
 * few dozen.
 *
 * ORDER. Between two empty slots lie hashes whose homes lie there too. So
 * sorting each such run sorts all, and needs memory for the longest run only.
 */
#include "base/bytes.h"
#include "base/order.h"
#include "base/pages.h"
#include "sketch/member/slots.h"

#define SIZE_START 1024
#define HUGE_FROM (4 << 20)          /* bytes; below it small pages do as well */

static void
set_size(struct slots *s, uint64_t size)
{
	s->size = size;
	s->limit = size < s->size_max ? size / 5 * 4 : s->limit_max;
	if (size * sizeof *s->at >= HUGE_FROM)
		pages_huge(s->at, size * sizeof *s->at);
}

uint64_t
slots_fit(uint64_t bytes)
{
	uint64_t start = bytes / sizeof(uint64_t);
	unsigned doublings = 0;

	for (; start >= 2 * SIZE_START; start /= 2)
		doublings++;
	return start / 4 * 4 << doublings;
}

void
slots_init(struct slots *s, uint64_t *at, uint64_t size_max, uint64_t limit_max)
{
	uint64_t start = size_max;

	while (start >= 2 * SIZE_START)
		start /= 2;
	*s = (struct slots){
		.at = at, .shift = SLOTS_TOP, .size_max = size_max, .limit_max = limit_max,
	};
	set_size(s, start);
}

void
slots_expect(struct slots *s, uint64_t n)
{
	while (s->limit < n && s->size < s->size_max)
		set_size(s, 2 * s->size);
}

static enum status
set_aside(struct buffer *aside, uint64_t *slot)
{
	uint64_t h = *slot;

	*slot = 0;
	return buffer_append(aside, &h, sizeof h);
}

/* Of twice the size already, move the hash in slot i, behind which there are
 * none of the old size. */
static enum status
move_up(struct slots *s, uint64_t i, struct buffer *aside)
{
	uint64_t h = s->at[i], to = slots_home_of(s, h);

	if (to < i)
		return set_aside(aside, &s->at[i]);
	s->at[i] = 0;
	while (to < s->size && s->at[to] != 0)
		to++;
	if (to == s->size)
		return buffer_append(aside, &h, sizeof h);
	s->at[to] = h;
	return OK;
}

enum status
slots_double(struct slots *s)
{
	struct buffer aside = {0};
	uint64_t first = 0, old = s->size;
	enum status st = OK;

	if (old == s->size_max)
		return STATUS_END;
	set_size(s, 2 * old);
	for (; st == OK && s->at[first] != 0; first++)
		st = set_aside(&aside, &s->at[first]);
	for (uint64_t i = old; st == OK && i-- > first; )
		if (s->at[i] != 0)
			st = move_up(s, i, &aside);
	for (size_t k = 0; st == OK && k < aside.len; k += sizeof(uint64_t)) {
		uint64_t h;
		memcpy(&h, aside.at + k, sizeof h);
		*slots_find_value(s, h) = h;
	}
	buffer_free(&aside);
	return st;
}

static int
compare_hashes(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

/* Most runs are a few hashes long and nearly in order. */
static void
sort_run(uint64_t *hash, size_t n)
{
	if (n > 64) {
		qsort(hash, n, sizeof *hash, compare_hashes);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		uint64_t h = hash[i];
		size_t k = i;

		for (; k > 0 && hash[k - 1] > h; k--)
			hash[k] = hash[k - 1];
		hash[k] = h;
	}
}

#define SOME 4096                    /* hashes handed on at a time, or a run */

static enum status
hand_on(struct buffer *run, slots_some *some, void *context)
{
	size_t n = run->len / sizeof(uint64_t);

	run->len = 0;
	return n > 0 ? some(context, (const uint64_t *)(const void *)run->at, n) : OK;
}

/* Behind the others: of the run at the front, from the first slot to the first
 * empty one, the hashes that belong there, or those that came over the end. */
static enum status
append_front(struct buffer *out, const struct slots *s, uint64_t first, bool over_end)
{
	enum status st = OK;

	for (uint64_t i = 0; st == OK && i < first; i++)
		if ((slots_home_of(s, s->at[i]) >= first) == over_end)
			st = buffer_append(out, &s->at[i], sizeof s->at[i]);
	return st;
}

/* The run that begins in slot i, behind the others; *end is where it ends. */
static enum status
append_run(struct buffer *out, const struct slots *s, uint64_t i, uint64_t first, uint64_t *end)
{
	uint64_t to = i;

	while (to < s->size && s->at[to] != 0)
		to++;
	*end = to;
	enum status st = buffer_append(out, s->at + i, (size_t)(to - i) * sizeof *s->at);
	if (st == OK && to == s->size)
		st = append_front(out, s, first, true);
	return st;
}

static void
sort_from(struct buffer *out, size_t from)
{
	if (out->len > from)
		sort_run((uint64_t *)(void *)(out->at + from), (out->len - from) / sizeof(uint64_t));
}

uint64_t
slots_scattered(uint64_t h)
{
	return salt_scatter(h);
}

/* The hashes of all occupied slots, as they lie. */
static enum status
gather(struct buffer *out, const struct slots *s)
{
	enum status st = buffer_reserve(out, (size_t)s->taken * sizeof(uint64_t));

	for (uint64_t i = 0; st == OK && i < s->size; i++) {
		uint64_t h = slots_hash(s, s->at[i]);
		if (h != 0)
			st = buffer_append(out, &h, sizeof h);
	}
	return st;
}

static void
scatter(struct slots *s)
{
	struct buffer all = {0};

	if (gather(&all, s) == OK) {
		memset(s->at, 0, (size_t)s->size * sizeof *s->at);
		s->salted = true;
		s->shift = 0;
		for (size_t k = 0; k < all.len; k += sizeof(uint64_t)) {
			uint64_t h;
			memcpy(&h, all.at + k, sizeof h);
			h = slots_value(s, h);
			*slots_find_value(s, h) = h;
		}
	}
	buffer_free(&all);
}

/* Among random hashes, of 2^40 the farthest one is not so far from home, as long as
 * the array is full to 4/5; and not this far in the largest one, to 15/16. */
#define FAR_LARGEST 16384

void
slots_put_far(struct slots *s, uint64_t far)
{
	uint64_t beyond = far < s->size ? far : far + s->size;

	if (beyond > (s->size < s->size_max ? SLOTS_FAR : FAR_LARGEST) && !s->salted)
		scatter(s);
}

/* Where the order is not that of the hashes. */
static enum status
each_sorted(const struct slots *s, slots_some *some, void *context)
{
	struct buffer all = {0};
	enum status st = gather(&all, s);

	sort_from(&all, 0);
	if (st == OK)
		st = hand_on(&all, some, context);
	buffer_free(&all);
	return st;
}

enum status
slots_each(const struct slots *s, slots_some *some, void *context)
{
	struct buffer out = {0};
	uint64_t first = 0;

	if (s->salted)
		return each_sorted(s, some, context);
	while (s->at[first] != 0)
		first++;
	enum status st = append_front(&out, s, first, false);
	sort_from(&out, 0);
	for (uint64_t i = first, end; st == OK && i < s->size; i = end + 1) {
		size_t before = out.len;

		st = append_run(&out, s, i, first, &end);
		if (st != OK)
			break;
		sort_from(&out, before);
		if (out.len >= SOME * sizeof(uint64_t))
			st = hand_on(&out, some, context);
	}
	if (st == OK)
		st = hand_on(&out, some, context);
	buffer_free(&out);
	return st;
}
