/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * minhash-build reads lines and writes one MinHash of the set of their items, or with
 * --features of what the text is made of; with --by one for each key. It never ends
 * with status 1.
 */

#include "sketch/nearness/features.h"
#include "sketch/nearness/minhash.h"
#include "tool/distinct/distinct_build.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"

static const char usage[] =
	"minhash-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a sketch of the set of all lines, to be compared with others: 8 KiB.";

enum { OPT_SIZE = 256, OPT_FEATURES };

static const struct opts_row help[] = {
	{OPT_SIZE, "size", "K", "keep the K smallest hashes, 16..65536 (1024)"},
	{'e', "error", "E", "the size for this standard error, such as 1%"},
	{OPT_FEATURES, "features", "UNIT:N", "elements are runs of words or characters: word:3"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-k", "use --size K"},
	{"-n", "use --size K, or --features word:N"},
	{NULL, NULL}
};

static struct {
	uint64_t size;               /* 0: not given, and so below */
	double error;
	const char *error_text;
	struct feature_rule rule;
} opt;

static struct distinct_build minhash = {
	.only = "minhash",
	.settings = {.kind = KIND_MINHASH, .param[MINHASH_PARAM_SIZE] = MINHASH_SIZE},
	.features = minhash_get_features, .element = minhash_of_feature,
};

static void
tell(void)
{
	if (opt.error > 0) {
		opt.size = minhash_size_for(opt.error);
		if (opt.size == 0)
			die_usage("cannot use -e '%s': the largest size, %d, has a standard error of %.3g %%",
			    opt.error_text, MINHASH_SIZE_MAX, 100 * minhash_error(MINHASH_SIZE_MAX));
	}
	if (opt.size > 0) {
		minhash.settings.param[MINHASH_PARAM_SIZE] = opt.size;
		minhash.told[MINHASH_PARAM_SIZE] = true;
	}
	if (opt.rule.n > 0) {
		minhash_put_features(&minhash.settings, &opt.rule);
		minhash.told[MINHASH_PARAM_UNIT] = minhash.told[MINHASH_PARAM_RUN] = true;
	}
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(DISTINCT_BUILD_OPTIONS, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_SIZE:
			opt.size = opts_count(MINHASH_SIZE_MIN, MINHASH_SIZE_MAX);
			break;
		case 'e':
			opt.error = opts_share(1e-6, 1);
			opt.error_text = opts_text();
			break;
		case OPT_FEATURES:
			if (!feature_rule_parse(opts_text(), &opt.rule))
				die_usage("cannot use --features '%s': not word:N or char:N, N in 1..%d",
				    opts_text(), FEATURE_RUN_MAX);
			break;
		}
	opts_exclude(opt.size > 0, "--size", opt.error > 0, "-e");
	opts_exclude(opt.size > 0 || opt.error > 0, "--size or -e", shared.like != NULL, "--like");
	opts_exclude(opt.rule.n > 0, "--features", shared.like != NULL, "--like");
	opts_exclude(opt.rule.n > 0, "--features", shared.scan.fold, "-i");
	tell();
}

int
main(int argc, char *argv[])
{
	tool_start("minhash-build");
	parse_options(&argc, &argv);
	distinct_build_settle(&minhash);
	distinct_build_run(&minhash, argc, argv);
	return output_finish(EXIT_YES);
}
