/* sketchutils: BSD-2-Clause, see LICENSE */

/* A cuckoo filter as a kind of sketch: in a file, united, and what it tells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sketch/member/cuckoo.h"
#include "sketch/member/cuckoo_body.h"

struct cuckoo_shape
cuckoo_shape_of(const struct record *head)
{
	struct cuckoo_shape shape = {
		.buckets = head->param[0],
		.bits = head->param[1] <= UINT8_MAX ? (unsigned)head->param[1] : 0,
		.capacity = head->param[2],
	};

	memcpy(&shape.fpp, &head->param[3], sizeof shape.fpp);
	return shape;
}

/* Only an item whose 8 slots are taken becomes a victim. */
static bool
victim_valid(const struct cuckoo_shape *shape, uint64_t used, uint64_t print, uint64_t bucket)
{
	if (print == 0)
		return bucket == 0;
	return print >> shape->bits == 0 && bucket < shape->buckets && bucket % 2 == 0 &&
	    used >= 2 * CUCKOO_SLOTS;
}

static enum status
check(const struct record *head)
{
	struct cuckoo_shape shape = cuckoo_shape_of(head);
	uint64_t used = head->param[4];

	if (!cuckoo_shape_valid(&shape) || used > cuckoo_slots(&shape) ||
	    !victim_valid(&shape, used, head->param[5], head->param[6]) || head->param[7] != 0)
		return STATUS_PARAMETER;
	return head->size == cuckoo_bytes(&shape) ? OK : STATUS_SIZE;
}

enum status
cuckoo_map(struct cuckoo **out, const struct record *head, const unsigned char *payload)
{
	if (head->kind != KIND_CUCKOO)
		return STATUS_UNSUPPORTED;
	enum status st = check(head);
	if (st != OK)
		return st;
	struct cuckoo *c = calloc(1, sizeof *c);
	if (!c)
		return STATUS_MEMORY;
	c->shape = cuckoo_shape_of(head);
	cuckoo_table_init(&c->table, &c->shape, payload, NULL);
	c->used = head->param[4];
	c->victim = (uint32_t)head->param[5];
	c->victim_bucket = head->param[6];
	*out = c;
	return OK;
}

/* A victim could lie nowhere else: its buckets are full, and not of itself. */
static bool
victim_stranded(const struct cuckoo *c)
{
	struct cuckoo_key key = cuckoo_victim(c);
	struct cuckoo_key empty = {{key.bucket[0], key.bucket[1]}, 0};

	return cuckoo_copies(&c->table, &empty) == 0 &&
	    cuckoo_copies(&c->table, &key) < 2 * CUCKOO_SLOTS;
}

bool
cuckoo_sound(const struct cuckoo *c)
{
	return cuckoo_used(&c->table) == c->used && (!c->victim || victim_stranded(c));
}

/* From a record: the buffer's memory becomes the table. */
static enum status
load(void **out, const struct record *head, struct buffer *payload)
{
	struct cuckoo *c;
	enum status st = cuckoo_map(&c, head, payload->at);

	if (st != OK)
		return st;
	if (!cuckoo_sound(c)) {
		cuckoo_free(c);
		return STATUS_INVARIANT;
	}
	c->loaded = *payload;
	c->table.at = c->loaded.at;
	*payload = (struct buffer){0};
	*out = c;
	return OK;
}

void
cuckoo_head(const struct cuckoo *c, struct record *head)
{
	head->kind = KIND_CUCKOO;
	head->version = 1;
	head->size = c->table.bytes;
	memset(head->param, 0, sizeof head->param);
	head->param[0] = c->shape.buckets;
	head->param[1] = c->shape.bits;
	head->param[2] = c->shape.capacity;
	memcpy(&head->param[3], &c->shape.fpp, sizeof c->shape.fpp);
	head->param[4] = c->used;
	head->param[5] = c->victim;
	head->param[6] = c->victim_bucket;
}

struct slice
cuckoo_payload(const struct cuckoo *c)
{
	return (struct slice){c->table.read, (size_t)c->table.bytes};
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	struct slice table = cuckoo_payload(sketch);
	enum status st = buffer_append(payload, table.at, table.len);

	if (st == OK)
		cuckoo_head(sketch, head);
	return st;
}

static void
view(const void *sketch, struct record *head, struct slice *payload)
{
	cuckoo_head(sketch, head);
	*payload = cuckoo_payload(sketch);
}

static enum status
copy_of(struct cuckoo **out, const struct cuckoo *from)
{
	enum status st = cuckoo_new(out, &from->shape);

	if (st != OK)
		return st;
	memcpy((*out)->table.at, from->table.read, (size_t)from->table.bytes);
	(*out)->used = from->used;
	(*out)->victim = from->victim;
	(*out)->victim_bucket = from->victim_bucket;
	return OK;
}

static enum status
add_all(struct cuckoo *into, const struct cuckoo *from)
{
	struct cuckoo_key key[CUCKOO_KEYS];
	enum status st = OK;
	uint64_t next = 0;
	size_t n, done;

	while (st == OK && (n = cuckoo_keys(from, &next, key)) > 0) {
		for (size_t i = 0; i < n; i++)
			cuckoo_prefetch(&into->table, &key[i]);
		st = cuckoo_add_keys(into, key, n, &done);
	}
	return st;
}

static enum status
differ(struct mismatch *why, const char *field, uint64_t a, uint64_t b)
{
	snprintf(why->text, sizeof why->text, "%s %llu and %llu", field,
	    (unsigned long long)a, (unsigned long long)b);
	return STATUS_MISMATCH;
}

enum status
cuckoo_merge(struct cuckoo *into, const struct cuckoo *from, struct mismatch *why)
{
	struct cuckoo *both;

	if (into->shape.bits != from->shape.bits)
		return differ(why, "fingerprint bits", into->shape.bits, from->shape.bits);
	if (into->shape.buckets != from->shape.buckets)
		return differ(why, "buckets", into->shape.buckets, from->shape.buckets);
	enum status st = copy_of(&both, into);
	if (st != OK)
		return st;
	if (add_all(both, from) != OK) {
		cuckoo_free(both);
		snprintf(why->text, sizeof why->text, "does not fit: %llu and %llu items in %llu slots",
		    (unsigned long long)cuckoo_stored(into), (unsigned long long)cuckoo_stored(from),
		    (unsigned long long)cuckoo_slots(&into->shape));
		return STATUS_FULL;
	}
	if (both->shape.capacity < from->shape.capacity)
		both->shape.capacity = from->shape.capacity;
	if (both->shape.fpp < from->shape.fpp)
		both->shape.fpp = from->shape.fpp;
	/* The old memory leaves with the copy. */
	struct cuckoo old = *into;
	*into = *both;
	*both = old;
	cuckoo_free(both);
	return OK;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	return cuckoo_merge(into, from, why);
}

/* How many copies there are is known; how many of them are in both is not. */
static enum status
compare(const void *a, const void *b, struct comparison *c, struct mismatch *why)
{
	const struct cuckoo *x = a, *y = b;
	struct cuckoo_common common;

	if (x->shape.bits != y->shape.bits)
		return differ(why, "fingerprint bits", x->shape.bits, y->shape.bits);
	if (!cuckoo_common(x, y, &common))
		return differ(why, "buckets", x->shape.buckets, y->shape.buckets);
	*c = comparison_by_common((double)cuckoo_stored(x), (double)cuckoo_stored(y),
	    common.items, common.error * common.error);
	return OK;
}

static void
shape_facts(const struct cuckoo_shape *shape, struct facts *f)
{
	fact_text(f, "type", "cuckoo");
	fact_count(f, "buckets", shape->buckets);
	fact_count(f, "fingerprint_bits", shape->bits);
	fact_count(f, "capacity", shape->capacity);
	fact_real(f, "wanted_fpp", shape->fpp);
}

static void
settings(const struct record *head, struct facts *f)
{
	struct cuckoo_shape shape = cuckoo_shape_of(head);

	shape_facts(&shape, f);
}

static void
facts(const void *sketch, struct facts *f)
{
	const struct cuckoo *c = sketch;
	uint64_t stored = cuckoo_stored(c), room = cuckoo_room(&c->shape);

	shape_facts(&c->shape, f);
	fact_real(f, "fpp", cuckoo_fill(c).fpp);
	fact_real(f, "fill", (double)c->used / (double)cuckoo_slots(&c->shape));
	fact_count(f, "stored", stored);
	fact_count(f, "room", stored < room ? room - stored : 0);
	fact_flag(f, "victim", c->victim != 0);
}

static void
destroy(void *sketch)
{
	cuckoo_free(sketch);
}

const struct kind cuckoo_kind = {
	.id = KIND_CUCKOO, .version = 1, .name = "cuckoo",
	.check = check, .load = load, .save = save, .merge = merge, .compare = compare,
	.settings = settings, .facts = facts, .free = destroy, .view = view,
};
