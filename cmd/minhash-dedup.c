/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * minhash-dedup passes each line unless its words, in runs, are mostly those of one
 * that it has passed before. It compares with passed lines only, in the order of the
 * input. With --explain status 1 means that two files are not alike.
 */

#include "sketch/nearness/bands.h"
#include "tool/nearness/dedup.h"
#include "tool/report.h"
#include "tool/answers/sheet.h"

static const char usage[] =
	"minhash-dedup [OPTION]... [FILE...]\n"
	"minhash-dedup --explain [OPTION]... FILE FILE";

static const char about[] =
	"Pass the lines that do not share most of their words with one passed before.";

enum { OPT_SIMILARITY = 256 };

static const struct opts_row help[] = {
	{OPT_SIMILARITY, "similarity", "S", "Jaccard similarity of lines that are alike (0.8)"},
	DEDUP_FEATURES_ROW("word:2"),
	DEDUP_ROWS,
	{0}
};

static const struct opts_hint hints[] = {
	{"-k", "the size of signatures follows from --similarity"},
	{"-i", "letters and their capitals are the same anyway"},
	{"-n", "use --features word:N"},
	{"-t", "use --similarity S"},
	{"-v", "use --dropped FILE for the lines that do not pass"},
	{"--threshold", "use --similarity S"},
	{"--edits", "use simhash-dedup, or --similarity S"},
	{"--state", "use --index FILE"},
	{NULL, NULL}
};

#define SIMILARITY_MIN 0.1

static double similarity = 0.8;

static void tell(const struct near_stats *, double compared);
static bool explain(const uint64_t *a, const uint64_t *b);

static struct dedup program = {
	.row = &minhash_nearness,
	.rule = {.features = {.unit = FEATURE_WORD, .n = 2}},
	.tell = tell,
	.explain = explain,
};

static void
parse_options(int *argc, char ***argv)
{
	int c;

	dedup_start(&program, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		if (!dedup_option(c) && c == OPT_SIMILARITY)
			similarity = opts_share(SIMILARITY_MIN, 1);
	similarity = near_similarity(similarity);
	bands_choose(&program.rule, similarity);
	program.likeness = similarity;
	program.rule.similarity = program.unverified ? 0 : similarity;
}

/* Of lines exactly as similar as asked for, and of those a little more. */
static void
tell(const struct near_stats *stats, double compared)
{
	const struct near_rule *rule = &program.rule;
	double more = similarity + 0.05 < 1 ? similarity + 0.05 : 1;

	(void)compared;
	note("%u bands of %u slots find %.1f %% of pairs with similarity %g, %.1f %% with %g",
	    rule->bands, rule->rows, 100 * bands_recall(rule, similarity), similarity,
	    100 * bands_recall(rule, more), more);
	if (program.unverified)
		note("%llu pairs with a band in common, not verified", (unsigned long long)stats->near);
	else
		note("%llu pairs with a band in common, %llu of them refused: similarity below %g",
		    (unsigned long long)stats->near, (unsigned long long)stats->rejected, similarity);
}

static bool
explain(const uint64_t *a, const uint64_t *b)
{
	uint64_t same = 0;

	for (unsigned i = 0; i < program.rule.bands; i++)
		same += a[i] == b[i];
	sheet_count("bands_in_common", same);
	sheet_count("bands", program.rule.bands);
	return same > 0;
}

int
main(int argc, char *argv[])
{
	tool_start("minhash-dedup");
	parse_options(&argc, &argv);
	return dedup_run(argc, argv);
}
