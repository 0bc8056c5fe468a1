/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/answers/rows.h"

/* Beside the end byte, for saved items; -1: nothing. */
static int joint = -1;

void
rows_joined_by(unsigned char c)
{
	joint = c;
}

/* Asking the system takes longer than a row. */
bool
rows_for_a_person(void)
{
	static atomic_int answer;

	if (answer == 0)
		answer = output_is_terminal() ? 1 : -1;
	return answer > 0;
}

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot print an answer");
}

void
row_item(struct buffer *b, struct slice item)
{
	size_t from = b->len;

	must(buffer_append(b, item.at, item.len));
	for (size_t i = from; i < b->len; i++)
		if (b->at[i] == shared.scan.end || b->at[i] == joint)
			b->at[i] = '\t';
}

void
row_json_item(struct buffer *b, const char *label, struct slice item)
{
	struct buffer shown = {0};

	row_item(&shown, item);
	must(json_bytes(b, label, (struct slice){shown.at, shown.len}));
	buffer_free(&shown);
}

static void
append_number(struct buffer *b, uint64_t v)
{
	char text[NUM_WHOLE_SIZE];

	must(buffer_append(b, text, num_whole(text, v)));
}

/* Six digits say more than any of our real estimates knows. */
static void
append_real(struct buffer *b, double v)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%.6g", v);

	must(buffer_append(b, text, (size_t)n));
}

/* An estimate and its bounds, whole or real. */
static void
append_three(struct buffer *b, const uint64_t *whole, const bool *minus, const double *real)
{
	for (unsigned i = 0; i < (shared.bounds ? 3 : 1); i++) {
		if (i > 0)
			must(buffer_append(b, "\t", 1));
		if (real) {
			append_real(b, real[i]);
			continue;
		}
		if (minus && minus[i])
			must(buffer_append(b, "-", 1));
		append_number(b, whole[i]);
	}
}

void
row_numbers(struct buffer *b, const struct row *r)
{
	append_three(b, (uint64_t[]){r->estimate, r->low, r->high}, r->minus, r->real);
	for (size_t i = 0; i < r->nalso; i++) {
		const struct row_also *a = &r->also[i];
		must(buffer_append(b, "\t", 1));
		append_three(b, (uint64_t[]){a->estimate, a->low, a->high}, NULL,
		    a->is_real ? a->real : NULL);
	}
}

static void
json_three(struct buffer *b, const char *const name[3], const uint64_t *whole,
    const bool *minus, const double *real)
{
	for (unsigned i = 0; i < 3; i++)
		must(real ? json_real(b, name[i], real[i]) :
		    minus && minus[i] ? json_minus(b, name[i], whole[i]) :
		    json_count(b, name[i], whole[i]));
}

static void
json_numbers(struct buffer *b, const struct row *r)
{
	static const char *const names[] = {"estimate", "low", "high"};

	json_three(b, names, (uint64_t[]){r->estimate, r->low, r->high}, r->minus, r->real);
	for (size_t i = 0; i < r->nalso; i++) {
		const struct row_also *a = &r->also[i];
		char low[32], high[32];
		snprintf(low, sizeof low, "%s_low", a->name);
		snprintf(high, sizeof high, "%s_high", a->name);
		json_three(b, (const char *[]){a->name, low, high},
		    (uint64_t[]){a->estimate, a->low, a->high}, NULL, a->is_real ? a->real : NULL);
	}
}

static void
append_json(struct buffer *b, const struct row *r)
{
	must(json_open(b));
	if (r->time)
		must(json_bytes(b, "time", slice_of(r->time)));
	json_numbers(b, r);
	if (r->uncertain)
		must(json_flag(b, "certain", false));
	if (r->at_most)
		must(json_flag(b, "at_most", true));
	if (r->label)
		row_json_item(b, r->label, r->item);
	if (r->rest)
		must(json_flag(b, "rest", true));
	if (r->file)
		must(json_bytes(b, "file", slice_of(r->file)));
	must(json_close(b));
}

/* For a person, what a pipe gets with --bounds only. */
static void
append_remark(struct buffer *b, const struct row *r)
{
	char text[80];
	int n = 0;

	if (r->at_most && r->real)
		n = snprintf(text, sizeof text, "  (at most %.6g)", r->real[2]);
	else if (r->at_most)
		n = snprintf(text, sizeof text, "  (at most %llu)", (unsigned long long)r->high);
	else if (r->real)
		n = snprintf(text, sizeof text, "  (%.6g to %.6g)", r->real[1], r->real[2]);
	else if (r->low != r->high || r->minus[1] != r->minus[2])
		n = snprintf(text, sizeof text, "  (%s%llu to %s%llu)", r->minus[1] ? "-" : "",
		    (unsigned long long)r->low, r->minus[2] ? "-" : "",
		    (unsigned long long)r->high);
	if (r->uncertain)
		n += snprintf(text + n, sizeof text - (size_t)n, " ~");
	must(buffer_append(b, text, (size_t)n));
}

void
row_end(struct buffer *b, const struct row *r)
{
	if (shared.bounds && r->at_most)
		must(buffer_append(b, "\tat most", 8));
	if (!shared.bounds && rows_for_a_person())
		append_remark(b, r);
	must(buffer_append(b, &shared.scan.end, 1));
}

void
row_append(struct buffer *b, const struct row *r)
{
	if (shared.json) {
		append_json(b, r);
		return;
	}
	if (r->time) {
		must(buffer_append(b, r->time, strlen(r->time)));
		must(buffer_append(b, "\t", 1));
	}
	row_numbers(b, r);
	if (r->label) {
		must(buffer_append(b, "\t", 1));
		row_item(b, r->item);
	}
	if (r->rest)
		must(buffer_append(b, "\trest", 5));
	row_end(b, r);
}

void
row_print(const struct row *r)
{
	static struct buffer line;

	line.len = 0;
	row_append(&line, r);
	output_bytes(line.at, line.len);
}
