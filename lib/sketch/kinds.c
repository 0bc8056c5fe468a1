/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/ids.h"
#include "base/item.h"
#include "base/mask.h"
#include "sketch/member/bloom.h"
#include "sketch/frequency/cms.h"
#include "sketch/member/cuckoo.h"
#include "sketch/member/counting.h"
#include "sketch/frequency/heavy.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/distinct/hll.h"
#include "sketch/distinct/hll_datasketches.h"
#include "sketch/distinct/hll_postgres.h"
#include "sketch/distinct/hll_redis.h"
#include "sketch/kinds.h"
#include "sketch/nearness/nearindex_kind.h"
#include "sketch/nearness/minhash.h"
#include "sketch/member/scalable.h"
#include "sketch/member/seen_kind.h"
#include "sketch/quantiles/tdigest.h"

static const struct kind *const kinds[] = {
	&bloom_block_kind,
	&bloom_classic_kind,
	&bloom_parquet_kind,
	&bloom_dcso_kind,
	&counting_kind,
	&scalable_kind,
	&cuckoo_kind,
	&cms_kind,
	&heavy_kind,
	&hdr_kind,
	&tdigest_kind,
	&minhash_kind,
	&hll_kind,
	&hll_redis_kind,
	&hll_postgres_kind,
	&hll_datasketches_kind,
	&seen_kind,
	&simhash_kind,
	&bands_kind,
};

const struct kind *
kind_row(size_t i)
{
	return i < sizeof kinds / sizeof *kinds ? kinds[i] : NULL;
}

const struct kind *
kind_find(uint16_t id)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i]->id == id)
			return kinds[i];
	return NULL;
}

bool
kind_begins(const struct kind *k, const char *only)
{
	while (only) {
		size_t n = strcspn(only, "|");

		if (strncmp(k->name, only, n) == 0)
			return true;
		if (only[n] == '\0')
			return false;
		only += n + 1;
	}
	return true;
}

enum status
kind_check(const struct record *head)
{
	const struct kind *k = kind_find(head->kind);

	if (!k || head->version > k->version)
		return STATUS_UNSUPPORTED;
	if (head->version == 0)
		return STATUS_PARAMETER;
	if (head->flags & FLAG_CONSERVATIVE & ~k->flags)
		return STATUS_UNSUPPORTED;
	if (!k->typed && head->item_type != ITEM_TEXT)
		return STATUS_PARAMETER;
	if (!k->masked && (head->transform & TRANSFORM_MASK))
		return STATUS_UNSUPPORTED;
	/* Another system's geometry means nothing with our hash, nor ours with its;
	 * and its hash has no seed. Nor has what is not hashed. */
	if (k->hash ? head->hash != k->hash || head->seed != 0 : !hash_is_ours(head->hash))
		return STATUS_PARAMETER;
	return k->check(head);
}

enum status
sketch_load(struct sketch *s, const struct record *head, struct buffer *payload)
{
	*s = (struct sketch){.head = *head, .kind = kind_find(head->kind)};
	return s->kind->load(&s->body, head, payload);
}

enum status
sketch_take_ids(struct sketch *s, struct slice extension)
{
	struct slice ids;

	return extension_find(extension, EXTENSION_ID, &ids) ?
	    ids_unite(&s->ids, ids) : OK;
}

static enum status
write_pieces(const struct sketch *s, struct slice extension, struct sink sink)
{
	struct record head = s->head;
	struct buffer list = {0};
	enum status st = s->kind->pieces(s->body, &head, &list);

	if (st == OK)
		st = record_write_pieces(sink, &head, extension,
		    (const struct slice *)(const void *)list.at, list.len / sizeof(struct slice));
	buffer_free(&list);
	return st;
}

enum status
sketch_write(const struct sketch *s, struct slice extension, struct sink sink)
{
	struct record head = s->head;
	struct buffer copy = {0};
	struct slice payload;

	if (s->kind->view) {
		s->kind->view(s->body, &head, &payload);
		return record_write(sink, &head, extension, payload);
	}
	if (s->kind->pieces)
		return write_pieces(s, extension, sink);
	enum status st = s->kind->save(s->body, &head, &copy);
	if (st == OK) {
		payload = (struct slice){copy.at, copy.len};
		st = record_write(sink, &head, extension, payload);
	}
	buffer_free(&copy);
	return st;
}

static enum status
differ(struct mismatch *why, const char *field, const char *a, const char *b)
{
	snprintf(why->text, sizeof why->text, "%s %s and %s", field, a, b);
	return STATUS_MISMATCH;
}

const char *
kind_hash_name(uint8_t hash)
{
	static const char *const name[] = {
		[HASH_XXH3] = "xxh3", [HASH_SIPHASH] = "siphash",
		[HASH_XXH64] = "xxh64", [HASH_FNV1] = "fnv1",
		[HASH_MURMUR64A] = "murmur64a", [HASH_MURMUR3] = "murmur3",
		[HASH_MURMUR3_COUPON] = "murmur3-coupon",
	};

	return hash > 0 && hash < sizeof name / sizeof *name ? name[hash] : "unknown";
}

const char *
kind_join_name(uint8_t join)
{
	return join == JOIN_NONE ? "none" : join == JOIN_NEWLINE ? "newline" : "nul";
}

/* As they are asked for on a command line, since the answer may be to ask again. */
static const char *
join_words(uint8_t join)
{
	return join == JOIN_NONE ? "one field" :
	    join == JOIN_NEWLINE ? "several fields" : "several fields (-z)";
}

static const char *
fold_words(uint8_t transform)
{
	return transform & TRANSFORM_FOLD ? "folded (-i)" : "kept";
}

enum status
record_compare(const struct record *a, const struct record *b, struct mismatch *why)
{
	char text[2][32];

	if (a->kind != b->kind) {
		const struct kind *ka = kind_find(a->kind), *kb = kind_find(b->kind);
		snprintf(why->text, sizeof why->text, "kind %s and %s%s%s%s%s",
		    ka ? ka->name : "unknown", kb ? kb->name : "unknown",
		    a->hash == b->hash ? "" : ", hash ",
		    a->hash == b->hash ? "" : kind_hash_name(a->hash),
		    a->hash == b->hash ? "" : " and ",
		    a->hash == b->hash ? "" : kind_hash_name(b->hash));
		return STATUS_MISMATCH;
	}
	if (a->hash != b->hash)
		return differ(why, "hash", kind_hash_name(a->hash), kind_hash_name(b->hash));
	if (a->seed != b->seed && a->hash == HASH_SIPHASH) {
		snprintf(text[0], sizeof text[0], "%016llx", (unsigned long long)a->seed);
		snprintf(text[1], sizeof text[1], "%016llx", (unsigned long long)b->seed);
		return differ(why, "made with another key: fingerprint", text[0], text[1]);
	}
	if (a->seed != b->seed) {
		snprintf(text[0], sizeof text[0], "%llu", (unsigned long long)a->seed);
		snprintf(text[1], sizeof text[1], "%llu", (unsigned long long)b->seed);
		return differ(why, "seed", text[0], text[1]);
	}
	if (a->item_type != b->item_type)
		return differ(why, "item type", item_type_name(a->item_type),
		    item_type_name(b->item_type));
	if ((a->transform ^ b->transform) & TRANSFORM_MASK)
		return differ(why, "norm", mask_level_name(a->transform & TRANSFORM_MASK),
		    mask_level_name(b->transform & TRANSFORM_MASK));
	if (a->transform != b->transform)
		return differ(why, "case", fold_words(a->transform), fold_words(b->transform));
	if (a->join != b->join)
		return differ(why, "items of", join_words(a->join), join_words(b->join));
	return OK;
}

/* What is true of a union if it is true of one part. */
#define KEPT (FLAG_SATURATED | FLAG_AUTO | FLAG_INTERSECTED)

/* Those of both, if from has any at all. */
static enum status
unite_ids(struct buffer *out, const struct sketch *into, const struct sketch *from,
    struct mismatch *why)
{
	if (from->ids.len == 0)
		return OK;
	enum status st = ids_unite(out, (struct slice){into->ids.at, into->ids.len});
	if (st == OK)
		st = ids_unite(out, (struct slice){from->ids.at, from->ids.len});
	if (st != STATUS_FULL)
		return st;
	/* No larger sketch would help. */
	snprintf(why->text, sizeof why->text, "more than %d ids of shards, or 1 MiB", IDS_MAX);
	return STATUS_MISMATCH;
}

enum status
sketch_merge(struct sketch *into, const struct sketch *from, struct mismatch *why)
{
	struct buffer ids = {0};
	enum status st = record_compare(&into->head, &from->head, why);

	if (st == OK)
		st = unite_ids(&ids, into, from, why);
	if (st == OK)
		st = into->kind->merge(into->body, from->body, why);
	if (st != OK) {
		buffer_free(&ids);
		return st;
	}
	if (from->ids.len > 0) {
		buffer_free(&into->ids);
		into->ids = ids;
	}

	uint64_t items = add_saturated(into->head.items, from->head.items);
	if (items == UINT64_MAX)
		into->head.flags |= FLAG_SATURATED;
	into->head.items = items;
	into->head.flags |= from->head.flags & KEPT;
	return OK;
}

enum status
sketch_intersect(struct sketch *into, const struct sketch *from, struct mismatch *why)
{
	enum status st = record_compare(&into->head, &from->head, why);

	if (st == OK)
		st = into->kind->intersect(into->body, from->body, why);
	if (st != OK)
		return st;
	if (into->head.items > from->head.items)
		into->head.items = from->head.items;
	into->head.flags |= (from->head.flags & KEPT) | FLAG_INTERSECTED;
	buffer_free(&into->ids);
	return OK;
}

enum status
sketch_subtract(struct sketch *into, const struct sketch *from, struct mismatch *why)
{
	struct slice missing;
	enum status st = record_compare(&into->head, &from->head, why);

	if (st != OK)
		return st;
	if (into->head.items < from->head.items) {
		snprintf(why->text, sizeof why->text, "not a part: %llu items of %llu",
		    (unsigned long long)from->head.items, (unsigned long long)into->head.items);
		return STATUS_MISMATCH;
	}
	struct buffer ids = {0};
	if (buffer_append(&ids, into->ids.at, into->ids.len) != OK)
		return STATUS_MEMORY;
	if (ids_remove(&ids, (struct slice){from->ids.at, from->ids.len}, &missing)) {
		st = into->kind->subtract(into->body, from->body, why);
	} else {
		snprintf(why->text, sizeof why->text, "not a part: shard '%.*s' is not in it",
		    missing.len < 80 ? (int)missing.len : 80, (const char *)missing.at);
		st = STATUS_MISMATCH;
	}
	if (st != OK) {
		buffer_free(&ids);
		return st;
	}
	into->head.items -= from->head.items;
	buffer_free(&into->ids);
	into->ids = ids;
	return OK;
}

void
sketch_free(struct sketch *s)
{
	if (s->body)
		s->kind->free(s->body);
	buffer_free(&s->ids);
	*s = (struct sketch){0};
}
