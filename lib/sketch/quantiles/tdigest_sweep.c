/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "sketch/quantiles/tdigest_sweep.h"

/*
 * A centroid with a share q of the samples below it may weigh
 *
 *	n Z q (1 - q) / delta        Z = 4 ln(n / delta) + 24
 *
 * which is Dunning's scale function K2 in the form that compares weights.
 * delta is the compression times FINENESS, so that errors in the middle are well
 * below 1/1000 with the usual one of 100, and more at first: while there are
 * few samples, centroids of a hundred would tell more of chance than of them.
 */
#define FINENESS 8
#define FEW_SAMPLES 16384

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
	double delta = s->delta * 4 / ((double)s->walls + 4);
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
	s->count = 0;
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
		.room = sweep_room(compression),
		.total = total,
		.z = 4 * ln2 * ((double)ratio / 65536) + 24,
		.delta = (double)delta * (1 + FEW_SAMPLES / (double)total),
	};
	begin_round(s);
}

/* Weights fill three quarters of their limits in the long run, or less. What a
 * plan tells is not stored, so a logarithm of libm may tell it. */
size_t
sweep_expect(unsigned compression, uint64_t n)
{
	struct sweep s;
	size_t room = sweep_room(compression);

	if (n <= room)
		return (size_t)n;
	sweep_begin(&s, NULL, NULL, compression, n);
	double tail = s.delta / s.z;
	double centroids = 3 * tail * (log((double)n / (2 * tail)) + 1.5);
	return centroids < (double)room ? (size_t)centroids : room;
}

/* The mean of what is at hand. The sum of very large numbers has no double. */
static double
mean_of(const struct sweep *s)
{
	if (s->single)
		return s->first;
	double mean = s->sum <= DBL_MAX ? s->first + s->sum / s->weight :
	    s->first / 2 + s->last / 2;
	return mean > s->last ? s->last : mean;
}

/* The centroid at hand is ready. */
static void
finish(struct sweep *s)
{
	struct centroid c = {mean_of(s), s->count, s->single && s->point};
	assert(s->out);
	struct centroid *previous = s->n > 0 ? &s->out[s->n - 1] : NULL;

	s->before += s->count;
	s->count = 0;
	s->gap[s->n] = s->widest;
	if (previous && !c.point && !previous->point && previous->mean == c.mean)
		previous->weight += c.weight;
	else if (s->n < s->room)
		s->out[s->n++] = c;
	else
		s->full = true;
}

/* Begin another centroid with this. */
static void
begin_centroid(struct sweep *s, const struct centroid *c)
{
	double gap = 0;

	if (s->count > 0) {
		finish(s);
		gap = c->mean - s->last;
	}
	s->widest = (struct gap){gap, s->before};
	s->count = c->weight;
	s->weight = (double)c->weight;
	s->first = s->last = c->mean;
	s->sum = 0;
	s->single = true;
	s->point = c->point;
	start(s);
}

/* Does so much fit into the centroid at hand? The limit is lower at the end that
 * is nearer to an extreme: at its beginning, until it has come as far past the
 * middle. */
static inline bool
fits(const struct sweep *s, double weight)
{
	double right = s->right - weight;

	return weight <= s->most &&
	    (right >= s->left || weight <= (s->left + weight) * right * s->scale);
}

/* Add to the centroid at hand as many of these as fit: every sample comes by
 * here, so what changes is kept in registers. */
static size_t
put_some(struct sweep *s, const struct centroid *c, size_t n)
{
	double weight = s->weight, last = s->last, sum = s->sum;
	const double first = s->first;
	uint64_t count = s->count;
	struct gap widest = s->widest;
	size_t i;

	for (i = 0; i < n && fits(s, weight + (double)c[i].weight); i++) {
		double gap = c[i].mean - last;
		if (gap > widest.size)
			widest = (struct gap){gap, s->before + count};
		last = c[i].mean;
		sum += (last - first) * (double)c[i].weight;
		weight += (double)c[i].weight;
		count += c[i].weight;
	}
	s->weight = weight;
	s->last = last;
	s->sum = sum;
	s->count = count;
	s->widest = widest;
	s->single &= i == 0;
	return i;
}

void
sweep_put(struct sweep *s, const struct centroid *c, size_t n)
{
	for (size_t i = 0; i < n;) {
		if (s->count > 0)
			i += put_some(s, c + i, n - i);
		if (i < n)
			begin_centroid(s, &c[i++]);
	}
}

/*
 * Walls. Where no sample is for a long way, a mean of samples on both sides would
 * be a value that never came, and between them there is nothing to interpolate.
 * Such a gap divides the samples: on either side of it centroids are small, as
 * at the least and the greatest.
 */

/* How much farther it is from one neighbour to the other than across the next
 * three; of few samples that may be chance. */
#define WIDE 3
#define WIDE_FEW 36
/* Centroids with a smaller share do not matter. */
#define WALL_SHARE 2000

static bool
is_wide(const struct sweep *s, size_t i)
{
	const struct centroid *c = &s->out[i];

	if (c->point || c->weight < s->total / WALL_SHARE)
		return false;
	/* Its neighbours reach as far, but the gap is here. */
	if (s->gap[i].size < s->gap[i - 1].size || s->gap[i].size <= s->gap[i + 1].size)
		return false;
	double reach = (c[1].mean - c[-1].mean) / (WIDE + WIDE_FEW / (double)c->weight);
	return (i >= 4 && reach > c[-1].mean - c[-4].mean) ||
	    (i + 4 < s->n && reach > c[4].mean - c[1].mean);
}

/* The walls are those in the heaviest centroids, by rank. */
static void
find_walls(struct sweep *s)
{
	uint64_t weight[WALLS_MAX] = {0};

	for (size_t i = 0; i < s->n; i++) {
		if (!is_wide(s, i))
			continue;
		if (s->walls == WALLS_MAX) {
			size_t least = 0;
			for (size_t j = 1; j < WALLS_MAX; j++)
				if (weight[j] <= weight[least])
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
	if (s->count > 0)
		finish(s);
	if (s->full) {
		/* Too many: larger ones, then. */
		s->delta /= 2;
	} else {
		if (!s->looked)
			find_walls(s);
		if (s->looked || s->walls == 0)
			return false;
		s->looked = true;
	}
	begin_round(s);
	return true;
}
