/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "sketch/member/bloom.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/counting.h"
#include "sketch/member/cuckoo.h"
#include "sketch/member/form.h"
#include "sketch/member/scalable.h"

struct row {
	struct form_type type;
	bool (*size)(struct form *);
	void (*of)(struct form *, const struct record *head);
	uint64_t (*bytes)(const struct form *);
	enum status (*empty)(const struct form *, void **body);
	/* Of two forms of this kind; why is filled in if not. */
	bool (*unites)(const struct form *, const struct form *, struct mismatch *why);
	/* Of flat types; else NULL. */
	void (*pour)(const struct form *, unsigned char *at, const uint64_t *hash, size_t n);
};

/* Block and classic, and counting, which has the shape of classic. */

static bool
bits_size(struct form *f)
{
	enum bloom_type type = f->kind == KIND_BLOOM_BLOCK ? BLOOM_BLOCK :
	    f->kind == KIND_BLOOM_PARQUET ? BLOOM_PARQUET :
	    f->kind == KIND_BLOOM_DCSO ? BLOOM_DCSO : BLOOM_CLASSIC;

	if (!bloom_shape_for(&f->bloom, type, f->capacity, f->fpp))
		return false;
	f->capacity = f->bloom.capacity;
	return true;
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

static void
bits_pour(const struct form *f, unsigned char *at, const uint64_t *hash, size_t n)
{
	bloom_bits_add(at, &f->bloom, hash, n);
}

static void
counters_pour(const struct form *f, unsigned char *at, const uint64_t *hash, size_t n)
{
	counting_cells_add(at, &f->bloom, hash, n);
}

static uint64_t
counters_bytes(const struct form *f)
{
	return counting_bytes(&f->bloom);
}

static enum status
counters_empty(const struct form *f, void **body)
{
	struct counting *c;
	enum status st = counting_new(&c, &f->bloom);

	if (st == OK)
		*body = c;
	return st;
}

/* Unlike sizes may be, by folding, if they do; that depends on what is in them. */
static bool
bits_unite(const struct form *a, const struct form *b, struct mismatch *why)
{
	if (!bloom_folds(a->bloom.type) && a->bloom.size != b->bloom.size) {
		snprintf(why->text, sizeof why->text, "bits %llu and %llu",
		    (unsigned long long)a->bloom.size, (unsigned long long)b->bloom.size);
		return false;
	}
	if (a->bloom.probes == b->bloom.probes)
		return true;
	snprintf(why->text, sizeof why->text, "probes %u and %u", a->bloom.probes, b->bloom.probes);
	return false;
}

/* Scalable: capacity and fpp are all there is to it. */

static bool
stages_size(struct form *f)
{
	struct scalable_plan first;

	return scalable_plan(&first, f->capacity, f->fpp, 1);
}

static void
stages_of(struct form *f, const struct record *head)
{
	struct scalable_form form = scalable_form_of(head);

	f->capacity = form.capacity;
	f->fpp = form.fpp;
}

/* The first stage is opened by the first item. */
static uint64_t
stages_bytes(const struct form *f)
{
	(void)f;
	return 0;
}

static enum status
stages_empty(const struct form *f, void **body)
{
	struct scalable *s;
	enum status st = scalable_new(&s, f->capacity, f->fpp);

	if (st == OK)
		*body = s;
	return st;
}

static bool
stages_unite(const struct form *a, const struct form *b, struct mismatch *why)
{
	(void)a;
	(void)b;
	(void)why;
	return true;
}

/* Cuckoo. */

static bool
table_size(struct form *f)
{
	return cuckoo_shape_for(&f->cuckoo, f->capacity, f->fpp);
}

static void
table_of(struct form *f, const struct record *head)
{
	f->cuckoo = cuckoo_shape_of(head);
	f->capacity = f->cuckoo.capacity;
	f->fpp = f->cuckoo.fpp;
}

static uint64_t
table_bytes(const struct form *f)
{
	return cuckoo_bytes(&f->cuckoo);
}

static enum status
table_empty(const struct form *f, void **body)
{
	struct cuckoo *c;
	enum status st = cuckoo_new(&c, &f->cuckoo);

	if (st == OK)
		*body = c;
	return st;
}

static bool
table_unite(const struct form *a, const struct form *b, struct mismatch *why)
{
	if (a->cuckoo.buckets == b->cuckoo.buckets && a->cuckoo.bits == b->cuckoo.bits)
		return true;
	snprintf(why->text, sizeof why->text, "%llu buckets of %u-bit fingerprints and %llu of %u",
	    (unsigned long long)a->cuckoo.buckets, a->cuckoo.bits,
	    (unsigned long long)b->cuckoo.buckets, b->cuckoo.bits);
	return false;
}

/* In the order in which --help and messages name them. */
static const struct row rows[] = {
	{
		{
			.kind = KIND_BLOOM_BLOCK, .name = "block", .copies = 1, .seats = 1,
			.fpp_min = BLOOM_FPP_MIN, .fpp_max = BLOOM_FPP_MAX, .limit = "32 TiB",
		},
		bits_size, bits_of, bits_bytes, bits_empty, bits_unite, bits_pour,
	},
	{
		{
			.kind = KIND_BLOOM_CLASSIC, .name = "classic", .copies = 1, .seats = 1,
			.fpp_min = BLOOM_FPP_MIN, .fpp_max = BLOOM_FPP_MAX, .limit = "32 TiB",
		},
		bits_size, bits_of, bits_bytes, bits_empty, bits_unite, bits_pour,
	},
	{
		{
			.kind = KIND_BLOOM_COUNTING, .name = "counting", .copies = CELL_MAX, .seats = 1,
			.fpp_min = BLOOM_FPP_MIN, .fpp_max = BLOOM_FPP_MAX, .limit = "128 TiB",
		},
		bits_size, bits_of, counters_bytes, counters_empty, bits_unite, counters_pour,
	},
	{
		{
			.kind = KIND_BLOOM_SCALABLE, .name = "scalable", .ordered = true,
			.copies = 1, .seats = 1, .capacity = SCALABLE_CAPACITY,
			.fpp_min = BLOOM_FPP_MIN, .fpp_max = BLOOM_FPP_MAX, .limit = "32 TiB",
		},
		stages_size, stages_of, stages_bytes, stages_empty, stages_unite, NULL,
	},
	{
		{
			.kind = KIND_CUCKOO, .name = "cuckoo", .ordered = true,
			.copies = 2 * CUCKOO_SLOTS, .seats = 2 * CUCKOO_SLOTS,
			.fpp_min = CUCKOO_FPP_MIN, .fpp_max = CUCKOO_FPP_MAX, .limit = "16 TiB",
		},
		table_size, table_of, table_bytes, table_empty, table_unite, NULL,
	},
	{
		{
			.kind = KIND_BLOOM_PARQUET, .name = "parquet", .compat = true,
			.copies = 1, .seats = 1,
			.fpp_min = BLOOM_FPP_MIN, .fpp_max = BLOOM_FPP_MAX, .limit = "1 GiB",
		},
		bits_size, bits_of, bits_bytes, bits_empty, bits_unite, bits_pour,
	},
	/* Ordered, and not to be poured into: it counts the items that set a bit. */
	{
		{
			.kind = KIND_BLOOM_DCSO, .name = "dcso", .compat = true, .ordered = true,
			.copies = 1, .seats = 1,
			.fpp_min = BLOOM_FPP_MIN, .fpp_max = BLOOM_FPP_MAX, .limit = "32 TiB",
		},
		bits_size, bits_of, bits_bytes, bits_empty, bits_unite, NULL,
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

const struct form_type *
form_named(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!rows[i].type.compat && strcmp(rows[i].type.name, name) == 0)
			return &rows[i].type;
	return NULL;
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

bool
form_flat(uint16_t kind)
{
	const struct row *row = row_of(kind);

	return row && row->pour;
}

void
form_pour(const struct form *f, unsigned char *at, const uint64_t *hash, size_t n)
{
	row_of(f->kind)->pour(f, at, hash, n);
}

/* The three flat types share a shape, and with it the parameters. */
void
form_head(const struct form *f, struct record *head)
{
	head->kind = f->kind;
	head->version = 1;
	head->size = form_bytes(f);
	memset(head->param, 0, sizeof head->param);
	head->param[0] = f->bloom.size;
	head->param[1] = f->bloom.probes;
	head->param[2] = f->bloom.capacity;
	memcpy(&head->param[3], &f->bloom.fpp, sizeof f->bloom.fpp);
}
