/* sketchutils: BSD-2-Clause, see LICENSE */
#include "check.h"
#include "tool/answers/ranking.h"

#define ROWS 3000

/* Entry e of shard s has the key s * ROWS + e in digits, turned round. */
static char text[RANKING_SHARDS * ROWS][8];

static struct slice
key(const void *table, const struct ranked *row)
{
	const char *t = text[row->shard * ROWS + row->entry];

	(void)table;
	return (struct slice){(const unsigned char *)t, strlen(t)};
}

static int
compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) :
	    slice_compare(key(NULL, x), key(NULL, y));
}

static void
make_texts(void)
{
	for (unsigned i = 0; i < RANKING_SHARDS * ROWS; i++) {
		char *t = text[i];
		for (unsigned v = i + 1; v > 0; v /= 10)
			*t++ = (char)('0' + v % 10);
	}
}

/* Rows in the shards' order, a count of which there are about so many others. */
static void
check_ranking(uint64_t *seed, uint64_t counts, size_t k)
{
	static struct ranked got[ROWS], want[ROWS];

	for (uint32_t i = 0; i < ROWS; i++) {
		uint64_t random = check_random(seed);
		uint64_t count = counts > 0 ? random % counts : random;
		got[i] = want[i] = (struct ranked){count, i * RANKING_SHARDS / ROWS, i};
	}
	qsort(want, ROWS, sizeof *want, compare);
	CHECK_EQ(ranking_sort(got, ROWS, k, key, NULL), k < ROWS ? k : ROWS);
	size_t wrong = 0;
	for (size_t i = 0; i < ROWS && i < k; i++)
		wrong += compare(&got[i], &want[i]) != 0;
	CHECK_EQ(wrong, 0);
}

static void
ranks_like_a_comparison(void)
{
	static const uint64_t counts[] = {1, 2, 300, 70000, 0};
	static const size_t k[] = {1, 10, ROWS - 1, ROWS, SIZE_MAX};
	uint64_t seed = 1;

	make_texts();
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (size_t j = 0; j < sizeof k / sizeof *k; j++)
			check_ranking(&seed, counts[i], k[j]);
}

static void
nothing_is_in_order(void)
{
	struct ranked none;

	CHECK_EQ(ranking_sort(&none, 0, 1, key, NULL), 0);
	CHECK_EQ(ranking_sort(&none, 0, SIZE_MAX, key, NULL), 0);
}

int
main(void)
{
	RUN(ranks_like_a_comparison);
	RUN(nothing_is_in_order);
	return check_done();
}
