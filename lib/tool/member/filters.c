/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sketch/kinds.h"
#include "sketch/member/member.h"
#include "tool/member/filters.h"
#include "tool/files/map.h"
#include "tool/names.h"
#include "tool/options/opts.h"
#include "tool/member/overfill.h"
#include "tool/files/records.h"
#include "tool/report.h"

struct filter {
	const char *file;
	bool keyed;
	size_t name;                 /* its number */
	struct record head;
	const struct member *member;
	void *body;
	struct map map;              /* it lies here */
	struct sketch sketch;        /* or belongs to this */
	bool whole;                  /* all of it was looked at */
	struct filter *next;         /* in the order of operands and records */
	struct filter *same;         /* the next one of this name */
};

static struct filter *first, **end = &first;

static struct names names;

/* The filters of each name, a list each; as much room as names has. */
static struct named {
	struct filter *first, *last;
} *named;
static size_t named_room;

/* Which filter is asked after this one: of all, or of those of one name. */
static const struct filter *
next_all(const struct filter *f)
{
	return f->next;
}

static const struct filter *
next_same(const struct filter *f)
{
	return f->same;
}

/*
 * Ask further filters for what has not been found, which gets less and less.
 * How many of the n were found.
 */
static size_t
ask_others(const struct filter *f, const struct filter *(*next)(const struct filter *),
    const uint64_t *hash, size_t n, bool *has)
{
	uint64_t rest[BATCH_MAX];
	uint16_t at[BATCH_MAX];
	bool more[BATCH_MAX];
	size_t missing = 0;

	assert(n <= BATCH_MAX);
	for (size_t i = 0; i < n; i++)
		if (!has[i]) {
			rest[missing] = hash[i];
			at[missing++] = (uint16_t)i;
		}
	size_t left = missing;
	for (; f && left > 0; f = next(f)) {
		size_t kept = 0;

		if (f->member->has(f->body, rest, left, more) == 0)
			continue;
		for (size_t i = 0; i < left; i++) {
			has[at[i]] = more[i];
			rest[kept] = rest[i];
			at[kept] = at[i];
			kept += !more[i];
		}
		left = kept;
	}
	return missing - left;
}

static size_t
ask(const struct filter *f, const struct filter *(*next)(const struct filter *),
    const uint64_t *hash, size_t n, bool *has)
{
	/* A keyed record may have no key. */
	if (!f) {
		memset(has, 0, n * sizeof *has);
		return 0;
	}
	size_t found = f->member->has(f->body, hash, n, has);
	if (found < n && next(f))
		found += ask_others(next(f), next, hash, n, has);
	return found;
}

size_t
filters_have(const uint64_t *hash, size_t n, bool *has)
{
	return ask(first, next_all, hash, n, has);
}

size_t
filters_named_have(size_t name, const uint64_t *hash, size_t n, bool *has)
{
	return ask(named[name].first, next_same, hash, n, has);
}

size_t
filters_names(void)
{
	return names.n;
}

void
filters_show(struct buffer *out, size_t name)
{
	size_t from = out->len;

	if (buffer_append(out, names.at[name].at, names.at[name].len) != OK)
		die(STATUS_MEMORY, "cannot show a filter's name");
	for (size_t i = from; i < out->len; i++)
		if (out->at[i] == shared.scan.end)
			out->at[i] = '\t';
}

/* The first filter says how items are made; the type is all the same. */
static void
agree(const struct record *head, const char *name)
{
	struct record alike = *head;
	struct mismatch why;

	if (!first) {
		opts_adopt(head, "query", name);
		return;
	}
	alike.kind = first->head.kind;
	if (record_compare(&first->head, &alike, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot query '%s' together with '%s': %s", first->file, name,
		    why.text);
}

static struct filter *
new_filter(const char *file)
{
	struct filter *f = calloc(1, sizeof *f);

	if (!f)
		die(STATUS_MEMORY, "cannot query '%s'", file);
	f->file = file;
	return f;
}

/* To the list of its name, perhaps a new one. */
static void
append_to_name(struct filter *f, struct slice name)
{
	f->name = names_number(&names, name);
	if (names.room > named_room) {
		named = realloc(named, names.room * sizeof *named);
		if (!named)
			die(STATUS_MEMORY, "cannot query '%s'", f->file);
		memset(named + named_room, 0, (names.room - named_room) * sizeof *named);
		named_room = names.room;
	}
	struct named *list = &named[f->name];
	if (list->first)
		list->last->same = f;
	else
		list->first = f;
	list->last = f;
}

static void
append(struct filter *f, const struct record *head, const struct slice *key)
{
	agree(head, f->file);
	f->head = *head;
	f->keyed = key != NULL;
	f->member = member_find(head->kind);
	*end = f;
	end = &f->next;
	append_to_name(f, key ? *key : slice_of(f->file));
}

/* One plain binary record, whole and sound as far as it is looked at. */
static bool
is_filter(struct filter *f, struct record *head, bool verify)
{
	struct slice extension, payload, none;
	size_t used;

	if (record_parse(f->map.bytes, head, &extension, &payload, &used) != OK ||
	    used != f->map.bytes.len || (head->flags & FLAG_KEYED) ||
	    extension_find(extension, EXTENSION_KEY, &none) || kind_check(head) != OK)
		return false;
	const struct member *m = member_find(head->kind);
	if (!m)
		return false;
	f->whole = verify || used <= MAP_VERIFY_UP_TO;
	if (f->whole && record_verify(f->map.bytes) != OK)
		return false;
	if (m->map(&f->body, head, payload.at) != OK)
		return false;
	if (!f->whole || !m->sound || m->sound(f->body))
		return true;
	kind_find(head->kind)->free(f->body);
	return false;
}

static bool
map_filter(const char *name, bool verify)
{
	struct filter *f = new_filter(name);
	struct record head;
	enum status st = map_open(&f->map, name);

	if (st != OK && st != STATUS_END)
		die(st, "cannot open '%s'", name);
	if (st == OK && is_filter(f, &head, verify)) {
		append(f, &head, NULL);
		return true;
	}
	if (st == OK)
		map_close(&f->map);
	free(f);
	return false;
}

/* Are both arrays of the same bits or counters, so that their union is one
 * too, and lies where each of them would? */
static bool
alike(const struct record *a, const struct record *b)
{
	return a->kind == b->kind && a->size == b->size && a->param[0] == b->param[0] &&
	    a->param[1] == b->param[1] && (a->kind == KIND_BLOOM_BLOCK ||
	    a->kind == KIND_BLOOM_CLASSIC || a->kind == KIND_BLOOM_COUNTING);
}

/*
 * Would the union of two filters still be within what they were sized for?
 * Parts of one whole are: they are asked at once, as one. Filters that are
 * full by themselves would make one with a ruinous fpp, and are asked one by
 * one.
 */
static bool
fits(const struct filter *f, const struct sketch *s)
{
	if (!alike(&f->head, &s->head))
		return false;
	const struct member *m = f->member;
	return m->fill(f->body).distinct + m->fill(s->body).distinct <=
	    (double)m->promise(f->body).capacity;
}

/* The newest filter of the file at hand that has no key. */
struct reading {
	struct filter *newest;
};

static void
read_one(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	struct reading *reading = context;
	struct filter *newest = reading->newest;
	struct mismatch why;

	if (!key && newest && fits(newest, s)) {
		agree(&s->head, name);
		enum status st = sketch_merge(&newest->sketch, s, &why);
		if (st == OK) {
			newest->head = newest->sketch.head;
			return;
		}
		if (st != STATUS_MISMATCH)
			die(st, "cannot query '%s'", name);
	}
	struct filter *f = new_filter(name);
	f->whole = true;
	f->sketch = *s;
	f->body = s->body;
	append(f, &s->head, key);
	*s = (struct sketch){0};
	if (!key)
		reading->newest = f;
}

/* Something else than one binary record in a file, or something is wrong. */
static void
read_filters(const char *name)
{
	struct reading reading = {0};
	struct records records = {
		.only = MEMBER_KINDS, .end = shared.scan.end, .context = &reading,
		.sketch = read_one,
	};

	if (strcmp(name, "-") == 0) {
		records_from(&records, STDIN_FILENO, "standard input");
		return;
	}
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		die(STATUS_SYSTEM, "cannot open '%s'", name);
	records_from(&records, fd, name);
	close(fd);
}

/* The start of a key tells which one it is. */
#define KEY_SHOWN 80

static void
report(const struct filter *f)
{
	struct slice key = names.at[f->name];
	char name[512];

	if (f->keyed)
		snprintf(name, sizeof name, "%.*s of %.400s",
		    (int)(key.len < KEY_SHOWN ? key.len : KEY_SHOWN), (const char *)key.at, f->file);
	overfill_report(f->member, f->body, &f->head, f->keyed ? name : f->file);
}

void
filters_open(const char *name, bool verify)
{
	struct filter **before = end;

	if (shared.from || strcmp(name, "-") == 0 || !map_filter(name, verify))
		read_filters(name);
	for (const struct filter *f = *before; f; f = f->next)
		if (f->whole)
			report(f);
}

void
filters_close(void)
{
	for (struct filter *f = first, *next; f; f = next) {
		next = f->next;
		if (f->sketch.body)
			sketch_free(&f->sketch);
		else
			kind_find(f->head.kind)->free(f->body);
		map_close(&f->map);
		free(f);
	}
	first = NULL;
	end = &first;
	free(named);
	named = NULL;
	named_room = 0;
	names_free(&names);
}

double
filters_fpp(void)
{
	double none = 1;

	for (const struct filter *f = first; f; f = f->next)
		none *= 1 - (f->whole ? f->member->fill(f->body).fpp :
		    f->member->promise(f->body).fpp);
	return 1 - none;
}
