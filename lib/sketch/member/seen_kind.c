/* sketchutils: BSD-2-Clause, see LICENSE */

/* What was seen as sketches that are asked, united and told about. The layout
 * is drawn in seen_file.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sketch/member/bloom_bits.h"
#include "sketch/promise.h"
#include "sketch/member/seen_body.h"
#include "sketch/member/seen_file.h"
#include "sketch/member/seen_kind.h"

#define HASH_BYTES sizeof(uint64_t)

struct seen_record {
	uint64_t param[8];
	struct buffer payload;
};

static uint64_t
hashes_of(const struct seen_record *r)
{
	return r->param[2];
}

static uint64_t
hash_at(const struct seen_record *r, uint64_t i)
{
	return get_le64(r->payload.at + i * HASH_BYTES);
}

static uint64_t
shard_start(const struct seen_record *r, unsigned shard)
{
	return seen_shard_start(r->payload.at, hashes_of(r), shard);
}

/* Hashes that a shard is enough for, next to filters of so many blocks. */
static uint64_t
capacity_next_to(uint64_t blocks)
{
	uint64_t slots = blocks * BLOOM_BLOCK_BYTES / HASH_BYTES;

	return slots - slots / 8;
}

/* The filter of a shard that is one. */
static unsigned char *
filter_of(const struct seen_record *r, unsigned shard)
{
	uint64_t at = hashes_of(r) * HASH_BYTES;

	for (unsigned i = 0; i < shard; i++)
		if (seen_filters(r->param, i))
			at += r->param[0] * BLOOM_BLOCK_BYTES;
	return r->payload.at + at;
}

static enum status
check(const struct record *head)
{
	uint64_t blocks = head->param[0], filters = head->param[1], bytes = 0;

	if (blocks > BLOOM_BLOCKS_MAX / SEEN_SHARDS || filters >> SEEN_SHARDS != 0 ||
	    (blocks == 0) != (filters == 0) || head->param[2] > UINT64_C(1) << 59 ||
	    head->param[3] > 1 || head->param[4] > INT64_MAX || head->param[6] > 1 ||
	    head->param[7] != 0)
		return STATUS_PARAMETER;
	if (head->param[4] == 0 && (head->param[5] != 0 || head->param[6] != 0))
		return STATUS_PARAMETER;
	if (blocks != 0 && (blocks < SEEN_BYTES_MIN / SEEN_SHARDS / BLOOM_BLOCK_BYTES ||
	    slots_fit(blocks * BLOOM_BLOCK_BYTES) != blocks * BLOOM_BLOCK_BYTES / HASH_BYTES))
		return STATUS_PARAMETER;
	for (unsigned i = 0; i < SEEN_SHARDS; i++)
		bytes += seen_filters(head->param, i) ? blocks * BLOOM_BLOCK_BYTES : 0;
	return head->size == bytes + head->param[2] * HASH_BYTES ? OK : STATUS_SIZE;
}

static enum status
check_hashes(const struct seen_record *r)
{
	uint64_t last = 0, count[SEEN_SHARDS] = {0};

	for (uint64_t i = 0; i < hashes_of(r); i++) {
		uint64_t h = hash_at(r, i);
		if (h <= last || seen_filters(r->param, seen_shard(h)))
			return STATUS_INVARIANT;
		last = h;
		count[seen_shard(h)]++;
	}
	for (unsigned i = 0; r->param[0] > 0 && i < SEEN_SHARDS; i++)
		if (count[i] > capacity_next_to(r->param[0]))
			return STATUS_INVARIANT;
	return OK;
}

static enum status
load(void **out, const struct record *head, struct buffer *payload)
{
	struct seen_record *r = calloc(1, sizeof *r);

	if (!r)
		return STATUS_MEMORY;
	memcpy(r->param, head->param, sizeof r->param);
	r->payload = *payload;
	enum status st = check_hashes(r);
	if (st != OK) {
		free(r);
		return st;
	}
	*payload = (struct buffer){0};
	*out = r;
	return OK;
}

static void
view(const void *body, struct record *head, struct slice *payload)
{
	const struct seen_record *r = body;

	head->kind = KIND_SEEN;
	head->version = 1;
	memcpy(head->param, r->param, sizeof head->param);
	head->size = r->payload.len;
	*payload = (struct slice){r->payload.at, r->payload.len};
}

static enum status
save(const void *body, struct record *head, struct buffer *payload)
{
	struct slice bytes;

	view(body, head, &bytes);
	return buffer_append(payload, bytes.at, bytes.len);
}

static void
free_record(void *body)
{
	struct seen_record *r = body;

	buffer_free(&r->payload);
	free(r);
}

/* Where the block of h begins in its shard's filter. */
static uint64_t
block_in_shard(const struct seen_record *r, uint64_t h)
{
	return hash_place(h << SLOTS_TOP, r->param[0]) * BLOOM_BLOCK_BYTES;
}

size_t
seen_record_has(const struct seen_record *r, const uint64_t *hash, size_t n, bool *has)
{
	const struct bloom_kernel *kernel = bloom_block_kernel(0);
	size_t total = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t h = seen_key(hash[i]);

		if (seen_filters(r->param, seen_shard(h))) {
			uint64_t at = block_in_shard(r, h);
			kernel->test(filter_of(r, seen_shard(h)), &at, &h, 1, &has[i]);
		} else {
			uint64_t below = seen_hashes_below(r->payload.at, hashes_of(r), h);
			has[i] = below < hashes_of(r) && hash_at(r, below) == h;
		}
		total += has[i];
	}
	return total;
}

/*
 * Merging, shard by shard.
 */

/* The hashes of a shard in either, each once, behind those in out. */
static enum status
unite_hashes(struct buffer *out, const struct seen_record *a, const struct seen_record *b,
    unsigned shard)
{
	uint64_t i = shard_start(a, shard), i_end = shard_start(a, shard + 1);
	uint64_t k = shard_start(b, shard), k_end = shard_start(b, shard + 1);
	enum status st = OK;

	while ((i < i_end || k < k_end) && st == OK) {
		uint64_t x = i < i_end ? hash_at(a, i) : UINT64_MAX;
		uint64_t y = k < k_end ? hash_at(b, k) : UINT64_MAX;
		unsigned char bytes[HASH_BYTES];

		put_le64(bytes, x < y ? x : y);
		i += i < i_end && x <= y;
		k += k < k_end && y <= x;
		st = buffer_append(out, bytes, sizeof bytes);
	}
	return st;
}

/* Put the shard of r, a filter or hashes, into this filter of as many blocks. */
static void
pour(unsigned char *into, uint64_t blocks, const struct seen_record *r, unsigned shard)
{
	struct seen_record sized = {.param = {blocks}};

	if (seen_filters(r->param, shard)) {
		const unsigned char *from = filter_of(r, shard);
		for (uint64_t i = 0; i < blocks * BLOOM_BLOCK_BYTES; i++)
			into[i] |= from[i];
		return;
	}
	for (uint64_t i = shard_start(r, shard), end = shard_start(r, shard + 1); i < end; i++) {
		uint64_t h = hash_at(r, i), at = block_in_shard(&sized, h);
		bloom_block_kernel(0)->set(into, &at, &h, 1);
	}
}

static enum status
unite_filters(struct buffer *out, uint64_t blocks, const struct seen_record *a,
    const struct seen_record *b, unsigned shard)
{
	size_t before = out->len;
	enum status st = buffer_zeros(out, (size_t)(blocks * BLOOM_BLOCK_BYTES));

	if (st != OK)
		return st;
	pour(out->at + before, blocks, a, shard);
	pour(out->at + before, blocks, b, shard);
	return OK;
}

/* Into r, whose parameters are those of both but for filters and hashes. */
static enum status
unite(struct seen_record *r, struct buffer *filters, const struct seen_record *a,
    const struct seen_record *b)
{
	uint64_t blocks = r->param[0];
	enum status st = OK;

	for (unsigned i = 0; i < SEEN_SHARDS && st == OK; i++) {
		size_t before = r->payload.len;
		bool filter = seen_filters(a->param, i) || seen_filters(b->param, i);

		if (!filter) {
			st = unite_hashes(&r->payload, a, b, i);
			filter = blocks > 0 &&
			    (r->payload.len - before) / HASH_BYTES > capacity_next_to(blocks);
		}
		if (st == OK && filter) {
			r->payload.len = before;
			r->param[1] |= UINT64_C(1) << i;
			st = unite_filters(filters, blocks, a, b, i);
		}
	}
	r->param[2] = r->payload.len / HASH_BYTES;
	return st == OK ? buffer_append(&r->payload, filters->at, filters->len) : st;
}

static enum status
compare(const struct seen_record *a, const struct seen_record *b, struct mismatch *why)
{
	const struct seen_use u = seen_use_of(&(struct record){.param = {0, 0, 0, a->param[3],
	    a->param[4], a->param[5], a->param[6]}});
	const struct seen_use v = seen_use_of(&(struct record){.param = {0, 0, 0, b->param[3],
	    b->param[4], b->param[5], b->param[6]}});

	if (u.repeated != v.repeated)
		snprintf(why->text, sizeof why->text, "repeated %d and %d", u.repeated, v.repeated);
	else if (u.pane_length != v.pane_length)
		snprintf(why->text, sizeof why->text, "pane length %lld and %lld us",
		    (long long)u.pane_length, (long long)v.pane_length);
	else if (u.pane != v.pane)
		snprintf(why->text, sizeof why->text, "pane %lld and %lld",
		    (long long)u.pane, (long long)v.pane);
	else if (a->param[0] > 0 && b->param[0] > 0 && a->param[0] != b->param[0])
		snprintf(why->text, sizeof why->text, "filter blocks %llu and %llu",
		    (unsigned long long)a->param[0], (unsigned long long)b->param[0]);
	else
		return OK;
	return STATUS_MISMATCH;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	struct seen_record *a = into, r = {0};
	const struct seen_record *b = from;
	struct buffer filters = {0};
	enum status st = compare(a, b, why);

	if (st != OK)
		return st;
	memcpy(r.param, a->param, sizeof r.param);
	r.param[0] = a->param[0] > 0 ? a->param[0] : b->param[0];
	r.param[1] = 0;
	r.param[6] &= b->param[6];
	st = unite(&r, &filters, a, b);
	buffer_free(&filters);
	if (st != OK) {
		buffer_free(&r.payload);
		return st;
	}
	buffer_free(&a->payload);
	*a = r;
	return OK;
}

static void
settings(const struct record *head, struct facts *f)
{
	struct seen_use use = seen_use_of(head);
	unsigned filters = 0;

	for (unsigned i = 0; i < SEEN_SHARDS; i++)
		filters += seen_filters(head->param, i);
	fact_flag(f, "repeated", use.repeated);
	if (use.pane_length > 0)
		fact_real(f, "pane_seconds", (double)use.pane_length / 1e6);
	fact_count(f, "hashes", head->param[2]);
	fact_count(f, "shards_as_filters", filters);
}

/* Of all shards as one, for what was never seen; and how many were. */
static struct fill
fill_of(const struct seen_record *r)
{
	struct bloom_shape shape = {.type = BLOOM_BLOCK, .size = r->param[0], .probes = 1};
	struct fill fill = {.distinct = (double)hashes_of(r)};

	for (unsigned i = 0; i < SEEN_SHARDS; i++) {
		if (!seen_filters(r->param, i))
			continue;
		struct bloom_count count = bloom_bits_count(filter_of(r, i), &shape);
		fill.fpp += bloom_count_fpp(count, &shape) / SEEN_SHARDS;
		fill.distinct += bloom_count_distinct(count, &shape);
	}
	return fill;
}

static void
facts(const void *body, struct facts *f)
{
	const struct seen_record *r = body;
	struct record head = {.kind = KIND_SEEN};
	struct fill fill = fill_of(r);

	memcpy(head.param, r->param, sizeof head.param);
	settings(&head, f);
	fact_real(f, "distinct", fill.distinct);
	fact_real(f, "fpp", fill.fpp);
}

const struct kind seen_kind = {
	.id = KIND_SEEN, .version = 1, .name = "seen",
	.check = check, .load = load, .save = save, .merge = merge,
	.settings = settings, .facts = facts, .free = free_record, .view = view,
};
