/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * bloom-remove takes one copy of each line's item out of a filter that can do
 * so, and prints the lines of those it refuses to: surely absent ones, and
 * those that were added too often to be counted. Status 1: there was one.
 */

#include <stdio.h>
#include <string.h>

#include "tool/lines/interrupt.h"
#include "tool/lines/kept.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/files/revise.h"

static const char usage[] =
	"bloom-remove [OPTION]... FILTER [FILE...]";

static const char about[] =
	"Remove each line's item from a filter; print the lines that were refused.\n"
	"Remove only what was added, once for each time it was added.";

static const struct opts_row help[] = {
	{'c', "count", NULL, "print how many were refused, not the lines"},
	{'q', "quiet", NULL, "print nothing"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-o", "the filter is rewritten in place"},
	{"--update", "the filter is rewritten in place"},
	{"-v", "what was removed is all that is not printed"},
	{NULL, NULL}
};

static struct {
	const char *filter;
	bool count, quiet;
} opt;

static struct revision held;

static uint64_t removed, absent, permanent;
static uint64_t told;                /* of the refused, in inputs that are through */

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_BUFFER | OPTS_KEY, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case 'c':
			opt.count = true;
			break;
		case 'q':
			opt.quiet = true;
			break;
		}
	if (*argc == 0)
		die_usage("the first operand must be a filter: bloom-remove FILTER [FILE...]");
	opt.filter = **argv;
	(*argv)++;
	(*argc)--;
}

/* "counting and cuckoo" */
static const char *
types_that_can(void)
{
	static char text[128];
	const struct member *m;

	for (size_t i = 0; (m = member_row(i)) != NULL; i++) {
		size_t len = strlen(text);
		if (m->remove)
			snprintf(text + len, sizeof text - len, "%s%s", len > 0 ? " and " : "",
			    m->type);
	}
	return text;
}

static void
can_remove(const char *name, const struct record *head)
{
	const struct member *m = member_find(head->kind);

	if (!m->remove)
		die_exit(EXIT_SKETCH, "cannot remove from '%s': type %s cannot delete; %s can", name,
		    m->type, types_that_can());
}

static bool
refuse(uint64_t hash)
{
	switch (held.member->remove(held.sketch.body, hash)) {
	case REMOVED:
		removed++;
		return false;
	case REMOVE_ABSENT:
		absent++;
		return true;
	case REMOVE_PERMANENT:
		break;
	}
	permanent++;
	return true;
}

/*
 * All are asked at once, which is what memory likes: then what is to be changed
 * lies in the cache. What is absent stays so whatever else is removed.
 */
static enum verdict
take_out(void *context, unsigned worker, struct batch *b)
{
	bool has[BATCH_MAX], refused[BATCH_MAX];
	size_t n = 0;

	(void)context;
	held.member->has(held.sketch.body, b->hash, b->n, has);
	for (size_t i = 0; i < b->n; i++) {
		refused[i] = !has[i] || refuse(b->hash[i]);
		absent += !has[i];
		n += refused[i];
	}
	if (n > 0 && !opt.count && !opt.quiet)
		kept_lines(parallel_output(worker), b, refused);
	return GO_ON;
}

static void
print_count(void *context, const char *name)
{
	const bool *several = context;

	output_count(absent + permanent - told);
	told = absent + permanent;
	if (*several) {
		output_byte('\t');
		output_text(name);
	}
	output_byte(shared.scan.end);
}

static struct intake
work(int argc, char *argv[])
{
	struct job job = opts_job();
	bool several = argc > 1;

	/* An input that fails ends the program and changes nothing: to try again
	 * must not remove the others' items twice. */
	job.context = &several;
	job.inorder = take_out;
	job.writes = job.scan.want_lines = !opt.count && !opt.quiet;
	if (opt.count && !opt.quiet)
		job.input_end = print_count;
	return parallel_run(&job, argc, argv);
}

int
main(int argc, char *argv[])
{
	tool_start("bloom-remove");
	parse_options(&argc, &argv);
	revise_begin(&held, opt.filter, "remove from", can_remove);
	struct intake tally = work(argc, argv);

	/* Should the refused lines be lost, the filter stays as it was. */
	int answer = absent + permanent > 0 ? EXIT_NO : EXIT_YES;
	output_finish(answer);
	if (removed > 0)
		revise_save(&held);
	else
		revise_abandon(&held);
	opts_tally(&tally);
	uint64_t refused = absent + permanent;
	if (shared.stats)
		note("%llu removed, %llu refused: %llu surely absent, %llu permanent",
		    (unsigned long long)removed, (unsigned long long)refused,
		    (unsigned long long)absent, (unsigned long long)permanent);
	interrupt_die();
	return report_exit(answer);
}
