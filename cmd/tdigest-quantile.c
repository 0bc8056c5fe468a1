/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * tdigest-quantile prints percentiles of the numbers in its lines, or, with -s, of
 * saved t-digests; with --by one row for each key, with --window, --every or
 * --tumble one after another as time goes on. Status 1: a promise of --slo was not
 * kept.
 */

#include "sketch/quantiles/tdigest.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/quantiles/percentiles.h"
#include "tool/report.h"

static const char usage[] =
	"tdigest-quantile [OPTION]... [FILE...]\n"
	"tdigest-quantile -s [OPTION]... [SKETCH...]";

static const char about[] =
	"Print percentiles of the numbers in the lines, best where they are extreme.";

enum { OPT_COMPRESSION = 256, OPT_DISCRETE };

static const struct opts_row help[] = {
	{OPT_COMPRESSION, "compression", "N", "how fine it is, 20..1000 (100)"},
	{OPT_DISCRETE, "discrete", NULL, "no percentile between two samples"},
	PERCENTILES_ROWS,
	{0}
};

static const struct opts_hint hints[] = {
	{"-p", "use -Q p99 for a percentile"},
	{"-c", "-Q n counts the samples"},
	{"-n", "use --compression for precision, -k for the K largest keys"},
	{NULL, NULL}
};

static struct percentiles tdigest = {
	.only = "tdigest",
	.settings = {.kind = KIND_TDIGEST, .param[TDIGEST_PARAM_COMPRESSION] = TDIGEST_COMPRESSION},
};

static void
parse_options(int *argc, char ***argv)
{
	bool compression = false;
	int c;

	opts_start(PERCENTILES_OPTIONS, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_COMPRESSION:
			tdigest.settings.param[TDIGEST_PARAM_COMPRESSION] =
			    opts_count(TDIGEST_COMPRESSION_MIN, TDIGEST_COMPRESSION_MAX);
			compression = true;
			break;
		case OPT_DISCRETE:
			tdigest.discrete = true;
			break;
		default:
			percentiles_take(c);
		}
	opts_exclude(shared.sketch, "-s", compression, "--compression");
	percentiles_settle();
}

int
main(int argc, char *argv[])
{
	tool_start("tdigest-quantile");
	parse_options(&argc, &argv);
	return output_finish(percentiles_run(&tdigest, argc, argv));
}
