/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll.h"
#include "sketch/quantiles/quantiles.h"
#include "tool/report.h"
#include "tool/files/unite.h"

static bool
can(const struct unite *u, const struct kind *k)
{
	return (!u->intersect || k->intersect) && (!u->subtract || k->subtract) &&
	    (!u->folds || fold_can(k, &u->fold));
}

/* What is done to two. */
static const char *
verb_of(const struct unite *u)
{
	return u->intersect ? "intersect" : u->subtract ? "subtract" : "merge";
}

/* "bloom-block, bloom-classic and bloom-counting" */
static const char *
those_that_can(const struct unite *u)
{
	static char text[256];
	const struct kind *k, *before = NULL;
	size_t n = 0;

	for (size_t i = 0; (k = kind_row(i)); i++) {
		if (!can(u, k))
			continue;
		if (before)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? ", " : "",
			    before->name);
		before = k;
	}
	snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? " and " : "",
	    before ? before->name : "none");
	return text;
}

void
unite_ask(const struct unite *u, const char *name, const struct record *head, bool keyed)
{
	const struct kind *k = kind_find(head->kind);

	const struct unite only = {.intersect = u->intersect, .subtract = u->subtract};

	if ((u->intersect || u->subtract) && keyed)
		die_exit(EXIT_SKETCH, "cannot %s '%s': it is keyed", verb_of(u), name);
	if (!can(&only, k))
		die_exit(EXIT_SKETCH, "cannot %s '%s': its kind is %s; %s can", verb_of(u), name,
		    k->name, those_that_can(&only));
	if (u->folds && !fold_can(k, &u->fold))
		die_exit(EXIT_SKETCH, "cannot fold '%s': its kind is %s; %s can", name, k->name,
		    those_that_can(&(struct unite){.folds = true, .fold = u->fold}));
}

static void
must(enum status st, const char *verb, const char *name, const struct mismatch *why)
{
	if (st == STATUS_MISMATCH || st == STATUS_FULL)
		die_exit(status_exit(st), "cannot %s '%s': %s", verb, name, why->text);
	if (st != OK)
		die(st, "cannot %s '%s'", verb, name);
}

/* Do sketches with unlike settings unite, of this kind, so that those of a union have
 * to be found out? (Of HyperLogLogs it is the precision, and others see to that.) */
static bool
settles(const struct record *head)
{
	return quantiles_find(head->kind) || head->kind == KIND_MINHASH;
}

/* An empty one, and the header that it has. */
static void *
empty_of(const struct record *settings, struct record *head, const char *name)
{
	struct mismatch why = {""};
	struct buffer none = {0};
	void *body = NULL;

	const struct quantiles *quantiles = quantiles_find(settings->kind);

	must((quantiles ? quantiles->make : distinct_find(settings->kind)->make)(&body, settings),
	    "merge", name, &why);
	*head = *settings;
	must(kind_find(settings->kind)->save(body, head, &none), "merge", name, &why);
	buffer_free(&none);
	return body;
}

bool
unite_head(struct record *all, const struct record *head, const char *name)
{
	const struct kind *k = kind_find(head->kind);
	struct mismatch why = {""};
	struct record a, b;

	must(record_compare(all, head, &why), "merge", name, &why);
	if (!settles(head) || memcmp(all->param, head->param, sizeof all->param) == 0)
		return false;
	void *both = empty_of(all, &a, name), *one = empty_of(head, &b, name);
	must(k->merge(both, one, &why), "merge", name, &why);
	k->free(one);
	struct buffer none = {0};
	must(k->save(both, all, &none), "merge", name, &why);
	buffer_free(&none);
	k->free(both);
	return memcmp(a.param, b.param, sizeof a.param) != 0;
}

void
unite_settle(const struct record *all, struct sketch *s, const char *name)
{
	struct mismatch why = {""};
	struct record head;
	void *empty = empty_of(all, &head, name);

	must(s->kind->merge(s->body, empty, &why), "merge", name, &why);
	s->kind->free(empty);
}

void
unite_pair(const struct unite *u, struct sketch *into, struct sketch *from, const char *name)
{
	const char *verb = verb_of(u);
	struct mismatch why = {""};
	bool folded = false;

	must(record_compare(&into->head, &from->head, &why), verb, name, &why);
	if (u->folds)
		must(fold_alike(into, from, &folded), "fold", name, &why);
	must((u->intersect ? sketch_intersect : u->subtract ? sketch_subtract : sketch_merge)
	    (into, from, &why), verb, name, &why);
	if (folded)
		must(fold_holds(into, &u->fold, &why), "fold", name, &why);
}

void
unite_end(const struct unite *u, struct sketch *s, const char *name)
{
	struct mismatch why = {""};

	if (u->folds)
		must(fold_sketch(s, &u->fold, &why), "fold", name, &why);
}

unsigned
unite_precision(const struct unite *u, unsigned precision)
{
	struct sketch s = {.head.kind = KIND_HLL, .kind = &hll_kind};
	struct hll *empty;
	struct mismatch why = {""};

	must(hll_new(&empty, precision), "merge", "hll", &why);
	s.body = empty;
	unite_end(u, &s, "hll");
	precision = hll_precision(empty);
	sketch_free(&s);
	return precision;
}
