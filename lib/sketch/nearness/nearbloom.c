/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/nearbloom.h"

#include <stdlib.h>

#include "base/hash.h"
#include "sketch/nearness/bands.h"
#include "sketch/member/bloom.h"

/*
 * LSHBloom (Khan and others, 2024) has a filter for each band; here all bands are
 * items of one filter, since a band's number is in its hash, and a filter that is
 * shared is as full wherever items land.
 *
 * A document that is new has none of its b bands in the filter, and is lost if one
 * of them seems to be: 1 - (1 - fpp)^b. That is added up for all, so that it is a
 * little too much where many are not new. The fpp is the one to expect of so many
 * items, looked at anew each time these have grown by a sixteenth.
 *
 *	similarity   bands x rows   found   0.1 above   0.2 below
 *	0.5            21 x 6        .28       .63         .02
 *	0.65           16 x 8        .40       .82         .03
 *	0.8            11 x 11       .63       .98         .04
 *	0.95            8 x 16       .99      1            .08
 */

#define UNLIKE 0.2                   /* so much less similar */
#define UNLIKE_FOUND 0.05
#define PROBES 2

struct nearbloom {
	struct near_rule rule;
	struct bloom *filter;
	uint64_t items, count_at;    /* look at the fpp when there are as many */
	double fpp, lost;            /* of a document */
};

static void
choose(struct near_rule *rule, double similarity)
{
	double unlike = similarity > 2 * UNLIKE ? similarity - UNLIKE : similarity / 2;

	for (rule->rows = 1; rule->rows <= BANDS_ROWS_MAX; rule->rows++) {
		rule->bands = BANDS_SLOTS / rule->rows;
		if (bands_recall(rule, unlike) <= UNLIKE_FOUND)
			return;
	}
	rule->rows--;
}

enum status
nearbloom_new(struct nearbloom **out, double similarity, uint64_t bytes)
{
	struct bloom_shape shape = {
		.type = BLOOM_BLOCK, .size = bytes / BLOOM_BLOCK_BYTES, .probes = PROBES,
		.capacity = 1, .fpp = BLOOM_FPP_MAX,
	};
	struct nearbloom *b = calloc(1, sizeof *b);

	if (!b)
		return STATUS_MEMORY;
	enum status st = bloom_new(&b->filter, &shape);
	if (st != OK) {
		free(b);
		return st;
	}
	choose(&b->rule, similarity);
	*out = b;
	return OK;
}

void
nearbloom_free(struct nearbloom *b)
{
	if (!b)
		return;
	bloom_free(b->filter);
	free(b);
}

/* Of a document with so many items. */
static double
any_of(double fpp, size_t n)
{
	double none = 1;

	while (n-- > 0)
		none *= 1 - fpp;
	return 1 - none;
}

static void
count(struct nearbloom *b, size_t n)
{
	b->items += n;
	if (b->items < b->count_at)
		return;
	b->fpp = bloom_expected_fpp(bloom_shape(b->filter), b->items);
	b->count_at = b->items + b->items / 16 + 1;
}

bool
nearbloom_meet(struct nearbloom *b, const uint64_t *feature, size_t n,
    const uint64_t content[2], bool content_only)
{
	uint64_t item[NEAR_WORDS_MAX + 1];
	bool has[NEAR_WORDS_MAX + 1];
	size_t items = 1;

	item[0] = content[0] ^ hash_step(content[1], 1);
	if (!content_only) {
		minhash_nearness.sign(&b->rule, feature, n, item + 1);
		items += b->rule.bands;
	}
	b->lost += any_of(b->fpp, items);
	if (bloom_has(b->filter, item, items, has) > 0)
		return true;
	bloom_add(b->filter, item, items);
	count(b, items);
	return false;
}

double
nearbloom_finds(const struct nearbloom *b, double similarity)
{
	return bands_recall(&b->rule, similarity);
}

double
nearbloom_fpp(const struct nearbloom *b)
{
	return any_of(b->fpp, b->rule.bands + 1);
}

double
nearbloom_lost(const struct nearbloom *b)
{
	return b->lost;
}

uint64_t
nearbloom_memory(const struct nearbloom *b)
{
	return sizeof *b + bloom_bytes(bloom_shape(b->filter));
}
