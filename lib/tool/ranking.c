/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "base/order.h"
#include "tool/ranking.h"
#include "tool/report.h"

/*
 * The largest first, equal ones by key. Most keys of a stream have few items,
 * so most rows are equal and a comparison would have to fetch two keys from
 * all over the memory. So no row is compared with another: rows too small for
 * the list are dropped by their counts alone, the others are brought into the
 * order of their keys, then, digit by digit, into that of their counts.
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

/* The next of sorted runs: at[i] to end[i] in ref, which begins with key[i]. */
static unsigned
least_run(const size_t *at, const size_t *end, const struct slice *key, unsigned runs)
{
	unsigned least = runs;

	for (unsigned i = 0; i < runs; i++)
		if (at[i] < end[i] && (least == runs || slice_compare(key[i], key[least]) < 0))
			least = i;
	return least;
}

/*
 * The numbers 0..n-1 of rows, which are grouped by their shard, in the order of
 * the keys. A shard after the other is sorted and then they are merged: to sort
 * takes 16 bytes a row meanwhile, and there may be a lot of them.
 */
static void
merge_shards(const struct listing *l, uint32_t *ref, const uint32_t *sorted, size_t n)
{
	size_t at[RANKING_SHARDS] = {0}, end[RANKING_SHARDS] = {0};
	struct slice key[RANKING_SHARDS];
	unsigned run;

	for (size_t i = 0; i < n; i++)
		end[l->row[i].shard]++;
	for (unsigned i = 0; i < RANKING_SHARDS; i++) {
		at[i] = i > 0 ? end[i - 1] : 0;
		end[i] += at[i];
		if (at[i] < end[i])
			key[i] = listed_key(l, sorted[at[i]]);
	}
	for (; (run = least_run(at, end, key, RANKING_SHARDS)) < RANKING_SHARDS; ref++) {
		*ref = sorted[at[run]++];
		if (at[run] < end[run])
			key[run] = listed_key(l, sorted[at[run]]);
	}
}

static void
sort_shards(const struct listing *l, uint32_t *ref, size_t n)
{
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && l->row[to].shard == l->row[from].shard; to++)
			ref[to] = (uint32_t)to;
		if (order_refs(ref + from, to - from, listed_key, l) != OK)
			no_memory();
	}
}

/* One pass over a digit of 8 bits, largest first; what is equal stays. */
static void
sort_digit(const struct ranked *row, const uint32_t *from, uint32_t *to, size_t n,
    unsigned shift)
{
	size_t at[256] = {0};

	for (size_t i = 0; i < n; i++)
		at[255 - (row[i].count >> shift & 255)]++;
	for (size_t sum = 0, d = 0; d < 256; d++) {
		size_t count = at[d];
		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[255 - (row[from[i]].count >> shift & 255)]++] = from[i];
}

/* Bring row ref[i] to place i, circle by circle; ref is used up. */
static void
rearrange(struct ranked *row, uint32_t *ref, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct ranked first = row[i];
		size_t to = i;
		while (ref[to] != i) {
			size_t from = ref[to];
			row[to] = row[from];
			ref[to] = (uint32_t)to;
			to = from;
		}
		row[to] = first;
		ref[to] = (uint32_t)to;
	}
}

static void
sort_rows(struct ranked *row, size_t n, const struct listing *listing)
{
	uint32_t *ref = malloc((n + 1) * sizeof *ref), *spare = malloc((n + 1) * sizeof *spare);
	uint64_t largest = 0;

	if (!ref || !spare || n > UINT32_MAX)
		no_memory();
	sort_shards(listing, spare, n);
	merge_shards(listing, ref, spare, n);
	for (size_t i = 0; i < n; i++)
		if (row[i].count > largest)
			largest = row[i].count;
	for (unsigned shift = 0; shift < 64 && largest >> shift > 0; shift += 8) {
		uint32_t *other = spare;
		sort_digit(row, ref, other, n, shift);
		spare = ref;
		ref = other;
	}
	rearrange(row, ref, n);
	free(ref);
	free(spare);
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
