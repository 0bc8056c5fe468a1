/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>

#include "sketch/bloom.h"
#include "sketch/form.h"

struct row {
	struct form_type type;
	bool (*size)(struct form *);
	void (*of)(struct form *, const struct record *head);
	uint64_t (*bytes)(const struct form *);
	enum status (*empty)(const struct form *, void **body);
	/* Of two forms of this kind; why is filled in if not. */
	bool (*unites)(const struct form *, const struct form *, struct mismatch *why);
};

/* Block and classic. */

static bool
bits_size(struct form *f)
{
	enum bloom_type type = f->kind == KIND_BLOOM_BLOCK ? BLOOM_BLOCK : BLOOM_CLASSIC;

	return bloom_shape_for(&f->bloom, type, f->capacity, f->fpp);
}

static void
bits_of(struct form *f, const struct record *head)
{
	f->bloom = bloom_shape_of(head);
	f->capacity = f->bloom.capacity;
	f->fpp = f->bloom.fpp;
}

static uint64_t
bits_bytes(const struct form *f)
{
	return bloom_bytes(&f->bloom);
}

static enum status
bits_empty(const struct form *f, void **body)
{
	struct bloom *b;
	enum status st = bloom_new(&b, &f->bloom);

	if (st == OK)
		*body = b;
	return st;
}

/* Unlike sizes may be, by folding; that depends on what is in them. */
static bool
bits_unite(const struct form *a, const struct form *b, struct mismatch *why)
{
	if (a->bloom.probes == b->bloom.probes)
		return true;
	snprintf(why->text, sizeof why->text, "probes %u and %u", a->bloom.probes, b->bloom.probes);
	return false;
}

/* In the order in which --help and messages name them. */
static const struct row rows[] = {
	{
		{KIND_BLOOM_BLOCK, "block", false, 1, 1, BLOOM_FPP_MIN, BLOOM_FPP_MAX, 0, "32 TiB"},
		bits_size, bits_of, bits_bytes, bits_empty, bits_unite,
	},
	{
		{KIND_BLOOM_CLASSIC, "classic", false, 1, 1, BLOOM_FPP_MIN, BLOOM_FPP_MAX, 0, "32 TiB"},
		bits_size, bits_of, bits_bytes, bits_empty, bits_unite,
	},
};

static const struct row *
row_of(uint16_t kind)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].type.kind == kind)
			return &rows[i];
	return NULL;
}

const struct form_type *
form_row(size_t i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i].type : NULL;
}

const struct form_type *
form_type(uint16_t kind)
{
	const struct row *row = row_of(kind);

	return row ? &row->type : NULL;
}

bool
form_for(struct form *f, uint16_t kind, uint64_t capacity, double fpp)
{
	const struct row *row = row_of(kind);
	struct form form = {.kind = kind, .capacity = capacity > 0 ? capacity : 1, .fpp = fpp};

	if (!(fpp >= row->type.fpp_min && fpp <= row->type.fpp_max) || !row->size(&form))
		return false;
	*f = form;
	return true;
}

bool
form_of(struct form *f, const struct record *head)
{
	const struct row *row = row_of(head->kind);

	if (!row)
		return false;
	*f = (struct form){.kind = head->kind};
	row->of(f, head);
	return true;
}

enum status
form_unites(const struct form *a, const struct form *b, struct mismatch *why)
{
	const struct row *one = row_of(a->kind), *other = row_of(b->kind);

	if (one != other)
		snprintf(why->text, sizeof why->text, "type %s and %s", one->type.name,
		    other->type.name);
	return one == other && one->unites(a, b, why) ? OK : STATUS_MISMATCH;
}

uint64_t
form_bytes(const struct form *f)
{
	return row_of(f->kind)->bytes(f);
}

enum status
form_empty(const struct form *f, void **body)
{
	return row_of(f->kind)->empty(f, body);
}
