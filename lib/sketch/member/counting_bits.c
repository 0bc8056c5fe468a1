/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/member/bloom.h"
#include "sketch/member/counting.h"

enum status
counting_bits(struct bloom **out, const struct counting *c)
{
	const unsigned char *cells = counting_payload(c).at;
	uint64_t bytes = counting_payload(c).len;
	enum status st = bloom_new(out, counting_shape(c));

	if (st != OK)
		return st;
	/* A byte of counters is two bits of the filter. */
	unsigned char *bits = bloom_bits(*out);
	for (uint64_t i = 0; i < bytes; i++) {
		unsigned two = ((cells[i] & 0x0f) != 0) | (unsigned)((cells[i] & 0xf0) != 0) << 1;
		bits[i / 4] |= (unsigned char)(two << i % 4 * 2);
	}
	return OK;
}

enum status
counting_compare(const struct counting *a, const struct counting *b, struct comparison *c,
    struct mismatch *why)
{
	struct bloom *bits_a = NULL, *bits_b = NULL;
	enum status st = counting_bits(&bits_a, a);

	if (st == OK)
		st = counting_bits(&bits_b, b);
	if (st == OK)
		st = bloom_compare(bits_a, bits_b, c, why);
	bloom_free(bits_a);
	bloom_free(bits_b);
	return st;
}

/* How its kind folds it (sketch/kind.h). */

static uint64_t
size_of(const void *sketch)
{
	return counting_shape(sketch)->size;
}

static uint64_t
bytes_at(const void *sketch, uint64_t size)
{
	(void)sketch;
	return size / 2 + size % 2;
}

static enum status
fold_to(void *sketch, uint64_t size)
{
	return counting_fold(sketch, size);
}

/* The fpp is that of the bits, a quarter of the memory. */
static enum status
fpp_at(const void *sketch, uint64_t size, double *fpp)
{
	struct bloom *bits;
	enum status st = counting_bits(&bits, sketch);

	if (st != OK)
		return st;
	st = bloom_fold(bits, size);
	if (st == OK)
		*fpp = bloom_fpp(bits);
	bloom_free(bits);
	return st;
}

static void
promise(void *sketch, double fpp)
{
	counting_promise(sketch, fpp);
}

const struct folding counting_folding = {
	.size = size_of, .bytes = bytes_at, .fold = fold_to, .fpp = fpp_at, .promise = promise,
};
