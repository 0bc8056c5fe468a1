/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/simindex.h"

#include <stdlib.h>

#include "base/pages.h"
#include "sketch/hamming.h"
#include "sketch/overlap.h"

/*
 * Three questions, cheapest first.
 *
 * Is it equal to a kept document? One probe of a hash table of contents, so a
 * million identical lines cost a million probes and never reach the rest.
 * Documents that say too little for a signature stop here.
 *
 * Which signatures are near? hamming.c finds them all.
 *
 * Do the features agree? Signatures of strangers meet by chance (in a million
 * documents 5,000 pairs within 10 bits), and common words alone can bring two
 * texts together. So each kept document has its features as 32-bit numbers,
 * the low halves, 4 bytes each: two documents of 1000 features share one by
 * accident with a chance of 2e-4, and it would add a thousandth. They are kept
 * as they come and sorted when first compared: most never are.
 *
 * What should verification demand? Let s be the share of features in common
 * of two documents of one size, J = s / (2 - s). The distance of a pair
 * is Binomial(64, acos(s) / pi). For a given K the bound is the J at which
 * only one pair in 100 comes within K bits: what lies below is there by
 * accident, and what lies above has a right to be there.
 *
 *	K             0    3    6    8   10   12   16
 *	J at least  .95  .81  .65  .54  .44  .35  .19
 *
 * If documents disagree in their features though their signatures are near,
 * each is compared with all of these: a run is linear as long as such pairs
 * are few. Statistics tell (rejected).
 */

struct document {
	uint64_t content[2];
	uint64_t place;              /* among those offered */
	uint32_t *id;                /* features, NULL if not kept */
	uint32_t ids;
	bool sorted;
};

/* Feature ids are cut from chunks, which grow to what huge pages are made of;
 * a document longer than a chunk has its own. */
#define CHUNK_MIN ((size_t)256 << 10)
#define CHUNK_MAX ((size_t)16 << 20)

struct chunk {
	struct chunk *before;
	struct pages pages;          /* that this lies in */
	uint32_t id[];
};

struct simindex {
	struct simindex_rule rule;
	struct hamming *hamming;
	struct document *document;
	size_t n, room;
	uint32_t *slot;              /* document + 1, by content; 0: free */
	size_t slots;                /* a power of two */
	struct chunk *chunk;
	uint32_t *free_id;
	size_t free_ids;
	uint32_t *sorted, *spare;    /* the asker's ids; for sorting */
	size_t sorted_room;
	uint64_t memory;             /* without hamming's */
	uint64_t offered, near, rejected;
};

enum status
simindex_new(struct simindex **out, struct simindex_rule rule)
{
	struct simindex *index = calloc(1, sizeof(*index));
	if (!index)
		return STATUS_MEMORY;
	if (hamming_new(&index->hamming, rule.distance) != OK) {
		free(index);
		return STATUS_MEMORY;
	}
	if (rule.most == 0)
		rule.most = UINT64_MAX;
	index->rule = rule;
	index->memory = sizeof(*index);
	*out = index;
	return OK;
}

void
simindex_free(struct simindex *index)
{
	if (!index)
		return;
	while (index->chunk) {
		struct pages pages = index->chunk->pages;

		index->chunk = index->chunk->before;
		pages_unmap(&pages);
	}
	hamming_free(index->hamming);
	free(index->document);
	free(index->slot);
	free(index->sorted);
	free(index->spare);
	free(index);
}

/* May this many bytes be added? */
static bool
allowed(const struct simindex *index, uint64_t bytes)
{
	uint64_t taken = simindex_memory(index);

	return taken <= index->rule.most && bytes <= index->rule.most - taken;
}

/* Where this content is, or would be. The table is never full. */
static size_t
slot_of(const struct simindex *index, const uint64_t content[2])
{
	size_t i = content[0] & (index->slots - 1);

	for (; index->slot[i] != 0; i = (i + 1) & (index->slots - 1)) {
		const struct document *d = &index->document[index->slot[i] - 1];

		if (d->content[0] == content[0] && d->content[1] == content[1])
			break;
	}
	return i;
}

static enum status
grow_slots(struct simindex *index)
{
	size_t slots = index->slots ? 2 * index->slots : 1024, old = index->slots;

	if (!allowed(index, slots * sizeof(uint32_t)))
		return STATUS_MEMORY;
	uint32_t *slot = calloc(slots, sizeof(*slot));
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
grow_documents(struct simindex *index)
{
	size_t room = index->room ? index->room + index->room / 2 : 1024;
	uint64_t more = (room - index->room) * sizeof(struct document);

	if (room >= UINT32_MAX || !allowed(index, more))
		return STATUS_MEMORY;
	struct document *document = realloc(index->document, room * sizeof(*document));
	if (!document)
		return STATUS_MEMORY;
	index->document = document;
	index->room = room;
	index->memory += more;
	return OK;
}

static enum status
grow_ids(struct simindex *index, size_t n)
{
	uint64_t last = index->chunk ? index->chunk->pages.mapped : 0;
	uint64_t bytes = last < CHUNK_MIN ? CHUNK_MIN : last < CHUNK_MAX / 2 ? 2 * last : CHUNK_MAX;
	uint64_t need = sizeof(struct chunk) + n * sizeof(uint32_t);
	struct pages pages;

	if (bytes < need)
		bytes = need;
	if (!allowed(index, bytes) || pages_map(&pages, bytes) != OK)
		return STATUS_MEMORY;
	struct chunk *chunk = (struct chunk *)(void *)pages.at;
	*chunk = (struct chunk){.before = index->chunk, .pages = pages};
	index->chunk = chunk;
	index->free_id = chunk->id;
	index->free_ids = (bytes - sizeof(*chunk)) / sizeof(uint32_t);
	index->memory += bytes;
	return OK;
}

static enum status
grow_sorted(struct simindex *index, size_t n)
{
	if (n <= index->sorted_room)
		return OK;
	size_t room = n + n / 2;
	uint64_t more = (room - index->sorted_room) * 2 * sizeof(uint32_t);

	if (!allowed(index, more))
		return STATUS_MEMORY;
	uint32_t *sorted = malloc(room * sizeof(*sorted));
	uint32_t *spare = malloc(room * sizeof(*spare));
	if (!sorted || !spare) {
		free(sorted);
		free(spare);
		return STATUS_MEMORY;
	}
	free(index->sorted);
	free(index->spare);
	index->sorted = sorted;
	index->spare = spare;
	index->sorted_room = room;
	index->memory += more;
	return OK;
}

/* The asker's ids, sorted once for all candidates. */
static enum status
prepare(struct simindex *index, const struct simhash *simhash)
{
	if (grow_sorted(index, simhash->features) != OK)
		return STATUS_MEMORY;
	for (size_t i = 0; i < simhash->features; i++)
		index->sorted[i] = (uint32_t)simhash->feature[i];
	overlap_sort(index->sorted, simhash->features, index->spare);
	return OK;
}

static enum status
verify(struct simindex *index, const struct simhash *simhash, struct document *d, double *similarity)
{
	if (!d->sorted) {
		if (grow_sorted(index, d->ids) != OK)
			return STATUS_MEMORY;
		overlap_sort(d->id, d->ids, index->spare);
		d->sorted = true;
	}
	*similarity = overlap_similarity(index->sorted, simhash->features, d->id, d->ids,
	    index->rule.similarity);
	return OK;
}

static enum status
find_near(struct simindex *index, const struct simhash *simhash, struct simindex_match *match)
{
	const struct hamming_hit *hit;
	size_t n;

	if (hamming_find(index->hamming, simhash->signature, &hit, &n) != OK)
		return STATUS_MEMORY;
	bool verified = index->rule.similarity > 0;
	if (n > 0 && verified && prepare(index, simhash) != OK)
		return STATUS_MEMORY;
	for (size_t i = 0; i < n; i++) {
		struct document *d = &index->document[hit[i].number];
		double similarity = -1;

		index->near++;
		if (verified && verify(index, simhash, d, &similarity) != OK)
			return STATUS_MEMORY;
		if (verified && similarity < 0) {
			index->rejected++;
			continue;
		}
		*match = (struct simindex_match){
			.found = true,
			.leader = d->place,
			.distance = hit[i].distance,
			.similarity = similarity,
		};
		break;
	}
	return OK;
}

enum status
simindex_find(struct simindex *index, const struct simhash *simhash, struct simindex_match *match)
{
	struct simindex_match none = {.similarity = -1};

	/* While memory fetches these, look for an equal one. */
	if (!simhash->exact)
		hamming_expect(index->hamming, simhash->signature);
	size_t i = index->slots ? slot_of(index, simhash->content) : 0;

	if (index->slots && index->slot[i] != 0) {
		*match = (struct simindex_match){
			.found = true,
			.equal = true,
			.leader = index->document[index->slot[i] - 1].place,
			.similarity = 1,
		};
		return OK;
	}
	if (!simhash->exact && find_near(index, simhash, &none) != OK)
		return STATUS_MEMORY;
	*match = none;
	return OK;
}

/* Everything that can fail comes first. */
static enum status
keep(struct simindex *index, const struct simhash *simhash)
{
	bool near = !simhash->exact;
	size_t ids = near && index->rule.similarity > 0 ? simhash->features : 0;

	if (ids > UINT32_MAX ||
	    (index->n == index->room && grow_documents(index) != OK) ||
	    (index->n * 3 >= index->slots * 2 && grow_slots(index) != OK) ||
	    (ids > index->free_ids && grow_ids(index, ids) != OK) ||
	    (near && hamming_reserve(index->hamming, index->rule.most - index->memory) != OK))
		return STATUS_MEMORY;

	struct document *d = &index->document[index->n];
	*d = (struct document){
		.content = {simhash->content[0], simhash->content[1]},
		.place = index->offered,
		.id = index->free_id,
		.ids = (uint32_t)ids,
	};
	for (size_t i = 0; i < ids; i++)
		d->id[i] = (uint32_t)simhash->feature[i];
	index->free_ids -= ids;
	if (ids > 0)
		index->free_id += ids;
	if (near)
		hamming_add(index->hamming, simhash->signature, (uint32_t)index->n);
	index->slot[slot_of(index, simhash->content)] = (uint32_t)(index->n + 1);
	index->n++;
	return OK;
}

enum status
simindex_offer(struct simindex *index, const struct simhash *simhash, struct simindex_match *match)
{
	struct simindex_match found;

	if (simindex_find(index, simhash, &found) != OK ||
	    (!found.found && keep(index, simhash) != OK))
		return STATUS_MEMORY;
	if (!found.found)
		found.leader = index->offered;
	index->offered++;
	*match = found;
	return OK;
}

uint64_t
simindex_memory(const struct simindex *index)
{
	return index->memory + hamming_memory(index->hamming);
}

void
simindex_stats(const struct simindex *index, struct simindex_stats *stats)
{
	*stats = (struct simindex_stats){
		.offered = index->offered,
		.kept = index->n,
		.near = index->near,
		.rejected = index->rejected,
		.work = hamming_work(index->hamming),
		.largest = hamming_largest(index->hamming),
	};
}
