/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_BLOOM_BLOCK_H
#define SKETCH_BLOOM_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Blocks of 32 bytes, eight little-endian u32 words each, at any address (at
 * a multiple of 32 none straddles a cache line). A 64-bit value sets, or
 * finds, one bit in each word.
 */
#define BLOOM_BLOCK_BYTES 32
#define BLOOM_BLOCK_WORDS 8

/* One way of doing that to n blocks. at[] are byte offsets into bits. */
struct bloom_kernel {
	const char *name;
	void (*set)(unsigned char *bits, const uint64_t *at, const uint64_t *value, size_t n);
	void (*test)(const unsigned char *bits, const uint64_t *at, const uint64_t *value,
	    size_t n, bool *hit);
};

/* The i-th of those that this machine can run, the fastest first; NULL past
 * the last. All do the same. */
const struct bloom_kernel *bloom_block_kernel(size_t i);

/* What the bits of a filter say; of a classic one too. */
struct bloom_count {
	uint64_t ones;               /* bits set */
	double pass;                 /* chance that one probe of an absent item passes */
};

/* Over size blocks: exact integers up to one division at the end. */
struct bloom_count bloom_block_count(const unsigned char *bits, uint64_t size);

/* to[i] = factor neighbours of from united, for size blocks of to, which may
 * be the same memory. */
void bloom_block_fold(unsigned char *to, const unsigned char *from, uint64_t size,
    uint64_t factor);

#endif
