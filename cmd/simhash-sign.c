/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * simhash-sign prints the SimHash of each line as 16 hexadecimal digits, then
 * TAB and the line. Status 1 is never used.
 */

#include "sketch/nearness/features.h"
#include "sketch/nearness/simhash.h"
#include "tool/nearness/documents.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"

static const char usage[] =
	"simhash-sign [OPTION]... [FILE...]";

static const char about[] =
	"Print a 64-bit signature before each line: near-duplicates differ in few bits.";

enum { OPT_FEATURES = 256 };

static const struct opts_row help[] = {
	{OPT_FEATURES, "features", "UNIT:N", "runs of N words or characters: char:5 (word:2)"},
	DOCUMENTS_ROWS,
	{0}
};

static struct feature_rule rule = {.unit = FEATURE_WORD, .n = 2};
static struct documents documents;

static struct features scratch[WORKERS_MAX];

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_INPUT | OPTS_BUFFER | OPTS_SEED, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		if (!documents_option(&documents, c) && c == OPT_FEATURES &&
		    !feature_rule_parse(opts_text(), &rule))
			die_usage("cannot use --features '%s': not word:N or char:N, N in 1..%d",
			    opts_text(), FEATURE_RUN_MAX);
	documents_check(&documents);
	opts_hash_features(&rule);
}

static void
put_signature(unsigned char out[16], uint64_t signature)
{
	for (unsigned i = 0; i < 16; i++)
		out[i] = (unsigned char)"0123456789abcdef"[signature >> (60 - 4 * i) & 15];
}

static enum verdict
sign(void *context, unsigned worker, struct batch *b)
{
	struct features *f = &scratch[worker];

	(void)context;
	if (f->rule.n == 0)
		features_init(f, rule);
	for (size_t i = 0; i < b->n; i++) {
		unsigned char digits[17];
		struct slice text;

		if (!document_text(worker, b, i, &text))
			continue;
		enum status st = features_of(f, text);
		if (st != OK)
			die(st, "cannot sign a document of %zu bytes", text.len);
		put_signature(digits, simhash_sign(f->at, f->n));
		digits[16] = '\t';
		parallel_write(worker, digits, sizeof digits);
		st = document_put(parallel_output(worker), b->line[i]);
		if (st != OK)
			die(st, "cannot gather output");
	}
	return GO_ON;
}

int
main(int argc, char *argv[])
{
	tool_start("simhash-sign");
	parse_options(&argc, &argv);
	output_start();

	struct job job = opts_job();
	job.scan.want_items = job.scan.want_lines = job.scan.no_hash = true;
	job.writes = true;
	job.go_on = true;
	job.each = sign;
	struct intake tally = documents_run(&documents, &job, argc, argv);
	opts_tally(&tally);
	for (unsigned i = 0; i < WORKERS_MAX; i++)
		if (scratch[i].rule.n > 0)
			features_clear(&scratch[i]);
	documents_free();
	return output_finish(EXIT_YES);
}
