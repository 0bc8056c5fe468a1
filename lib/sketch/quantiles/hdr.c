/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Gil Tene's histogram, with the slots of sketch/quantiles/hdr_slot.h. A number v and any
 * other one in its slot are apart by less than 2^-bits v, so whatever number of
 * the slot is told for a quantile is wrong by less than that:
 *
 *	digits   bits   error, less than    counters from 1 us to 1 h in us
 *	1        4      6.3 %               500
 *	2        7      0.79 %              3,200
 *	3        10     0.098 %             23,000
 *	4        14     0.0062 %            310,000
 *	5        17     0.00077 %           2,100,000
 *
 * Which of them are in use is a matter of the samples. Integers up to 2^(bits+1)
 * have slots of their own: quantiles of these are exact.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/quantiles/hdr_body.h"
#include "sketch/quantiles/hdr_slot.h"

/* So many samples are not worth the search in a list. */
#define FEW_SAMPLES 16384

unsigned
hdr_bits(unsigned digits)
{
	static const unsigned char bits[] = {0, 4, 7, 10, 14, 17};

	assert(digits >= HDR_DIGITS_MIN && digits <= HDR_DIGITS_MAX);
	return bits[digits];
}

enum status
hdr_new(struct hdr **out, unsigned digits)
{
	if (digits < HDR_DIGITS_MIN || digits > HDR_DIGITS_MAX)
		return STATUS_PARAMETER;
	struct hdr *h = malloc(sizeof *h);
	if (!h)
		return STATUS_MEMORY;
	*h = (struct hdr){
		.least = INFINITY,
		.most = -INFINITY,
		.digits = (unsigned char)digits,
		.shift = (unsigned char)(HDR_MANTISSA - hdr_bits(digits)),
	};
	*out = h;
	return OK;
}

void
hdr_free(struct hdr *h)
{
	if (!h)
		return;
	hdr_cells_clear(&h->cells);
	free(h);
}

bool
hdr_is_whole(double v)
{
	return floor(v) == v;
}

enum status
hdr_add_one(struct hdr *h, double value, uint64_t weight)
{
	assert(isfinite(value) && weight > 0);
	enum status st = hdr_cells_add(&h->cells, hdr_slot(value, h->shift), weight);

	if (st != OK)
		return st;
	/* Not the sign of -0. */
	if (value < h->least)
		h->least = value + 0.0;
	if (value > h->most)
		h->most = value + 0.0;
	h->fractions |= !hdr_is_whole(value);
	h->saturated |= h->total + weight < h->total;
	h->total = add_saturated(h->total, weight);
	return OK;
}

/* Adding 2^52 to a number above 0 leaves no room for a fraction. Large numbers,
 * which are all whole, may lose more than that: then they are not sure. */
static bool
surely_whole(const double *value, size_t n)
{
	const double shifter = 0x1p52;
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		double size = fabs(value[i]);
		same &= size + shifter - shifter == size;
	}
	return same;
}

static void
note_fractions(struct hdr *h, const double *value, size_t n)
{
	if (h->fractions || surely_whole(value, n))
		return;
	for (size_t i = 0; i < n; i++)
		h->fractions |= !hdr_is_whole(value[i]);
}

/*
 * Numbers of one sign that add nothing but a count: their bits without the sign,
 * less low, are at most reach. They are no less than the least sample and no more
 * than the greatest, and the window has their chunk's number.
 */
struct lane {
	uint64_t low, reach;
	uint64_t **chunk;
	uint32_t first;
};

static struct lane
lane_of(const struct hdr_side *side, unsigned shift, double near, double far)
{
	const unsigned chunk_shift = shift + HDR_CHUNK_BITS;
	uint64_t low = (uint64_t)side->first << chunk_shift;
	uint64_t high = (((uint64_t)side->first + side->n) << chunk_shift) - 1;

	if (side->n == 0 || far <= 0)
		return (struct lane){.low = UINT64_MAX};
	if (low == 0)
		low = 1;
	if (near > 0 && real_bits(near) > low)
		low = real_bits(near);
	if (real_bits(far) < high)
		high = real_bits(far);
	if (low > high)
		return (struct lane){.low = UINT64_MAX};
	return (struct lane){low, high - low, side->chunk, side->first};
}

/*
 * The inner loop, for a histogram that knows whether the numbers are whole. All
 * but those in the two lanes and zeros are rare: they widen something.
 */
static enum status
add_many(struct hdr *h, const double *value, size_t n)
{
	struct hdr_many *many = h->cells.many;
	const unsigned shift = h->shift;

	for (size_t i = 0; i < n;) {
		const struct lane lane[2] = {
			lane_of(&many->side[0], shift, h->least, h->most),
			lane_of(&many->side[1], shift, -h->most, -h->least),
		};
		const bool zero_known = h->least <= 0 && h->most >= 0;
		uint64_t zeros = 0;
		size_t before = i;

		for (; i < n; i++) {
			uint64_t bits = real_bits(value[i]), size = bits & INT64_MAX;
			const struct lane *l = &lane[bits >> 63];
			uint64_t place = size >> shift, *chunk;

			if (size - l->low <= l->reach &&
			    (chunk = l->chunk[(place >> HDR_CHUNK_BITS) - l->first]) != NULL)
				chunk[place % HDR_CHUNK]++;
			else if (size == 0 && zero_known)
				zeros++;
			else
				break;
		}
		many->zero += zeros;
		h->total += i - before;
		if (i == n)
			break;
		enum status st = hdr_add_one(h, value[i++], 1);
		if (st != OK)
			return st;
	}
	return OK;
}

enum status
hdr_add(struct hdr *h, const double *value, const uint64_t *weight, size_t n)
{
	enum status st = OK;

	if (!weight && h->total > FEW_SAMPLES && h->total < UINT64_MAX - n) {
		st = hdr_cells_spread(&h->cells);
		if (st != OK)
			return st;
	}
	if (!weight && h->cells.many && h->total < UINT64_MAX - n) {
		note_fractions(h, value, n);
		return add_many(h, value, n);
	}
	for (size_t i = 0; st == OK && i < n; i++)
		if (!weight || weight[i] > 0)
			st = hdr_add_one(h, value[i], weight ? weight[i] : 1);
	return st;
}

void
hdr_range(struct hdr *h, double least, double most)
{
	if (h->total == 0)
		return;
	h->loose = true;
	if (least < h->least)
		h->least = least + 0.0;
	if (most > h->most)
		h->most = most + 0.0;
}

unsigned
hdr_digits(const struct hdr *h)
{
	return h->digits;
}

double
hdr_interval(const struct hdr *h)
{
	return h->interval;
}

uint64_t
hdr_highest(const struct hdr *h)
{
	return h->highest;
}

void
hdr_set_highest(struct hdr *h, uint64_t highest)
{
	h->highest = highest;
}

double
hdr_lowest(const struct hdr *h)
{
	return h->lowest;
}

void
hdr_set_lowest(struct hdr *h, double lowest, bool fractions)
{
	h->fractions |= fractions && h->total > 0;
	h->lowest = h->fractions || fractions || lowest > 1 ? lowest : 0;
}

enum unit
hdr_unit(const struct hdr *h)
{
	return (enum unit)h->unit;
}

void
hdr_set_unit(struct hdr *h, enum unit unit)
{
	h->unit = (unsigned char)unit;
}

bool
hdr_whole(const struct hdr *h)
{
	return !h->fractions;
}

static int32_t
slot_in(unsigned digits, double v)
{
	return hdr_slot(v, HDR_MANTISSA - hdr_bits(digits));
}

uint64_t
hdr_slots(unsigned digits, double low, double high)
{
	return (uint64_t)(slot_in(digits, high) - slot_in(digits, low)) + 1;
}

uint64_t
hdr_memory_for(unsigned digits, double low, double high)
{
	uint64_t first = (uint64_t)(slot_in(digits, low) - 1) >> HDR_CHUNK_BITS;
	uint64_t last = (uint64_t)(slot_in(digits, high) - 1) >> HDR_CHUNK_BITS;

	return sizeof(struct hdr) + sizeof(struct hdr_many) +
	    (last - first + 1) * (HDR_CHUNK * sizeof(uint64_t) + 2 * sizeof(uint64_t *));
}

uint64_t
hdr_total(const struct hdr *h)
{
	return h->total;
}

bool
hdr_saturated(const struct hdr *h)
{
	return h->saturated;
}

/* A slot narrower than the grain holds what was up to one grain above its lowest
 * number. */
void
hdr_bounds(const struct hdr *h, int32_t slot, double *low, double *high)
{
	hdr_slot_bounds(slot, h->shift, !h->fractions, low, high);
	if (h->lowest == 0 || slot < 0)
		return;
	double grain = real_from(real_bits(h->lowest) >> HDR_MANTISSA << HDR_MANTISSA);
	double end = (slot == 0 ? 0 : hdr_slot_near(slot, h->shift)) + grain;
	double far = h->fractions ? real_from(real_bits(end) - 1) : end - 1;
	if (*high < far)
		*high = far;
}

bool
hdr_each(const struct hdr *h, uint64_t *at, struct bin *bin)
{
	int32_t slot;

	if (!hdr_cells_next(&h->cells, at, &slot, &bin->weight))
		return false;
	hdr_bounds(h, slot, &bin->low, &bin->high);
	return true;
}
