/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * hdr-build reads lines and writes one histogram of the numbers they hold, or with
 * --by one for each key. It never ends with status 1.
 */

#include "base/bytes.h"
#include "sketch/quantiles/hdr.h"
#include "tool/quantiles/asked.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/quantiles/samples_build.h"

static const char usage[] =
	"hdr-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a histogram of the numbers of lines: any percentile, to 3 digits.";

enum { OPT_DIGITS = 256, OPT_CORRECT };

static const struct opts_row help[] = {
	{OPT_DIGITS, "digits", "N", "significant digits, 1..5 (3)"},
	{OPT_CORRECT, "correct", "INTERVAL", "as if a sample had been taken so often"},
	{0}
};

static const char *interval;         /* as it was typed, or NULL */

static void
set_interval(struct samples_build *b)
{
	if (interval)
		b->settings.param[HDR_PARAM_INTERVAL] = real_bits(asked_interval("--correct", interval,
		    shared.scan.unit, shared.scan.unit));
}

static struct samples_build hdr = {
	.only = "hdr", .settings = {.kind = KIND_HDR, .param[HDR_PARAM_DIGITS] = HDR_DIGITS},
	.unit_known = set_interval,
};

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(SAMPLES_OPTIONS, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_DIGITS:
			hdr.settings.param[HDR_PARAM_DIGITS] = opts_count(HDR_DIGITS_MIN, HDR_DIGITS_MAX);
			hdr.told[HDR_PARAM_DIGITS] = true;
			break;
		case OPT_CORRECT:
			interval = opts_text();
			hdr.told[HDR_PARAM_INTERVAL] = true;
			break;
		}
}

int
main(int argc, char *argv[])
{
	tool_start("hdr-build");
	parse_options(&argc, &argv);
	samples_build_settle(&hdr);
	samples_build_run(&hdr, argc, argv);
	return output_finish(EXIT_YES);
}
