/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/num.h"
#include "tool/quantiles/figures.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/answers/rows.h"

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot print an answer");
}

/*
 * As text.
 */

static const char *const verdicts[] = {
	[VERDICT_KEPT] = "kept", [VERDICT_BROKEN] = "broken", [VERDICT_UNCERTAIN] = "uncertain",
};

static void
put_number(struct buffer *b, const struct figure *at, unsigned column)
{
	char text[NUM_REAL_SIZE];

	if (at->count)
		num_whole(text, at->n);
	else if (isnan(at->at[column]))
		snprintf(text, sizeof text, "-");
	else
		num_real(text, at->at[column]);
	must(buffer_append(b, text, strlen(text)));
}

static void
put_figure(struct buffer *b, const struct figure *at)
{
	for (unsigned i = 0; i < (shared.bounds ? at->columns : 1); i++) {
		if (i > 0)
			must(buffer_append(b, "\t", 1));
		put_number(b, at, i);
	}
}

static void
put_text(struct buffer *b, const char *text)
{
	must(buffer_append(b, text, strlen(text)));
}

/* For a person, what a pipe gets with --bounds only; the last column follows. */
static void
put_remark(struct buffer *b, const struct figure *at, bool bounds)
{
	if (!rows_for_a_person() || shared.bounds)
		return;
	if (bounds && !at->count && at->at[FIGURE_LOW] != at->at[FIGURE_HIGH]) {
		put_text(b, "  (");
		put_number(b, at, FIGURE_LOW);
		put_text(b, " to ");
		put_number(b, at, FIGURE_HIGH);
		put_text(b, ")");
	}
	if (at->few)
		put_text(b, " ~");
}

/* One or two of them; the verdict is about the last. */
static void
put_answer(struct buffer *b, const struct figure *at, unsigned n, bool remark)
{
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			must(buffer_append(b, "\t", 1));
		put_figure(b, &at[i]);
	}
	if (at[n - 1].verdict) {
		must(buffer_append(b, "\t", 1));
		put_text(b, verdicts[at[n - 1].verdict]);
	}
	put_remark(b, &at[n - 1], remark && n == 1);
}

/*
 * As JSON.
 */

static void
json_number(struct buffer *b, const char *prefix, const char *name, const struct figure *at,
    unsigned column)
{
	char whole[ASKED_NAME + 32];

	snprintf(whole, sizeof whole, "%s%s", prefix, name);
	if (at->count)
		must(json_count(b, whole, at->n));
	else
		must(json_real(b, whole, at->at[column]));
}

static void
json_figure(struct buffer *b, const char *name, const struct figure *at)
{
	static const char *const suffix[] = {"", "low", "high", "ci_low", "ci_high"};
	char prefix[ASKED_NAME + 16];

	json_number(b, name, "", at, FIGURE_VALUE);
	snprintf(prefix, sizeof prefix, "%s_", name);
	for (unsigned i = FIGURE_LOW; i < (at->count ? 1 : at->columns); i++)
		json_number(b, prefix, suffix[i], at, i);
}

/* Members of a row of its own, "value", "low", ..., or of one for all, "p99",
 * "p99_low", ... */
static void
json_answer(struct buffer *b, const struct question *q, const struct figure *at, unsigned n,
    bool alone)
{
	static const char *const names[] = {"value", "low", "high", "ci_low", "ci_high"};
	char name[ASKED_NAME + 16];

	for (unsigned i = 0; alone && i < (at->count ? 1 : at->columns); i++)
		json_number(b, "", names[i], at, i);
	if (!alone)
		json_figure(b, q->name, at);
	if (n > 1) {
		snprintf(name, sizeof name, "%s%scorrected", alone ? "" : q->name, alone ? "" : "_");
		json_figure(b, name, &at[1]);
	}
	const struct figure *last = &at[n - 1];
	if (last->verdict) {
		snprintf(name, sizeof name, "%s%skept", alone ? "" : q->name, alone ? "" : "_");
		must(json_flag(b, name, last->verdict == VERDICT_KEPT));
	}
	if (last->few || last->verdict == VERDICT_UNCERTAIN) {
		snprintf(name, sizeof name, "%s%scertain", alone ? "" : q->name, alone ? "" : "_");
		must(json_flag(b, name, false));
	}
}

/*
 * Rows.
 */

static void
begin_row(struct buffer *b, const struct whose *w)
{
	b->len = 0;
	if (shared.json)
		must(json_open(b));
	if (w->time && shared.json)
		must(json_bytes(b, "time", slice_of(w->time)));
	else if (w->time) {
		put_text(b, w->time);
		must(buffer_append(b, "\t", 1));
	}
}

static void
end_row(struct buffer *b)
{
	must(shared.json ? json_close(b) : buffer_append(b, &shared.scan.end, 1));
	output_bytes(b->at, b->len);
}

static unsigned
answers(struct figures *f, const void *body, const void *second, const struct question *q,
    struct figure out[2])
{
	out[0] = figure_of(&f->reading, body, q);
	if (second)
		out[1] = figure_of(&f->reading, second, q);
	const struct figure *last = &out[second ? 1 : 0];
	if (last->verdict && last->n > 0) {
		f->judged = true;
		f->broken |= last->verdict != VERDICT_KEPT;
	}
	return second ? 2 : 1;
}

/* A row for each answer; without samples only for n. */
static void
print_alone(struct figures *f, struct buffer *b, const void *body, const void *second,
    const struct whose *w)
{
	struct figure at[2];

	for (size_t i = 0; i < f->asked->n; i++) {
		const struct question *q = &f->asked->at[i];
		unsigned n = answers(f, body, second, q, at);
		if (f->quiet || (at->n == 0 && !at->count))
			continue;
		begin_row(b, w);
		if (shared.json) {
			must(json_bytes(b, "quantile", slice_of(q->name)));
			json_answer(b, q, at, n, true);
		} else {
			put_text(b, q->name);
			must(buffer_append(b, "\t", 1));
			put_answer(b, at, n, true);
		}
		end_row(b);
	}
}

/* One row for all of them. */
static void
print_together(struct figures *f, struct buffer *b, const void *body, const void *second,
    const struct whose *w)
{
	struct figure at[2];

	begin_row(b, w);
	for (size_t i = 0; i < f->asked->n; i++) {
		const struct question *q = &f->asked->at[i];
		unsigned n = answers(f, body, second, q, at);
		if (shared.json) {
			json_answer(b, q, at, n, false);
			continue;
		}
		put_answer(b, at, n, false);
		must(buffer_append(b, "\t", 1));
	}
	if (f->quiet)
		return;
	if (shared.json)
		row_json_item(b, w->label, w->item);
	else
		row_item(b, w->item);
	end_row(b);
}

void
figures_print(struct figures *f, const void *body, const void *second, const struct whose *w)
{
	static struct buffer line;

	(w->label ? print_together : print_alone)(f, &line, body, second, w);
}

int
figures_status(const struct figures *f)
{
	return asked_promises(f->asked) && (f->broken || !f->judged) ? EXIT_NO : EXIT_YES;
}
