/* sketchutils: BSD-2-Clause, see LICENSE */
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

/* What a centroid may weigh that ends or begins behind this many samples. */
static double
most_at(const struct sweep *s, uint64_t rank)
{
	return (double)rank * (double)(s->total - rank) * s->scale;
}

void
sweep_begin(struct sweep *s, struct centroid *out, unsigned compression, uint64_t total)
{
	const double ln2 = 0.6931471805599453;
	uint64_t delta = (uint64_t)compression * FINENESS;
	uint32_t ratio = total > delta ? log2_of(total) - log2_of(delta) : 0;
	double z = 4 * ln2 * ((double)ratio / 65536) + 24;

	*s = (struct sweep){
		.out = out,
		.total = total,
		.scale = z / ((double)delta * (double)total),
	};
}

/* The centroid at hand is ready. */
static void
finish(struct sweep *s)
{
	struct centroid *c = &s->now;

	if (!s->single) {
		/* The sum of very large numbers has no double. */
		c->mean = s->first + s->sum / (double)c->weight;
		if (!(c->mean >= s->first))
			c->mean = s->first;
		if (!(c->mean <= s->last))
			c->mean = s->sum <= 1.7976931348623157e308 ? s->last :
			    s->first / 2 + s->last / 2;
	}
	s->before += c->weight;
	if (s->n > 0 && !c->point && !s->out[s->n - 1].point && s->out[s->n - 1].mean == c->mean)
		s->out[s->n - 1].weight += c->weight;
	else
		s->out[s->n++] = *c;
	c->weight = 0;
}

/* Does so much more still fit into the one at hand? The limit is lower at the
 * end that is nearer to an extreme: at its beginning, until it has come as far
 * past the middle. */
static inline bool
fits(const struct sweep *s, uint64_t more)
{
	uint64_t weight = s->now.weight + more;
	uint64_t end = s->before + weight;

	return (double)weight <= s->most &&
	    (end <= s->total - s->before || (double)weight <= most_at(s, end));
}

void
sweep_put(struct sweep *s, struct centroid c)
{
	struct centroid *now = &s->now;

	if (now->weight > 0 && fits(s, c.weight)) {
		if (s->single) {
			s->first = now->mean;
			s->sum = 0;
			s->single = false;
			now->point = false;
		}
		s->sum += (c.mean - s->first) * (double)c.weight;
		s->last = c.mean;
		now->weight += c.weight;
		return;
	}
	if (now->weight > 0)
		finish(s);
	*now = c;
	s->single = true;
	s->most = most_at(s, s->before);
}

size_t
sweep_end(struct sweep *s)
{
	if (s->now.weight > 0)
		finish(s);
	return s->n;
}
