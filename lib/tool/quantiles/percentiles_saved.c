/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "tool/quantiles/percentiles.h"
#include "tool/quantiles/percentiles_body.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/files/shelf.h"
#include "tool/files/unite.h"

/*
 * Saved sketches: plain ones unite, keyed ones answer key by key unless --total
 * unites them too.
 */

static const struct unite plainly;

static struct {
	bool any;
	struct record head;          /* of the first; the others must match it */
	struct sketch all, input;    /* of the operand at hand, for --each */
	struct shelf *shelf;         /* by key */
} saved;

static void
match(const char *name, const struct record *head)
{
	enum unit kept = (enum unit)head->param[QUANTILES_UNIT];
	struct mismatch why;

	if (percentiles.program->judge)
		percentiles.program->judge(name, head);
	if (!saved.any) {
		enum unit shown = shared.scan.unit != UNIT_NONE ? shared.scan.unit : kept;
		if (shown != UNIT_NONE && kept == UNIT_NONE)
			die_exit(EXIT_SKETCH, "cannot use --unit: the numbers in '%s' have no unit", name);
		saved.head = *head;
		percentiles_begin(head, shown);
		asked_units(&percentiles.asked, kept, shown);
	}
	saved.any = true;
	if (record_compare(&saved.head, head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot unite '%s' with what came before: %s", name, why.text);
}

/* into = both; the first one moves. */
static void
keep(struct sketch *into, struct sketch *s, const char *name)
{
	if (into->body) {
		unite_pair(&plainly, into, s, name);
		return;
	}
	*into = *s;
	*s = (struct sketch){0};
}

static void
refuse_plot(const char *name)
{
	if (saved.shelf && percentiles.plot)
		die_exit(EXIT_SKETCH, "cannot use --plot: '%s' is keyed; use --total", name);
}

static void
saved_sketch(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	(void)context;
	match(name, &s->head);
	if (key && !percentiles.total && !percentiles.each) {
		if (!saved.shelf)
			saved.shelf = shelf_new();
		keep(shelf_at(saved.shelf, *key), s, name);
	} else {
		keep(percentiles.each ? &saved.input : &saved.all, s, name);
	}
	bool plain = saved.all.body || saved.input.body;
	if (plain && saved.shelf)
		die_exit(EXIT_SKETCH, "cannot unite '%s': keyed and plain sketches; use --total", name);
	if (plain && (percentiles.top != UINT64_MAX || percentiles.least > 0))
		die_exit(EXIT_SKETCH, "cannot use %s: '%s' is not keyed",
		    percentiles.least > 0 ? "--min" : "-k", name);
	refuse_plot(name);
}

static void
saved_keyed(void *context, const char *name, const struct record *head)
{
	(void)context;
	match(name, head);
	/* Even without a single key it is keyed, and prints no row. */
	if (!saved.shelf && !percentiles.total && !percentiles.each)
		saved.shelf = shelf_new();
	refuse_plot(name);
}

/* A keyed record without a key holds nothing. */
static void
fill(struct sketch *s)
{
	const struct samples *samples = &percentiles.samples;

	if (!s->body)
		*s = (struct sketch){
			.head = saved.head, .kind = samples->kind, .body = samples_empty(samples),
		};
}

static void
saved_end(void *context, const char *name)
{
	(void)context;
	if (!percentiles.each)
		return;
	fill(&saved.input);
	percentiles_print_input(saved.input.body, name);
	keep(&saved.all, &saved.input, name);
	sketch_free(&saved.input);
	saved.input = (struct sketch){0};
}

/* The keys of a shelf, and what each holds. */
struct entry {
	struct slice key;
	const void *body;
	uint64_t n;
};

struct entries {
	size_t n, room;
	struct entry *at;
};

static void
list_entry(void *context, struct slice key, struct sketch *s)
{
	struct entries *list = context;

	if (list->n == list->room) {
		list->room = list->room > 0 ? 2 * list->room : 256;
		list->at = reallocarray(list->at, list->room, sizeof *list->at);
		if (!list->at)
			die(STATUS_MEMORY, "cannot list the keys");
	}
	list->at[list->n++] = (struct entry){key, s->body, percentiles.samples.what->total(s->body)};
}

/* Most samples first, then by the bytes of the keys. */
static int
order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return slice_compare(x->key, y->key);
}

static void
print_shelf(struct shelf *shelf)
{
	struct entries list = {0};

	shelf_each(shelf, list_entry, &list);
	if (list.n > 0)
		qsort(list.at, list.n, sizeof *list.at, order);
	for (size_t i = 0; i < list.n && i < percentiles.top; i++) {
		if (list.at[i].n < percentiles.least)
			break;
		percentiles_print(list.at[i].body, &(struct whose){.label = "key", .item = list.at[i].key});
	}
	free(list.at);
}

void
percentiles_saved(int argc, char *argv[])
{
	struct parts parts = {.verb = "unite", .rows = percentiles.each};
	struct records records = {
		.only = percentiles.program->only, .end = shared.scan.end, .parts = &parts,
		.sketch = saved_sketch, .keyed = saved_keyed, .input_end = saved_end,
	};

	uint64_t read = records_run(&records, argc, argv);
	parts_end(&parts);
	parts_clear(&parts);
	opts_records(read);
	if (saved.shelf) {
		print_shelf(saved.shelf);
	} else {
		fill(&saved.all);
		percentiles_print_input(saved.all.body, percentiles.each ? "total" : NULL);
	}
	shelf_free(saved.shelf);
	sketch_free(&saved.all);
}

