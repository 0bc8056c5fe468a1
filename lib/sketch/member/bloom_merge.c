/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Bloom filters with one another. bloom.c tells the whole story.
 *
 * The union's bits are the OR of both: exactly those of one filter for all
 * items. The intersection's are the AND, which are more than those of a filter
 * for the common items: a bit that one item set here and another one there
 * stays. What both filters would report is still reported, and nothing else.
 */
#include <assert.h>
#include <stdio.h>

#include "sketch/member/bloom.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/bloom_body.h"

const char *
bloom_unit(const struct bloom_shape *shape)
{
	return bloom_is_blocks(shape->type) ? "blocks" : "bits";
}

const char *
bloom_type_name(enum bloom_type type)
{
	static const char *const name[] = {
		[BLOOM_BLOCK] = "block", [BLOOM_CLASSIC] = "classic",
		[BLOOM_PARQUET] = "parquet", [BLOOM_DCSO] = "dcso",
	};

	return name[type];
}

void
bloom_or(struct bloom *into, const struct bloom *from)
{
	uint64_t bytes = bloom_bytes(&into->shape);

	assert(into->bits && bloom_bytes(&from->shape) == bytes);
	for (uint64_t i = 0; i < bytes; i++)
		into->bits[i] |= from->read[i];
	into->counted = add_saturated(into->counted, from->counted);
}

static void
bloom_and(struct bloom *into, const struct bloom *from)
{
	uint64_t bytes = bloom_bytes(&into->shape);

	assert(into->bits && bloom_bytes(&from->shape) == bytes);
	for (uint64_t i = 0; i < bytes; i++)
		into->bits[i] &= from->read[i];
	if (into->counted > from->counted)
		into->counted = from->counted;
}

enum status
bloom_fold(struct bloom *b, uint64_t size)
{
	if (size < 1 || b->shape.size % size != 0 || !bloom_folds(b->shape.type))
		return STATUS_PARAMETER;
	assert(b->bits);
	if (size != b->shape.size)
		bloom_bits_fold(b->bits, b->bits, &b->shape, b->shape.size / size);
	b->shape = bloom_shape_folded(&b->shape, size);
	return OK;
}

enum status
bloom_folded(struct bloom **out, const struct bloom *from, uint64_t size)
{
	if (size < 1 || from->shape.size % size != 0 || !bloom_folds(from->shape.type))
		return STATUS_PARAMETER;
	struct bloom_shape shape = bloom_shape_folded(&from->shape, size);
	enum status st = bloom_new(out, &shape);
	if (st == OK)
		bloom_bits_fold((*out)->bits, from->read, &from->shape, from->shape.size / size);
	return st;
}

typedef void combine(struct bloom *into, const struct bloom *from);

/* Of unlike sizes, in the largest that both fold to. */
static enum status
combine_folded(struct bloom *into, const struct bloom *from, combine *together,
    struct mismatch *why)
{
	uint64_t size = common_divisor(into->shape.size, from->shape.size);
	struct bloom *a = NULL, *b = NULL;
	enum status st;

	if ((st = bloom_folded(&a, into, size)) != OK)
		goto out;
	if ((st = bloom_folded(&b, from, size)) != OK)
		goto out;
	together(a, b);
	bloom_shape_unite(&a->shape, &b->shape);

	double fpp = bloom_fpp(a);
	if (fpp > BLOOM_FOLD_SLACK * a->shape.fpp) {
		snprintf(why->text, sizeof why->text,
		    "%s %llu and %llu, folded to %llu the fpp is %.2g for %.2g",
		    bloom_unit(&into->shape), (unsigned long long)into->shape.size,
		    (unsigned long long)from->shape.size, (unsigned long long)size,
		    fpp, a->shape.fpp);
		st = STATUS_MISMATCH;
		goto out;
	}
	/* The old memory leaves with a. */
	struct bloom old = *into;
	*into = *a;
	*a = old;
out:
	bloom_free(a);
	bloom_free(b);
	return st;
}

enum status
bloom_match(const struct bloom *a, const struct bloom *b, struct mismatch *why)
{
	if (a->shape.type != b->shape.type) {
		snprintf(why->text, sizeof why->text, "type %s and %s",
		    bloom_type_name(a->shape.type), bloom_type_name(b->shape.type));
		return STATUS_MISMATCH;
	}
	if (a->shape.probes != b->shape.probes) {
		snprintf(why->text, sizeof why->text, "probes %u and %u",
		    a->shape.probes, b->shape.probes);
		return STATUS_MISMATCH;
	}
	if (a->shape.size != b->shape.size && !bloom_folds(a->shape.type)) {
		snprintf(why->text, sizeof why->text, "bits %llu and %llu",
		    (unsigned long long)a->shape.size, (unsigned long long)b->shape.size);
		return STATUS_MISMATCH;
	}
	return OK;
}

static enum status
combine_any(struct bloom *into, const struct bloom *from, combine *together,
    struct mismatch *why)
{
	enum status st = bloom_match(into, from, why);

	if (st != OK)
		return st;
	if (into->shape.size != from->shape.size)
		return combine_folded(into, from, together, why);
	together(into, from);
	bloom_shape_unite(&into->shape, &from->shape);
	return OK;
}

enum status
bloom_merge(struct bloom *into, const struct bloom *from, struct mismatch *why)
{
	return combine_any(into, from, bloom_or, why);
}

enum status
bloom_intersect(struct bloom *into, const struct bloom *from, struct mismatch *why)
{
	return combine_any(into, from, bloom_and, why);
}

/* How its kind folds it (sketch/kind.h). */

static uint64_t
size_of(const void *sketch)
{
	return bloom_shape(sketch)->size;
}

static uint64_t
bytes_at(const void *sketch, uint64_t size)
{
	struct bloom_shape shape = *bloom_shape(sketch);

	shape.size = size;
	return bloom_bytes(&shape);
}

static enum status
fold_to(void *sketch, uint64_t size)
{
	return bloom_fold(sketch, size);
}

static enum status
fpp_at(const void *sketch, uint64_t size, double *fpp)
{
	struct bloom *smaller;

	if (size == bloom_shape(sketch)->size) {
		*fpp = bloom_fpp(sketch);
		return OK;
	}
	enum status st = bloom_folded(&smaller, sketch, size);
	if (st != OK)
		return st;
	*fpp = bloom_fpp(smaller);
	bloom_free(smaller);
	return OK;
}

static void
promise(void *sketch, double fpp)
{
	struct bloom *b = sketch;

	b->shape.fpp = fpp;
	b->shape.capacity = bloom_room(&b->shape, fpp);
}

const struct folding bloom_folding = {
	.size = size_of, .bytes = bytes_at, .fold = fold_to, .fpp = fpp_at, .promise = promise,
};
