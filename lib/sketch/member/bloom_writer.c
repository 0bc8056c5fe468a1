/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * One filter, many writers. The alternatives are dearer: a copy per thread
 * doubles the memory, and the copies push each other out of the cache;
 * an atomic OR per word costs twice the processor time. A list of 128 probes
 * per shard keeps the locks rare and lets every entry prefetch its memory.
 *
 * A list holds probes, not items: each of the J blocks of an item, or the k
 * bits, may lie in another shard. A shard is a run of places whose number is a
 * power of two and which fill whole cache lines, so no byte belongs to two.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/bloom_writer.h"

#define SHARDS 64
#define CACHE_LINE 64

struct shard {
	_Alignas(CACHE_LINE) pthread_mutex_t lock;
};

struct bloom_shards {
	struct shard shard[SHARDS];
	struct bloom_target target;
	unsigned shift;              /* a place's shard is place >> shift */
};

struct bloom_writer {
	struct bloom_shards *shards;
	unsigned n[SHARDS];
	uint64_t value[SHARDS][BLOOM_BATCH];
};

static void
destroy_locks(struct bloom_shards *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		pthread_mutex_destroy(&s->shard[i].lock);
}

enum status
bloom_shards_on(struct bloom_shards **out, struct bloom_target target)
{
	struct bloom_shards *s = aligned_alloc(CACHE_LINE, sizeof *s);
	if (!s)
		return STATUS_MEMORY;
	s->target = target;
	s->shift = target.line;
	while ((target.shape->size - 1) >> s->shift >= SHARDS)
		s->shift++;
	for (unsigned i = 0; i < SHARDS; i++) {
		int error = pthread_mutex_init(&s->shard[i].lock, NULL);
		if (error != 0) {
			destroy_locks(s, i);
			free(s);
			errno = error;
			return STATUS_SYSTEM;
		}
	}
	*out = s;
	return OK;
}

enum status
bloom_shards_new(struct bloom_shards **out, struct bloom *filter)
{
	assert(bloom_bits(filter) && bloom_shape(filter)->type != BLOOM_DCSO);
	/* Two blocks, or 512 bits, are a cache line. */
	return bloom_shards_on(out, (struct bloom_target){
		.at = bloom_bits(filter), .shape = bloom_shape(filter),
		.line = bloom_is_blocks(bloom_shape(filter)->type) ? 1 : 9,
		.set = bloom_bits_set,
	});
}

void
bloom_shards_free(struct bloom_shards *s)
{
	if (!s)
		return;
	destroy_locks(s, SHARDS);
	free(s);
}

enum status
bloom_writer_new(struct bloom_writer **out, struct bloom_shards *shards)
{
	struct bloom_writer *w = malloc(sizeof *w);

	if (!w)
		return STATUS_MEMORY;
	w->shards = shards;
	memset(w->n, 0, sizeof w->n);
	*out = w;
	return OK;
}

void
bloom_writer_free(struct bloom_writer *w)
{
	free(w);
}

static void
enter(struct bloom_writer *w, unsigned i)
{
	struct bloom_shards *s = w->shards;

	pthread_mutex_lock(&s->shard[i].lock);
	s->target.set(s->target.at, s->target.shape, w->value[i], w->n[i]);
	pthread_mutex_unlock(&s->shard[i].lock);
	w->n[i] = 0;
}

void
bloom_writer_add(struct bloom_writer *w, const uint64_t *hash, size_t n)
{
	const struct bloom_shape *shape = w->shards->target.shape;
	uint64_t used = bloom_place_bits(shape);
	struct bloom_walk walk;

	while (n > 0) {
		size_t batch = n < BLOOM_BATCH ? n : BLOOM_BATCH;

		memcpy(walk.hash, hash, batch * sizeof hash[0]);
		for (unsigned j = 1; j <= shape->probes; j++) {
			bloom_walk(&walk, shape, j, batch);
			for (size_t i = 0; i < batch; i++) {
				uint64_t place = hash_place(walk.value[i] & used, shape->size);
				unsigned shard = (unsigned)(place >> w->shards->shift);

				w->value[shard][w->n[shard]++] = walk.value[i];
				if (w->n[shard] == BLOOM_BATCH)
					enter(w, shard);
			}
		}
		hash += batch;
		n -= batch;
	}
}

void
bloom_writer_flush(struct bloom_writer *w)
{
	for (unsigned i = 0; i < SHARDS; i++)
		if (w->n[i] > 0)
			enter(w, i);
}
