/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_DEDUP_H
#define TOOL_DEDUP_H

#include "sketch/nearindex.h"
#include "tool/opts.h"

/*
 * All that a program which drops near-duplicates does, whichever way it finds
 * them (sketch/nearness.h). The program has its own options beside these:
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
	DEDUP_FEATURES = 512, DEDUP_UNVERIFIED, DEDUP_NORM, DEDUP_KEEP, DEDUP_DROPPED,
	DEDUP_SHOW, DEDUP_EXPLAIN, DEDUP_INDEX, DEDUP_READ_ONLY, DEDUP_FILES, DEDUP_PARAGRAPH,
};

#define DEDUP_FEATURES_ROW(usual) \
	{DEDUP_FEATURES, "features", "UNIT:N", \
	    "runs of N words or characters: word:2, char:5 (" usual ")"}

#define DEDUP_ROWS \
	{DEDUP_UNVERIFIED, "unverified", NULL, "trust the signatures: no look at the features"}, \
	{DEDUP_NORM, "norm", "LEVEL", "compare with this masked: none case digits log typed (none)"}, \
	{DEDUP_PARAGRAPH, "paragraph", NULL, "documents are separated by blank lines"}, \
	{DEDUP_FILES, "files", NULL, "each FILE is a document; print its name"}, \
	{DEDUP_KEEP, "keep", "WHICH", "of lines that are alike print the first, or the longest"}, \
	{DEDUP_SHOW, "show", "WHAT", "print instead: pairs, map or counts"}, \
	{DEDUP_DROPPED, "dropped", "FILE", "write the other lines there"}, \
	{DEDUP_INDEX, "index", "FILE", "go on from what earlier runs have kept, and keep it there"}, \
	{DEDUP_READ_ONLY, "read-only", NULL, "leave the file of --index as it is"}, \
	{DEDUP_EXPLAIN, "explain", NULL, "tell of two files whether they are alike, and why"}, \
	{'c', "count", NULL, "print how many lines would pass instead"}

/* The program: defaults first, and after its options what was asked for. */
struct dedup {
	const struct nearness *row;
	struct near_rule rule;       /* similarity 0: not verified */

	/* Notes for --stats, after those about lines and memory. seen: pairs of
	 * documents that were not equal, so many were compared in effect. */
	void (*tell)(const struct near_stats *, double seen);

	/* For --explain: rows of its own for a sheet (tool/sheet.h), and is a pair
	 * with these signatures found? Both are signed. */
	bool (*explain)(const uint64_t *a, const uint64_t *b);

	/* Set by dedup_option. */
	bool unverified;
};

/* opts_start with the groups that all of these programs have. */
void dedup_start(struct dedup *, const struct opts_row *, const char *usage,
    const char *about, const struct opts_hint *);

/* Was it one of the options above? */
bool dedup_option(int c);

/* The rest: status for main to return. */
int dedup_run(int argc, char **argv);

#endif
