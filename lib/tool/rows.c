/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/rows.h"

#define DIGITS_MAX 20

/* Beside the end byte, for saved items; -1: nothing. */
static int joint = -1;

void
rows_joined_by(unsigned char c)
{
	joint = c;
}

/* Asking the system takes longer than a row. */
static bool
for_a_person(void)
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

/* What is seen in place of the byte that joins fields. */
static void
show_joints(unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] == shared.scan.end || p[i] == joint)
			p[i] = '\t';
}

static void
append_number(struct buffer *b, uint64_t v)
{
	unsigned char digit[DIGITS_MAX];
	size_t at = sizeof digit;

	do
		digit[--at] = (unsigned char)('0' + v % 10);
	while (v /= 10);
	must(buffer_append(b, digit + at, sizeof digit - at));
}

/* Six digits say more than any of our real estimates knows. */
static void
append_real(struct buffer *b, double v)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%.6g", v);

	must(buffer_append(b, text, (size_t)n));
}

void
row_numbers(struct buffer *b, const struct row *r)
{
	uint64_t whole[3] = {r->estimate, r->low, r->high};

	for (unsigned i = 0; i < (shared.bounds ? 3 : 1); i++) {
		if (i > 0)
			must(buffer_append(b, "\t", 1));
		if (r->real)
			append_real(b, r->real[i]);
		else
			append_number(b, whole[i]);
	}
}

static void
json_three(struct buffer *b, const struct row *r)
{
	static const char *const name[3] = {"estimate", "low", "high"};
	uint64_t whole[3] = {r->estimate, r->low, r->high};

	for (unsigned i = 0; i < 3; i++)
		must(r->real ? json_real(b, name[i], r->real[i]) : json_count(b, name[i], whole[i]));
}

static void
append_json(struct buffer *b, const struct row *r)
{
	must(json_open(b));
	if (r->time)
		must(json_bytes(b, "time", slice_of(r->time)));
	json_three(b, r);
	if (r->uncertain)
		must(json_flag(b, "certain", false));
	if (r->at_most)
		must(json_flag(b, "at_most", true));
	if (r->label) {
		struct buffer item = {0};
		must(buffer_append(&item, r->item.at, r->item.len));
		show_joints(item.at, item.len);
		must(json_bytes(b, r->label, (struct slice){item.at, item.len}));
		buffer_free(&item);
	}
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
	else if (r->low != r->high)
		n = snprintf(text, sizeof text, "  (%llu to %llu)", (unsigned long long)r->low,
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
	if (!shared.bounds && for_a_person())
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
		size_t from = b->len;
		must(buffer_append(b, r->item.at, r->item.len));
		show_joints(b->at + from, r->item.len);
	}
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
