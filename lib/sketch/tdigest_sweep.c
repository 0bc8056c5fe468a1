/* sketchutils: BSD-2-Clause, see LICENSE */
#include <float.h>

#include "sketch/tdigest_sweep.h"

#ifndef FINENESS
#define FINENESS 5
#endif

/* A pass of the sort is over so many bits. */
#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

/* So few are sorted by insertion. */
#define FEW 24

static void
sort_few(uint64_t *key, uint64_t *weight, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t k = key[i], w = weight ? weight[i] : 1;
		size_t j = i;

		for (; j > 0 && key[j - 1] > k; j--) {
			key[j] = key[j - 1];
			if (weight)
				weight[j] = weight[j - 1];
		}
		key[j] = k;
		if (weight)
			weight[j] = w;
	}
}

/* By the digit at this bit, from one array to another. */
static void
sort_pass(const uint64_t *key, const uint64_t *weight, uint64_t *to, uint64_t *to_weight,
    size_t n, unsigned shift)
{
	uint16_t count[DIGITS] = {0};
	uint16_t at = 0;

	for (size_t i = 0; i < n; i++)
		count[key[i] >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		uint16_t here = count[i];
		count[i] = at;
		at = (uint16_t)(at + here);
	}
	for (size_t i = 0; i < n; i++) {
		size_t place = count[key[i] >> shift & (DIGITS - 1)]++;
		to[place] = key[i];
		if (weight)
			to_weight[place] = weight[i];
	}
}

void
tdigest_sort(uint64_t *key, uint64_t *weight, uint64_t *spare, uint64_t *spare_weight, size_t n)
{
	uint64_t *from = key, *from_weight = weight, vary = 0;
	bool sorted = true;

	if (n <= FEW) {
		sort_few(key, weight, n);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		vary |= key[i] ^ key[0];
		sorted &= key[i - 1] <= key[i];
	}
	/* Digits in which all agree, or parts of one, need no pass. */
	while (vary != 0 && !sorted) {
		unsigned shift = (unsigned)__builtin_ctzll(vary);
		uint64_t *swap = from, *swap_weight = from_weight;

		sort_pass(from, from_weight, spare, spare_weight, n, shift);
		vary &= ~((uint64_t)(DIGITS - 1) << shift);
		from = spare;
		spare = swap;
		if (weight) {
			from_weight = spare_weight;
			spare_weight = swap_weight;
		}
	}
	if (from != key) {
		memcpy(key, from, n * sizeof *key);
		if (weight)
			memcpy(weight, from_weight, n * sizeof *weight);
	}
}

/* The binary logarithm of n >= 1 in units of 2^-16, cut: one bit of it each time
 * a mantissa is squared. No libm: what it says decides what is stored. */
static uint32_t
log2_of(uint64_t n)
{
	unsigned whole = 63 - (unsigned)__builtin_clzll(n);
	uint64_t mantissa = n << (63 - whole) >> 32;
	uint32_t result = whole;

	for (unsigned i = 0; i < 16; i++) {
		mantissa = mantissa * mantissa >> 31;
		result <<= 1;
		if (mantissa >> 32) {
			mantissa >>= 1;
			result |= 1;
		}
	}
	return result;
}

/* Let the centroid at hand begin here, at whichever wall that is. */
static void
start(struct sweep *s)
{
	if (s->before == s->wall[s->next] && s->next < s->walls)
		s->begin = s->wall[s->next++];
	double length = (double)(s->wall[s->next] - s->begin);
	double delta = s->delta * 2 / ((double)s->walls + 2);
	s->left = (double)(s->before - s->begin);
	s->right = (double)(s->wall[s->next] - s->before);
	s->scale = s->z / (delta * length);
	s->most = s->left * s->right * s->scale;
}

static void
begin_round(struct sweep *s)
{
	s->n = s->next = 0;
	s->full = false;
	s->begin = s->before = 0;
	s->now.weight = 0;
	s->wall[s->walls] = s->total;
}

void
sweep_begin(struct sweep *s, struct centroid *out, struct gap *gap, unsigned compression,
    uint64_t total)
{
	const double ln2 = 0.6931471805599453;
	uint64_t delta = (uint64_t)compression * FINENESS;
	uint32_t ratio = total > delta ? log2_of(total) - log2_of(delta) : 0;

	*s = (struct sweep){
		.out = out,
		.gap = gap,
		.room = tdigest_room(compression),
		.total = total,
		.z = 4 * ln2 * ((double)ratio / 65536) + 24,
		.delta = (double)delta,
	};
	begin_round(s);
}

/* The mean of what is at hand. The sum of very large numbers has no double. */
static double
mean_of(const struct sweep *s)
{
	double mean = s->first + s->sum / s->weight;

	if (!(s->sum <= DBL_MAX))
		mean = s->first / 2 + s->last / 2;
	return mean > s->last ? s->last : mean;
}

/* The centroid at hand is ready. */
static void
finish(struct sweep *s)
{
	struct centroid *c = &s->now, *previous = s->out + s->n - 1;

	if (!s->single)
		c->mean = mean_of(s);
	s->before += c->weight;
	if (s->n > 0 && !c->point && !previous->point && previous->mean == c->mean)
		previous->weight += c->weight;
	else if (s->n < s->room)
		s->out[s->n++] = *c;
	else
		s->full = true;
}

/* Does so much more still fit into the one at hand? The limit is lower at the
 * end that is nearer to an extreme: at its beginning, until it has come as far
 * past the middle. */
static inline bool
fits(const struct sweep *s, double weight)
{
	double right = s->right - weight;

	return weight <= s->most &&
	    (right >= s->left || weight <= (s->left + weight) * right * s->scale);
}

static inline void
note_gap(struct sweep *s, double size, double below)
{
	if (size > s->gap[s->n].size)
		s->gap[s->n] = (struct gap){size, s->before + (uint64_t)below};
}

void
sweep_put(struct sweep *s, struct centroid c)
{
	struct centroid *now = &s->now;
	double more = (double)c.weight;

	if (now->weight > 0 && fits(s, s->weight + more)) {
		if (s->single) {
			s->first = now->mean;
			s->sum = 0;
			s->single = now->point = false;
		}
		note_gap(s, c.mean - s->last, s->weight);
		s->sum += (c.mean - s->first) * more;
		s->last = c.mean;
		s->weight += more;
		now->weight += c.weight;
		return;
	}
	double gap = 0;
	if (now->weight > 0) {
		finish(s);
		gap = c.mean - s->last;
	}
	if (s->n < s->room)
		s->gap[s->n] = (struct gap){gap, s->before};
	*now = c;
	s->single = true;
	s->weight = more;
	s->last = c.mean;
	start(s);
}

/*
 * Walls. Where no sample is for a long way, a mean of samples on both sides would
 * be a value that never came, and between them there is nothing to interpolate.
 * Such a gap divides the samples: on either side of it centroids are small, as
 * at the least and the greatest.
 */

/* How many times longer than the way to the next centroid. */
#ifndef WIDE
#define WIDE 8
#endif
/* Centroids with a smaller share do not matter, nor does one of so few. */
#define WALL_SHARE 2000
#define WALL_WEIGHT 16

static bool
is_wide(const struct sweep *s, size_t i)
{
	const struct centroid *c = &s->out[i];
	double gap = s->gap[i].size / WIDE;

	if (c->point || c->weight < WALL_WEIGHT || c->weight < s->total / WALL_SHARE)
		return false;
	return (i >= 2 && gap > c[-1].mean - c[-2].mean) ||
	    (i + 2 < s->n && gap > c[2].mean - c[1].mean);
}

/* The walls are those in the heaviest centroids, by rank. */
static void
find_walls(struct sweep *s)
{
	uint64_t weight[WALLS_MAX];

	for (size_t i = 0; i < s->n; i++) {
		if (!is_wide(s, i))
			continue;
		if (s->walls == WALLS_MAX) {
			size_t least = 0;
			for (size_t j = 1; j < WALLS_MAX; j++)
				if (weight[j] < weight[least])
					least = j;
			if (weight[least] >= s->out[i].weight)
				continue;
			s->walls--;
			memmove(weight + least, weight + least + 1,
			    (s->walls - least) * sizeof *weight);
			memmove(s->wall + least, s->wall + least + 1,
			    (s->walls - least) * sizeof *s->wall);
		}
		weight[s->walls] = s->out[i].weight;
		s->wall[s->walls++] = s->gap[i].rank;
	}
}

bool
sweep_again(struct sweep *s)
{
	if (s->now.weight > 0)
		finish(s);
	if (s->last_round)
		return false;
	/* A second round is for the walls; if they take too many centroids, a third
	 * one is without. */
	if (s->walls > 0) {
		if (!s->full)
			return false;
		s->walls = 0;
		s->last_round = true;
	} else {
		find_walls(s);
		if (s->walls == 0)
			return false;
	}
	begin_round(s);
	return true;
}
