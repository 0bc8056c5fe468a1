/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/bytes.h"
#include "tool/report.h"
#include "tool/lines/shards.h"

/* The hashes of a block, those of a shard together and in their order. */
struct sorted {
	size_t from[GATES + 1];      /* where those of each shard begin */
	uint64_t *hash;
	uint32_t *item;              /* its number in the block */
	bool *answer;
	bool *by_item;
};

static struct buffer memory[WORKERS_MAX];

static inline unsigned
shard_of(uint64_t hash)
{
	return (unsigned)(hash >> 60);
}

_Static_assert(GATES == 16, "a gate for each value of the top four bits");

static void
make_room(struct sorted *s, struct buffer *room, size_t items)
{
	room->len = 0;
	if (buffer_reserve(room, items * (sizeof *s->hash + sizeof *s->item + 2) + 1) != OK)
		die(STATUS_MEMORY, "cannot sort a block");
	s->hash = (uint64_t *)(void *)room->at;
	s->item = (uint32_t *)(void *)(s->hash + items);
	s->answer = (bool *)(s->item + items);
	s->by_item = s->answer + items;
}

static void
sort(struct sorted *s, struct buffer *room, struct batch *const *batch, size_t n)
{
	size_t end[GATES] = {0}, items = 0;
	uint32_t number = 0;

	for (size_t k = 0; k < n; items += batch[k++]->n)
		for (size_t i = 0; i < batch[k]->n; i++)
			end[shard_of(batch[k]->hash[i])]++;
	make_room(s, room, items);
	memset(s->answer, 0, items * sizeof *s->answer);
	s->from[0] = 0;
	for (unsigned i = 0; i < GATES; i++) {
		s->from[i + 1] = s->from[i] + end[i];
		end[i] = s->from[i];
	}
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < batch[k]->n; i++) {
			size_t to = end[shard_of(batch[k]->hash[i])]++;
			s->hash[to] = batch[k]->hash[i];
			s->item[to] = number++;
		}
}

const bool *
shards_pass(unsigned worker, struct batch *const *batch, size_t n, struct gates *gates,
    shards_visit *visit, void *context)
{
	struct sorted s;

	if (!gates) {
		/* The block is one batch. */
		make_room(&s, &memory[worker], batch[0]->n);
		memset(s.answer, 0, batch[0]->n * sizeof *s.answer);
		visit(context, batch[0]->hash, batch[0]->n, s.answer);
		return s.answer;
	}
	sort(&s, &memory[worker], batch, n);
	for (unsigned i = 0; i < GATES; i++) {
		size_t from = s.from[i];

		if (!gate_enter(gates, i))
			return NULL;
		visit(context, s.hash + from, s.from[i + 1] - from, s.answer + from);
		gate_leave(gates, i);
	}
	for (size_t k = 0; k < s.from[GATES]; k++)
		s.by_item[s.item[k]] = s.answer[k];
	return s.by_item;
}

void
shards_free(void)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++)
		buffer_free(&memory[i]);
}
