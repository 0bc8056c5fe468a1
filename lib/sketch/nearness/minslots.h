/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_MINSLOTS_H
#define SKETCH_MINSLOTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The signature of a set in slots: two sets agree in each of them with a probability
 * that is their Jaccard similarity, and in how many of them is nearly as if they were
 * independent. A MinHash, too, but aligned, which one of k smallest hashes is not: so
 * some of its slots together can be looked up (sketch/nearness/bands.h).
 *
 * Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup, FOCS 2017): in round after
 * round each element falls into a slot by chance, and the first round that fills it
 * decides, in which the smallest hash does. That takes n + slots * log(slots) steps,
 * and not n * slots. If slots are empty after as many rounds as there are slots, all
 * elements fall into the first of them in the next round, into the second in the one
 * after it, and so on.
 *
 * In round i, from 1, an element with the hash h has z = hash_step(h, i), falls into
 * slot hash_place(z, slots), and is worth i * 2^48 + z mod 2^48 there: the least value
 * is the slot's. The signature does not depend on order or repetition.
 */
#define MINSLOTS_MAX 256

/* n hashes, at least one. */
void minslots_of(const uint64_t *hash, size_t n, uint64_t *slot, unsigned slots);

#endif
