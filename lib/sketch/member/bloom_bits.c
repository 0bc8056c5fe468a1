/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The bits of a Bloom filter. bloom.c tells the whole story, and bloom_walk.c
 * where they are.
 *
 * FOLDING. A place is floor(v * size / 2^64). Divided by f and rounded down,
 * that is floor(v * (size/f) / 2^64), the place in a filter f times smaller:
 * f neighbours united are the filter that would have been built.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/bloom_dcso.h"

/* Where each probe falls, as a byte's offset or a bit's number, and have the
 * memory come while the next ones are worked out. For a filter that is in the
 * core's own cache it costs nothing either. */
static void
stage(const unsigned char *bits, const struct bloom_shape *shape, const uint64_t *value,
    size_t n, uint64_t *at)
{
	uint64_t size = shape->size, used = bloom_place_bits(shape);

	if (bloom_is_blocks(shape->type)) {
		for (size_t i = 0; i < n; i++) {
			at[i] = hash_place(value[i] & used, size) * BLOOM_BLOCK_BYTES;
			__builtin_prefetch(bits + at[i]);
		}
	} else if (shape->type == BLOOM_DCSO) {
		for (size_t i = 0; i < n; i++) {
			at[i] = value[i] % size;
			__builtin_prefetch(bits + at[i] / 8);
		}
	} else {
		for (size_t i = 0; i < n; i++) {
			at[i] = hash_place(value[i], size);
			__builtin_prefetch(bits + at[i] / 8);
		}
	}
}

void
bloom_bits_set(unsigned char *bits, const struct bloom_shape *shape,
    const uint64_t *value, size_t n)
{
	uint64_t at[BLOOM_BATCH];

	stage(bits, shape, value, n, at);
	if (bloom_is_blocks(shape->type)) {
		bloom_block_kernel(0)->set(bits, at, value, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		bits[at[i] / 8] |= (unsigned char)(1u << at[i] % 8);
}

static void
bits_test(const unsigned char *bits, const struct bloom_shape *shape,
    const uint64_t *value, size_t n, bool *hit)
{
	uint64_t at[BLOOM_BATCH];

	stage(bits, shape, value, n, at);
	if (bloom_is_blocks(shape->type)) {
		bloom_block_kernel(0)->test(bits, at, value, n, hit);
		return;
	}
	for (size_t i = 0; i < n; i++)
		hit[i] = bits[at[i] / 8] >> at[i] % 8 & 1;
}

static const struct bloom_cells cells = {bloom_bits_set, bits_test};

void
bloom_bits_add(unsigned char *bits, const struct bloom_shape *shape,
    const uint64_t *hash, size_t n)
{
	bloom_walk_add(cells, bits, shape, hash, n);
}

size_t
bloom_bits_has(const unsigned char *bits, const struct bloom_shape *shape,
    const uint64_t *hash, size_t n, bool *has)
{
	return bloom_walk_has(cells, bits, shape, hash, n, has);
}

static bool
block_meet(unsigned char *bits, const struct bloom_shape *shape, uint64_t hash)
{
	const struct bloom_kernel *kernel = bloom_block_kernel(0);
	uint64_t used = bloom_place_bits(shape);
	bool all = true, hit;

	for (unsigned j = 1; j <= shape->probes; j++) {
		uint64_t value = shape->probes == 1 ? hash : hash_step(hash, j);
		uint64_t at = hash_place(value & used, shape->size) * BLOOM_BLOCK_BYTES;

		kernel->test(bits, &at, &value, 1, &hit);
		if (!hit)
			kernel->set(bits, &at, &value, 1);
		all = all && hit;
	}
	return all;
}

static bool
classic_meet(unsigned char *bits, const struct bloom_shape *shape, uint64_t hash)
{
	struct bloom_probe probe = bloom_probe_first(hash);
	unsigned all = 1;

	for (unsigned j = 1; j <= shape->probes; j++) {
		uint64_t at = hash_place(probe.value, shape->size);

		all &= (unsigned)bits[at / 8] >> at % 8;
		bits[at / 8] |= (unsigned char)(1u << at % 8);
		bloom_probe_next(&probe, j);
	}
	return all & 1;
}

bool
bloom_bits_meet(unsigned char *bits, const struct bloom_shape *shape, uint64_t hash)
{
	assert(shape->type != BLOOM_DCSO);
	return bloom_is_blocks(shape->type)
	    ? block_meet(bits, shape, hash)
	    : classic_meet(bits, shape, hash);
}

static struct bloom_count
classic_count(const unsigned char *bits, const struct bloom_shape *shape)
{
	struct bloom_count count = {0};
	uint64_t bytes = bloom_bytes(shape);

	for (uint64_t i = 0; i < bytes; i += 8) {
		uint64_t left = bytes - i;
		uint64_t v = 0;

		memcpy(&v, bits + i, left < sizeof v ? left : sizeof v);
		v -= v >> 1 & UINT64_C(0x5555555555555555);
		v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
		v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
		count.ones += v * UINT64_C(0x0101010101010101) >> 56;
	}
	count.pass = (double)count.ones / (double)shape->size;
	if (shape->type == BLOOM_DCSO && !bloom_dcso_suits(shape->size, shape->probes))
		count.pass = pow(bloom_dcso_fpp(bits, shape), 1.0 / shape->probes);
	return count;
}

struct bloom_count
bloom_bits_count(const unsigned char *bits, const struct bloom_shape *shape)
{
	return bloom_is_blocks(shape->type)
	    ? bloom_block_count(bits, shape->size)
	    : classic_count(bits, shape);
}

uint64_t
bloom_bits_all(const struct bloom_shape *shape)
{
	return bloom_is_blocks(shape->type) ? shape->size * BLOOM_BLOCK_BYTES * 8 : shape->size;
}

double
bloom_count_fpp(struct bloom_count count, const struct bloom_shape *shape)
{
	double fpp = 1;

	for (unsigned j = 0; j < shape->probes; j++)
		fpp *= count.pass;
	return fpp;
}

double
bloom_count_distinct(struct bloom_count count, const struct bloom_shape *shape)
{
	double all = (double)bloom_bits_all(shape);
	/* A probe of a block sets one bit in each word: one of 32 z places. */
	double places = bloom_is_blocks(shape->type) ? all / BLOOM_BLOCK_WORDS : all;

	if (count.ones == 0)
		return 0;
	if ((double)count.ones >= all)
		return INFINITY;
	return log1p(-(double)count.ones / all) / log1p(-1 / places) / shape->probes;
}

/* Is one of n bits set, the first of which is number first? */
static bool
any_set(const unsigned char *bits, uint64_t first, uint64_t n)
{
	uint64_t end = first + n;

	while (first < end) {
		bool whole = first % 8 == 0 && end - first >= 8;
		unsigned byte = bits[first / 8];

		if (whole ? byte != 0 : byte >> first % 8 & 1)
			return true;
		first += whole ? 8 : 1;
	}
	return false;
}

/* Eight bits are written after their last reader, as with blocks. */
static void
classic_fold(unsigned char *to, const unsigned char *from, uint64_t size, uint64_t factor)
{
	for (uint64_t i = 0; i < size; i += 8) {
		unsigned byte = 0;

		for (unsigned b = 0; b < 8 && i + b < size; b++)
			byte |= (unsigned)any_set(from, (i + b) * factor, factor) << b;
		to[i / 8] = (unsigned char)byte;
	}
}

void
bloom_bits_fold(unsigned char *to, const unsigned char *from,
    const struct bloom_shape *shape, uint64_t factor)
{
	assert(bloom_folds(shape->type));
	if (bloom_is_blocks(shape->type))
		bloom_block_fold(to, from, shape->size / factor, factor);
	else
		classic_fold(to, from, shape->size / factor, factor);
}
