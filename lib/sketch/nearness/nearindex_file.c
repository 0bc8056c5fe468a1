/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The payload, for n documents in the order in which they were kept:
 *
 *	+--------------------+--------------+------------------+------------+
 *	| contents           | u32 counts   | signatures       | u32 ids    |
 *	| 2 x u64 a document | one each     | w x u64 each     | of all,    |
 *	|                    |              | that has one     | in a row   |
 *	+--------------------+--------------+------------------+------------+
 *
 * A count of 0 is a document without a signature. Else it is how many ids
 * follow, in ascending order (of sets each once); where the rule does not verify
 * it is 1, and none follow. w is 1 for SimHash and the bands of MinHash.
 *
 * Parameters: 0 unit of the features, 1 how many make one, 2 distance, 3 bands
 * and, in the upper half, rows, 4 similarity in millionths, 5 documents, 6 ids,
 * 7 signatures. man/sketch.5 has the details.
 */
#include "sketch/nearness/nearindex_file.h"

#include <stdio.h>
#include <string.h>

#include "sketch/nearness/nearindex_body.h"

enum { UNIT, RUN, DISTANCE, BANDS, SIMILARITY, DOCUMENTS, IDS, SIGNATURES };

#define CONTENT_BYTES 16
#define COUNT_BYTES 4
#define WORD_BYTES 8
#define ID_BYTES 4

struct near_rule
near_rule_of(const struct record *head)
{
	const uint64_t *p = head->param;

	return (struct near_rule){
		.features = {
			.unit = p[UNIT] == FEATURE_CHAR ? FEATURE_CHAR : FEATURE_WORD,
			.n = (unsigned)p[RUN], .seed = head->seed,
		},
		.similarity = (double)p[SIMILARITY] / 1e6,
		.distance = (unsigned)p[DISTANCE],
		.bands = (uint32_t)p[BANDS],
		.rows = (uint32_t)(p[BANDS] >> 32),
	};
}

enum status
nearindex_check(const struct nearness *row, const struct record *head)
{
	const uint64_t *p = head->param;
	struct near_rule rule = near_rule_of(head);

	if (p[UNIT] > FEATURE_CHAR || p[RUN] < 1 || p[RUN] > FEATURE_RUN_MAX ||
	    p[DISTANCE] > UINT32_MAX || p[SIMILARITY] > 1000000 || !row->valid(&rule) ||
	    p[DOCUMENTS] >= UINT32_MAX || p[SIGNATURES] > p[DOCUMENTS] ||
	    p[IDS] > UINT64_C(1) << 48)
		return STATUS_PARAMETER;
	if (p[SIMILARITY] > 0 ? p[IDS] < p[SIGNATURES] : p[IDS] > 0)
		return STATUS_PARAMETER;
	uint64_t bytes = p[DOCUMENTS] * (CONTENT_BYTES + COUNT_BYTES) +
	    p[SIGNATURES] * row->words(&rule) * WORD_BYTES + p[IDS] * ID_BYTES;
	return head->size == bytes ? OK : STATUS_SIZE;
}

static const char *
unit_word(enum feature_unit unit)
{
	return unit == FEATURE_CHAR ? "char" : "word";
}

enum status
near_rule_compare(const struct near_rule *a, const struct near_rule *b, struct mismatch *why)
{
	const struct feature_rule *f = &a->features, *g = &b->features;

	if (f->unit != g->unit || f->n != g->n)
		snprintf(why->text, sizeof why->text, "features %s:%u and %s:%u",
		    unit_word(f->unit), f->n, unit_word(g->unit), g->n);
	else if (a->distance != b->distance)
		snprintf(why->text, sizeof why->text, "distance %u and %u",
		    a->distance, b->distance);
	else if (near_similarity(a->similarity) != near_similarity(b->similarity))
		snprintf(why->text, sizeof why->text, "similarity %.6g and %.6g",
		    a->similarity, b->similarity);
	else if (a->bands != b->bands || a->rows != b->rows)
		snprintf(why->text, sizeof why->text, "bands %u x %u and %u x %u",
		    a->bands, a->rows, b->bands, b->rows);
	else
		return OK;
	return STATUS_MISMATCH;
}

enum status
nearindex_head(struct nearindex *index, struct record *head)
{
	const struct near_rule *rule = &index->rule;
	uint64_t ids = 0;

	for (size_t i = 0; i < index->n; i++) {
		enum status st = nearindex_sort(index, &index->document[i]);
		if (st != OK)
			return st;
		ids += index->document[i].ids;
	}
	head->kind = index->row->kind;
	head->version = 1;
	memset(head->param, 0, sizeof head->param);
	head->param[UNIT] = rule->features.unit;
	head->param[RUN] = rule->features.n;
	head->param[DISTANCE] = rule->distance;
	head->param[BANDS] = rule->bands | (uint64_t)rule->rows << 32;
	head->param[SIMILARITY] = (uint64_t)(rule->similarity * 1e6 + 0.5);
	head->param[DOCUMENTS] = index->n;
	head->param[IDS] = ids;
	head->param[SIGNATURES] = index->signatures;
	head->size = index->n * (CONTENT_BYTES + COUNT_BYTES) +
	    index->signatures * index->words * WORD_BYTES + ids * ID_BYTES;
	return OK;
}

/*
 * Writing: numbers gather in a block, which goes on when it is full.
 */
struct gathered {
	struct sink to;
	enum status status;
	size_t n;
	unsigned char at[4096];
};

static void
flush(struct gathered *g)
{
	if (g->status == OK && g->n > 0)
		g->status = g->to.write(g->to.to, g->at, g->n);
	g->n = 0;
}

static unsigned char *
room_for(struct gathered *g, size_t bytes)
{
	if (bytes > sizeof g->at - g->n)
		flush(g);
	g->n += bytes;
	return g->at + g->n - bytes;
}

enum status
nearindex_write(const struct nearindex *index, struct sink to)
{
	struct gathered g = {.to = to};
	bool verified = index->rule.similarity > 0;

	for (size_t i = 0; i < index->n; i++)
		for (unsigned k = 0; k < 2; k++)
			put_le64(room_for(&g, 8), index->document[i].content[k]);
	for (size_t i = 0; i < index->n; i++) {
		const struct near_kept *d = &index->document[i];
		put_le32(room_for(&g, COUNT_BYTES), d->exact ? 0 : verified ? d->ids : 1);
	}
	for (size_t i = 0; i < index->signatures * index->words; i++)
		put_le64(room_for(&g, WORD_BYTES), index->signature[i]);
	for (size_t i = 0; i < index->n; i++)
		for (uint32_t k = 0; k < index->document[i].ids; k++)
			put_le32(room_for(&g, ID_BYTES), index->document[i].id[k]);
	flush(&g);
	return g.status;
}

/*
 * Reading.
 */

/* In ascending order, and of a set each once? */
static bool
in_order(const unsigned char *ids, size_t n, bool sets)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t before = get_le32(ids + ID_BYTES * (i - 1)), id = get_le32(ids + ID_BYTES * i);
		if (before > id || (sets && before == id))
			return false;
	}
	return true;
}

enum status
nearindex_load(struct nearindex *index, const struct record *head, const unsigned char *payload)
{
	size_t n = (size_t)head->param[DOCUMENTS], first = index->n;
	uint64_t ids_left = head->param[IDS], signatures_left = head->param[SIGNATURES];
	const unsigned char *count = payload + n * CONTENT_BYTES;
	const unsigned char *signature = count + n * COUNT_BYTES;
	const unsigned char *ids = signature + signatures_left * index->words * WORD_BYTES;
	bool verified = index->rule.similarity > 0;
	uint64_t words[NEAR_WORDS_MAX];

	for (size_t i = 0; i < n; i++) {
		const unsigned char *content = payload + i * CONTENT_BYTES;
		uint32_t counted = get_le32(count + i * COUNT_BYTES);
		struct near_entry e = {
			.content = {get_le64(content), get_le64(content + 8)},
			.exact = counted == 0,
			.signature = words,
			.ids = ids,
			.n = verified ? counted : 0,
		};

		if ((!verified && counted > 1) || e.n > ids_left || (!e.exact && signatures_left == 0) ||
		    !in_order(ids, e.n, index->row->sets))
			return STATUS_INVARIANT;
		if (!e.exact) {
			for (size_t k = 0; k < index->words; k++, signature += WORD_BYTES)
				words[k] = get_le64(signature);
			signatures_left--;
		}
		ids += e.n * ID_BYTES;
		ids_left -= e.n;
		enum status st = nearindex_take(index, &e, first);
		if (st != OK)
			return st;
	}
	return signatures_left == 0 && ids_left == 0 ? OK : STATUS_INVARIANT;
}

enum status
nearindex_unite(struct nearindex *into, const struct nearindex *from)
{
	const uint64_t *signature = from->signature;
	size_t first = into->n;
	struct buffer ids = {0};
	enum status st = OK;

	for (size_t i = 0; i < from->n && st == OK; i++) {
		const struct near_kept *d = &from->document[i];

		ids.len = 0;
		st = buffer_reserve(&ids, (size_t)d->ids * ID_BYTES);
		for (uint32_t k = 0; k < d->ids && st == OK; k++)
			put_le32(ids.at + ID_BYTES * k, d->id[k]);
		struct near_entry e = {
			.content = {d->content[0], d->content[1]},
			.exact = d->exact,
			.signature = signature,
			.ids = ids.at,
			.n = d->ids,
		};
		if (st == OK)
			st = nearindex_take(into, &e, first);
		if (!d->exact)
			signature += from->words;
	}
	buffer_free(&ids);
	return st;
}
