/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "sketch/hll.h"
#include "tool/report.h"
#include "tool/unite.h"

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
