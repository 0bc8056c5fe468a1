/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_TDIGEST_SORT_H
#define SKETCH_TDIGEST_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Numbers whose order is that of the doubles they stand for. -0 is 0. */
static inline uint64_t
tdigest_key(double value)
{
	const uint64_t sign = UINT64_C(1) << 63;
	uint64_t bits;

	value += 0.0;
	memcpy(&bits, &value, sizeof bits);
	return bits & sign ? ~bits : bits | sign;
}

static inline double
tdigest_value(uint64_t key)
{
	const uint64_t sign = UINT64_C(1) << 63;
	double value;

	key = key & sign ? key ^ sign : ~key;
	memcpy(&value, &key, sizeof value);
	return value;
}

/* Bring n keys, at most 2^16-1, into ascending order, and their weights with
 * them unless these are NULL. spare has room for as many again; so has
 * spare_weight. Linear in n, whatever the keys are. */
void tdigest_sort(uint64_t *key, uint64_t *weight, uint64_t *spare, uint64_t *spare_weight,
    size_t n);

#endif
