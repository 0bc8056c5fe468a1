/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HAMMING_H
#define SKETCH_HAMMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sketch/nearness/hits.h"

/*
 * An index of 64-bit signatures that finds all within a Hamming distance:
 * every one of them, unless there are more than the caller wants, or so crowded
 * that a search would cost far more than among random ones. Then it says so, and
 * else its answer does not depend on how it searches.
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

/* Add to hits, which is empty, all within the distance: nearest first, then by
 * number as given to hamming_add; each once. *cut: not all, since they are more than
 * hits->most, or crowded. Which ones these are depends on nothing but what was
 * added before, in which order. OK or STATUS_MEMORY. */
enum status hamming_find(struct hamming *, uint64_t signature, struct hits *, bool *cut);

/* Bytes on the heap. */
uint64_t hamming_memory(const struct hamming *);

/* Signatures in the fullest bucket, 0 as long as there are no buckets. */
uint32_t hamming_largest(const struct hamming *);

/* Compares that all searches so far have cost. */
uint64_t hamming_work(const struct hamming *);

#endif
