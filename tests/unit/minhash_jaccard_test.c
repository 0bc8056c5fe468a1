/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "base/hash.h"
#include "sketch/nearness/minhash.h"
#include "check.h"

/*
 * Sets whose Jaccard similarity is known, held against what minhash.h promises:
 * no bias, no more error than the formula has, none where nothing was left out,
 * and a union that is the sketch of all.
 */

static struct minhash *
empty(uint64_t size)
{
	struct record settings = {.kind = KIND_MINHASH, .param[MINHASH_PARAM_SIZE] = size};
	struct minhash *s = NULL;

	CHECK_EQ(minhash_new(&s, &settings), OK);
	return s;
}

/* Elements number from..from+n-1 of all there are. */
static void
add(struct minhash *s, uint64_t from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t hash = hash_step(from + i, 1);

		CHECK_EQ(minhash_add(s, &hash, 1), OK);
	}
}

/* A pair of sets with both elements in common, and one and other beside them. */
struct pair {
	struct minhash *a, *b;
};

static struct pair
make_pair(uint64_t size, uint64_t from, size_t both, size_t one, size_t other)
{
	struct pair p = {empty(size), empty(size)};

	add(p.a, from, both + one);
	add(p.b, from, both);
	add(p.b, from + both + one, other);
	return p;
}

static void
free_pair(struct pair p)
{
	minhash_free(p.a);
	minhash_free(p.b);
}

static struct comparison
compare(struct pair p)
{
	struct comparison c = {0};
	struct mismatch why = {0};

	CHECK_EQ(minhash_compare(p.a, p.b, &c, &why), OK);
	return c;
}

/* either elements in the union, percent of them in both. */
static struct pair
make_share(uint64_t size, uint64_t from, size_t either, unsigned percent)
{
	size_t both = either * percent / 100, one = (either - both) / 3;

	return make_pair(size, from, both, one, either - both - one);
}

static const unsigned shares[] = {0, 30, 40, 50, 60, 70, 80, 90, 95, 100};
#define SHARES (sizeof shares / sizeof *shares)

static void
no_error_where_nothing_was_left_out(void)
{
	static const size_t sizes[] = {20, 100, 240, 1000};
	uint64_t from = 1;

	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < SHARES; j++, from += 10000) {
			/* As many as there are places is not too many. */
			struct pair p = make_share(i == 3 ? 1000 : 240, from, sizes[i], shares[j]);
			struct comparison c = compare(p);
			double exact = shares[j] / 100.0;

			CHECK_EQ(c.total, sizes[i]);
			CHECK_EQ(c.shared, sizes[i] * shares[j] / 100);
			CHECK_IN(c.jaccard.value, exact, exact);
			CHECK_IN(c.jaccard.low, exact, exact);
			CHECK_IN(c.jaccard.high, exact, exact);
			free_pair(p);
		}
}

static void
no_bias_and_no_more_error_than_promised(void)
{
	static const size_t sizes[] = {1000, 5000};
	enum { K = 256 };
	size_t pairs = check_long() ? 2000 : 120;
	uint64_t from = UINT64_C(1) << 40;

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 1; j + 1 < SHARES; j++) {
			double exact = shares[j] / 100.0, sum = 0, squares = 0;
			double promised = sqrt(exact * (1 - exact) / (K - 1));
			size_t caught = 0;

			for (size_t k = 0; k < pairs; k++, from += 10000) {
				struct pair p = make_share(K, from, sizes[i], shares[j]);
				struct comparison c = compare(p);
				double error = c.jaccard.value - exact;

				sum += error;
				squares += error * error;
				caught += c.jaccard.low <= exact && exact <= c.jaccard.high;
				free_pair(p);
			}
			/* What a mean of so many may be off by chance is 4 of its deviations;
			 * a root mean square, 1 in sqrt(2 pairs) of itself. */
			double n = (double)pairs;
			CHECK_IN(sum / n, -4 * promised / sqrt(n), 4 * promised / sqrt(n));
			CHECK_IN(sqrt(squares / n), 0, promised * (1 + 4 / sqrt(2 * n)));
			CHECK_IN((double)caught / n, 0.95 - 4 * sqrt(0.95 * 0.05 / n), 1);
			if (check_long()) {
				CHECK_IN(sum / n, -0.005, 0.005);
				CHECK_IN(sqrt(squares / n), 0, 1.05 * promised);
			}
		}
}

static void
a_union_is_the_sketch_of_all(void)
{
	static const size_t sizes[] = {5, 100, 257, 5000};

	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < SHARES; j++) {
			struct pair p = make_share(256, 77 + i, sizes[i], shares[j]);
			struct minhash *whole = empty(256);
			struct mismatch why = {0};
			struct record head[2] = {{.items = 7}, {.items = 7}};
			struct buffer saved[2] = {{0}, {0}};

			add(whole, 77 + i, sizes[i]);
			CHECK_EQ(minhash_merge(p.a, p.b, &why), OK);
			CHECK_EQ(minhash_kind.save(p.a, &head[0], &saved[0]), OK);
			CHECK_EQ(minhash_kind.save(whole, &head[1], &saved[1]), OK);
			CHECK_EQ(saved[0].len, saved[1].len);
			CHECK(memcmp(saved[0].at, saved[1].at, saved[0].len) == 0);
			CHECK(memcmp(head[0].param, head[1].param, sizeof head[0].param) == 0);
			buffer_free(&saved[0]);
			buffer_free(&saved[1]);
			minhash_free(whole);
			free_pair(p);
		}
}

/* The k-th smallest of a set is known to be in it: were it one of the sample, which
 * has few others here, the similarity would come out too high. */
static void
no_bias_of_few_hashes_either(void)
{
	enum { K = 16, PAIRS = 6000 };
	uint64_t from = UINT64_C(1) << 50;
	double sum = 0, squares = 0;

	for (size_t i = 0; i < PAIRS; i++, from += 1000) {
		struct pair p = make_pair(K, from, 50, 50, 50);
		double error = compare(p).jaccard.value - 1.0 / 3;

		sum += error;
		squares += error * error;
		free_pair(p);
	}
	CHECK_IN(sum / PAIRS, -4.5 * sqrt(squares) / PAIRS, 4.5 * sqrt(squares) / PAIRS);
}

int
main(void)
{
	RUN(no_error_where_nothing_was_left_out);
	RUN(no_bias_and_no_more_error_than_promised);
	RUN(a_union_is_the_sketch_of_all);
	RUN(no_bias_of_few_hashes_either);
	return check_done();
}
