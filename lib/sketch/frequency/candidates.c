/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "base/salt.h"
#include "sketch/frequency/candidates.h"

static int
item_order(const void *a, const void *b)
{
	const struct counter *x = a, *y = b;

	return slice_compare(x->item, y->item);
}

static enum status
candidates_alloc(struct candidates *c, size_t n, size_t bytes)
{
	*c = (struct candidates){.n = n, .slots = 2};
	while (c->slots < 2 * n)
		c->slots *= 2;
	c->at = malloc((n + 1) * sizeof *c->at);
	c->keys = malloc(bytes + 1);
	c->index = calloc(c->slots, sizeof *c->index);
	if (c->at && c->keys && c->index)
		return OK;
	candidates_free(c);
	return STATUS_MEMORY;
}

/* Where to look first. Not by the items' own hashes: those are public, and a file
 * may hold whatever somebody chose. */
static size_t
slot_of(const struct candidates *c, struct slice item)
{
	return (size_t)salt_hash(item.at, item.len) & (c->slots - 1);
}

enum status
candidates_set(struct candidates *c, const struct counter *from, size_t n)
{
	struct candidates new;
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += from[i].item.len;
	enum status st = candidates_alloc(&new, n, bytes);
	if (st != OK)
		return st;
	if (n > 0)
		memcpy(new.at, from, n * sizeof *from);
	qsort(new.at, n, sizeof *new.at, item_order);

	unsigned char *key = new.keys;
	for (size_t i = 0; i < n; i++) {
		struct slice *item = &new.at[i].item;
		if (item->len)
			memcpy(key, item->at, item->len);
		item->at = key;
		key += item->len;

		size_t slot = slot_of(&new, *item);
		while (new.index[slot])
			slot = (slot + 1) & (new.slots - 1);
		new.index[slot] = (uint32_t)i + 1;
	}
	candidates_free(c);
	*c = new;
	return OK;
}

/* All of both sides, ordered by bytes; returns how many. */
static size_t
unite(struct candidates_side a, struct candidates_side b, struct counter *out)
{
	const struct counter *x = a.candidates->at, *x_end = x + a.candidates->n;
	const struct counter *y = b.candidates->at, *y_end = y + b.candidates->n;
	size_t n = 0;

	while (x < x_end || y < y_end) {
		int c = x == x_end ? 1 : y == y_end ? -1 : slice_compare(x->item, y->item);
		struct counter *sum = &out[n++];
		if (c < 0) {
			*sum = *x++;
			sum->high = add_saturated(sum->high, b.outsider(b.sketch, sum->hash));
		} else if (c > 0) {
			*sum = *y++;
			sum->high = add_saturated(sum->high, a.outsider(a.sketch, sum->hash));
		} else {
			*sum = *x++;
			sum->low = add_saturated(sum->low, y->low);
			sum->high = add_saturated(sum->high, y++->high);
		}
	}
	return n;
}

enum status
candidates_unite(struct candidates *out, struct candidates_side a, struct candidates_side b,
    size_t capacity, uint64_t *missing, size_t *dropped)
{
	struct counter *all = malloc((a.candidates->n + b.candidates->n + 1) * sizeof *all);

	if (!all)
		return STATUS_MEMORY;
	size_t n = unite(a, b, all), kept = n < capacity ? n : capacity;
	if (kept < n)
		qsort(all, n, sizeof *all, counter_order);
	uint64_t next = kept < n ? all[kept].high : 0;
	enum status st = candidates_set(out, all, kept);
	free(all);
	if (st != OK)
		return st;
	if (*missing < next)
		*missing = next;
	*dropped = n - kept;
	return OK;
}

const struct counter *
candidates_find(const struct candidates *c, struct slice item, uint64_t hash)
{
	if (c->n == 0)
		return NULL;
	for (size_t slot = slot_of(c, item);; slot++) {
		uint32_t i = c->index[slot & (c->slots - 1)];
		if (i == 0)
			return NULL;
		const struct counter *found = &c->at[i - 1];
		if (found->hash == hash && slice_equal(found->item, item))
			return found;
	}
}

enum status
candidates_save(const struct candidates *c, uint8_t hash, struct buffer *payload)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct counter *from = &c->at[i];
		unsigned char fixed[CANDIDATE_FIXED + 8];
		put_le64(fixed, from->high);
		put_le64(fixed + 8, from->high - from->low);
		put_le32(fixed + 16, (uint32_t)from->item.len);
		put_le64(fixed + CANDIDATE_FIXED, from->hash);

		enum status st = buffer_append(payload, fixed, candidate_fixed(hash));
		if (st == OK)
			st = buffer_append(payload, from->item.at, from->item.len);
		if (st != OK)
			return st;
	}
	return OK;
}

/* Take the next one off the front of the bytes. */
static enum status
candidate_load(struct counter *c, struct slice *bytes, const struct record *head)
{
	size_t fixed = candidate_fixed(head->hash);

	if (bytes->len < fixed)
		return STATUS_INVARIANT;
	uint64_t count = get_le64(bytes->at);
	uint64_t err = get_le64(bytes->at + 8);
	size_t len = get_le32(bytes->at + 16);
	if (err > count || len > bytes->len - fixed)
		return STATUS_INVARIANT;

	*c = (struct counter){
		.item = {bytes->at + fixed, len},
		.hash = fixed > CANDIDATE_FIXED ? get_le64(bytes->at + CANDIDATE_FIXED) :
		    hash_bytes(bytes->at + fixed, len, head->seed),
		.low = count - err,
		.high = count,
	};
	bytes->at += fixed + len;
	bytes->len -= fixed + len;
	return OK;
}

enum status
candidates_load(struct candidates *c, struct slice bytes, size_t n, const struct record *head)
{
	if (n > bytes.len / candidate_fixed(head->hash))
		return STATUS_INVARIANT;
	struct counter *all = malloc((n + 1) * sizeof *all);
	if (!all)
		return STATUS_MEMORY;

	enum status st = OK;
	for (size_t i = 0; i < n && st == OK; i++) {
		st = candidate_load(&all[i], &bytes, head);
		if (st == OK && i > 0 && item_order(&all[i - 1], &all[i]) >= 0)
			st = STATUS_INVARIANT;
	}
	if (st == OK && bytes.len != 0)
		st = STATUS_INVARIANT;
	if (st == OK)
		st = candidates_set(c, all, n);
	free(all);
	return st;
}

void
candidates_free(struct candidates *c)
{
	free(c->at);
	free(c->keys);
	free(c->index);
	*c = (struct candidates){0};
}
