/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/overlap.h"

#include "check.h"

static void
sorting_agrees_with_qsort_order(void)
{
	static uint32_t at[5000], spare[5000];
	uint64_t random = 1;

	for (size_t n = 0; n < 5000; n += n < 100 ? 1 : 700) {
		uint64_t sum = 0, xor = 0;

		for (size_t i = 0; i < n; i++) {
			uint64_t r = check_random(&random);

			at[i] = (uint32_t)(n % 3 ? r : r % 5);
			sum += at[i];
			xor ^= at[i] * UINT64_C(0x9e3779b97f4a7c15);
		}
		overlap_sort(at, n, spare);
		for (size_t i = 0; i < n; i++) {
			CHECK(i == 0 || at[i - 1] <= at[i]);
			sum -= at[i];
			xor ^= at[i] * UINT64_C(0x9e3779b97f4a7c15);
		}
		CHECK(sum == 0 && xor == 0);
	}
}

static void
similarity_agrees_with_counts(void)
{
	uint64_t random = 2;

	for (unsigned round = 0; round < 20000; round++) {
		uint32_t a[30], b[30], spare[30], count[2][12] = {{0}};
		size_t a_n = 1 + check_random(&random) % 30, b_n = 1 + check_random(&random) % 30;
		double less = 0, more = 0, least = (double)(check_random(&random) % 100) / 100;

		for (size_t i = 0; i < a_n; i++)
			count[0][a[i] = (uint32_t)(check_random(&random) % 12)]++;
		for (size_t i = 0; i < b_n; i++)
			count[1][b[i] = (uint32_t)(check_random(&random) % 12)]++;
		for (unsigned v = 0; v < 12; v++) {
			less += count[0][v] < count[1][v] ? count[0][v] : count[1][v];
			more += count[0][v] < count[1][v] ? count[1][v] : count[0][v];
		}
		overlap_sort(a, a_n, spare);
		overlap_sort(b, b_n, spare);
		double got = overlap_similarity(a, a_n, b, b_n, least);
		double want = less / more >= least ? less / more : -1;

		CHECK_IN(got, want, want);
	}
}

static void
a_bound_that_is_just_reached_is_reached(void)
{
	static uint32_t a[1000], b[1000];

	for (uint32_t n = 1; n <= 1000; n++) {
		for (uint32_t shared = 0; shared <= n; shared += 1 + n / 17) {
			double least = (double)shared / (2 * n - shared);

			for (uint32_t i = 0; i < n; i++) {
				a[i] = 2 * i;
				b[i] = 2 * i + (i >= shared);
			}
			CHECK_IN(overlap_similarity(a, n, b, n, least), least, least);
		}
	}
}

int
main(void)
{
	RUN(sorting_agrees_with_qsort_order);
	RUN(similarity_agrees_with_counts);
	RUN(a_bound_that_is_just_reached_is_reached);
	return check_done();
}
