/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "sketch/nearness/overlap.h"
#include "tool/nearness/dedup.h"
#include "tool/nearness/dedup_body.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/answers/sheet.h"

/* One of the two, with all that is known of it. */
struct side {
	struct buffer text;
	struct slice masked;
	struct masker masker;
	struct features features;
	struct near_document doc;
	uint64_t signature[NEAR_WORDS_MAX];
	struct buffer ids;           /* in order, and of sets each once */
	uint32_t *id;
	size_t n;
};

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot explain");
}

static void
look_at(struct side *s, const char *name)
{
	const struct dedup *p = dedup.program;

	enum status st = document_read(name, &s->text);
	if (st != OK)
		die(st, "cannot read '%s'", name);
	must(mask_line(&s->masker, dedup.documents.norm,
	    (struct slice){s->text.at, s->text.len}, &s->masked));
	features_init(&s->features, p->rule.features);
	must(near_document(p->row, &p->rule, &s->features, s->masked, s->signature, &s->ids,
	    &s->doc));

	/* Even those that nothing would be asked for. */
	s->ids.len = 0;
	must(near_ids(&s->features, &s->ids));
	uint32_t *spare = malloc(s->features.n * sizeof *spare);
	if (!spare)
		must(STATUS_MEMORY);
	s->id = (uint32_t *)(void *)s->ids.at;
	overlap_sort(s->id, s->features.n, spare);
	s->n = p->row->sets ? overlap_distinct(s->id, s->features.n) : s->features.n;
	free(spare);
}

static void
forget(struct side *s)
{
	buffer_free(&s->text);
	masker_clear(&s->masker);
	features_clear(&s->features);
	buffer_free(&s->ids);
}

/* Why they are alike, or are not: the first of these that applies. */
enum reason { EQUAL, SHORT, FAR, UNLIKE, ALIKE, UNVERIFIED };

static const char *const reasons[] = {
	[EQUAL] = "equal but for case and what separates features",
	[SHORT] = "too few features: such documents are alike only if they are equal",
	[FAR] = "the signatures are not near: they are not compared",
	[UNLIKE] = "the features disagree: similarity below what is demanded",
	[ALIKE] = "the signatures are near and the features agree",
	[UNVERIFIED] = "the signatures are near",
};

static enum reason
judge(const struct side *a, const struct side *b, bool near, double similarity)
{
	double demanded = dedup.program->rule.similarity;

	if (memcmp(a->doc.content, b->doc.content, sizeof a->doc.content) == 0)
		return EQUAL;
	if (a->doc.exact || b->doc.exact)
		return SHORT;
	if (!near)
		return FAR;
	if (demanded == 0)
		return UNVERIFIED;
	return similarity >= demanded ? ALIKE : UNLIKE;
}

/* The masked text, if masking has left something to look at. */
static void
tell_masked(const char *name, const struct side *s)
{
	if (dedup.documents.norm != MASK_NONE)
		sheet_text(name, s->masked);
}

static enum reason
tell(const struct side *a, const struct side *b)
{
	const struct dedup *p = dedup.program;
	double similarity = overlap_similarity(a->id, a->n, b->id, b->n, 0);
	double both = (double)(a->n + b->n);
	double shared_ids = similarity * both / (1 + similarity);
	uint64_t common = (uint64_t)(shared_ids + 0.5);
	bool near = false;

	sheet_text("norm", slice_of(mask_level_name(dedup.documents.norm)));
	tell_masked("masked_a", a);
	tell_masked("masked_b", b);
	sheet_count("features_a", a->n);
	sheet_count("features_b", b->n);
	sheet_count("shared", common);
	sheet_count("only_a", a->n - common);
	sheet_count("only_b", b->n - common);
	sheet_real("similarity", similarity);
	sheet_real("a_in_b", (double)common / (double)a->n);
	sheet_real("b_in_a", (double)common / (double)b->n);
	if (p->rule.similarity > 0)
		sheet_real("demanded", p->rule.similarity);
	if (!a->doc.exact && !b->doc.exact)
		near = p->explain(a->signature, b->signature);
	return judge(a, b, near, similarity);
}

int
dedup_explain(int argc, char **argv)
{
	struct side a = {0}, b = {0};

	if (argc != 2)
		die_usage("--explain needs two files");
	look_at(&a, argv[0]);
	look_at(&b, argv[1]);
	sheet_begin();
	enum reason reason = tell(&a, &b);
	bool alike = reason == EQUAL || reason == ALIKE || reason == UNVERIFIED;
	sheet_flag("alike", alike);
	sheet_text("because", slice_of(reasons[reason]));
	sheet_end();
	forget(&a);
	forget(&b);
	return output_finish(alike ? EXIT_YES : EXIT_NO);
}
