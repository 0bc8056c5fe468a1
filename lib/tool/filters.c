/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"
#include "sketch/bloom.h"
#include "sketch/kinds.h"
#include "tool/filters.h"
#include "tool/map.h"
#include "tool/opts.h"
#include "tool/overfill.h"
#include "tool/records.h"
#include "tool/report.h"

struct filter {
	const char *name;
	struct record head;
	struct bloom *bloom;
	struct map map;              /* it lies here */
	struct sketch sketch;        /* or belongs to this */
	bool whole;                  /* all of it was looked at */
	struct filter *next;
};

static struct filter *first, **end = &first;

size_t
filters_have(const uint64_t *hash, size_t n, bool *has)
{
	size_t found = bloom_has(first->bloom, hash, n, has);

	for (const struct filter *f = first->next; f && found < n; f = f->next) {
		bool more[BATCH_MAX];
		assert(n <= BATCH_MAX);
		bloom_has(f->bloom, hash, n, more);
		found = 0;
		for (size_t i = 0; i < n; i++)
			found += has[i] |= more[i];
	}
	return found;
}

/* The first filter says how items are made; block or classic is all the same. */
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
		die_exit(EXIT_SKETCH, "cannot query '%s' together with '%s': %s", first->name, name,
		    why.text);
}

static struct filter *
new_filter(const char *name)
{
	struct filter *f = calloc(1, sizeof *f);

	if (!f)
		die(STATUS_MEMORY, "cannot query '%s'", name);
	f->name = name;
	return f;
}

static void
append(struct filter *f, const struct record *head)
{
	agree(head, f->name);
	f->head = *head;
	*end = f;
	end = &f->next;
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
	f->whole = verify || used <= MAP_VERIFY_UP_TO;
	if (f->whole && record_verify(f->map.bytes) != OK)
		return false;
	return bloom_map(&f->bloom, head, payload.at) == OK;
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
		append(f, &head);
		return true;
	}
	if (st == OK)
		map_close(&f->map);
	free(f);
	return false;
}

/*
 * Would the union of two filters still be within what they were sized for?
 * Parts of one whole are: they are asked at once, as one. Filters that are
 * full by themselves would make one with a ruinous fpp, and are asked one by
 * one.
 */
static bool
fits(const struct bloom *a, const struct bloom *b)
{
	const struct bloom_shape *x = bloom_shape(a), *y = bloom_shape(b);

	return x->type == y->type && x->size == y->size && x->probes == y->probes &&
	    bloom_distinct(a) + bloom_distinct(b) <= (double)x->capacity;
}

static void
read_one(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	struct filter **newest = context;
	struct mismatch why;

	if (key)
		die_exit(EXIT_SKETCH, "cannot query '%s': it is keyed", name);
	if (*newest && fits((*newest)->bloom, s->body)) {
		agree(&s->head, name);
		enum status st = sketch_merge(&(*newest)->sketch, s, &why);
		if (st == OK) {
			(*newest)->head = (*newest)->sketch.head;
			return;
		}
		if (st != STATUS_MISMATCH)
			die(st, "cannot query '%s'", name);
	}
	struct filter *f = *newest = new_filter(name);
	f->whole = true;
	f->sketch = *s;
	f->bloom = s->body;
	append(f, &s->head);
	*s = (struct sketch){0};
}

/* Something else than one binary record in a file, or something is wrong. */
static void
read_filters(const char *name)
{
	struct filter *newest = NULL;
	struct records records = {
		.only = "bloom", .end = shared.scan.end, .context = &newest, .sketch = read_one,
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

void
filters_open(const char *name, bool verify)
{
	struct filter **before = end;

	if (strcmp(name, "-") == 0 || !map_filter(name, verify))
		read_filters(name);
	for (const struct filter *f = *before; f; f = f->next)
		if (f->whole)
			overfill_report(member_find(f->head.kind), f->bloom, &f->head, f->name);
}

void
filters_close(void)
{
	for (struct filter *f = first, *next; f; f = next) {
		next = f->next;
		if (f->sketch.body)
			sketch_free(&f->sketch);
		else
			bloom_free(f->bloom);
		map_close(&f->map);
		free(f);
	}
	first = NULL;
	end = &first;
}

double
filters_fpp(void)
{
	double none = 1;

	for (const struct filter *f = first; f; f = f->next)
		none *= 1 - (f->whole ? bloom_fpp(f->bloom) : bloom_shape(f->bloom)->fpp);
	return 1 - none;
}
