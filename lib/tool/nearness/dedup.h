/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_DEDUP_H
#define TOOL_DEDUP_H

#include "sketch/nearness/nearindex.h"
#include "tool/nearness/documents.h"
#include "tool/options/opts.h"

/*
 * All that a program which drops near-duplicates does, whichever way it finds
 * them (sketch/nearness/nearness.h). The program has its own options beside these:
 *
 *	static const struct opts_row help[] = {
 *		DEDUP_FEATURES_ROW("word:2"), {'K', "distance", ...}, DEDUP_ROWS, {0}
 *	};
 *
 *	dedup_start(&program, help, usage, about, hints);
 *	while ((c = opts_next(&argc, &argv)) != -1)
 *		if (!dedup_option(c))
 *			switch (c) { ... }
 *	... settle program.rule ...
 *	return dedup_run(argc, argv);
 */

enum dedup_option {
	DEDUP_FEATURES = 512, DEDUP_UNVERIFIED, DEDUP_KEEP, DEDUP_DROPPED, DEDUP_SHOW,
	DEDUP_EXPLAIN, DEDUP_INDEX, DEDUP_READ_ONLY,
};

#define DEDUP_FEATURES_ROW(usual) \
	{DEDUP_FEATURES, "features", "UNIT:N", \
	    "runs of N words or characters: char:5 (" usual ")"}

#define DEDUP_ROWS \
	{DEDUP_UNVERIFIED, "unverified", NULL, "trust the signatures: no look at the features"}, \
	DOCUMENTS_ROWS, \
	{DEDUP_KEEP, "keep", "first|longest", "which of lines that are alike to pass (first)"}, \
	{DEDUP_SHOW, "show", "pairs|map|counts", "print rows about lines instead of lines"}, \
	{DEDUP_DROPPED, "dropped", "FILE", "write the other lines there"}, \
	{DEDUP_INDEX, "index", "FILE", "go on from what passed in earlier runs"}, \
	{DEDUP_READ_ONLY, "read-only", NULL, "leave the file of --index as it is"}, \
	{DEDUP_EXPLAIN, "explain", NULL, "of two files as documents: are they alike, and why?"}, \
	{'c', "count", NULL, "print how many lines would pass instead"}

/* The program: defaults first, and after its options what was asked for. */
struct dedup {
	const struct nearness *row;
	struct near_rule rule;       /* similarity 0: not verified */
	double likeness;             /* what similarity is, or would be if it were verified */

	/* For --stats, after the note about what passed. compared: pairs of
	 * documents that were compared in effect. */
	void (*tell)(const struct near_stats *, double compared);

	/* For --explain: how two signatures look beside one another, as rows of a
	 * sheet (tool/answers/sheet.h). Are they near? */
	bool (*explain)(const uint64_t *a, const uint64_t *b);

	bool unverified;             /* set by dedup_option */
};

/* opts_start with the groups that all of these programs have. */
void dedup_start(struct dedup *, const struct opts_row *, const char *usage,
    const char *about, const struct opts_hint *);

/* Was it one of the options above? */
bool dedup_option(int c);

/* The rest: status for main to return. The rule's similarity is rounded to
 * millionths, and is 0 if it is not to be verified. */
int dedup_run(int argc, char **argv);

#endif
