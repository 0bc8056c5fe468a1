/* sketchutils: BSD-2-Clause, see LICENSE */

/* The memory of an index of near-duplicates. */
#include <stdlib.h>

#include "base/salt.h"
#include "sketch/nearness/nearindex.h"
#include "sketch/nearness/nearindex_body.h"

/* Feature ids are cut from chunks, which grow to what huge pages are made of;
 * a document longer than a chunk has its own. */
#define CHUNK_MIN ((size_t)256 << 10)
#define CHUNK_MAX ((size_t)16 << 20)

/* May this many bytes be added? */
static bool
allowed(const struct nearindex *index, uint64_t bytes)
{
	uint64_t taken = nearindex_memory(index);

	return taken <= index->most && bytes <= index->most - taken;
}

size_t
nearindex_slot(const struct nearindex *index, const uint64_t content[2])
{
	/* Salted: contents may have been chosen. Documents have the numbers of their order. */
	size_t i = (size_t)hash_place(salt_scatter(content[0]), index->slots);

	for (; index->slot[i] != 0; i = (i + 1) & (index->slots - 1)) {
		const struct near_kept *d = &index->document[index->slot[i] - 1];

		if (d->content[0] == content[0] && d->content[1] == content[1])
			break;
	}
	return i;
}

static enum status
grow_slots(struct nearindex *index)
{
	size_t slots = index->slots ? 2 * index->slots : 1024, old = index->slots;

	if (!allowed(index, slots * sizeof(uint32_t)))
		return STATUS_MEMORY;
	uint32_t *slot = calloc(slots, sizeof *slot);
	if (!slot)
		return STATUS_MEMORY;
	free(index->slot);
	index->slot = slot;
	index->slots = slots;
	index->memory += (slots - old) * sizeof(uint32_t);
	for (size_t i = 0; i < index->n; i++)
		slot[nearindex_slot(index, index->document[i].content)] = (uint32_t)(i + 1);
	return OK;
}

static enum status
grow_documents(struct nearindex *index)
{
	size_t room = index->room ? index->room + index->room / 2 : 1024;
	uint64_t more = (room - index->room) * sizeof(struct near_kept);

	if (room >= UINT32_MAX || !allowed(index, more))
		return STATUS_MEMORY;
	struct near_kept *document = realloc(index->document, room * sizeof *document);
	if (!document)
		return STATUS_MEMORY;
	index->document = document;
	index->room = room;
	index->memory += more;
	return OK;
}

static enum status
grow_signatures(struct nearindex *index)
{
	size_t old = index->signatures_room, room = old ? old + old / 2 : 1024;
	uint64_t each = index->words * sizeof(uint64_t), more = (room - old) * each;

	if (!allowed(index, more))
		return STATUS_MEMORY;
	uint64_t *signature = realloc(index->signature, room * each);
	if (!signature)
		return STATUS_MEMORY;
	index->signature = signature;
	index->signatures_room = room;
	index->memory += more;
	return OK;
}

static enum status
grow_ids(struct nearindex *index, size_t n)
{
	uint64_t last = index->chunk ? index->chunk->pages.mapped : 0;
	uint64_t bytes = last < CHUNK_MIN ? CHUNK_MIN : last < CHUNK_MAX / 2 ? 2 * last : CHUNK_MAX;
	uint64_t need = sizeof(struct near_chunk) + n * sizeof(uint32_t);
	struct pages pages;

	if (bytes < need)
		bytes = need;
	if (!allowed(index, bytes) || pages_map(&pages, bytes) != OK)
		return STATUS_MEMORY;
	struct near_chunk *chunk = (struct near_chunk *)(void *)pages.at;
	*chunk = (struct near_chunk){.before = index->chunk, .pages = pages};
	index->chunk = chunk;
	index->free_id = chunk->id;
	index->free_ids = (bytes - sizeof *chunk) / sizeof(uint32_t);
	index->memory += bytes;
	return OK;
}

enum status
nearindex_room_asked(struct nearindex *index, size_t n)
{
	if (n <= index->asked_room)
		return OK;
	size_t room = n + n / 2;
	uint64_t more = (room - index->asked_room) * 2 * sizeof(uint32_t);

	if (!allowed(index, more))
		return STATUS_MEMORY;
	uint32_t *spare = malloc(room * sizeof *spare);
	if (!spare)
		return STATUS_MEMORY;
	/* What is in the one is needed when a candidate asks for a larger other. */
	uint32_t *asked = realloc(index->asked, room * sizeof *asked);
	if (!asked) {
		free(spare);
		return STATUS_MEMORY;
	}
	free(index->spare);
	index->asked = asked;
	index->spare = spare;
	index->asked_room = room;
	index->memory += more;
	return OK;
}

enum status
nearindex_room(struct nearindex *index, bool exact, size_t ids)
{
	if (ids > UINT32_MAX ||
	    (index->n == index->room && grow_documents(index) != OK) ||
	    (!exact && index->saves && index->signatures == index->signatures_room &&
	    grow_signatures(index) != OK) ||
	    (index->n * 3 >= index->slots * 2 && grow_slots(index) != OK) ||
	    (ids > index->free_ids && grow_ids(index, ids) != OK) ||
	    (!exact && index->row->reserve(index->finder, index->most - index->memory) != OK))
		return STATUS_MEMORY;
	return OK;
}
