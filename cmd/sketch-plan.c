/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-plan tells before anything is built how large a sketch will be, which
 * parameters it gets and which bound it keeps. It reads nothing. Status 1 is
 * never used.
 */

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "sketch/bloom.h"
#include "sketch/cms_size.h"
#include "sketch/hll.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/sheet.h"

static const char usage[] =
	"sketch-plan [OPTION]... [STRUCTURE]...";

static const char about[] =
	"Tell size, parameters and bound of a sketch to come: of bloom, cms or hll, or of all.";

enum { OPT_CONFIDENCE = 256, OPT_PRECISION, OPT_WIDTH, OPT_DEPTH, OPT_TYPE };

static const struct opts_row help[] = {
	{'n', "capacity", "N", "distinct items expected (1M)"},
	{'p', "fpp", "P", "bloom: false-positive probability wanted (1%)"},
	{OPT_TYPE, "type", "block|classic", "bloom: only this type"},
	{'e', "error", "E", "cms: this share of the total (0.1%); hll: standard error"},
	{OPT_CONFIDENCE, "confidence", "C", "E is kept with this probability (cms: 99%)"},
	{OPT_WIDTH, "width", "W", "cms: counters in a row, instead of -e"},
	{OPT_DEPTH, "depth", "D", "cms: rows, instead of --confidence"},
	{OPT_PRECISION, "precision", "P", "hll: 2^P registers, 4..18 (14)"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-k", "the number of hashes follows from -p"},
	{"-m", "the size is what is told; say -n and -p, or -e"},
	{NULL, NULL}
};

#define CAPACITY_MAX UINT64_C(1000000000000000)

enum { BLOOM = 1, CMS = 2, HLL = 4, ALL = 7 };

static struct {
	uint64_t capacity;           /* 0: not given; and so below */
	double fpp, error, confidence;
	uint64_t width;
	unsigned depth, precision;
	bool block, classic;
} opt = {.block = true, .classic = true};

static void
take_type(void)
{
	opt.block = strcmp(opts_text(), "block") == 0;
	opt.classic = strcmp(opts_text(), "classic") == 0;
	if (!opt.block && !opt.classic)
		die_usage("cannot use --type '%s': not block or classic", opts_text());
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_JSON, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case 'n':
			opt.capacity = opts_count(1, CAPACITY_MAX);
			break;
		case 'p':
			opt.fpp = opts_share(BLOOM_FPP_MIN, BLOOM_FPP_MAX);
			break;
		case OPT_TYPE:
			take_type();
			break;
		case 'e':
			opt.error = opts_share(1e-9, 0.5);
			break;
		case OPT_CONFIDENCE:
			opt.confidence = opts_share(0.1, 1 - 1e-9);
			break;
		case OPT_WIDTH:
			opt.width = opts_count(1, CMS_WIDTH_MAX);
			break;
		case OPT_DEPTH:
			opt.depth = (unsigned)opts_count(1, CMS_DEPTH_MAX);
			break;
		case OPT_PRECISION:
			opt.precision = (unsigned)opts_count(HLL_PRECISION_MIN, HLL_PRECISION_MAX);
			break;
		}
}

/* An option without effect on any of the structures asked about is a mistake. */
static void
refuse_idle(unsigned asked)
{
	const struct {
		const char *name;
		bool given;
		unsigned about;
	} options[] = {
		{"-n", opt.capacity > 0, BLOOM | HLL},
		{"-p", opt.fpp > 0, BLOOM},
		{"--type", !opt.block || !opt.classic, BLOOM},
		{"-e", opt.error > 0, (opt.width > 0 ? 0 : CMS) | (opt.precision > 0 ? 0 : HLL)},
		{"--confidence", opt.confidence > 0, (opt.depth > 0 ? 0 : CMS) |
		    (opt.error > 0 && opt.precision == 0 ? HLL : 0)},
		{"--width", opt.width > 0, CMS},
		{"--depth", opt.depth > 0, CMS},
		{"--precision", opt.precision > 0, HLL},
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].given && !(options[i].about & asked))
			die_usage("%s has no effect on this plan", options[i].name);
}

/* One structure's plan. Where there is none, size is 0 and bound says why. */
struct plan {
	const char *structure, *question;
	uint64_t size;               /* of the payload */
	char parameters[80], bound[160];
	struct facts before, after;  /* what stands around the size */
};

static void
plan_bloom(struct plan *plan, enum bloom_type type)
{
	struct bloom_shape shape;
	uint64_t n = opt.capacity > 0 ? opt.capacity : 1000000;
	double fpp = opt.fpp > 0 ? opt.fpp : 0.01;

	*plan = (struct plan){
		.structure = type == BLOOM_BLOCK ? "bloom-block" : "bloom-classic",
		.question = "seen before?",
	};
	if (!bloom_shape_for(&shape, type, n, fpp)) {
		snprintf(plan->bound, sizeof plan->bound, "more than the largest filter, 32 TiB");
		return;
	}
	double over = bloom_expected_fpp(&shape, n + n / 4), twice = bloom_expected_fpp(&shape, 2 * n);
	plan->size = bloom_bytes(&shape);
	snprintf(plan->parameters, sizeof plan->parameters, "%llu %s, %u an item",
	    (unsigned long long)shape.size, type == BLOOM_BLOCK ? "blocks" : "bits", shape.probes);
	snprintf(plan->bound, sizeof plan->bound,
	    "a false yes in %.3g %%, over 1.25 n in %.3g %%, over 2 n in %.3g %%",
	    100 * bloom_expected_fpp(&shape, n), 100 * over, 100 * twice);
	fact_count(&plan->before, "capacity", n);
	fact_real(&plan->before, "wanted_fpp", fpp);
	fact_count(&plan->before, type == BLOOM_BLOCK ? "blocks" : "bits", shape.size);
	fact_count(&plan->before, "probes", shape.probes);
	fact_real(&plan->before, "bits_per_item", 8 * (double)plan->size / (double)n);
	fact_real(&plan->after, "fpp", bloom_expected_fpp(&shape, n));
	fact_real(&plan->after, "fpp_at_125_percent", over);
	fact_real(&plan->after, "fpp_at_200_percent", twice);
}

static void
plan_cms(struct plan *plan)
{
	double epsilon = opt.width > 0 ? cms_epsilon_of(opt.width) : opt.error > 0 ? opt.error : 0.001;
	double delta = opt.depth > 0 ? cms_delta_of(opt.depth) :
	    opt.confidence > 0 ? 1 - opt.confidence : 0.01;
	uint64_t width = opt.width > 0 ? opt.width : cms_width_for(epsilon);
	unsigned depth = opt.depth > 0 ? opt.depth : cms_depth_for(delta);

	*plan = (struct plan){
		.structure = "cms", .question = "how often?", .size = 8 * width * depth,
	};
	snprintf(plan->parameters, sizeof plan->parameters, "%llu x %u counters",
	    (unsigned long long)width, depth);
	snprintf(plan->bound, sizeof plan->bound,
	    "never too low; in %.6g %% at most %.3g %% of the total too high",
	    100 * (1 - delta), 100 * epsilon);
	fact_count(&plan->before, "width", width);
	fact_count(&plan->before, "depth", depth);
	fact_real(&plan->after, "epsilon", epsilon);
	fact_real(&plan->after, "delta", delta);
}

static void
plan_hll(struct plan *plan)
{
	unsigned p = opt.precision > 0 ? opt.precision :
	    opt.error > 0 ? hll_precision_for(opt.error, opt.confidence) : 14;

	*plan = (struct plan){.structure = "hll", .question = "how many?"};
	if (p == 0) {
		snprintf(plan->bound, sizeof plan->bound,
		    "the finest, precision %d, has a standard error of %.3g %%",
		    HLL_PRECISION_MAX, 100 * hll_error(HLL_PRECISION_MAX));
		return;
	}
	/* Few items are held one by one, as a token each. */
	bool few = opt.capacity > 0 && opt.capacity <= hll_token_limit(p);
	plan->size = few ? sizeof(uint32_t) * opt.capacity : hll_bytes(p);
	snprintf(plan->parameters, sizeof plan->parameters, "%llu registers",
	    1ULL << p);
	snprintf(plan->bound, sizeof plan->bound, "standard error %.3g %%; exact up to %zu items",
	    100 * hll_error(p), hll_token_limit(p));
	fact_count(&plan->before, "precision", p);
	fact_count(&plan->before, "registers", (uint64_t)1 << p);
	fact_text(&plan->before, "encoding", few ? "tokens" : "registers");
	fact_count(&plan->before, "token_limit", hll_token_limit(p));
	fact_real(&plan->after, "standard_error", hll_error(p));
}

/* As sketch-info would show it. */
static void
print_sheet(const struct plan *plan)
{
	sheet_begin();
	sheet_text("structure", slice_of(plan->structure));
	sheet_text("answers", slice_of(plan->question));
	if (plan->size == 0) {
		sheet_text("impossible", slice_of(plan->bound));
	} else {
		sheet_facts(&plan->before);
		sheet_size("payload_bytes", plan->size);
		sheet_size("file_bytes", RECORD_HEADER + record_padded(plan->size));
		sheet_facts(&plan->after);
	}
	sheet_end();
}

static void
print_row(const struct plan *plan)
{
	char size[NUM_REAL_SIZE] = "-";

	if (plan->size > 0)
		num_bytes(size, plan->size);
	output_format("%-14s %-13s %-10s %-32s %s\n", plan->structure, plan->question, size,
	    plan->size > 0 ? plan->parameters : "-", plan->bound);
}

static size_t
make_plans(unsigned structures, struct plan plan[4])
{
	size_t n = 0;

	if (structures & BLOOM && opt.block)
		plan_bloom(&plan[n++], BLOOM_BLOCK);
	if (structures & BLOOM && opt.classic)
		plan_bloom(&plan[n++], BLOOM_CLASSIC);
	if (structures & CMS)
		plan_cms(&plan[n++]);
	if (structures & HLL)
		plan_hll(&plan[n++]);
	return n;
}

/* All structures, a row each. */
static void
compare(void)
{
	struct plan plan[4];
	size_t n = make_plans(ALL, plan);

	if (!shared.json)
		output_format("%-14s %-13s %-10s %-32s %s\n", "STRUCTURE", "ANSWERS", "SIZE",
		    "PARAMETERS", "BOUND");
	for (size_t i = 0; i < n; i++)
		if (shared.json)
			print_sheet(&plan[i]);
		else
			print_row(&plan[i]);
}

static unsigned
structure_of(const char *name)
{
	unsigned s = strcmp(name, "bloom") == 0 ? BLOOM : strcmp(name, "cms") == 0 ? CMS :
	    strcmp(name, "hll") == 0 ? HLL : 0;

	if (s == 0)
		die_usage("cannot plan '%s': not bloom, cms or hll", name);
	return s;
}

static void
describe(const char *name, unsigned structure)
{
	struct plan plan[4];
	size_t n = make_plans(structure, plan);

	for (size_t i = 0; i < n; i++) {
		if (plan[i].size == 0)
			die_usage("cannot plan '%s': %s", name, plan[i].bound);
		print_sheet(&plan[i]);
	}
}

int
main(int argc, char *argv[])
{
	unsigned asked = 0;

	tool_start("sketch-plan");
	parse_options(&argc, &argv);
	for (int i = 0; i < argc; i++)
		asked |= structure_of(argv[i]);
	refuse_idle(argc > 0 ? asked : ALL);
	if (argc == 0)
		compare();
	for (int i = 0; i < argc; i++)
		describe(argv[i], structure_of(argv[i]));
	return output_finish(EXIT_YES);
}
