/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Counters of 4 bits. counting.c tells the whole story.
 *
 * Eight bytes are sixteen counters. Where all are wanted they are worked on in
 * lanes of a byte, the even counters apart from the odd ones, which leaves 4
 * spare bits above each for the carry. No lane looks at its neighbour, so it
 * does not matter in which order this machine has the bytes of a word.
 */
#include <string.h>

#include "base/hash.h"
#include "sketch/member/counting_cells.h"

#define LOW UINT64_C(0x0f0f0f0f0f0f0f0f)
#define ONE UINT64_C(0x0101010101010101)

uint64_t
counting_bytes(const struct bloom_shape *shape)
{
	return shape->size / 2 + shape->size % 2;
}

static unsigned
cell(const unsigned char *cells, uint64_t i)
{
	return cells[i / 2] >> i % 2 * 4 & CELL_MAX;
}

static void
cell_write(unsigned char *cells, uint64_t i, unsigned v)
{
	unsigned shift = i % 2 * 4;

	cells[i / 2] = (unsigned char)((cells[i / 2] & ~(CELL_MAX << shift)) | v << shift);
}

/* Add 1, if there is room. */
static inline void
cell_raise(unsigned char *cells, uint64_t i)
{
	unsigned shift = i % 2 * 4;
	unsigned byte = cells[i / 2];

	byte += (unsigned)((byte >> shift & CELL_MAX) != CELL_MAX) << shift;
	cells[i / 2] = (unsigned char)byte;
}

/* Where each probe falls; the memory comes while the next are worked out. */
static void
stage(const unsigned char *cells, const struct bloom_shape *shape, const uint64_t *value,
    size_t n, uint64_t *at)
{
	for (size_t i = 0; i < n; i++) {
		at[i] = hash_place(value[i], shape->size);
		__builtin_prefetch(cells + at[i] / 2);
	}
}

void
counting_cells_set(unsigned char *cells, const struct bloom_shape *shape,
    const uint64_t *value, size_t n)
{
	uint64_t at[BLOOM_BATCH];

	stage(cells, shape, value, n, at);
	for (size_t i = 0; i < n; i++)
		cell_raise(cells, at[i]);
}

static void
cells_test(const unsigned char *cells, const struct bloom_shape *shape,
    const uint64_t *value, size_t n, bool *hit)
{
	uint64_t at[BLOOM_BATCH];

	stage(cells, shape, value, n, at);
	for (size_t i = 0; i < n; i++)
		hit[i] = cell(cells, at[i]) != 0;
}

static const struct bloom_cells counters = {counting_cells_set, cells_test};

void
counting_cells_add(unsigned char *cells, const struct bloom_shape *shape,
    const uint64_t *hash, size_t n)
{
	bloom_walk_add(counters, cells, shape, hash, n);
}

size_t
counting_cells_has(const unsigned char *cells, const struct bloom_shape *shape,
    const uint64_t *hash, size_t n, bool *has)
{
	return bloom_walk_has(counters, cells, shape, hash, n, has);
}

/* The counters of one item. They are not yet there when this returns. */
static void
places(const unsigned char *cells, const struct bloom_shape *shape, uint64_t hash,
    uint64_t at[BLOOM_CLASSIC_PROBES_MAX])
{
	struct bloom_probe probe = bloom_probe_first(hash);

	for (unsigned j = 1; j <= shape->probes; j++) {
		at[j - 1] = hash_place(probe.value, shape->size);
		__builtin_prefetch(cells + at[j - 1] / 2);
		bloom_probe_next(&probe, j);
	}
}

bool
counting_cells_meet(unsigned char *cells, const struct bloom_shape *shape, uint64_t hash)
{
	uint64_t at[BLOOM_CLASSIC_PROBES_MAX];
	bool all = true;

	places(cells, shape, hash, at);
	for (unsigned j = 0; j < shape->probes && all; j++)
		all = cell(cells, at[j]) != 0;
	if (all)
		return true;
	for (unsigned j = 0; j < shape->probes; j++)
		cell_raise(cells, at[j]);
	return false;
}

enum removal
counting_cells_remove(unsigned char *cells, const struct bloom_shape *shape, uint64_t hash)
{
	uint64_t at[BLOOM_CLASSIC_PROBES_MAX];
	bool counted = false;

	places(cells, shape, hash, at);
	for (unsigned j = 0; j < shape->probes; j++) {
		unsigned there = cell(cells, at[j]), own = 0;

		if (there == CELL_MAX)
			continue;
		counted = true;
		for (unsigned i = 0; i < shape->probes; i++)
			own += at[i] == at[j];
		if (there < own)
			return REMOVE_ABSENT;
	}
	if (!counted)
		return REMOVE_PERMANENT;
	/* One for each probe, so one that is hit twice goes down by two. It was
	 * below CELL_MAX before, so it stays below. */
	for (unsigned j = 0; j < shape->probes; j++) {
		unsigned there = cell(cells, at[j]);

		if (there != CELL_MAX)
			cell_write(cells, at[j], there - 1);
	}
	return REMOVED;
}

struct counting_count
counting_cells_count(const unsigned char *cells, const struct bloom_shape *shape)
{
	struct counting_count count = {0};
	uint64_t bytes = counting_bytes(shape);

	for (uint64_t i = 0; i < bytes; i += 8) {
		uint64_t left = bytes - i, v = 0;

		memcpy(&v, cells + i, left < sizeof v ? left : sizeof v);
		uint64_t any = (v | v >> 1 | v >> 2 | v >> 3) & ONE * 0x11;
		uint64_t all = (v & v >> 1 & v >> 2 & v >> 3) & ONE * 0x11;
		/* A byte holds at most 2, and all eight together at most 16. */
		count.bits.ones += ((any & ONE) + (any >> 4 & ONE)) * ONE >> 56;
		count.permanent += ((all & ONE) + (all >> 4 & ONE)) * ONE >> 56;
	}
	count.bits.pass = (double)count.bits.ones / (double)shape->size;
	return count;
}

/* Lane by lane, of bytes whose upper half is 0. */
static uint64_t
lanes_sum(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	/* A carry into bit 4 becomes four ones below it. */
	return (sum | (sum >> 4 & ONE) * CELL_MAX) & LOW;
}

static uint64_t
lanes_min(uint64_t a, uint64_t b)
{
	/* Bit 4 of 16 + a - b says that a is not below b. */
	uint64_t larger = ((a | ONE << 4) - b) >> 4 & ONE;
	uint64_t mask = larger * CELL_MAX;

	return (b & mask) | (a & ~mask);
}

static inline void
cells_each(unsigned char *to, const unsigned char *from, uint64_t bytes,
    uint64_t (*lanes)(uint64_t, uint64_t))
{
	for (uint64_t i = 0; i < bytes; i += 8) {
		size_t n = bytes - i < 8 ? (size_t)(bytes - i) : 8;
		uint64_t a = 0, b = 0;

		memcpy(&a, to + i, n);
		memcpy(&b, from + i, n);
		a = lanes(a & LOW, b & LOW) | lanes(a >> 4 & LOW, b >> 4 & LOW) << 4;
		memcpy(to + i, &a, n);
	}
}

void
counting_cells_sum(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
	cells_each(to, from, bytes, lanes_sum);
}

void
counting_cells_min(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
	cells_each(to, from, bytes, lanes_min);
}

static unsigned
neighbours_sum(const unsigned char *cells, uint64_t first, uint64_t n)
{
	unsigned sum = 0;

	for (uint64_t i = first; i < first + n && sum < CELL_MAX; i++)
		sum += cell(cells, i);
	return sum < CELL_MAX ? sum : CELL_MAX;
}

/* A byte is written after its last reader, as with bits. */
void
counting_cells_fold(unsigned char *to, const unsigned char *from,
    const struct bloom_shape *shape, uint64_t factor)
{
	uint64_t size = shape->size / factor;

	for (uint64_t i = 0; i < size; i += 2) {
		unsigned byte = neighbours_sum(from, i * factor, factor);

		if (i + 1 < size)
			byte |= neighbours_sum(from, (i + 1) * factor, factor) << 4;
		to[i / 2] = (unsigned char)byte;
	}
}
