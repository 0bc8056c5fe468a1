/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Where the probes of an item fall. bloom.c tells the whole story.
 *
 * BLOCK. Probe j of an item is v = h if it is the only one, else v = s_j, the
 * j-th splitmix64 step from h. The block is the high half of v * z, so it
 * follows from the high bits of v, and the mask takes the low 32 bits. The two
 * are independent as long as a block is the target of many different low
 * halves: 2^64 / z values lead to one, and for z <= 2^32 every low half occurs
 * among them equally often, give or take one. At z = 2^40 there still are 2^24
 * of them: two probes of a block share their mask with chance 2^-24, which is
 * nothing against the 1e-3 that a single probe is used down to.
 *
 * CLASSIC. Enhanced double hashing (Dillinger and Manolios, "Bloom Filters in
 * Probabilistic Verification", 2004; after Kirsch and Mitzenmacher, "Less
 * Hashing, Same Performance", 2006): a = h, b = s_1 | 1, and from probe j to
 * j + 1: a += b, then b += j * 0x9e3779b97f4a7c15. The growing step breaks up
 * the regular patterns of plain double hashing. The bit is the high half of
 * a * m.
 *
 * PARQUET. As a block filter of one probe, but the block is
 * ((h >> 32) * z) >> 32: the place of h with its low half cleared.
 *
 * DCSO. From h = FNV-1 of the item modulo M = 2^64 - 59, k times:
 * h = (h * G mod 2^64) mod M, and the bit is h mod m. See bloom_dcso.c.
 */
#include <string.h>

#include "sketch/member/bloom_dcso.h"
#include "sketch/member/bloom_walk.h"

static void
dcso_walk(struct bloom_walk *w, unsigned j, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w->value[i] = j == 1 ? dcso_first(w->hash[i]) : dcso_next(w->value[i]);
}

void
bloom_walk(struct bloom_walk *w, const struct bloom_shape *shape, unsigned j, size_t n)
{
	if (shape->type == BLOOM_DCSO) {
		dcso_walk(w, j, n);
	} else if (shape->type == BLOOM_BLOCK && shape->probes > 1) {
		for (size_t i = 0; i < n; i++)
			w->value[i] = hash_step(w->hash[i], j);
	} else if (j == 1) {
		memcpy(w->value, w->hash, n * sizeof w->value[0]);
	} else {
		for (size_t i = 0; i < n; i++) {
			if (j == 2)
				w->step[i] = hash_step(w->hash[i], 1) | 1;
			w->value[i] += w->step[i];
			w->step[i] += (j - 1) * BLOOM_STEP;
		}
	}
}

/* What a single probe enters, or says, is the whole item. */
static bool
is_single(const struct bloom_shape *shape)
{
	return shape->probes == 1 && shape->type != BLOOM_DCSO;
}

static void
add_batch(struct bloom_cells cells, unsigned char *at, const struct bloom_shape *shape,
    const uint64_t *hash, size_t n)
{
	struct bloom_walk walk;

	memcpy(walk.hash, hash, n * sizeof hash[0]);
	for (unsigned j = 1; j <= shape->probes; j++) {
		bloom_walk(&walk, shape, j, n);
		cells.set(at, shape, walk.value, n);
	}
}

void
bloom_walk_add(struct bloom_cells cells, unsigned char *at, const struct bloom_shape *shape,
    const uint64_t *hash, size_t n)
{
	while (n > 0) {
		size_t batch = n < BLOOM_BATCH ? n : BLOOM_BATCH;

		if (is_single(shape))
			cells.set(at, shape, hash, batch);
		else
			add_batch(cells, at, shape, hash, batch);
		hash += batch;
		n -= batch;
	}
}

/* Most absent items fail their first probe, so only those that passed all so
 * far go on to the next; they close ranks without a branch. */
static size_t
has_batch(struct bloom_cells cells, const unsigned char *at, const struct bloom_shape *shape,
    const uint64_t *hash, size_t n, bool *has)
{
	struct bloom_walk walk;
	unsigned char item[BLOOM_BATCH] = {0};
	bool hit[BLOOM_BATCH];

	memcpy(walk.hash, hash, n * sizeof hash[0]);
	memset(walk.step, 0, n * sizeof walk.step[0]);
	memset(has, 0, n * sizeof has[0]);
	for (size_t i = 0; i < n; i++)
		item[i] = (unsigned char)i;
	for (unsigned j = 1; j <= shape->probes && n > 0; j++) {
		size_t kept = 0;

		bloom_walk(&walk, shape, j, n);
		cells.test(at, shape, walk.value, n, hit);
		for (size_t i = 0; i < n; i++) {
			walk.hash[kept] = walk.hash[i];
			walk.value[kept] = walk.value[i];
			walk.step[kept] = walk.step[i];
			item[kept] = item[i];
			kept += hit[i];
		}
		n = kept;
	}
	for (size_t i = 0; i < n; i++)
		has[item[i]] = true;
	return n;
}

size_t
bloom_walk_has(struct bloom_cells cells, const unsigned char *at,
    const struct bloom_shape *shape, const uint64_t *hash, size_t n, bool *has)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i += BLOOM_BATCH) {
		size_t batch = n - i < BLOOM_BATCH ? n - i : BLOOM_BATCH;

		if (!is_single(shape)) {
			found += has_batch(cells, at, shape, hash + i, batch, has + i);
			continue;
		}
		cells.test(at, shape, hash + i, batch, has + i);
		for (size_t k = i; k < i + batch; k++)
			found += has[k];
	}
	return found;
}
