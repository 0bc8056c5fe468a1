/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "base/salt.h"
#include "tool/nearness/dedup.h"
#include "tool/nearness/dedup_body.h"
#include "tool/report.h"

/*
 * Signing is the costly part and can be done in any order. What was found out
 * about a batch's documents stays with the batch until its turn comes, and with
 * it the ids of those that may have to be verified. A text that came before
 * is not looked at: its answer will be recalled.
 */
struct signed_batch {
	struct dedup_signed at[BATCH_MAX];
	size_t from[BATCH_MAX];      /* of its ids, in ids */
	struct buffer ids, signatures;
};

/* Of each worker. */
static struct {
	struct features features;
	struct buffer ids;           /* of a document that is looked at late */
	uint64_t signature[NEAR_WORDS_MAX];
} scratch[WORKERS_MAX];

static const struct recall *recall;

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot sign a document");
}

void
dedup_sign_start(const struct recall *known)
{
	recall = known;
}

static struct features *
features_of_worker(unsigned worker)
{
	struct features *f = &scratch[worker].features;

	if (f->rule.n == 0)
		features_init(f, dedup.program->rule.features);
	return f;
}

static void
sign_text(unsigned worker, struct slice text, uint64_t *signature, struct buffer *ids,
    struct near_document *doc)
{
	const struct dedup *p = dedup.program;

	check(near_document(p->row, &p->rule, features_of_worker(worker), text, signature, ids, doc));
}

struct dedup_signed *
dedup_signed_at(const struct batch *b, size_t i)
{
	struct signed_batch *s = b->extra;

	return &s->at[i];
}

static struct signed_batch *
fresh(struct batch *b)
{
	struct signed_batch *s = b->extra;
	size_t words = dedup.program->row->words(&dedup.program->rule);

	if (!s) {
		b->extra = s = calloc(1, sizeof *s);
		if (!s)
			check(STATUS_MEMORY);
		check(buffer_reserve(&s->signatures, BATCH_MAX * words * sizeof(uint64_t)));
	}
	s->ids.len = 0;
	return s;
}

/* 128 bits that stand for a text, in this run only. So they are salted: two texts
 * that were made to have the same ones would be taken for one without a look. */
static void
text_key(struct slice text, uint64_t key[2])
{
	if (shared.key_file) {
		siphash_wide(&shared.scan.secret, text, key);
		return;
	}
	XXH128_hash_t hash = XXH3_128bits_withSeed(text.at, text.len, salt.seed);
	key[0] = hash.low64;
	key[1] = hash.high64;
}

enum verdict
dedup_sign(void *context, unsigned worker, struct batch *b)
{
	struct signed_batch *s = fresh(b);
	size_t words = dedup.program->row->words(&dedup.program->rule);

	(void)context;
	for (size_t i = 0; i < b->n; i++) {
		uint64_t *signature = (uint64_t *)(void *)s->signatures.at + i * words;
		struct dedup_signed *d = &s->at[i];
		struct slice text;

		s->from[i] = s->ids.len;
		d->known = false;
		d->failed = !document_text(worker, b, i, &text);
		if (d->failed)
			continue;
		d->size = dedup.documents.form == DOCUMENT_FILES ? text.len : b->line[i].len;
		text_key(text, d->key);
		d->known = recall_knows(recall, d->key);
		if (d->known)
			continue;
		sign_text(worker, text, signature, &s->ids, &d->doc);
	}
	for (size_t i = 0; i < b->n; i++)
		s->at[i].doc.id = (const void *)(s->ids.at + s->from[i]);
	return GO_ON;
}

const struct features *
dedup_sign_late(unsigned worker, const struct batch *b, size_t i, struct near_document *doc)
{
	struct slice text;

	if (!document_text(worker, b, i, &text))
		return NULL;
	scratch[worker].ids.len = 0;
	sign_text(worker, text, scratch[worker].signature, &scratch[worker].ids, doc);
	return &scratch[worker].features;
}

void
dedup_extra_free(void *extra)
{
	struct signed_batch *s = extra;

	buffer_free(&s->ids);
	buffer_free(&s->signatures);
	free(s);
}

void
dedup_sign_free(void)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		if (scratch[i].features.rule.n > 0)
			features_clear(&scratch[i].features);
		buffer_free(&scratch[i].ids);
	}
}
