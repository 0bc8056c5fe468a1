/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>
#include <sys/stat.h>

#include "tool/nearness/dedup.h"
#include "tool/nearness/dedup_body.h"
#include "tool/report.h"

struct dedup_options dedup;

void
dedup_start(struct dedup *program, const struct opts_row *help, const char *usage,
    const char *about, const struct opts_hint *hints)
{
	dedup.program = program;
	opts_start(OPTS_INPUT | OPTS_BUFFER | OPTS_MEMORY | OPTS_SEED | OPTS_JSON, help, usage,
	    about, hints);
}

/* The place of the option's value among these words. */
static int
one_of(const char *option, const char *const *words, const char *sentence)
{
	const char *text = opts_text();

	for (int i = 0; words[i]; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	die_usage("cannot use %s '%s': not %s", option, text, sentence);
}

static enum dedup_keep
keep_option(void)
{
	static const char *const words[] = {"first", "longest", NULL};

	return (enum dedup_keep)one_of("--keep", words, "first or longest");
}

static enum dedup_show
show_option(void)
{
	static const char *const words[] = {"pairs", "map", "counts", NULL};

	return (enum dedup_show)(SHOW_PAIRS + one_of("--show", words, "pairs, map or counts"));
}

bool
dedup_option(int c)
{
	struct feature_rule *features = &dedup.program->rule.features;

	if (documents_option(&dedup.documents, c))
		return true;
	switch (c) {
	case DEDUP_FEATURES:
		if (!feature_rule_parse(opts_text(), features))
			die_usage("cannot use --features '%s': not word:N or char:N, N in 1..%d",
			    opts_text(), FEATURE_RUN_MAX);
		return true;
	case DEDUP_UNVERIFIED:
		dedup.program->unverified = true;
		return true;
	case DEDUP_KEEP:
		dedup.keep = keep_option();
		return true;
	case DEDUP_SHOW:
		dedup.show = show_option();
		return true;
	case DEDUP_DROPPED:
		dedup.dropped = opts_text();
		return true;
	case DEDUP_INDEX:
		dedup.index = opts_text();
		return true;
	case DEDUP_READ_ONLY:
		dedup.read_only = true;
		return true;
	case DEDUP_EXPLAIN:
		dedup.explain = true;
		return true;
	case 'c':
		dedup.count = true;
		return true;
	}
	return false;
}

/* One file for both would keep what was renamed last. */
static void
keep_apart(const char *index, const char *dropped)
{
	struct stat a, b;

	if (index && dropped && (strcmp(index, dropped) == 0 ||
	    (stat(index, &a) == 0 && stat(dropped, &b) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)))
		die_usage("'%s' is both --index and --dropped", index);
}

void
dedup_check(void)
{
	bool longest = dedup.keep == KEEP_LONGEST;

	documents_check(&dedup.documents);
	opts_exclude(dedup.explain, "--explain", dedup.documents.form != DOCUMENT_LINES,
	    dedup.documents.form == DOCUMENT_FILES ? "--files" : "--paragraph");
	opts_exclude(dedup.explain, "--explain", dedup.index != NULL, "--index");
	opts_exclude(dedup.explain, "--explain", dedup.dropped != NULL, "--dropped");
	opts_exclude(dedup.explain, "--explain", dedup.show != SHOW_LINES, "--show");
	opts_exclude(dedup.explain, "--explain", dedup.count, "-c");
	opts_exclude(dedup.explain, "--explain", longest, "--keep longest");
	opts_exclude(dedup.explain, "--explain", shared.scan.item.n > 0, "-f");
	opts_exclude(dedup.show != SHOW_LINES, "--show", dedup.count, "-c");
	opts_exclude(longest, "--keep longest", dedup.show == SHOW_MAP, "--show map");
	opts_exclude(longest, "--keep longest", dedup.show == SHOW_PAIRS, "--show pairs");
	if (dedup.read_only && !dedup.index)
		die_usage("--read-only needs --index FILE");
	if (shared.json && !dedup.explain && dedup.show == SHOW_LINES)
		die_usage("--json needs --show or --explain");
	keep_apart(dedup.index, dedup.dropped);
}
