/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "tool/answers/ranking.h"
#include "tool/report.h"

/*
 * The largest first, equal ones by key. Most keys of a stream have few items,
 * so most rows are equal and a comparison would have to fetch two keys from
 * all over the memory. So no row is compared with another: rows too small for
 * the list are dropped by their counts alone, the others are brought, digit by
 * digit, into the order of their counts, and only where several have one count
 * is it their keys that are looked at.
 */

static _Noreturn void
no_memory(void)
{
	die(STATUS_MEMORY, "cannot list the keys");
}

/* The kth largest of n, 1 <= k <= n, by Hoare's selection; they are moved. */
static uint64_t
kth_largest(uint64_t *v, size_t n, size_t k)
{
	size_t low = 0, high = n - 1, place = k - 1;

	while (low < high) {
		uint64_t pivot = v[low + (high - low) / 2];
		size_t i = low, j = high;
		for (;;) {
			while (v[i] > pivot)
				i++;
			while (v[j] < pivot)
				j--;
			if (i >= j)
				break;
			uint64_t t = v[i];
			v[i++] = v[j];
			v[j--] = t;
		}
		if (place <= j)
			high = j;
		else
			low = j + 1;
	}
	return v[place];
}

/* Drop the rows that cannot be among the k first; how many are left. */
static size_t
drop_small(struct ranked *row, size_t n, size_t k)
{
	uint64_t *count = malloc(n * sizeof *count);
	size_t left = 0;

	if (!count)
		no_memory();
	for (size_t i = 0; i < n; i++)
		count[i] = row[i].count;
	uint64_t least = kth_largest(count, n, k);
	free(count);
	for (size_t i = 0; i < n; i++)
		if (row[i].count >= least)
			row[left++] = row[i];
	return left;
}

/* What row a number stands for. */
struct listing {
	const struct ranked *row;
	struct slice (*key)(const void *, const struct ranked *);
	const void *table;
};

static struct slice
listed_key(const void *listing, uint32_t i)
{
	const struct listing *l = listing;

	return l->key(l->table, &l->row[i]);
}

/* One pass over a digit of 8 bits, largest first; what is equal stays. */
static void
sort_digit(const struct ranked *from, struct ranked *to, size_t n, unsigned shift)
{
	size_t at[256] = {0};

	for (size_t i = 0; i < n; i++)
		at[255 - (from[i].count >> shift & 255)]++;
	for (size_t sum = 0, d = 0; d < 256; d++) {
		size_t count = at[d];
		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[255 - (from[i].count >> shift & 255)]++] = from[i];
}

static struct ranked *
new_rows(size_t n)
{
	struct ranked *row = malloc((n + 1) * sizeof *row);

	if (!row)
		no_memory();
	return row;
}

/* The order of the counts, largest first; what is equal stays. */
static void
sort_counts(struct ranked *row, size_t n)
{
	struct ranked *spare = new_rows(n), *from = row, *to = spare;
	uint64_t largest = 0;

	for (size_t i = 0; i < n; i++)
		if (row[i].count > largest)
			largest = row[i].count;
	for (unsigned shift = 0; shift < 64 && largest >> shift > 0; shift += 8) {
		sort_digit(from, to, n, shift);
		struct ranked *other = from;
		from = to;
		to = other;
	}
	if (from != row)
		memcpy(row, from, n * sizeof *row);
	free(spare);
}

/* Rows of one count, by key. Memory is asked for late: for many rows it is a lot. */
static void
sort_keys(struct ranked *row, size_t n, struct listing listing)
{
	uint32_t *ref = malloc(n * sizeof *ref);

	if (!ref)
		no_memory();
	listing.row = row;
	for (size_t i = 0; i < n; i++)
		ref[i] = (uint32_t)i;
	if (order_refs(ref, n, listed_key, &listing) != OK)
		no_memory();
	struct ranked *sorted = new_rows(n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = row[ref[i]];
	memcpy(row, sorted, n * sizeof *row);
	free(sorted);
	free(ref);
}

static void
sort_rows(struct ranked *row, size_t n, const struct listing *listing)
{
	if (n > UINT32_MAX)
		no_memory();
	sort_counts(row, n);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && row[to].count == row[from].count; to++)
			continue;
		if (to - from > 1)
			sort_keys(row + from, to - from, *listing);
	}
}

size_t
ranking_sort(struct ranked *row, size_t n, size_t k,
    struct slice (*key)(const void *, const struct ranked *), const void *table)
{
	struct listing listing = {row, key, table};

	if (k < n)
		n = drop_small(row, n, k);
	sort_rows(row, n, &listing);
	return k < n ? k : n;
}

/* So many at a time, so that the accesses that lead to a key overlap. */
#define FETCHED 32

void
ranking_fetch(const struct ranked *row, size_t i, size_t n,
    struct slice (*key)(const void *, const struct ranked *), const void *table)
{
	if (i % FETCHED != 0)
		return;
	for (size_t end = n - i < FETCHED ? n : i + FETCHED; i < end; i++) {
		struct slice k = key(table, &row[i]);
		__builtin_prefetch(k.at);
	}
}
