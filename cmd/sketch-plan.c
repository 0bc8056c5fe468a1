/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-plan tells before anything is built how large a sketch will be, which
 * parameters it gets and which bound it keeps. It reads nothing. Status 1 is
 * never used.
 */

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "sketch/frequency/cms_size.h"
#include "sketch/member/form.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/distinct/hll.h"
#include "sketch/nearness/minhash.h"
#include "sketch/quantiles/tdigest.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/plan.h"
#include "tool/report.h"
#include "tool/answers/sheet.h"

static const char usage[] =
	"sketch-plan [OPTION]... [STRUCTURE]...";

static const char about[] =
	"Tell size, parameters and bound of a sketch to come: bloom, cms, spacesaving,\n"
	"hll, minhash, hdr or tdigest, or of all.";

enum { OPT_CONFIDENCE = 256, OPT_PRECISION, OPT_WIDTH, OPT_DEPTH, OPT_TYPE, OPT_DIGITS, OPT_RANGE,
	OPT_COMPRESSION, OPT_SIZE };

static const struct opts_row help[] = {
	{'n', "capacity", "N", "distinct items expected (1M)"},
	{'p', "fpp", "P", "bloom: false-positive probability wanted (1%)"},
	{OPT_TYPE, "type", "block|classic|counting|scalable|cuckoo", "bloom: only this type"},
	{'e', "error", "E", "cms: share of the total (0.1%); else standard error"},
	{OPT_CONFIDENCE, "confidence", "C", "E is kept with this probability (cms: 99%)"},
	{OPT_WIDTH, "width", "W", "cms: counters in a row, instead of -e"},
	{OPT_DEPTH, "depth", "D", "cms: rows, instead of --confidence"},
	{OPT_PRECISION, "precision", "P", "hll: 2^P registers, 4..18 (14)"},
	{OPT_SIZE, "size", "K", "minhash: hashes, 16..65536 (1024)"},
	{OPT_DIGITS, "digits", "N", "hdr: significant digits, 1..5 (3)"},
	{OPT_RANGE, "range", "R", "hdr: the greatest number by the least (1M)"},
	{OPT_COMPRESSION, "compression", "N", "tdigest: how fine it is, 20..1000 (100)"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-k", "the number of hashes follows from -p"},
	{"-m", "the size is what is told; say -n and -p, or -e"},
	{NULL, NULL}
};

#define CAPACITY_MAX UINT64_C(1000000000000000)

enum { BLOOM = 1, CMS = 2, HLL = 4, HEAVY = 8, HDR = 16, TDIGEST = 32, MINHASH = 64, ALL = 127 };

static struct {
	uint64_t capacity;           /* 0: not given; and so below */
	double fpp, error, confidence;
	uint64_t width;
	unsigned depth, precision, digits, compression;
	uint64_t range, size;
	const struct form_type *type;
} opt;

static void
take_type(void)
{
	opt.type = form_named(opts_text());
	if (!opt.type)
		die_usage("cannot use --type '%s': not " FORM_NAMES, opts_text());
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
		case OPT_SIZE:
			opt.size = opts_count(MINHASH_SIZE_MIN, MINHASH_SIZE_MAX);
			break;
		case OPT_DIGITS:
			opt.digits = (unsigned)opts_count(HDR_DIGITS_MIN, HDR_DIGITS_MAX);
			break;
		case OPT_RANGE:
			opt.range = opts_count(1, CAPACITY_MAX);
			break;
		case OPT_COMPRESSION:
			opt.compression = (unsigned)opts_count(TDIGEST_COMPRESSION_MIN,
			    TDIGEST_COMPRESSION_MAX);
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
		{"-n", opt.capacity > 0, BLOOM | HEAVY | HLL | HDR | TDIGEST | MINHASH},
		{"-p", opt.fpp > 0, BLOOM},
		{"--type", opt.type != NULL, BLOOM},
		{"-e", opt.error > 0, (opt.width > 0 ? 0 : CMS) | (opt.precision > 0 ? 0 : HLL) |
		    (opt.size > 0 ? 0 : MINHASH)},
		{"--confidence", opt.confidence > 0, (opt.depth > 0 ? 0 : CMS) |
		    (opt.error > 0 && opt.precision == 0 ? HLL : 0)},
		{"--width", opt.width > 0, CMS},
		{"--depth", opt.depth > 0, CMS},
		{"--precision", opt.precision > 0, HLL},
		{"--size", opt.size > 0, MINHASH},
		{"--digits", opt.digits > 0, HDR},
		{"--range", opt.range > 0, HDR},
		{"--compression", opt.compression > 0, TDIGEST},
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].given && !(options[i].about & asked))
			die_usage("%s has no effect on this plan", options[i].name);
}

/* What the options say about each, and what they leave to us. */

static void
cms_asked(struct plan *plan)
{
	double epsilon = opt.width > 0 ? cms_epsilon_of(opt.width) : opt.error > 0 ? opt.error : 0.001;
	double delta = opt.depth > 0 ? cms_delta_of(opt.depth) :
	    opt.confidence > 0 ? 1 - opt.confidence : 0.01;

	plan_cms(plan, opt.width > 0 ? opt.width : cms_width_for(epsilon),
	    opt.depth > 0 ? opt.depth : cms_depth_for(delta), epsilon, delta);
}

static void
hll_asked(struct plan *plan)
{
	plan_hll(plan, opt.precision > 0 ? opt.precision :
	    opt.error > 0 ? hll_precision_for(opt.error, opt.confidence) : 14, opt.capacity);
}

static void
minhash_asked(struct plan *plan)
{
	plan_minhash(plan, opt.size > 0 ? opt.size :
	    opt.error > 0 ? minhash_size_for(opt.error) : MINHASH_SIZE,
	    opt.capacity > 0 ? opt.capacity : 1000000);
}

static void
hdr_asked(struct plan *plan)
{
	plan_hdr(plan, opt.digits > 0 ? opt.digits : HDR_DIGITS,
	    opt.range > 0 ? opt.range : 1000000, opt.capacity > 0 ? opt.capacity : 1000000);
}

static void
tdigest_asked(struct plan *plan)
{
	plan_tdigest(plan, opt.compression > 0 ? opt.compression : TDIGEST_COMPRESSION,
	    opt.capacity > 0 ? opt.capacity : 1000000);
}

static size_t
filters_asked(struct plan *plan)
{
	const struct form_type *type;
	size_t n = 0;

	for (size_t i = 0; (type = form_row(i)) != NULL; i++)
		if (opt.type ? type == opt.type : !type->compat)
			plan_filter(&plan[n++], type->kind, opt.capacity > 0 ? opt.capacity : 1000000,
			    opt.fpp > 0 ? opt.fpp : 0.01);
	return n;
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

#define COLUMNS "%-15s %-13s %-10s %-5s %-34s %s\n"

static void
print_row(const struct plan *plan)
{
	char size[NUM_REAL_SIZE] = "-", bits[16] = "-";

	if (plan->size > 0)
		num_bytes(size, plan->size);
	if (plan->bits > 0)
		snprintf(bits, sizeof bits, "%.1f", plan->bits);
	output_format(COLUMNS, plan->structure, plan->question, size, bits,
	    plan->size > 0 ? plan->parameters : "-", plan->bound);
}

#define PLANS_MAX 12

static size_t
make_plans(unsigned structures, struct plan plan[PLANS_MAX])
{
	size_t n = structures & BLOOM ? filters_asked(plan) : 0;

	if (structures & CMS)
		cms_asked(&plan[n++]);
	if (structures & HEAVY)
		plan_heavy(&plan[n++], opt.capacity > 0 ? opt.capacity : 1000000);
	if (structures & HLL)
		hll_asked(&plan[n++]);
	if (structures & MINHASH)
		minhash_asked(&plan[n++]);
	if (structures & HDR)
		hdr_asked(&plan[n++]);
	if (structures & TDIGEST)
		tdigest_asked(&plan[n++]);
	return n;
}

/* All structures, a row each. */
static void
compare(void)
{
	struct plan plan[PLANS_MAX];
	size_t n = make_plans(ALL, plan);

	if (!shared.json)
		output_format(COLUMNS, "STRUCTURE", "ANSWERS", "SIZE", "BITS", "PARAMETERS", "BOUND");
	for (size_t i = 0; i < n; i++)
		if (shared.json)
			print_sheet(&plan[i]);
		else
			print_row(&plan[i]);
}

static unsigned
structure_of(const char *name)
{
	static const struct {
		const char *name;
		unsigned structure;
	} names[] = {
		{"bloom", BLOOM}, {"cms", CMS}, {"spacesaving", HEAVY}, {"hll", HLL}, {"hdr", HDR},
		{"tdigest", TDIGEST}, {"minhash", MINHASH},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].structure;
	die_usage("cannot plan '%s': not bloom, cms, spacesaving, hll, minhash, hdr or tdigest (bloom has a --type)",
	    name);
}

/* One that cannot be had is told among others that can. */
static void
describe(const char *name, unsigned structure)
{
	struct plan plan[PLANS_MAX];
	size_t n = make_plans(structure, plan), impossible = 0;

	for (size_t i = 0; i < n; i++)
		impossible += plan[i].size == 0;
	if (impossible == n)
		die_usage("cannot plan '%s': %s", name, plan[0].bound);
	for (size_t i = 0; i < n; i++)
		print_sheet(&plan[i]);
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
