/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * hll-build reads lines and writes one HyperLogLog of their distinct items,
 * or with --by one for each key. It never ends with status 1.
 */

#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll.h"
#include "tool/distinct/counter.h"
#include "tool/distinct/distinct_build.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"

static const char usage[] =
	"hll-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a sketch that counts the distinct items of lines: 12 KiB for +-0.81 %.";

enum { OPT_PRECISION = 256, OPT_CONFIDENCE };

static const struct opts_row help[] = {
	{OPT_PRECISION, "precision", "P", "2^P registers, 4..18 (14)"},
	{'e', "error", "E", "the precision for this standard error, such as 1%"},
	{OPT_CONFIDENCE, "confidence", "C", "E is kept with this probability, such as 95%"},
	{0}
};

static struct {
	unsigned precision;          /* 0: not given */
	double error, confidence;
	const char *error_text;
} opt;

#define PRECISION_DEFAULT 14

static struct distinct_build hll = {
	.only = DISTINCT_KINDS,
	.settings = {.kind = KIND_HLL, .param[HLL_PARAM_PRECISION] = PRECISION_DEFAULT},
};

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_systems(DISTINCT_KINDS);
	opts_start(DISTINCT_BUILD_OPTIONS | OPTS_COMPAT | OPTS_ITEM, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_PRECISION:
			opt.precision = (unsigned)opts_count(HLL_PRECISION_MIN, HLL_PRECISION_MAX);
			break;
		case 'e':
			opt.error = opts_share(1e-6, 1);
			opt.error_text = opts_text();
			break;
		case OPT_CONFIDENCE:
			opt.confidence = opts_share(0.01, 0.999999);
			break;
		}
	opts_exclude(opt.precision > 0, "--precision", opt.error > 0, "-e");
	counter_compat(opt.precision > 0 ? "--precision" : opt.error > 0 ? "-e" : NULL);
	opts_exclude(opt.precision > 0 || opt.error > 0, "--precision or -e", shared.like != NULL, "--like");
	if (opt.confidence > 0 && opt.error == 0)
		die_usage("--confidence needs -e");
	if (opt.error > 0) {
		opt.precision = hll_precision_for(opt.error, opt.confidence);
		if (opt.precision == 0)
			die_usage("cannot use -e '%s': the finest precision, %d, has a standard error of %.3g %%",
			    opt.error_text, HLL_PRECISION_MAX, 100 * hll_error(HLL_PRECISION_MAX));
	}
	if (opt.precision > 0) {
		hll.settings.param[HLL_PARAM_PRECISION] = opt.precision;
		hll.told[HLL_PARAM_PRECISION] = true;
	}
}

int
main(int argc, char *argv[])
{
	tool_start("hll-build");
	parse_options(&argc, &argv);
	distinct_build_settle(&hll);
	distinct_build_run(&hll, argc, argv);
	return output_finish(EXIT_YES);
}
