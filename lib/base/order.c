/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "base/order.h"

/*
 * A radix sort from the first byte on: distribute by one byte in place
 * ("American flag", McIlroy, Bostic and McIlroy 1993), then sort each of the
 * 256 groups by the next byte. Eight bytes at a time are fetched beside the
 * number, since the bytes themselves lie far apart in memory, and are asked for
 * some items ahead. Comparison
 * sorts were no choice: keys of a log share long prefixes, and a quick sort
 * can be driven into its worst case by crafted ones.
 */
struct item {
	uint64_t eight;              /* bytes from depth / 8 * 8 on, first one highest */
	const unsigned char *at;
	uint32_t len;
	uint32_t ref;
};

static struct slice
bytes_of(const struct item *i)
{
	return (struct slice){i->at, i->len};
}

/* Groups that are not worth 256 counters. */
#define FEW 32
#define AHEAD 8

static void
insertion_sort(struct item *item, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct item this = item[i];
		size_t k = i;

		/* Within a group all bytes before the eight are equal, so only
		 * equal eights need a look at the bytes. */
		for (; k > 0; k--) {
			const struct item *before = &item[k - 1];

			if (before->eight < this.eight)
				break;
			if (before->eight == this.eight &&
			    slice_compare(bytes_of(before), bytes_of(&this)) <= 0)
				break;
			item[k] = *before;
		}
		item[k] = this;
	}
}

/* The eight bytes from depth on, zeros where the bytes have ended. */
static uint64_t
eight_bytes(struct slice s, size_t depth)
{
	uint64_t eight = 0;

	if (depth + 8 <= s.len)
		return __builtin_bswap64(get_le64(s.at + depth));

	for (size_t k = depth; k < depth + 8; k++)
		eight = eight << 8 | (k < s.len ? s.at[k] : 0);
	return eight;
}

/* Fetch the next eight bytes, and move what ends at or before depth to the
 * front, in order; return how many. The members of a group agree up to depth
 * but for the zeros that stand in where bytes have ended, so distinct ones
 * that end are a handful at most: they differ by up to eight trailing NULs. */
static size_t
fetch(struct item *item, size_t n, size_t depth)
{
	size_t ended = 0;

	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(item[i + AHEAD].at + depth);
		item[i].eight = eight_bytes(bytes_of(&item[i]), depth);
		if (item[i].len > depth)
			continue;
		struct item swap = item[i];
		item[i] = item[ended];
		item[ended++] = swap;
	}
	insertion_sort(item, ended);
	return ended;
}

/* The bits in which the eight bytes differ from those of the first item. */
static uint64_t
differences(const struct item *item, size_t n)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= item[i].eight ^ item[0].eight;
	return differ;
}

/* Distribute by one byte of the eight; begin[b]..begin[b + 1] is group b. */
static void
distribute(struct item *item, size_t n, unsigned shift, size_t begin[257])
{
	size_t next[256];

	memset(begin, 0, 257 * sizeof(*begin));
	for (size_t i = 0; i < n; i++)
		begin[(item[i].eight >> shift & 255) + 1]++;
	for (unsigned b = 0; b < 256; b++) {
		next[b] = begin[b];
		begin[b + 1] += begin[b];
	}
	for (unsigned b = 0; b < 256; b++) {
		while (next[b] < begin[b + 1]) {
			struct item swap = item[next[b]];
			unsigned to = swap.eight >> shift & 255;

			item[next[b]] = item[next[to]];
			item[next[to]++] = swap;
		}
	}
}

/* Sort items that agree up to depth, a multiple of 8 unless their eight bytes
 * are already there. */
static void
sort_from(struct item *item, size_t n, size_t depth)
{
	size_t begin[257];

	while (n > 1) {
		if (depth % 8 == 0) {
			size_t ended = fetch(item, n, depth);

			item += ended;
			n -= ended;
		}
		/* Bytes that all have in common are not worth a pass. */
		uint64_t differ = differences(item, n);
		if (differ == 0) {
			depth = depth / 8 * 8 + 8;
			continue;
		}
		if (n <= FEW) {
			insertion_sort(item, n);
			return;
		}
		unsigned byte = (unsigned)__builtin_clzll(differ) / 8;
		distribute(item, n, 56 - 8 * byte, begin);
		depth = depth / 8 * 8 + byte + 1;

		/* The largest group goes on in this loop: a deeper call has at
		 * most half of the items, so calls nest 32 deep at most. */
		unsigned largest = 0;
		for (unsigned b = 1; b < 256; b++)
			if (begin[b + 1] - begin[b] > begin[largest + 1] - begin[largest])
				largest = b;
		for (unsigned b = 0; b < 256; b++)
			if (b != largest && begin[b + 1] - begin[b] > 1)
				sort_from(item + begin[b], begin[b + 1] - begin[b], depth);
		item += begin[largest];
		n = begin[largest + 1] - begin[largest];
	}
}

enum status
order_refs(uint32_t *ref, size_t n,
    struct slice (*bytes)(const void *table, uint32_t ref), const void *table)
{
	if (n < 2)
		return OK;
	if (n > SIZE_MAX / sizeof(struct item))
		return STATUS_MEMORY;
	struct item *item = malloc(n * sizeof(*item));
	if (!item)
		return STATUS_MEMORY;
	for (size_t i = 0; i < n; i++) {
		struct slice s = bytes(table, ref[i]);
		if (s.len > UINT32_MAX) {
			free(item);
			return STATUS_MEMORY;
		}
		item[i] = (struct item){.at = s.at, .len = (uint32_t)s.len, .ref = ref[i]};
	}
	sort_from(item, n, 0);
	for (size_t i = 0; i < n; i++)
		ref[i] = item[i].ref;
	free(item);
	return OK;
}
