/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * tdigest-build reads lines and writes one t-digest of the numbers they hold, or
 * with --by one for each key. It never ends with status 1.
 */

#include "sketch/quantiles/tdigest.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/quantiles/samples_build.h"

static const char usage[] =
	"tdigest-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a t-digest of numbers: percentiles, best where they are extreme.";

enum { OPT_COMPRESSION = 256 };

static const struct opts_row help[] = {
	{OPT_COMPRESSION, "compression", "N", "how fine it is, 20..1000 (100)"},
	{0}
};

static struct samples_build tdigest = {
	.only = "tdigest",
	.settings = {.kind = KIND_TDIGEST, .param[TDIGEST_PARAM_COMPRESSION] = TDIGEST_COMPRESSION},
};

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(SAMPLES_OPTIONS, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_COMPRESSION:
			tdigest.settings.param[TDIGEST_PARAM_COMPRESSION] =
			    opts_count(TDIGEST_COMPRESSION_MIN, TDIGEST_COMPRESSION_MAX);
			tdigest.told[TDIGEST_PARAM_COMPRESSION] = true;
			break;
		}
}

int
main(int argc, char *argv[])
{
	tool_start("tdigest-build");
	parse_options(&argc, &argv);
	samples_build_settle(&tdigest);
	samples_build_run(&tdigest, argc, argv);
	return output_finish(EXIT_YES);
}
