/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HAMMING_H
#define SKETCH_HAMMING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/buckets.h"

/*
 * An index of 64-bit signatures that finds all within a Hamming distance:
 * every one of them, whatever the signatures are. Its answer never depends on
 * how it searches.
 */
struct hamming;

/* distance: 0..64, the radius of every search; from 20 on it is a plain scan.
 * OK or STATUS_MEMORY. */
enum status hamming_new(struct hamming **, unsigned distance);
void hamming_free(struct hamming *);

/* Make room for one more. STATUS_MEMORY: refused by the system, or the index
 * would take more than this many bytes; it is as it was. */
enum status hamming_reserve(struct hamming *, uint64_t most);

/* After a hamming_reserve that returned OK. */
void hamming_add(struct hamming *, uint64_t signature, uint32_t number);

/* A hint: hamming_find will be asked for this signature soon. */
void hamming_expect(const struct hamming *, uint64_t signature);

/* All within the distance, nearest first, then by number as given to
 * hamming_add; each once. They live until the next call. OK or STATUS_MEMORY. */
enum status hamming_find(struct hamming *, uint64_t signature,
    const struct hamming_hit **, size_t *n);

/* Bytes on the heap. */
uint64_t hamming_memory(const struct hamming *);

/* Signatures in the fullest bucket, 0 as long as there are no buckets. */
uint32_t hamming_largest(const struct hamming *);

/* Compares that all searches so far have cost. */
uint64_t hamming_work(const struct hamming *);

#endif
