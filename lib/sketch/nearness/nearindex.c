/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "sketch/nearness/nearindex.h"
#include "sketch/nearness/nearindex_body.h"
#include "sketch/nearness/overlap.h"

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
	if (nearindex_room_asked(index, d->ids) != OK)
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
	if (nearindex_room_asked(index, d->ids) != OK)
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
	size_t i = index->slots ? nearindex_slot(index, d->content) : 0;

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
	index->slot[nearindex_slot(index, content)] = (uint32_t)(index->n + 1);
	index->n++;
	return d;
}

enum status
nearindex_offer(struct nearindex *index, const struct near_document *d, struct near_match *match)
{
	struct near_match found;

	if (nearindex_find(index, d, &found) != OK ||
	    (!found.found && nearindex_room(index, d->exact, d->ids) != OK))
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
	uint32_t there = index->slots ? index->slot[nearindex_slot(index, e->content)] : 0;

	if (there != 0)
		return there <= first ? OK : STATUS_INVARIANT;
	if (nearindex_room(index, e->exact, e->n) != OK)
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
