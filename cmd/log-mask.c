/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * log-mask prints each line with what varies masked, so that lines of one kind
 * become one line. Status 1 is never used.
 */

#include "base/mask.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"

static const char usage[] =
	"log-mask [OPTION]... [FILE...]";

static const char about[] =
	"Mask numbers, times, addresses, paths and quotes, so that like lines are equal.";

enum { OPT_NORM = 256 };

static const struct opts_row help[] = {
	{OPT_NORM, "norm", "none|case|digits|log|typed", "what to mask (log)"},
	{0}
};

static enum mask_level level = MASK_LOG;

/* Of each worker. */
static struct {
	_Alignas(64) struct masker masker;
	struct buffer fields;        /* an item of several, TAB between */
} own[WORKERS_MAX];

static void
parse_options(int *argc, char ***argv)
{
	int c, found;

	opts_start(OPTS_LINES | OPTS_BUFFER, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_NORM:
			found = mask_level_find(opts_text());
			if (found < 0)
				die_usage("cannot use --norm '%s': not none, case, digits, log or typed",
				    opts_text());
			level = (enum mask_level)found;
			break;
		}
}

/* Fields were joined by the byte that ends a line. They are shown, and masked,
 * as if they had come with TAB between. */
static enum status
with_tabs(struct buffer *fields, struct slice *item)
{
	fields->len = 0;
	if (buffer_append(fields, item->at, item->len) != OK)
		return STATUS_MEMORY;
	for (size_t i = 0; i < fields->len; i++)
		if (fields->at[i] == shared.scan.end)
			fields->at[i] = '\t';
	*item = (struct slice){fields->at, fields->len};
	return OK;
}

static enum verdict
mask(void *context, unsigned worker, struct batch *b)
{
	struct buffer *out = parallel_output(worker);

	(void)context;
	for (size_t i = 0; i < b->n; i++) {
		struct slice item = b->item[i];
		enum status st = OK;
		if (shared.scan.item.joined)
			st = with_tabs(&own[worker].fields, &item);
		if (st == OK)
			st = mask_append(&own[worker].masker, level, item, out);
		if (st == OK)
			st = buffer_append(out, &shared.scan.end, 1);
		if (st != OK)
			die(st, "cannot mask a line of %zu bytes", item.len);
	}
	return GO_ON;
}

int
main(int argc, char *argv[])
{
	tool_start("log-mask");
	parse_options(&argc, &argv);
	output_start();

	struct job job = opts_job();
	job.scan.want_items = job.scan.no_hash = true;
	job.writes = true;
	job.go_on = true;
	job.each = mask;
	struct intake tally = parallel_run(&job, argc, argv);
	opts_tally(&tally);
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		masker_clear(&own[i].masker);
		buffer_free(&own[i].fields);
	}
	return output_finish(EXIT_YES);
}
