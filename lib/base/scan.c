/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "base/scan.h"
#include "base/siphash_batch.h"

size_t scan_split_plain(const struct scan *, struct slice, struct slice *, size_t,
    struct buffer *);

scan_function *
scan_choose(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
		return scan_batch_v3;
#endif
	return scan_batch_base;
}

/* Item i of those that came takes place n among those that stay. */
static void
move_item(const struct scan *s, struct batch *b, size_t n, size_t i)
{
	b->item[n] = b->item[i];
	if (s->want_lines)
		b->line[n] = b->line[i];
	if (s->has_key) {
		b->key[n] = b->key[i];
		b->key_hash[n] = b->key_hash[i];
	}
	if (s->has_weight)
		b->weight[n] = b->weight[i];
	if (s->has_stamp)
		b->time[n] = b->time[i];
}

/* The hashes of items that are not their text, and only of those that are some. */
static void
hash_typed(const struct scan *s, struct batch *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n && b->status == OK; i++) {
		b->encoded.len = 0;
		enum status st = item_encode(s->item_type, b->item[i], &b->encoded);
		if (st == STATUS_PARAMETER) {
			b->rejected++;
			continue;
		}
		b->status = st;
		struct slice bytes = {b->encoded.at, b->encoded.len};
		move_item(s, b, n, i);
		hash_items(s->hash, &bytes, 1, &b->hash[n++]);
	}
	b->n = n;
}

void
scan_hash(const struct scan *s, struct batch *b)
{
	if (s->hash == HASH_SIPHASH)
		siphash_items(&s->secret, b->item, b->n, b->hash);
	else if (s->item_type == ITEM_TEXT)
		hash_items(s->hash, b->item, b->n, b->hash);
	else
		hash_typed(s, b);
	for (size_t i = 0; s->hash == HASH_MURMUR3_COUPON && i < b->n; i++)
		b->ignored += b->hash[i] == 0;
}

size_t
scan_split(const struct scan *s, struct slice line, struct slice *names, size_t max,
    struct buffer *scratch)
{
	return scan_split_plain(s, line, names, max, scratch);
}
