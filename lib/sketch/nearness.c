/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness.h"

#include "base/hash.h"

double
near_similarity(double s)
{
	return (double)(uint64_t)(s * 1e6 + 0.5) / 1e6;
}

/* Numbers to little-endian order, or back. */
static void
reorder(uint64_t *at, size_t n)
{
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		return;
	for (size_t i = 0; i < n; i++)
		at[i] = __builtin_bswap64(at[i]);
}

enum status
near_document(const struct nearness *row, const struct near_rule *rule,
    struct features *scratch, struct slice text, uint64_t *signature,
    struct near_document *out)
{
	enum status st = features_of(scratch, text);
	if (st != OK)
		return st;

	reorder(scratch->at, scratch->n);
	XXH128_hash_t content = XXH3_128bits(scratch->at, scratch->n * sizeof(uint64_t));
	reorder(scratch->at, scratch->n);

	*out = (struct near_document){
		.content = {content.low64, content.high64},
		.feature = scratch->at,
		.features = scratch->n,
		.signature = signature,
		.exact = scratch->n < row->few,
	};
	if (!out->exact)
		row->sign(rule, scratch->at, scratch->n, signature);
	return OK;
}
