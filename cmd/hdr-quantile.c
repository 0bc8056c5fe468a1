/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * hdr-quantile prints percentiles of the numbers in its lines, or, with -s, of
 * saved histograms, each within certain bounds; with --by one row for each key,
 * with --window, --every or --tumble one after another as time goes on. Status 1:
 * a promise of --slo was not kept.
 */

#include "sketch/quantiles/hdr.h"
#include "tool/quantiles/asked.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/quantiles/percentiles.h"
#include "tool/report.h"

static const char usage[] =
	"hdr-quantile [OPTION]... [FILE...]\n"
	"hdr-quantile -s [OPTION]... [SKETCH...]";

static const char about[] =
	"Print percentiles of the numbers that the lines hold, to 3 digits for certain.";

enum { OPT_DIGITS = 256, OPT_CORRECT };

static const struct opts_row help[] = {
	{OPT_DIGITS, "digits", "N", "significant digits, 1..5 (3)"},
	{OPT_CORRECT, "correct", "INTERVAL", "beside each: as if a sample had been taken so often"},
	PERCENTILES_ROWS,
	{0}
};

static const struct opts_hint hints[] = {
	{"-p", "use -Q p99 for a percentile"},
	{"-c", "-Q n counts the samples"},
	{"-n", "use --digits for precision, -k for the K largest keys"},
	{NULL, NULL}
};

static struct percentiles hdr = {
	.only = "hdr", .settings = {.kind = KIND_HDR, .param[HDR_PARAM_DIGITS] = HDR_DIGITS},
};

static struct {
	bool digits;
	const char *interval;
} opt;

static double interval;              /* the same, in the unit of the numbers */

static void *
corrected(const void *body)
{
	struct hdr *h;
	enum status st = hdr_new(&h, hdr_digits(body));

	if (st == OK)
		st = hdr_correct(h, body, interval);
	if (st == STATUS_FULL)
		die_exit(EXIT_USAGE, "cannot use --correct: the interval is too short for the samples");
	if (st != OK)
		die(st, "cannot correct");
	return h;
}

/* Corrected twice would be samples that nobody missed. */
static void
judge(const char *name, const struct record *head)
{
	enum unit unit = (enum unit)head->param[QUANTILES_UNIT];

	if (head->param[HDR_PARAM_INTERVAL] != 0)
		die_exit(EXIT_SKETCH, "cannot use --correct: '%s' is corrected already", name);
	interval = asked_interval("--correct", opt.interval, unit,
	    shared.scan.unit != UNIT_NONE ? shared.scan.unit : unit);
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_systems(hdr.only);
	opts_start(PERCENTILES_OPTIONS | OPTS_FROM, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_DIGITS:
			hdr.settings.param[HDR_PARAM_DIGITS] = opts_count(HDR_DIGITS_MIN, HDR_DIGITS_MAX);
			opt.digits = true;
			break;
		case OPT_CORRECT:
			opt.interval = opts_text();
			break;
		default:
			percentiles_take(c);
		}
	opts_exclude(shared.sketch, "-s", opt.digits, "--digits");
	percentiles_settle();
	if (!opt.interval)
		return;
	hdr.second = corrected;
	hdr.judge = judge;
	if (!shared.sketch)
		interval = asked_interval("--correct", opt.interval, shared.scan.unit, shared.scan.unit);
}

int
main(int argc, char *argv[])
{
	tool_start("hdr-quantile");
	parse_options(&argc, &argv);
	return output_finish(percentiles_run(&hdr, argc, argv));
}
