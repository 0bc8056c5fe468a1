/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/bands.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/salt.h"
#include "sketch/nearness/minslots.h"

/*
 * The index is one table of chains for all bands. A document has a row of keys, one
 * for each band, and beside each key a link to the document before it in the same
 * chain; keys of a chain may differ, as in any such table.
 *
 *	head[by the key] -> link -> link -> 0
 *
 * A link is the place of a key in key[], plus 1: document * bands + band.
 */
struct finder {
	unsigned bands;
	uint64_t *key;               /* bands of each document */
	uint32_t *before;            /* a link for each key */
	uint32_t *head;              /* heads of them, a power of 2 */
	struct found {
		uint32_t number;         /* as given to add() */
		uint32_t search;         /* the last one that came by, */
		uint32_t hit;            /* and its place among the hits then */
	} *found;                    /* one for each document */
	size_t n, room;              /* documents */
	size_t heads;
	uint32_t search;
	uint32_t largest;            /* documents that a search has met in one band */
	uint64_t work;
};

#define FIRST_ROOM 64

/* J^n with nothing but multiplications: what follows from it must not depend on a
 * library. */
static double
power(double base, unsigned n)
{
	double product = 1;

	while (n-- > 0)
		product *= base;
	return product;
}

double
bands_recall(const struct near_rule *rule, double similarity)
{
	return 1 - power(1 - power(similarity, rule->rows), rule->bands);
}

void
bands_choose(struct near_rule *rule, double similarity)
{
	for (rule->rows = BANDS_ROWS_MAX; ; rule->rows--) {
		rule->bands = BANDS_SLOTS / rule->rows;
		if (rule->rows == 1 || bands_recall(rule, similarity) >= BANDS_RECALL)
			return;
	}
}

static bool
valid(const struct near_rule *rule)
{
	return rule->distance == 0 && rule->rows >= 1 && rule->rows <= BANDS_ROWS_MAX && rule->bands >= 1 &&
	    rule->bands <= BANDS_SLOTS / rule->rows;
}

static size_t
words(const struct near_rule *rule)
{
	return rule->bands;
}

/* The keys of all bands: each from its number and its slots. */
static void
sign(const struct near_rule *rule, const uint64_t *feature, size_t n, uint64_t *signature)
{
	uint64_t slot[BANDS_SLOTS];
	const uint64_t *at = slot;

	minslots_of(feature, n, slot, rule->bands * rule->rows);
	for (unsigned b = 0; b < rule->bands; b++) {
		uint64_t key = b;

		for (unsigned r = 0; r < rule->rows; r++)
			key = hash_step(key ^ *at++, 1);
		signature[b] = key;
	}
}

static enum status
open_finder(void **out, const struct near_rule *rule)
{
	struct finder *f = calloc(1, sizeof *f);

	if (!f)
		return STATUS_MEMORY;
	f->bands = rule->bands;
	*out = f;
	return OK;
}

static void
close_finder(void *finder)
{
	struct finder *f = finder;

	if (!f)
		return;
	free(f->key);
	free(f->before);
	free(f->head);
	free(f->found);
	free(f);
}

static size_t
heads_for(const struct finder *f, size_t documents)
{
	size_t heads = FIRST_ROOM;

	while (heads < documents * f->bands)
		heads *= 2;
	return heads;
}

static uint64_t
bytes_for(const struct finder *f, size_t documents)
{
	return sizeof *f + documents * (uint64_t)(f->bands * (sizeof *f->key + sizeof *f->before) +
	    sizeof *f->found) + heads_for(f, documents) * (uint64_t)sizeof *f->head;
}

/* Salted: a text could be made so that its keys come to a chain of others. Those of
 * one key keep their order, and nobody else is asked for it. */
static inline uint32_t *
head_of(const struct finder *f, uint64_t key)
{
	return &f->head[hash_place(salt_scatter(key), f->heads)];
}

static void
link_in(struct finder *f, uint32_t place)
{
	uint32_t *head = head_of(f, f->key[place]);

	f->before[place] = *head;
	*head = place + 1;
}

static bool
grow(void *array, size_t n, size_t size)
{
	void **at = array, *more = realloc(*at, n * size);

	if (more)
		*at = more;
	return more != NULL;
}

static enum status
make_room(struct finder *f, size_t room)
{
	size_t heads = heads_for(f, room);

	if (!grow(&f->key, room * f->bands, sizeof *f->key) ||
	    !grow(&f->before, room * f->bands, sizeof *f->before) ||
	    !grow(&f->found, room, sizeof *f->found))
		return STATUS_MEMORY;
	if (heads != f->heads) {
		uint32_t *head = calloc(heads, sizeof *head);
		if (!head)
			return STATUS_MEMORY;
		free(f->head);
		f->head = head;
		f->heads = heads;
		for (size_t i = 0; i < f->n * f->bands; i++)
			link_in(f, (uint32_t)i);
	}
	f->room = room;
	return OK;
}

/* Half as much room again, or what there may be of it. */
static enum status
reserve(void *finder, uint64_t most)
{
	struct finder *f = finder;
	size_t last = UINT32_MAX / f->bands;

	if (f->n < f->room)
		return OK;
	for (size_t more = f->room / 2 + FIRST_ROOM; more >= FIRST_ROOM; more /= 2)
		if (f->room + more <= last && bytes_for(f, f->room + more) <= most)
			return make_room(f, f->room + more);
	return STATUS_MEMORY;
}

static void
add(void *finder, const uint64_t *signature, uint32_t number)
{
	struct finder *f = finder;
	size_t place = f->n * f->bands;

	for (unsigned b = 0; b < f->bands; b++) {
		f->key[place + b] = signature[b];
		link_in(f, (uint32_t)(place + b));
	}
	f->found[f->n++] = (struct found){.number = number};
}

static void
expect(const void *finder, const uint64_t *signature)
{
	const struct finder *f = finder;

	for (unsigned b = 0; f->heads > 0 && b < f->bands; b++)
		__builtin_prefetch(head_of(f, signature[b]));
}

/* A document that agrees in one more band. */
static enum status
meet(struct finder *f, size_t document, struct hits *hits)
{
	struct found *found = &f->found[document];

	if (found->search == f->search) {
		hits->at[found->hit].distance--;
		return OK;
	}
	enum status st = hits_add(hits, found->number, f->bands - 1);
	if (st == OK) {
		found->search = f->search;
		found->hit = (uint32_t)(hits->n - 1);
	}
	return st;
}

/* Searches are numbered from 1; once in 2^32 they begin anew. */
static void
begin_search(struct finder *f)
{
	if (++f->search != 0)
		return;
	for (size_t i = 0; i < f->n; i++)
		f->found[i].search = 0;
	f->search = 1;
}

/* Latest first within a band, so that of too many those that came last are looked at. */
static enum status
find(void *finder, const uint64_t *signature, struct hits *hits, bool *cut)
{
	struct finder *f = finder;
	uint32_t first[BANDS_SLOTS];
	enum status st = OK;

	*cut = false;
	if (f->heads == 0)
		return OK;
	begin_search(f);
	for (unsigned b = 0; b < f->bands; b++) {
		first[b] = *head_of(f, signature[b]);
		if (first[b] > 0) {
			__builtin_prefetch(&f->key[first[b] - 1]);
			__builtin_prefetch(&f->before[first[b] - 1]);
		}
	}
	for (unsigned b = 0; st == OK && b < f->bands; b++) {
		uint32_t met = 0;

		for (uint32_t link = first[b]; st == OK && link > 0; link = f->before[link - 1]) {
			if (f->key[link - 1] != signature[b])
				continue;
			f->work++;
			met++;
			st = meet(f, (link - 1) / f->bands, hits);
		}
		if (met > f->largest)
			f->largest = met;
	}
	if (st == STATUS_FULL) {
		*cut = true;
		st = OK;
	}
	hits_sort(hits);
	return st;
}

/* Their keys would have to be equal by chance, of 2^64. */
static uint64_t
strangers(const struct near_rule *rule, uint64_t documents)
{
	(void)rule;
	(void)documents;
	return 0;
}

static uint64_t
memory(const void *finder)
{
	const struct finder *f = finder;

	return bytes_for(f, f->room);
}

static uint32_t
largest(const void *finder)
{
	return ((const struct finder *)finder)->largest;
}

static uint64_t
work(const void *finder)
{
	return ((const struct finder *)finder)->work;
}

const struct nearness minhash_nearness = {
	.name = "minhash",
	.kind = KIND_BANDS,
	.sets = true,
	.few = 1,
	.valid = valid,
	.words = words,
	.sign = sign,
	.open = open_finder,
	.close = close_finder,
	.reserve = reserve,
	.add = add,
	.expect = expect,
	.find = find,
	.strangers = strangers,
	.memory = memory,
	.largest = largest,
	.work = work,
};
