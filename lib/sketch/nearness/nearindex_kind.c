/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/nearindex_kind.h"

#include "sketch/nearness/bands.h"
#include "sketch/nearness/nearindex_file.h"
#include "sketch/nearness/simhash_near.h"

static enum status
load(const struct nearness *row, void **out, const struct record *head,
    const struct buffer *payload)
{
	struct near_rule rule = near_rule_of(head);
	struct nearindex *index;

	enum status st = nearindex_new(&index, row, &rule, 0);
	if (st != OK)
		return st;
	nearindex_saves(index);
	st = nearindex_load(index, head, payload->at);
	if (st != OK) {
		nearindex_free(index);
		return st;
	}
	*out = index;
	return OK;
}

/* Saving only sorts what was not sorted yet, and what was loaded is. */
static enum status
save(const void *body, struct record *head, struct buffer *payload)
{
	struct nearindex *index = (void *)(uintptr_t)body;
	enum status st = nearindex_head(index, head);

	return st == OK ? nearindex_write(index, buffer_sink(payload)) : st;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	enum status st = near_rule_compare(nearindex_rule(into), nearindex_rule(from), why);

	return st == OK ? nearindex_unite(into, from) : st;
}

static void
settings(const struct record *head, struct facts *f)
{
	struct near_rule rule = near_rule_of(head);

	fact_text(f, "features", rule.features.unit == FEATURE_CHAR ? "char" : "word");
	fact_count(f, "run", rule.features.n);
	if (rule.bands > 0) {
		fact_count(f, "bands", rule.bands);
		fact_count(f, "rows", rule.rows);
	} else {
		fact_count(f, "distance", rule.distance);
	}
	fact_flag(f, "verified", rule.similarity > 0);
	if (rule.similarity > 0)
		fact_real(f, "similarity", rule.similarity);
	fact_count(f, "documents", head->param[5]);
	fact_count(f, "signatures", head->param[7]);
	if (rule.similarity > 0)
		fact_count(f, "features_kept", head->param[6]);
}

static void
facts(const void *body, struct facts *f)
{
	struct record head = {0};

	/* As in save. */
	if (nearindex_head((void *)(uintptr_t)body, &head) != OK)
		return;
	settings(&head, f);
}

static void
release(void *body)
{
	nearindex_free(body);
}

static enum status
simhash_check(const struct record *head)
{
	return nearindex_check(&simhash_nearness, head);
}

static enum status
simhash_load(void **out, const struct record *head, struct buffer *payload)
{
	return load(&simhash_nearness, out, head, payload);
}

const struct kind simhash_kind = {
	.id = KIND_SIMHASH, .version = 1, .name = "simhash", .masked = true, .retry_safe = true,
	.check = simhash_check, .load = simhash_load, .save = save, .merge = merge,
	.settings = settings, .facts = facts, .free = release,
};

static enum status
bands_check(const struct record *head)
{
	return nearindex_check(&minhash_nearness, head);
}

static enum status
bands_load(void **out, const struct record *head, struct buffer *payload)
{
	return load(&minhash_nearness, out, head, payload);
}

const struct kind bands_kind = {
	.id = KIND_BANDS, .version = 1, .name = "bands", .masked = true, .retry_safe = true,
	.check = bands_check, .load = bands_load, .save = save, .merge = merge,
	.settings = settings, .facts = facts, .free = release,
};
