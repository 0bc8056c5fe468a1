/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "sketch/nearindex.h"
#include "sketch/nearindex_body.h"
#include "sketch/overlap.h"

/*
 * Three questions, cheapest first.
 *
 * Is it equal to a kept document? One probe of a hash table of contents, so a
 * million identical lines cost a million probes and never reach the rest.
 * Documents that say too little for a signature stop here.
 *
 * Which signatures are near? The row of nearness.h finds them.
 *
 * Do the features agree? Signatures of strangers meet by chance, and common
 * words alone can bring two texts together. So each kept document has its
 * features as 32-bit numbers, the low halves, 4 bytes each: two documents of
 * 1000 features share one by accident with a chance of 2e-4, and it would add a
 * thousandth. They are kept as they come and sorted when first compared: most
 * never are.
 *
 * If signatures are near and features disagree (one template that fills
 * most of each document, or somebody who wants us to be slow), each document
 * would be compared with all of its kind, and a run would be quadratic. So no
 * more than ENOUGH are looked at beyond what chance alone brings together, the
 * likeliest first, and where that was not all the document is counted as cut.
 */

#define ENOUGH 64                    /* candidates that are compared */
#define SEARCHED 16                  /* times as many are found, to have the likeliest */

/* Feature ids are cut from chunks, which grow to what huge pages are made of;
 * a document longer than a chunk has its own. */
#define CHUNK_MIN ((size_t)256 << 10)
#define CHUNK_MAX ((size_t)16 << 20)

enum status
nearindex_new(struct nearindex **out, const struct nearness *row,
    const struct near_rule *rule, uint64_t most)
{
	struct nearindex *index = calloc(1, sizeof *index);
	if (!index)
		return STATUS_MEMORY;
	if (row->open(&index->finder, rule) != OK) {
		free(index);
		return STATUS_MEMORY;
	}
	index->row = row;
	index->rule = *rule;
	index->words = row->words(rule);
	index->most = most > 0 ? most : UINT64_MAX;
	index->memory = sizeof *index;
	*out = index;
	return OK;
}

void
nearindex_free(struct nearindex *index)
{
	if (!index)
		return;
	while (index->chunk) {
		struct pages pages = index->chunk->pages;

		index->chunk = index->chunk->before;
		pages_unmap(&pages);
	}
	index->row->close(index->finder);
	hits_free(&index->hits);
	free(index->document);
	free(index->signature);
	free(index->slot);
	free(index->asked);
	free(index->spare);
	free(index);
}

void
nearindex_saves(struct nearindex *index)
{
	index->saves = true;
}

const struct nearness *
nearindex_row(const struct nearindex *index)
{
	return index->row;
}

const struct near_rule *
nearindex_rule(const struct nearindex *index)
{
	return &index->rule;
}

/* May this many bytes be added? */
static bool
allowed(const struct nearindex *index, uint64_t bytes)
{
	uint64_t taken = nearindex_memory(index);

	return taken <= index->most && bytes <= index->most - taken;
}

/* Where this content is, or would be. The table is never full. */
static size_t
slot_of(const struct nearindex *index, const uint64_t content[2])
{
	size_t i = content[0] & (index->slots - 1);

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
		slot[slot_of(index, index->document[i].content)] = (uint32_t)(i + 1);
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

static enum status
grow_asked(struct nearindex *index, size_t n)
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

/* In order, and of a set each once. Returns how many are left. */
static size_t
put_in_order(const struct nearindex *index, uint32_t *id, size_t n)
{
	overlap_sort(id, n, index->spare);
	return index->row->sets ? overlap_distinct(id, n) : n;
}

/* The asker's ids, sorted once for all candidates. */
static enum status
prepare(struct nearindex *index, const struct near_document *d)
{
	if (grow_asked(index, d->ids) != OK)
		return STATUS_MEMORY;
	memcpy(index->asked, d->id, d->ids * sizeof *d->id);
	index->asked_n = put_in_order(index, index->asked, d->ids);
	return OK;
}

enum status
nearindex_sort(struct nearindex *index, struct near_kept *d)
{
	if (d->sorted)
		return OK;
	if (grow_asked(index, d->ids) != OK)
		return STATUS_MEMORY;
	d->ids = (uint32_t)put_in_order(index, d->id, d->ids);
	d->sorted = true;
	return OK;
}

/* -1: not alike. */
static enum status
verify(struct nearindex *index, struct near_kept *d, double *similarity)
{
	enum status st = nearindex_sort(index, d);

	if (st == OK)
		*similarity = overlap_similarity(index->asked, index->asked_n, d->id, d->ids,
		    index->rule.similarity);
	return st;
}

static enum status
find_near(struct nearindex *index, const struct near_document *document,
    struct near_match *match)
{
	uint64_t enough = ENOUGH + 2 * index->row->strangers(&index->rule, index->n);
	struct hits *hits = &index->hits;
	bool verified = index->rule.similarity > 0, cut = false;

	hits->n = 0;
	hits->most = SEARCHED * enough;
	if (index->row->find(index->finder, document->signature, hits, &cut) != OK)
		return STATUS_MEMORY;
	if (hits->n > 0 && verified && prepare(index, document) != OK)
		return STATUS_MEMORY;
	for (size_t i = 0; i < hits->n && i < enough; i++) {
		struct near_kept *d = &index->document[hits->at[i].number];
		double similarity = -1;

		index->near++;
		if (verified && verify(index, d, &similarity) != OK)
			return STATUS_MEMORY;
		if (verified && similarity < 0) {
			index->rejected++;
			continue;
		}
		*match = (struct near_match){
			.found = true,
			.number = hits->at[i].number,
			.distance = hits->at[i].distance,
			.similarity = similarity,
		};
		return OK;
	}
	index->cut += cut || hits->n > enough;
	return OK;
}

enum status
nearindex_find(struct nearindex *index, const struct near_document *d, struct near_match *match)
{
	struct near_match none = {.similarity = -1};

	/* While memory fetches these, look for an equal one. */
	if (!d->exact && index->row->expect)
		index->row->expect(index->finder, d->signature);
	size_t i = index->slots ? slot_of(index, d->content) : 0;

	if (index->slots && index->slot[i] != 0) {
		*match = (struct near_match){
			.found = true,
			.equal = true,
			.number = index->slot[i] - 1,
			.similarity = 1,
		};
		return OK;
	}
	if (!d->exact && find_near(index, d, &none) != OK)
		return STATUS_MEMORY;
	*match = none;
	return OK;
}

/* Everything that can fail comes first. */
static enum status
make_room(struct nearindex *index, bool exact, size_t ids)
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

/* Room has been made, for ids which the caller fills in. */
static struct near_kept *
keep(struct nearindex *index, const uint64_t content[2], bool exact, const uint64_t *signature,
    size_t ids)
{
	struct near_kept *d = &index->document[index->n];

	*d = (struct near_kept){
		.content = {content[0], content[1]},
		.id = index->free_id,
		.ids = (uint32_t)ids,
		.exact = exact,
	};
	index->free_ids -= ids;
	if (ids > 0)
		index->free_id += ids;
	if (!exact && index->saves)
		memcpy(index->signature + index->words * index->signatures, signature,
		    index->words * sizeof *signature);
	if (!exact)
		index->row->add(index->finder, signature, (uint32_t)index->n);
	index->signatures += !exact;
	index->slot[slot_of(index, content)] = (uint32_t)(index->n + 1);
	index->n++;
	return d;
}

enum status
nearindex_offer(struct nearindex *index, const struct near_document *d, struct near_match *match)
{
	struct near_match found;

	if (nearindex_find(index, d, &found) != OK ||
	    (!found.found && make_room(index, d->exact, d->ids) != OK))
		return STATUS_MEMORY;
	if (!found.found) {
		found.number = (uint32_t)index->n;
		struct near_kept *new = keep(index, d->content, d->exact, d->signature,
		    d->ids);
		if (d->ids > 0)
			memcpy(new->id, d->id, d->ids * sizeof *d->id);
	}
	index->offered++;
	*match = found;
	return OK;
}

enum status
nearindex_take(struct nearindex *index, const struct near_entry *e, size_t first)
{
	uint32_t there = index->slots ? index->slot[slot_of(index, e->content)] : 0;

	if (there != 0)
		return there <= first ? OK : STATUS_INVARIANT;
	if (make_room(index, e->exact, e->n) != OK)
		return STATUS_MEMORY;
	struct near_kept *d = keep(index, e->content, e->exact, e->signature, e->n);
	for (size_t i = 0; i < e->n; i++)
		d->id[i] = get_le32(e->ids + 4 * i);
	d->sorted = true;
	return OK;
}

uint64_t
nearindex_memory(const struct nearindex *index)
{
	return index->memory + index->row->memory(index->finder) +
	    index->hits.room * sizeof(struct hit);
}

void
nearindex_stats(const struct nearindex *index, struct near_stats *stats)
{
	*stats = (struct near_stats){
		.offered = index->offered,
		.kept = index->n,
		.near = index->near,
		.rejected = index->rejected,
		.cut = index->cut,
		.work = index->row->work(index->finder),
		.largest = index->row->largest(index->finder),
	};
}
