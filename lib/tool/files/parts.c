/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ids.h"
#include "base/salt.h"
#include "sketch/kinds.h"
#include "tool/options/opts.h"
#include "tool/files/parts.h"
#include "tool/report.h"

/* The ids of one record are a set; lines of one keyed sketch all have the same. */
struct part_set {
	bool record, lines;          /* what came with it */
	uint64_t sum[2];             /* of the last record, */
	uint32_t file;               /* and where it was */
	uint32_t *meets;             /* other sets with an id of this one */
	uint32_t met;
	uint64_t skipped;            /* lines */
};

/* A line, by a hash of its key and set. */
struct part_line {
	uint64_t at;                 /* 0: free */
	uint64_t sum;
	uint32_t file;
};

/* A record that was passed over. */
struct part_note {
	uint32_t file, set;
};

#define LINES_FIRST 1024

/* How much sets may overlap: some 5,700 that all have an id in common. Whoever spreads
 * keys makes as many as there are reducers; more are meant to use up memory. */
#define OVERLAP_MAX (1 << 24)

static _Noreturn void
no_memory(void)
{
	die(STATUS_MEMORY, "cannot keep the ids of shards");
}

/* An id of both. */
static bool
common(struct slice a, struct slice b, struct slice *id)
{
	struct slice other;
	bool has_a = ids_next(&a, id), has_b = ids_next(&b, &other);

	while (has_a && has_b) {
		int order = slice_compare(*id, other);
		if (order == 0)
			return true;
		if (order < 0)
			has_a = ids_next(&a, id);
		else
			has_b = ids_next(&b, &other);
	}
	return false;
}

static void
add_meeting(struct part_set *s, size_t other)
{
	uint32_t n = s->met;

	if ((n & (n - 1)) == 0) {
		s->meets = reallocarray(s->meets, n > 0 ? 2 * (size_t)n : 1, sizeof *s->meets);
		if (!s->meets)
			no_memory();
	}
	s->meets[s->met++] = (uint32_t)other;
}

bool
parts_met(const struct parts *p, struct slice ids)
{
	struct slice id;

	while (ids_next(&ids, &id))
		if (names_has(&p->ids, id))
			return true;
	return false;
}

/* Which others have an id of this set, the last one. */
static void
find_meetings(struct parts *p, size_t number)
{
	struct slice id;

	for (size_t i = 0; i < number; i++) {
		if (!common(p->sets.at[number], p->sets.at[i], &id))
			continue;
		add_meeting(&p->set[number], i);
		add_meeting(&p->set[i], number);
	}
	/* To look costs time, to find memory. */
	p->overlap += number / 16 + p->set[number].met;
	if (p->overlap > OVERLAP_MAX)
		die_exit(EXIT_SKETCH, "cannot %s: shards overlap in too many ways", p->verb);
}

/* The number of this set of ids. Where a retry does no harm, nobody asks what it meets. */
static uint32_t
set_of(struct parts *p, const struct arrival *a)
{
	struct slice ids = a->ids;
	bool asks = !kind_find(a->kind)->retry_safe && parts_met(p, ids);
	size_t before = p->sets.n, number = names_number(&p->sets, ids);
	struct slice id;

	if (number < before)
		return (uint32_t)number;
	if (number == p->set_room) {
		p->set_room = p->set_room > 0 ? 2 * p->set_room : 16;
		p->set = reallocarray(p->set, p->set_room, sizeof *p->set);
		if (!p->set)
			no_memory();
	}
	p->set[number] = (struct part_set){0};
	for (struct slice left = ids; ids_next(&left, &id);)
		names_number(&p->ids, id);
	if (asks)
		find_meetings(p, number);
	return (uint32_t)number;
}

/*
 * The lines.
 */

/* Seeds that follow one another would let short keys meet; steps do not. Keys that meet
 * all the same make two lines one shard's, which is refused, since their sums differ. */
static uint64_t
place_of(uint32_t set, struct slice key)
{
	uint64_t at = hash_step(salt_hash(key.at, key.len), set + 1);

	return at > 0 ? at : 1;
}

/* Where it is, or would be put. */
static struct part_line *
line_slot(const struct parts *p, uint64_t at)
{
	size_t mask = p->line_room - 1, i = (size_t)at & mask;

	while (p->line[i].at != 0 && p->line[i].at != at)
		i = (i + 1) & mask;
	return &p->line[i];
}

static void
grow_lines(struct parts *p)
{
	struct part_line *old = p->line;
	size_t room = p->line_room;

	p->line_room = room > 0 ? 2 * room : LINES_FIRST;
	p->line = calloc(p->line_room, sizeof *p->line);
	if (!p->line)
		no_memory();
	for (size_t i = 0; i < room; i++)
		if (old[i].at != 0)
			*line_slot(p, old[i].at) = old[i];
	free(old);
}

static const struct part_line *
line_find(const struct parts *p, uint32_t set, struct slice key)
{
	if (p->line_room == 0)
		return NULL;
	const struct part_line *l = line_slot(p, place_of(set, key));
	return l->at != 0 ? l : NULL;
}

static void
line_put(struct parts *p, uint32_t set, const struct arrival *a, uint64_t sum, uint32_t file)
{
	if (2 * (p->lines + 1) > p->line_room)
		grow_lines(p);
	uint64_t at = place_of(set, *a->key);
	struct part_line *l = line_slot(p, at);
	p->lines += l->at == 0;
	*l = (struct part_line){at, sum, file};
}

static uint64_t
line_sum(const struct arrival *a)
{
	return a->sum[0] ^ (a->sum[1] << 32 | a->sum[1] >> 32);
}

/* A shard of this one came before, in that file, and with other bytes. */
static void
judge(const struct parts *p, const struct arrival *a, uint32_t other, uint32_t file)
{
	struct slice id, in = p->files.at[file];

	if (kind_find(a->kind)->retry_safe || !common(a->ids, p->sets.at[other], &id))
		return;
	die_exit(EXIT_SKETCH, p->rows ?
	    "cannot %s '%s': shard '%.*s' is in '%.*s', too" :
	    "cannot %s '%s': shard '%.*s' came with '%.*s', and was not the same",
	    p->verb, a->name, (int)id.len, (const char *)id.at, (int)in.len, (const char *)in.at);
}

static bool
take_record(struct parts *p, const struct arrival *a, uint32_t number, uint32_t file)
{
	struct part_set *s = &p->set[number];

	if (s->record && !p->rows && memcmp(s->sum, a->sum, sizeof s->sum) == 0) {
		p->note = reallocarray(p->note, p->notes + 1, sizeof *p->note);
		if (!p->note)
			no_memory();
		p->note[p->notes++] = (struct part_note){file, number};
		return false;
	}
	if (s->record || s->lines)
		judge(p, a, number, s->file);
	for (uint32_t i = 0; i < s->met; i++)
		judge(p, a, s->meets[i], p->set[s->meets[i]].file);
	s->record = true;
	s->file = file;
	memcpy(s->sum, a->sum, sizeof s->sum);
	return true;
}

static bool
take_line(struct parts *p, const struct arrival *a, uint32_t number, uint32_t file)
{
	struct part_set *s = &p->set[number];
	uint64_t sum = line_sum(a);

	const struct part_line *l = line_find(p, number, *a->key);
	if (l && !p->rows && l->sum == sum) {
		s->skipped++;
		return false;
	}
	if (s->record)
		judge(p, a, number, s->file);
	if (l)
		judge(p, a, number, l->file);
	for (uint32_t i = 0; i < s->met; i++) {
		uint32_t other = s->meets[i];
		l = line_find(p, other, *a->key);
		if (p->set[other].record)
			judge(p, a, other, p->set[other].file);
		if (l)
			judge(p, a, other, l->file);
	}
	if (!s->record)
		s->file = file;
	s->lines = true;
	line_put(p, number, a, sum, file);
	return true;
}

bool
parts_take(struct parts *p, const struct arrival *a)
{
	if (a->ids.len == 0 || p->apart) {
		p->plain++;
		return true;
	}
	uint32_t number = set_of(p, a);
	uint32_t file = (uint32_t)names_number(&p->files, slice_of(a->name));
	bool taken = (a->key ? take_line : take_record)(p, a, number, file);
	p->skipped += !taken;
	return taken;
}

/* "shard 'web1' is in already" */
static const char *
in_already(struct slice ids, char text[700])
{
	struct slice first = {0}, last = {0}, id;
	size_t n = 0;

	for (; ids_next(&ids, &id); n++) {
		if (n == 0)
			first = id;
		last = id;
	}
	if (n == 1)
		snprintf(text, 700, "shard '%.*s' is in already", (int)first.len,
		    (const char *)first.at);
	else
		snprintf(text, 700, "its %zu shards, '%.*s' to '%.*s', are in already", n,
		    (int)first.len, (const char *)first.at, (int)last.len, (const char *)last.at);
	return text;
}

static void
tell_skipped(const struct parts *p)
{
	char text[700];

	for (size_t i = 0; i < p->notes; i++) {
		struct slice file = p->files.at[p->note[i].file];
		lament("skipped '%.*s': %s", (int)file.len, (const char *)file.at,
		    in_already(p->sets.at[p->note[i].set], text));
	}
	for (size_t i = 0; i < p->sets.n; i++)
		if (p->set[i].skipped > 0)
			lament("skipped %llu line%s: %s", (unsigned long long)p->set[i].skipped,
			    p->set[i].skipped == 1 ? "" : "s", in_already(p->sets.at[i], text));
}

/* Ids are listed up to so many bytes. */
#define LISTED 400

static _Noreturn void
refuse_count(const struct parts *p, uint64_t came)
{
	unsigned long long wanted = shared.expected;
	struct buffer all = {0};
	struct slice left, id;
	char text[LISTED + ID_BYTES + 40] = "";
	size_t n = 0, len = 0;

	if (p->ids.n == 0)
		die_exit(EXIT_SKETCH, "cannot %s: %llu sketches were expected, and %llu came", p->verb,
		    wanted, (unsigned long long)came);
	parts_ids(p, &all);
	left = (struct slice){all.at, all.len};
	for (; len < LISTED && ids_next(&left, &id); n++)
		len += (size_t)snprintf(text + len, sizeof text - len, " %.*s", (int)id.len,
		    (const char *)id.at);
	if (n < p->ids.n)
		snprintf(text + len, sizeof text - len, " and %zu more", p->ids.n - n);
	die_exit(EXIT_SKETCH, "cannot %s: %llu shards were expected, and %llu came:%s%s", p->verb,
	    wanted, (unsigned long long)came, text, p->plain > 0 ? " and some without id" : "");
}

void
parts_end(const struct parts *p)
{
	uint64_t came = p->plain + p->ids.n;

	if (shared.expects && came != shared.expected)
		refuse_count(p, came);
	tell_skipped(p);
}

static int
order(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return slice_compare(*x, *y);
}

void
parts_ids(const struct parts *p, struct buffer *out)
{
	size_t n = p->ids.n;

	out->len = 0;
	if (n == 0)
		return;
	struct slice *list = calloc(n, sizeof *list);
	if (!list)
		no_memory();
	memcpy(list, p->ids.at, n * sizeof *list);
	qsort(list, n, sizeof *list, order);
	for (size_t i = 0; i < n; i++)
		if (buffer_append(out, list[i].at, list[i].len) != OK || buffer_zeros(out, 1) != OK)
			no_memory();
	free(list);
	if (n > IDS_MAX || out->len > IDS_BYTES_MAX)
		die_exit(EXIT_SKETCH, "cannot %s: more than %d ids of shards, or 1 MiB", p->verb,
		    IDS_MAX);
}

void
parts_clear(struct parts *p)
{
	for (size_t i = 0; i < p->sets.n; i++)
		free(p->set[i].meets);
	free(p->set);
	free(p->line);
	free(p->note);
	names_free(&p->ids);
	names_free(&p->sets);
	names_free(&p->files);
	*p = (struct parts){.verb = p->verb, .apart = p->apart, .rows = p->rows};
}
