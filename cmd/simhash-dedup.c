/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * simhash-dedup passes each line unless it is nearly one that it has passed
 * before. It compares with passed lines only, in the order of the input. With
 * --explain status 1 means that two files are not alike.
 */

#include "sketch/nearness/simhash.h"
#include "sketch/nearness/simhash_near.h"
#include "tool/nearness/dedup.h"
#include "tool/report.h"
#include "tool/answers/sheet.h"

static const char usage[] =
	"simhash-dedup [OPTION]... [FILE...]\n"
	"simhash-dedup --explain [OPTION]... FILE FILE";

static const char about[] =
	"Pass the lines that are no near-duplicate of one passed before, in input order.";

enum { OPT_DISTANCE = 256, OPT_EDITS, OPT_SIMILARITY };

static const struct opts_row help[] = {
	DEDUP_FEATURES_ROW("word:2"),
	{OPT_DISTANCE, "distance", "K", "signatures that differ in at most K of 64 bits (6)"},
	{OPT_EDITS, "edits", "PERCENT", "the distance that finds 90 % of such edits"},
	{OPT_SIMILARITY, "similarity", "S", "share of features in common that is demanded"},
	DEDUP_ROWS,
	{0}
};

static const struct opts_hint hints[] = {
	{"-k", "use --distance K"},
	{"-i", "letters and their capitals are the same anyway"},
	{"-n", "use --features word:N"},
	{"-v", "use --dropped FILE for the lines that do not pass"},
	{"--threshold", "use --edits PERCENT, --distance K or --similarity S"},
	{"--state", "use --index FILE"},
	{NULL, NULL}
};

#define EDITS_RECALL 0.9

static void tell(const struct near_stats *, double compared);
static bool explain(const uint64_t *a, const uint64_t *b);

static struct dedup program = {
	.row = &simhash_nearness,
	.rule = {.features = {.unit = FEATURE_WORD, .n = 2}, .distance = 6},
	.tell = tell,
	.explain = explain,
};

static double edits, similarity = -1;

static void
settle(void)
{
	struct near_rule *rule = &program.rule;

	if (edits > 0) {
		rule->distance = simhash_distance_for(edits, rule->features.n, EDITS_RECALL);
		rule->similarity = simhash_similarity_for_edits(edits, rule->features.n);
	} else {
		rule->similarity = simhash_similarity_for(rule->distance);
	}
	if (similarity >= 0)
		rule->similarity = similarity;
	program.likeness = rule->similarity;
	if (program.unverified)
		rule->similarity = 0;
}

static void
parse_options(int *argc, char ***argv)
{
	bool distance = false;
	int c;

	dedup_start(&program, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (dedup_option(c) ? 0 : c) {
		case OPT_DISTANCE:
			program.rule.distance = (unsigned)opts_count(0, SIMHASH_DISTANCE_MAX);
			distance = true;
			break;
		case OPT_EDITS:
			edits = opts_share(0.0001, 0.5);
			break;
		case OPT_SIMILARITY:
			similarity = opts_share(0.01, 1);
			break;
		}
	opts_exclude(distance, "--distance", edits > 0, "--edits");
	opts_exclude(program.unverified, "--unverified", similarity >= 0, "--similarity");
	settle();
}

static void
tell(const struct near_stats *stats, double compared)
{
	const struct near_rule *rule = &program.rule;

	if (edits > 0)
		note("--edits %g%%: distance %u finds %.1f %% of such pairs", edits * 100,
		    rule->distance,
		    100 * simhash_recall(edits, rule->features.n, rule->distance));
	if (program.unverified)
		note("%llu pairs within distance %u, not verified; %.2g by chance",
		    (unsigned long long)stats->near, rule->distance,
		    compared * simhash_chance(rule->distance));
	else
		note("%llu pairs within distance %u, %llu of them refused: similarity below %.3f",
		    (unsigned long long)stats->near, rule->distance,
		    (unsigned long long)stats->rejected, rule->similarity);
}

static bool
explain(const uint64_t *a, const uint64_t *b)
{
	unsigned distance = simhash_distance(*a, *b);

	sheet_count("distance", distance);
	sheet_count("distance_allowed", program.rule.distance);
	return distance <= program.rule.distance;
}

int
main(int argc, char *argv[])
{
	tool_start("simhash-dedup");
	parse_options(&argc, &argv);
	return dedup_run(argc, argv);
}
