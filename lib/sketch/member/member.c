/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <string.h>

#include "sketch/member/bloom.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/counting.h"
#include "sketch/member/cuckoo.h"
#include "sketch/member/member.h"
#include "sketch/member/scalable.h"

/* Items are asked in batches, which is what memory likes. Those not found are
 * asked again as they are added, since an earlier one may have been the same. */
#define MEET_BATCH 256

static enum status
bloom_member_map(void **body, const struct record *head, const unsigned char *payload)
{
	struct bloom *b;
	enum status st = bloom_map(&b, head, payload);

	if (st == OK)
		*body = b;
	return st;
}

static size_t
bloom_member_has(const void *body, const uint64_t *hash, size_t n, bool *has)
{
	return bloom_has(body, hash, n, has);
}

/* There always is room: it only gets worse. */
static enum status
bloom_member_add(void *body, const uint64_t *hash, size_t n, size_t *done)
{
	bloom_add(body, hash, n);
	*done = n;
	return OK;
}

static enum status
bloom_member_meet(void *body, const uint64_t *hash, size_t n, bool *has, size_t *done)
{
	for (size_t i = 0; i < n; i++) {
		if (i % MEET_BATCH == 0)
			bloom_has(body, hash + i, n - i < MEET_BATCH ? n - i : MEET_BATCH, has + i);
		if (!has[i])
			has[i] = bloom_bits_meet(bloom_bits(body), bloom_shape(body), hash[i]);
	}
	*done = n;
	return OK;
}

static struct promise
bloom_member_promise(const void *body)
{
	const struct bloom_shape *shape = bloom_shape(body);

	return (struct promise){shape->capacity, shape->fpp, shape->fpp};
}

static struct fill
bloom_member_fill(const void *body)
{
	const struct bloom_shape *shape = bloom_shape(body);
	struct bloom_count count = bloom_bits_count(bloom_payload(body).at, shape);

	return (struct fill){bloom_count_distinct(count, shape), bloom_count_fpp(count, shape)};
}

static enum status
counting_member_map(void **body, const struct record *head, const unsigned char *payload)
{
	struct counting *c;
	enum status st = counting_map(&c, head, payload);

	if (st == OK)
		*body = c;
	return st;
}

static size_t
counting_member_has(const void *body, const uint64_t *hash, size_t n, bool *has)
{
	return counting_has(body, hash, n, has);
}

static enum status
counting_member_add(void *body, const uint64_t *hash, size_t n, size_t *done)
{
	counting_add(body, hash, n);
	*done = n;
	return OK;
}

static enum status
counting_member_meet(void *body, const uint64_t *hash, size_t n, bool *has, size_t *done)
{
	for (size_t i = 0; i < n; i++) {
		if (i % MEET_BATCH == 0)
			counting_has(body, hash + i, n - i < MEET_BATCH ? n - i : MEET_BATCH, has + i);
		if (!has[i])
			has[i] = counting_meet(body, hash[i]);
	}
	*done = n;
	return OK;
}

static enum removal
counting_member_remove(void *body, uint64_t hash)
{
	return counting_remove(body, hash);
}

static struct promise
counting_member_promise(const void *body)
{
	const struct bloom_shape *shape = counting_shape(body);

	return (struct promise){shape->capacity, shape->fpp, shape->fpp};
}

static struct fill
counting_member_fill(const void *body)
{
	return counting_fill(body);
}

static enum status
scalable_member_map(void **body, const struct record *head, const unsigned char *payload)
{
	struct scalable *s;
	enum status st = scalable_map(&s, head, payload);

	if (st == OK)
		*body = s;
	return st;
}

static size_t
scalable_member_has(const void *body, const uint64_t *hash, size_t n, bool *has)
{
	return scalable_has(body, hash, n, has);
}

static enum status
scalable_member_add(void *body, const uint64_t *hash, size_t n, size_t *done)
{
	return scalable_add(body, hash, n, done);
}

static enum status
scalable_member_meet(void *body, const uint64_t *hash, size_t n, bool *has, size_t *done)
{
	return scalable_meet(body, hash, n, has, done);
}

static struct promise
scalable_member_promise(const void *body)
{
	return (struct promise){UINT64_MAX, scalable_form(body).fpp, scalable_most(body)};
}

static struct fill
scalable_member_fill(const void *body)
{
	return scalable_fill(body);
}

static enum status
cuckoo_member_map(void **body, const struct record *head, const unsigned char *payload)
{
	struct cuckoo *c;
	enum status st = cuckoo_map(&c, head, payload);

	if (st == OK)
		*body = c;
	return st;
}

static bool
cuckoo_member_sound(const void *body)
{
	return cuckoo_sound(body);
}

static size_t
cuckoo_member_has(const void *body, const uint64_t *hash, size_t n, bool *has)
{
	return cuckoo_has(body, hash, n, has);
}

static enum status
cuckoo_member_add(void *body, const uint64_t *hash, size_t n, size_t *done)
{
	return cuckoo_add(body, hash, n, done);
}

static enum removal
cuckoo_member_remove(void *body, uint64_t hash)
{
	return cuckoo_remove(body, hash);
}

static struct promise
cuckoo_member_promise(const void *body)
{
	const struct cuckoo_shape *shape = cuckoo_shape(body);

	return (struct promise){shape->capacity, shape->fpp, shape->fpp};
}

static struct fill
cuckoo_member_fill(const void *body)
{
	return cuckoo_fill(body);
}

static const struct member members[] = {
	{
		.kind = KIND_BLOOM_BLOCK, .type = "block", .map = bloom_member_map,
		.has = bloom_member_has, .add = bloom_member_add,
		.meet = bloom_member_meet,
		.promise = bloom_member_promise, .fill = bloom_member_fill,
	},
	{
		.kind = KIND_BLOOM_CLASSIC, .type = "classic", .map = bloom_member_map,
		.has = bloom_member_has, .add = bloom_member_add,
		.meet = bloom_member_meet,
		.promise = bloom_member_promise, .fill = bloom_member_fill,
	},
	{
		.kind = KIND_BLOOM_PARQUET, .type = "parquet", .map = bloom_member_map,
		.has = bloom_member_has, .add = bloom_member_add,
		.meet = bloom_member_meet,
		.promise = bloom_member_promise, .fill = bloom_member_fill,
	},
	{
		.kind = KIND_BLOOM_DCSO, .type = "dcso", .map = bloom_member_map,
		.has = bloom_member_has, .add = bloom_member_add,
		.promise = bloom_member_promise, .fill = bloom_member_fill,
	},
	{
		.kind = KIND_BLOOM_COUNTING, .type = "counting", .map = counting_member_map,
		.has = counting_member_has, .add = counting_member_add,
		.meet = counting_member_meet,
		.remove = counting_member_remove,
		.promise = counting_member_promise, .fill = counting_member_fill,
	},
	{
		.kind = KIND_BLOOM_SCALABLE, .type = "scalable", .map = scalable_member_map,
		.has = scalable_member_has, .add = scalable_member_add,
		.meet = scalable_member_meet,
		.promise = scalable_member_promise, .fill = scalable_member_fill,
	},
	{
		.kind = KIND_CUCKOO, .type = "cuckoo", .map = cuckoo_member_map,
		.sound = cuckoo_member_sound, .has = cuckoo_member_has, .add = cuckoo_member_add,
		.remove = cuckoo_member_remove,
		.promise = cuckoo_member_promise, .fill = cuckoo_member_fill,
	},
};

const struct member *
member_row(size_t i)
{
	return i < sizeof members / sizeof *members ? &members[i] : NULL;
}

const struct member *
member_find(uint16_t kind)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i].kind == kind)
			return &members[i];
	return NULL;
}

static enum status
meet_batch(const struct member *m, void *body, const uint64_t *hash, size_t n, bool *has,
    size_t *done)
{
	bool added = false;

	m->has(body, hash, n, has);
	for (size_t i = 0; i < n; i++) {
		size_t one = 0;

		if (has[i] || (added && m->has(body, &hash[i], 1, &has[i]) == 1))
			continue;
		enum status st = m->add(body, &hash[i], 1, &one);
		if (st != OK) {
			*done = i;
			return st;
		}
		added = true;
	}
	*done = n;
	return OK;
}

enum status
member_meet(const struct member *m, void *body, const uint64_t *hash, size_t n, bool *has,
    size_t *done)
{
	enum status st = OK;

	if (m->meet)
		return m->meet(body, hash, n, has, done);
	*done = 0;
	while (st == OK && *done < n) {
		size_t batch = n - *done < MEET_BATCH ? n - *done : MEET_BATCH, met;

		st = meet_batch(m, body, hash + *done, batch, has + *done, &met);
		*done += met;
	}
	return st;
}
