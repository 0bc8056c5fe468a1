/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tool/nearness/dedup_body.h"
#include "tool/lines/dropped.h"
#include "tool/output.h"
#include "tool/report.h"

/*
 * What comes out of a decision, at once or at the end. Of a leader that this run
 * has passed there is an entry if somebody will ask for it: its number, and its
 * text if that is to be printed once more or only later. Leaders of earlier runs
 * have none; their numbers are shown below zero.
 */
struct leader {
	uint64_t number;             /* of the line that stands for it */
	uint64_t count;
	unsigned char *text;
	size_t len, size;            /* of the text; of the document */
};

static struct {
	uint64_t first;              /* leader of this run */
	struct leader *at;
	size_t n, room;
	uint64_t memory;
	bool numbers, texts;         /* which of it is kept */
} leaders;

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot print a document");
}

void
dedup_show_start(uint64_t first)
{
	leaders.first = first;
	leaders.texts = dedup.keep == KEEP_LONGEST || dedup.show == SHOW_PAIRS ||
	    dedup.show == SHOW_COUNTS;
	leaders.numbers = leaders.texts || dedup.show == SHOW_MAP;
}

uint64_t
dedup_show_memory(void)
{
	return leaders.memory;
}

void
dedup_show_free(void)
{
	for (size_t i = 0; i < leaders.n; i++)
		free(leaders.at[i].text);
	free(leaders.at);
}

static enum status
keep_text(struct leader *l, const struct dedup_met *m)
{
	unsigned char *text = malloc(m->line.len + 1);

	if (!text)
		return STATUS_MEMORY;
	if (m->line.len > 0)
		memcpy(text, m->line.at, m->line.len);
	leaders.memory += m->line.len + 1;
	leaders.memory -= l->text ? l->len + 1 : 0;
	free(l->text);
	l->text = text;
	l->len = m->line.len;
	l->size = m->size;
	l->number = m->number;
	return OK;
}

static enum status
new_leader(const struct dedup_met *m)
{
	if (leaders.n == leaders.room) {
		size_t room = leaders.room ? leaders.room + leaders.room / 2 : 1024;
		struct leader *at = realloc(leaders.at, room * sizeof *at);
		if (!at)
			return STATUS_MEMORY;
		leaders.memory += (room - leaders.room) * sizeof *at;
		leaders.at = at;
		leaders.room = room;
	}
	struct leader *l = &leaders.at[leaders.n];
	*l = (struct leader){.number = m->number};
	enum status st = leaders.texts ? keep_text(l, m) : OK;
	leaders.n += st == OK;
	return st;
}

/* NULL: of an earlier run. */
static struct leader *
leader_of(const struct dedup_met *m)
{
	return m->leader < leaders.first ? NULL : &leaders.at[m->leader - leaders.first];
}

/*
 * Rows.
 */

static void
put_json(struct buffer *out, const struct dedup_met *m, const struct leader *l)
{
	must(json_open(out));
	if (m->similarity >= 0)
		must(json_real(out, "similarity", m->similarity));
	must(json_count(out, "number", m->number));
	must(l ? json_count(out, "representative", l->number) :
	    json_count(out, "indexed", (uint64_t)m->leader + 1));
	must(json_bytes(out, "item", m->line));
	if (dedup.show == SHOW_PAIRS && l)
		must(json_bytes(out, "representative_item", (struct slice){l->text, l->len}));
	must(json_close(out));
}

static void
put_row(unsigned worker, const struct dedup_met *m)
{
	struct buffer *out = parallel_output(worker);
	const struct leader *l = leader_of(m);
	char numbers[80];
	int n = 0;

	if (shared.json) {
		put_json(out, m, l);
		return;
	}
	if (m->similarity < 0)
		n = snprintf(numbers, sizeof numbers, "-");
	else
		n = snprintf(numbers, sizeof numbers, "%.4f", m->similarity);
	n += snprintf(numbers + n, sizeof numbers - (size_t)n, "\t%llu\t%s%llu\t",
	    (unsigned long long)m->number, l ? "" : "-",
	    (unsigned long long)(l ? l->number : (uint64_t)m->leader + 1));
	must(buffer_append(out, numbers, (size_t)n));
	if (dedup.show == SHOW_PAIRS) {
		must(buffer_append(out, m->line.at, m->line.len));
		must(buffer_append(out, "\t", 1));
		must(document_put(out, l ? (struct slice){l->text, l->len} : (struct slice){0}));
	} else {
		must(document_put(out, m->line));
	}
}

static void
drop(unsigned worker, struct slice line)
{
	struct buffer *to = dropped_output(worker);

	if (to)
		must(document_put(to, line));
}

/* The longer of the two stays. */
static enum status
contest(unsigned worker, const struct dedup_met *m)
{
	struct leader *l = leader_of(m);

	if (!l || m->size <= l->size) {
		drop(worker, m->line);
		return OK;
	}
	drop(worker, (struct slice){l->text, l->len});
	return keep_text(l, m);
}

enum status
dedup_show(unsigned worker, const struct dedup_met *m)
{
	enum status st = OK;

	if (!m->found && leaders.numbers)
		st = new_leader(m);
	if (st != OK)
		return st;
	if (leaders.numbers && leader_of(m))
		leader_of(m)->count++;
	if (m->found && dedup.keep == KEEP_LONGEST)
		st = contest(worker, m);
	else if (m->found)
		drop(worker, m->line);
	if (dedup.count)
		return st;
	if (dedup.show == SHOW_MAP || (dedup.show == SHOW_PAIRS && m->found))
		put_row(worker, m);
	else if (dedup.show == SHOW_LINES && dedup.keep == KEEP_FIRST && !m->found)
		must(document_put(parallel_output(worker), m->line));
	return st;
}

/*
 * What had to wait for the end.
 */

static int
by_number(const void *left, const void *right)
{
	const struct leader *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

static void
put_count_json(struct buffer *out, const struct leader *l)
{
	out->len = 0;
	must(json_open(out));
	must(json_count(out, "count", l->count));
	must(json_bytes(out, "item", (struct slice){l->text, l->len}));
	must(json_close(out));
	output_bytes(out->at, out->len);
}

void
dedup_show_end(void)
{
	bool counts = dedup.show == SHOW_COUNTS;
	struct buffer row = {0};

	if (dedup.count || (!counts && dedup.keep != KEEP_LONGEST))
		return;
	if (leaders.n > 0)
		qsort(leaders.at, leaders.n, sizeof *leaders.at, by_number);
	for (size_t i = 0; i < leaders.n; i++) {
		const struct leader *l = &leaders.at[i];
		if (counts && shared.json) {
			put_count_json(&row, l);
			continue;
		}
		if (counts) {
			output_count(l->count);
			output_byte('\t');
		}
		document_print((struct slice){l->text, l->len});
	}
	buffer_free(&row);
}
