/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/order.h"
#include "check.h"

/* Random bytes from a small alphabet, so that prefixes are shared and the
 * ends of many differ by NUL bytes only. */
struct texts {
	unsigned char *bytes;
	size_t *begin;
};

static struct slice
text(const void *table, uint32_t ref)
{
	const struct texts *t = table;

	return (struct slice){t->bytes + t->begin[ref], t->begin[ref + 1] - t->begin[ref]};
}

static const struct texts *compared;

static int
compare(const void *a, const void *b)
{
	return slice_compare(text(compared, *(const uint32_t *)a),
	    text(compared, *(const uint32_t *)b));
}

static void
check_order(const struct texts *t, size_t n)
{
	uint32_t *got = calloc(n + 1, sizeof(*got)), *want = calloc(n + 1, sizeof(*want));

	for (size_t i = 0; i < n; i++)
		got[i] = want[i] = (uint32_t)i;
	CHECK_EQ(order_refs(got, n, text, t), OK);
	compared = t;
	qsort(want, n, sizeof(*want), compare);
	size_t wrong = 0;
	for (size_t i = 0; i < n; i++)
		wrong += !slice_equal(text(t, got[i]), text(t, want[i]));
	CHECK_EQ(wrong, 0);
	free(got);
	free(want);
}

static void
sorts_like_a_comparison(void)
{
	static const unsigned letters[] = {1, 2, 3, 256};
	uint64_t seed = 1;

	for (size_t round = 0; round < 40; round++) {
		size_t n = (size_t)1 << (round % 12), used = 0;
		size_t longest = 1 + round * 2 % 37;
		struct texts t = {malloc(n * longest), calloc(n + 1, sizeof(size_t))};

		for (size_t i = 0; i < n; i++) {
			size_t len = check_random(&seed) % (longest + 1);
			for (size_t k = 0; k < len; k++)
				t.bytes[used++] = check_random(&seed) % letters[round % 4];
			t.begin[i + 1] = used;
		}
		check_order(&t, n);
		free(t.bytes);
		free(t.begin);
	}
}

/* a, aa, aaa, ...: each step of the distribution peels off one. */
static void
each_text_a_prefix_of_the_next(void)
{
	size_t n = 2000;
	struct texts t = {malloc(n * (n + 1) / 2), calloc(n + 1, sizeof(size_t))};

	memset(t.bytes, 'a', n * (n + 1) / 2);
	for (size_t i = 0; i < n; i++)
		t.begin[i + 1] = t.begin[i] + (n - i);
	check_order(&t, n);
	free(t.bytes);
	free(t.begin);
}

static void
nothing_and_one(void)
{
	struct texts t = {(unsigned char *)"x", (size_t[]){0, 1}};

	check_order(&t, 0);
	check_order(&t, 1);
}

int
main(void)
{
	RUN(nothing_and_one);
	RUN(sorts_like_a_comparison);
	RUN(each_text_a_prefix_of_the_next);
	return check_done();
}
