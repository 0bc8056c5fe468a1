/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * How a histogram lies in a record, kind 11, version 1. The parameters are
 * listed in sketch/quantiles/hdr.h, numbers are those of number_put(). Without samples the
 * payload is empty, else it is
 *
 *	+-------+------+-----+-------+-----+-------+-- ...
 *	| least | most | gap | count | gap | count |
 *	+-------+------+-----+-------+-----+-------+-- ...
 *
 * least and most are the bits of the least and the greatest sample with their
 * bytes in reverse, so that round numbers are short; most is combined with least
 * by exclusive or, so that it is 0 if both are the same. A gap and a count are
 * there for each slot in use, in ascending order: the gap is how many slots lie
 * between it and the one before it, or for the first how far it is from the slot
 * of the least sample: 0, unless the record says that this is only a bound. The
 * count is at least 1. So there is one form for each histogram.
 *
 * Example, 3 digits, after the samples 3, 3, 1000 and 1001, which have the bits
 * 0x4008, 0x408f40 and 0x408f48 and then zeros. The first 22 bits are 0x100200,
 * 0x1023d0 and 0x1023d2:
 *
 *	c0 10           least: 0x0840
 *	80 8e a2 02     most: 0x488f40 ^ 0x000840 = 0x488700
 *	00 02           the slot of the least one: 2 samples
 *	cf 43 01        8655 slots are between it and the next one: 1 sample
 *	01 01           1 slot, that of 1000.5; 1 sample
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/unit.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/quantiles/hdr_body.h"
#include "sketch/quantiles/hdr_slot.h"

#define PAIR_MAX (2 * NUMBER_BYTES)

/* More would leave the range of doubles where it is added to one. */
#define LOWEST_MAX 0x1p900

static bool
good_interval(uint64_t bits)
{
	double interval = real_from(bits);

	return bits == 0 || (isfinite(interval) && interval > 0);
}

static bool
good_lowest(uint64_t bits)
{
	return good_interval(bits) && real_from(bits) <= LOWEST_MAX;
}

enum status
hdr_new_as(struct hdr **out, const struct record *settings)
{
	const uint64_t *p = settings->param;

	if (p[HDR_PARAM_DIGITS] > HDR_DIGITS_MAX || p[QUANTILES_UNIT] >= UNITS ||
	    !good_interval(p[HDR_PARAM_INTERVAL]))
		return STATUS_PARAMETER;
	enum status st = hdr_new(out, (unsigned)p[HDR_PARAM_DIGITS]);
	if (st != OK)
		return st;
	(*out)->interval = real_from(p[HDR_PARAM_INTERVAL]);
	(*out)->unit = (unsigned char)p[QUANTILES_UNIT];
	return OK;
}

static enum status
check(const struct record *head)
{
	const uint64_t *p = head->param;

	if (p[HDR_PARAM_DIGITS] < HDR_DIGITS_MIN || p[HDR_PARAM_DIGITS] > HDR_DIGITS_MAX ||
	    !good_interval(p[HDR_PARAM_INTERVAL]) || p[HDR_PARAM_FRACTIONS] > 1 ||
	    p[HDR_PARAM_LOOSE] > 1 || !good_lowest(p[HDR_PARAM_LOWEST]) ||
	    p[QUANTILES_UNIT] >= UNITS)
		return STATUS_PARAMETER;
	for (int i = HDR_PARAM_LOWEST + 1; i < QUANTILES_UNIT; i++)
		if (p[i] != 0)
			return STATUS_PARAMETER;
	/* Two numbers and a pair at least; a pair for each slot at most. */
	uint64_t slots = (UINT64_C(4096) << hdr_bits((unsigned)p[HDR_PARAM_DIGITS])) + 1;
	if (head->size != 0 && (head->size < 4 || head->size > PAIR_MAX * (slots + 1)))
		return STATUS_SIZE;
	return OK;
}

static uint64_t
reversed(uint64_t bits)
{
	unsigned char bytes[8];
	uint64_t out = 0;

	put_le64(bytes, bits);
	for (int i = 0; i < 8; i++)
		out = out << 8 | bytes[i];
	return out;
}

/* A number that may be a sample, and 0 only as +0. */
static bool
get_real(struct slice *in, uint64_t mask, double *out)
{
	uint64_t bits;

	if (!number_get(in, &bits))
		return false;
	*out = real_from(reversed(bits ^ mask));
	return isfinite(*out) && !(*out == 0 && signbit(*out));
}

/* Does a slot have room for samples like these? */
static bool
slot_possible(const struct hdr *h, int32_t slot)
{
	double low, high;

	if (h->fractions)
		return true;
	hdr_slot_bounds(slot, h->shift, true, &low, &high);
	return low <= high && hdr_is_whole(low) && hdr_is_whole(high);
}

static enum status
load_slots(struct hdr *h, struct slice in)
{
	const int32_t first = hdr_slot(h->least, h->shift), last = hdr_slot(h->most, h->shift);
	int64_t slot = first - 1;
	bool begun = false;

	while (in.len > 0) {
		uint64_t gap, count;
		if (!number_get(&in, &gap) || !number_get(&in, &count) || count == 0 ||
		    gap > HDR_SLOT_END * 2)
			return STATUS_INVARIANT;
		slot += (int64_t)gap + 1;
		if (slot > last || (!begun && !h->loose && gap > 0) ||
		    !slot_possible(h, (int32_t)slot))
			return STATUS_INVARIANT;
		enum status st = hdr_cells_add(&h->cells, (int32_t)slot, count);
		if (st != OK)
			return st;
		h->saturated |= h->total + count < h->total;
		h->total = add_saturated(h->total, count);
		begun = true;
	}
	if (!begun || (slot < last && !h->loose))
		return STATUS_INVARIANT;
	/* One sample cannot be two numbers. */
	return h->total == 1 && !h->loose && h->least != h->most ? STATUS_INVARIANT : OK;
}

/* Whether it is saturated is the flag's to say: a sum may be 2^64-1 by itself. */
static enum status
load_payload(struct hdr *h, const struct record *head, struct slice in)
{
	bool saturated = head->flags & FLAG_SATURATED;
	uint64_t bits;

	h->fractions = head->param[HDR_PARAM_FRACTIONS] == 1;
	h->loose = head->param[HDR_PARAM_LOOSE] == 1;
	h->highest = head->param[HDR_PARAM_HIGHEST];
	h->lowest = real_from(head->param[HDR_PARAM_LOWEST]);
	if (in.len == 0)
		return h->fractions || h->loose ? STATUS_INVARIANT : OK;

	if (!get_real(&in, 0, &h->least))
		return STATUS_INVARIANT;
	bits = reversed(real_bits(h->least));
	if (!get_real(&in, bits, &h->most) || h->least > h->most)
		return STATUS_INVARIANT;
	if (!h->fractions && !h->loose &&
	    (!hdr_is_whole(h->least) || !hdr_is_whole(h->most)))
		return STATUS_INVARIANT;
	enum status st = load_slots(h, in);
	if (st != OK)
		return st;
	if (h->saturated && !saturated)
		return STATUS_INVARIANT;
	h->saturated = saturated && h->total == UINT64_MAX;
	return OK;
}

static enum status
load(void **sketch, const struct record *head, struct buffer *payload)
{
	struct hdr *h;
	enum status st = hdr_new_as(&h, head);

	if (st != OK)
		return st == STATUS_MEMORY ? st : STATUS_INVARIANT;
	st = load_payload(h, head, (struct slice){payload->at, payload->len});
	if (st != OK) {
		hdr_free(h);
		return st;
	}
	*sketch = h;
	return OK;
}

static enum status
put_pair(struct buffer *b, uint64_t first, uint64_t second)
{
	unsigned char numbers[PAIR_MAX];
	size_t n = number_put(numbers, first);

	n += number_put(numbers + n, second);
	return buffer_append(b, numbers, n);
}

static enum status
save_payload(const struct hdr *h, struct buffer *b)
{
	uint64_t least = reversed(real_bits(h->least)), at = 0, count;
	int32_t slot, next = hdr_slot(h->least, h->shift);
	enum status st = put_pair(b, least, reversed(real_bits(h->most)) ^ least);

	while (st == OK && hdr_cells_next(&h->cells, &at, &slot, &count)) {
		st = put_pair(b, (uint64_t)(slot - next), count);
		next = slot + 1;
	}
	return st;
}

void
hdr_describe(const struct hdr *h, struct record *head)
{
	head->kind = KIND_HDR;
	head->version = 1;
	if (h->saturated)
		head->flags |= FLAG_SATURATED;
	memset(head->param, 0, sizeof head->param);
	head->param[HDR_PARAM_DIGITS] = h->digits;
	head->param[HDR_PARAM_INTERVAL] = real_bits(h->interval);
	head->param[HDR_PARAM_FRACTIONS] = h->fractions;
	head->param[HDR_PARAM_LOOSE] = h->loose;
	head->param[HDR_PARAM_HIGHEST] = h->highest;
	head->param[HDR_PARAM_LOWEST] = real_bits(h->lowest);
	head->param[QUANTILES_UNIT] = h->unit;
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	const struct hdr *h = sketch;
	size_t before = payload->len;
	enum status st = h->total > 0 ? save_payload(h, payload) : OK;

	if (st != OK) {
		payload->len = before;
		return st;
	}
	hdr_describe(h, head);
	head->size = payload->len - before;
	return OK;
}

static enum status
differ(struct mismatch *why, const char *what, const char *a, const char *b)
{
	snprintf(why->text, sizeof why->text, "%s %s and %s", what, a, b);
	return STATUS_MISMATCH;
}

static const char *
interval_text(char out[NUM_REAL_SIZE], double interval)
{
	return interval > 0 ? num_real(out, interval) : "none";
}

/* The sum of both, in slots of fewer digits than those of into: the same as if
 * all samples had come with so many. */
static enum status
unite_coarser(struct hdr *into, const struct hdr *from)
{
	struct hdr_cells sum = {0};
	enum status st = hdr_cells_unite(&sum, &into->cells, from->shift - into->shift);

	if (st == OK)
		st = hdr_cells_unite(&sum, &from->cells, 0);
	if (st != OK) {
		hdr_cells_clear(&sum);
		return st;
	}
	hdr_cells_clear(&into->cells);
	into->cells = sum;
	into->digits = from->digits;
	into->shift = from->shift;
	return OK;
}

static enum status
merge(void *sketch, const void *other, struct mismatch *why)
{
	struct hdr *into = sketch;
	const struct hdr *from = other;
	char a[NUM_REAL_SIZE], b[NUM_REAL_SIZE];

	if (into->unit != from->unit)
		return differ(why, "unit", unit_label(into->unit), unit_label(from->unit));
	if (into->interval != from->interval)
		return differ(why, "interval of --correct", interval_text(a, into->interval),
		    interval_text(b, from->interval));

	enum status st = into->shift < from->shift ? unite_coarser(into, from) :
	    hdr_cells_unite(&into->cells, &from->cells, into->shift - from->shift);
	if (st != OK)
		return st;
	into->least = fmin(into->least, from->least);
	into->most = fmax(into->most, from->most);
	into->fractions |= from->fractions;
	into->loose |= from->loose;
	into->saturated |= from->saturated || into->total + from->total < into->total;
	into->total = add_saturated(into->total, from->total);
	if (into->highest < from->highest)
		into->highest = from->highest;
	if (into->lowest < from->lowest)
		into->lowest = from->lowest;
	return OK;
}

static void
settings(const struct record *head, struct facts *f)
{
	unsigned digits = (unsigned)head->param[HDR_PARAM_DIGITS];

	fact_count(f, "digits", digits);
	fact_real(f, "relative_error", 1.0 / (1 << hdr_bits(digits)));
	fact_text(f, "unit", unit_label((enum unit)head->param[QUANTILES_UNIT]));
	if (head->param[HDR_PARAM_INTERVAL] != 0)
		fact_real(f, "corrected_by", real_from(head->param[HDR_PARAM_INTERVAL]));
	if (head->param[HDR_PARAM_HIGHEST] != 0)
		fact_count(f, "highest_trackable", head->param[HDR_PARAM_HIGHEST]);
	if (head->param[HDR_PARAM_LOWEST] != 0)
		fact_real(f, "lowest_discernible", real_from(head->param[HDR_PARAM_LOWEST]));
}

static void
facts(const void *sketch, struct facts *f)
{
	const struct hdr *h = sketch;
	uint64_t at = 0, slots = 0;
	struct record head = {0};
	struct bin bin;

	hdr_describe(h, &head);
	settings(&head, f);
	fact_count(f, "total", h->total);
	fact_flag(f, "whole", !h->fractions);
	while (hdr_each(h, &at, &bin))
		slots++;
	fact_count(f, "slots_used", slots);
	if (h->total > 0) {
		struct span median, tail;
		hdr_quantiles.quantile(h, 0.5, true, &median);
		hdr_quantiles.quantile(h, 0.99, true, &tail);
		fact_flag(f, "range_exact", !h->loose);
		fact_real(f, "least", h->least);
		fact_real(f, "median", median.value);
		fact_real(f, "p99", tail.value);
		fact_real(f, "most", h->most);
	}
	fact_count(f, "memory", sizeof *h + hdr_cells_memory(&h->cells));
}

static void
release(void *sketch)
{
	hdr_free(sketch);
}

const struct kind hdr_kind = {
	.id = KIND_HDR,
	.version = 1,
	.name = "hdr",
	.hash = HASH_XXH3,
	.check = check,
	.load = load,
	.save = save,
	.merge = merge,
	.settings = settings,
	.facts = facts,
	.free = release,
};
