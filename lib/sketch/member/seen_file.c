/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The payload:
 *
 *	+----------------------+------------------------+-----
 *	| u64 hashes, of exact | blocks of the first    | of the next
 *	| shards, ascending    | shard that is a filter |
 *	+----------------------+------------------------+-----
 *
 * Parameters: 0 blocks of a filter (0: there is none), 1 bit i: shard i is one,
 * 2 hashes, 3 is a repetition remembered too, 4 a pane's length, 5 its number
 * plus 2^63, 6 is the pane doubted. man/sketch.5 has the details.
 */
#include <string.h>

#include "sketch/member/bloom_bits.h"
#include "sketch/member/seen_body.h"
#include "sketch/member/seen_file.h"

#define PANE_ZERO (UINT64_C(1) << 63)
#define HASH_BYTES sizeof(uint64_t)

struct seen_use
seen_use_of(const struct record *head)
{
	return (struct seen_use){
		.repeated = head->param[3] == 1,
		.doubted = head->param[6] == 1,
		.pane_length = (int64_t)head->param[4],
		.pane = head->param[4] ? (int64_t)(head->param[5] - PANE_ZERO) : 0,
	};
}

static uint64_t
filter_bytes(const struct seen *s)
{
	return s->size_max * sizeof(uint64_t);
}

void
seen_head(const struct seen *s, struct seen_use use, struct record *head)
{
	uint64_t filters = 0, hashes = 0;

	head->kind = KIND_SEEN;
	head->version = 1;
	memset(head->param, 0, sizeof head->param);
	for (unsigned i = 0; i < SEEN_SHARDS; i++) {
		if (s->shard[i].filter) {
			head->param[1] |= UINT64_C(1) << i;
			filters++;
		} else {
			hashes += s->shard[i].set.taken;
		}
	}
	if (filters > 0)
		head->param[0] = s->shape.size / SEEN_SHARDS;
	head->param[2] = hashes;
	head->param[3] = use.repeated;
	if (use.pane_length > 0) {
		head->param[4] = (uint64_t)use.pane_length;
		head->param[5] = (uint64_t)use.pane + PANE_ZERO;
		head->param[6] = use.doubted;
	}
	head->size = hashes * HASH_BYTES + filters * filter_bytes(s);
}

static enum status
put_hashes(void *context, const uint64_t *hash, size_t n)
{
	const struct sink *to = context;
	unsigned char bytes[512 * HASH_BYTES];
	enum status st = OK;

	while (n > 0 && st == OK) {
		size_t some = n < 512 ? n : 512;

		for (size_t i = 0; i < some; i++)
			put_le64(bytes + i * HASH_BYTES, hash[i]);
		st = to->write(to->to, bytes, some * HASH_BYTES);
		hash += some;
		n -= some;
	}
	return st;
}

enum status
seen_write(const struct seen *s, struct sink to)
{
	enum status st = OK;

	for (unsigned i = 0; i < SEEN_SHARDS && st == OK; i++)
		if (!s->shard[i].filter)
			st = slots_each(&s->shard[i].set, put_hashes, &to);
	for (unsigned i = 0; i < SEEN_SHARDS && st == OK; i++)
		if (s->shard[i].filter)
			st = to.write(to.to, s->shard[i].set.at, filter_bytes(s));
	return st;
}

uint64_t
seen_bytes_of(const struct record *head)
{
	return head->param[0] * BLOOM_BLOCK_BYTES * SEEN_SHARDS;
}

uint64_t
seen_hashes_below(const unsigned char *payload, uint64_t n, uint64_t h)
{
	uint64_t low = 0, high = n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (get_le64(payload + middle * HASH_BYTES) < h)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t
seen_shard_start(const unsigned char *payload, uint64_t n, unsigned shard)
{
	return shard < SEEN_SHARDS ? seen_hashes_below(payload, n, (uint64_t)shard << 60) : n;
}

enum status
seen_load_start(struct seen_loader *l, struct seen *seen, const struct record *head,
    const unsigned char *payload)
{
	uint64_t n = head->param[2];
	enum status st = OK;

	*l = (struct seen_loader){.seen = seen, .head = *head};
	for (unsigned i = 0; i < SEEN_SHARDS && st == OK; i++) {
		uint64_t from = seen_shard_start(payload, n, i);
		uint64_t to = seen_shard_start(payload, n, i + 1);
		/* What is out of order is found out later. */
		if (!seen_filters(head->param, i) && from < to)
			st = seen_expect(seen, i, to - from);
	}
	return st;
}

/* Above all before it, none of which is 0, and of an exact shard? */
static bool
in_order(const struct record *head, uint64_t last, uint64_t h)
{
	return h > last && !seen_filters(head->param, seen_shard(h));
}

static enum status
load_hashes(struct seen_loader *l, const unsigned char *p, size_t n)
{
	uint64_t hash[512];
	enum status st = OK;

	while (n > 0 && st == OK) {
		size_t some = n < 512 ? n : 512;

		for (size_t i = 0; i < some; i++, p += HASH_BYTES) {
			hash[i] = get_le64(p);
			if (!in_order(&l->head, l->last, hash[i]))
				return STATUS_INVARIANT;
			l->last = hash[i];
		}
		st = seen_take(l->seen, hash, some);
		n -= some;
	}
	return st;
}

/* The shard whose filter has the byte at this place among all of them. */
static unsigned
filter_at(const struct seen_loader *l, uint64_t at)
{
	unsigned i = 0;

	for (uint64_t before = at / filter_bytes(l->seen);; i++)
		if (seen_filters(l->head.param, i) && before-- == 0)
			return i;
}

static void
load_filters(struct seen_loader *l, uint64_t at, const unsigned char *p, size_t len)
{
	uint64_t each = filter_bytes(l->seen);

	while (len > 0) {
		struct shard *t = &l->seen->shard[filter_at(l, at)];
		size_t some = len < each - at % each ? len : (size_t)(each - at % each);

		memcpy((unsigned char *)t->set.at + at % each, p, some);
		t->filter = true;
		at += some;
		p += some;
		len -= some;
	}
}

enum status
seen_load_some(struct seen_loader *l, const unsigned char *p, size_t len)
{
	uint64_t hashes = l->head.param[2] * HASH_BYTES;
	size_t some = 0;

	if (l->at < hashes) {
		some = len < hashes - l->at ? len : (size_t)(hashes - l->at);
		enum status st = load_hashes(l, p, some / HASH_BYTES);
		if (st != OK)
			return st;
	}
	if (some < len)
		load_filters(l, l->at + some - hashes, p + some, len - some);
	l->at += len;
	return OK;
}

enum status
seen_load_end(struct seen_loader *l)
{
	struct bloom_shape mine = l->seen->shape;

	mine.size /= SEEN_SHARDS;
	for (unsigned i = 0; i < SEEN_SHARDS; i++) {
		struct shard *t = &l->seen->shard[i];
		if (!seen_filters(l->head.param, i)) {
			if (t->filter && l->head.param[0] > 0)
				return STATUS_INVARIANT;
			if (t->filter)
				seen_reckon(l->seen, t);
			continue;
		}
		struct bloom_count count = bloom_bits_count((unsigned char *)t->set.at, &mine);
		double distinct = bloom_count_distinct(count, &mine);
		t->added = distinct < 1e18 ? (uint64_t)distinct : (uint64_t)1e18;
		seen_reckon(l->seen, t);
	}
	return OK;
}
