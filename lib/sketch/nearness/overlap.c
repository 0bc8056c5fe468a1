/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/overlap.h"

#include <string.h>

/* Below this a simple insertion wins over four passes. */
#define FEW 48

static void
insertion(uint32_t *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t v = at[i];
		size_t j = i;

		for (; j > 0 && at[j - 1] > v; j--)
			at[j] = at[j - 1];
		at[j] = v;
	}
}

/* Four passes, one for each byte from the lowest, each of which keeps the
 * order of what is equal in that byte. */
void
overlap_sort(uint32_t *at, size_t n, uint32_t *spare)
{
	if (n < FEW) {
		insertion(at, n);
		return;
	}
	for (unsigned shift = 0; shift < 32; shift += 8) {
		size_t place[256] = {0}, sum = 0;

		for (size_t i = 0; i < n; i++)
			place[at[i] >> shift & 255]++;
		for (unsigned v = 0; v < 256; v++) {
			size_t count = place[v];

			place[v] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			spare[place[at[i] >> shift & 255]++] = at[i];
		memcpy(at, spare, n * sizeof(*at));
	}
}

size_t
overlap_distinct(uint32_t *at, size_t n)
{
	size_t distinct = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || at[i] != at[i - 1])
			at[distinct++] = at[i];
	return distinct;
}

double
overlap_similarity(const uint32_t *a, size_t a_n, const uint32_t *b, size_t b_n, double least)
{
	size_t shared = 0, i = 0, j = 0;
	double both = (double)a_n + (double)b_n;

	/* J = s / (both - s), so J >= least asks for s >= least * both / (1 +
	 * least). The bound leaves a hair's breadth; the last line decides. */
	double want = least * both / (1 + least) - 1e-6;

	while (i < a_n && j < b_n) {
		size_t left = a_n - i < b_n - j ? a_n - i : b_n - j;

		if ((double)(shared + left) < want)
			return -1;
		if (a[i] == b[j]) {
			shared++;
			i++;
			j++;
		} else if (a[i] < b[j]) {
			i++;
		} else {
			j++;
		}
	}
	double similarity = (double)shared / (both - (double)shared);

	return similarity >= least ? similarity : -1;
}
