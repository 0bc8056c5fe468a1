/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/minslots.h"

#include "base/hash.h"

#define VALUE_BITS 48
#define EMPTY UINT64_MAX

static inline uint64_t
value_of(uint64_t z, unsigned round)
{
	return (uint64_t)round << VALUE_BITS | (z & ((UINT64_C(1) << VALUE_BITS) - 1));
}

/* One slot in a round of its own. */
static uint64_t
smallest(const uint64_t *hash, size_t n, unsigned round)
{
	uint64_t least = EMPTY;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = value_of(hash_step(hash[i], round), round);

		least = value < least ? value : least;
	}
	return least;
}

void
minslots_of(const uint64_t *hash, size_t n, uint64_t *slot, unsigned slots)
{
	unsigned round = 0, empty = slots;

	for (unsigned i = 0; i < slots; i++)
		slot[i] = EMPTY;
	while (empty > 0 && ++round <= slots) {
		for (size_t i = 0; i < n; i++) {
			uint64_t z = hash_step(hash[i], round), value = value_of(z, round);
			uint64_t *at = &slot[hash_place(z, slots)];

			empty -= *at == EMPTY;
			*at = value < *at ? value : *at;
		}
	}
	for (unsigned i = 0; empty > 0 && i < slots; i++)
		if (slot[i] == EMPTY)
			slot[i] = smallest(hash, n, slots + 1 + i);
}
