/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/nearness.h"

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
near_ids(const struct features *features, struct buffer *ids)
{
	enum status st = buffer_reserve(ids, features->n * sizeof(uint32_t));
	if (st != OK)
		return st;
	uint32_t *id = (uint32_t *)(void *)(ids->at + ids->len);
	for (size_t i = 0; i < features->n; i++)
		id[i] = (uint32_t)features->at[i];
	ids->len += features->n * sizeof *id;
	return OK;
}

enum status
near_document(const struct nearness *row, const struct near_rule *rule,
    struct features *scratch, struct slice text, uint64_t *signature, struct buffer *ids,
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
		.signature = signature,
		.exact = scratch->n < row->few,
	};
	if (out->exact)
		return OK;
	row->sign(rule, scratch->at, scratch->n, signature);
	if (rule->similarity > 0) {
		size_t before = ids->len;
		st = near_ids(scratch, ids);
		out->id = (const uint32_t *)(const void *)(ids->at + before);
		out->ids = scratch->n;
	}
	return st;
}
