/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_NEARBLOOM_H
#define SKETCH_NEARBLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * Near-duplicates in constant memory, for when an index (sketch/nearness/nearindex.h) is
 * full: the bands of MinHash signatures (sketch/nearness/bands.h) in a Bloom filter. A
 * document that has one in common with an earlier one was seen. Nothing is left
 * to compare features with, so bands have enough rows that unlike documents
 * rarely agree in one, and similar ones are missed more often than by an index.
 */
struct nearbloom;

/* For documents of this similarity; of those 0.2 less similar at most 1 pair in 20
 * has a band in common, if 16 rows are enough for that. bytes: at least 1024. OK
 * or STATUS_MEMORY. */
enum status nearbloom_new(struct nearbloom **, double similarity, uint64_t bytes);
void nearbloom_free(struct nearbloom *);

/* Was a document like this one seen? If not, it is from now on. n hashes of its
 * features, and the hash of its content; content_only: look at nothing else. */
bool nearbloom_meet(struct nearbloom *, const uint64_t *feature, size_t n,
    const uint64_t content[2], bool content_only);

/* The share of pairs with this similarity that have a band in common. */
double nearbloom_finds(const struct nearbloom *, double similarity);

/* The chance that a new document, unlike any, is taken for one that was seen, since
 * the bits that it would set are set; and how many that will have been. */
double nearbloom_fpp(const struct nearbloom *);
double nearbloom_lost(const struct nearbloom *);

uint64_t nearbloom_memory(const struct nearbloom *);

#endif
