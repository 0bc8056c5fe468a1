/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/ids.h"

bool
id_valid(struct slice id)
{
	if (id.len == 0 || id.len > ID_BYTES)
		return false;
	for (size_t i = 0; i < id.len; i++)
		if (id.at[i] < ' ' || id.at[i] == 0x7f)
			return false;
	return true;
}

bool
ids_next(struct slice *left, struct slice *id)
{
	if (left->len == 0)
		return false;
	const unsigned char *end = memchr(left->at, 0, left->len);
	size_t n = end ? (size_t)(end - left->at) : left->len;
	*id = (struct slice){left->at, n};
	n += end != NULL;
	left->at += n;
	left->len -= n;
	return true;
}

bool
ids_valid(struct slice ids)
{
	struct slice id, last = {0};
	size_t n = 0;

	if (ids.len == 0 || ids.len > IDS_BYTES_MAX || ids.at[ids.len - 1] != 0)
		return false;
	while (ids_next(&ids, &id)) {
		if (!id_valid(id) || slice_compare(id, last) <= 0 || ++n > IDS_MAX)
			return false;
		last = id;
	}
	return true;
}

size_t
ids_count(struct slice ids)
{
	struct slice id;
	size_t n = 0;

	while (ids_next(&ids, &id))
		n++;
	return n;
}

bool
ids_has(struct slice ids, struct slice wanted)
{
	struct slice id;

	while (ids_next(&ids, &id))
		if (slice_equal(id, wanted))
			return true;
	return false;
}

static enum status
append(struct buffer *b, struct slice id)
{
	enum status st = buffer_append(b, id.at, id.len);

	return st == OK ? buffer_zeros(b, 1) : st;
}

enum status
ids_unite(struct buffer *into, struct slice from)
{
	struct slice left = {into->at, into->len}, a, b;
	struct buffer both = {0};
	bool has_a = ids_next(&left, &a), has_b = ids_next(&from, &b);
	enum status st = OK;
	size_t n = 0;

	for (; st == OK && (has_a || has_b); n++) {
		int order = !has_a ? 1 : !has_b ? -1 : slice_compare(a, b);
		st = append(&both, order <= 0 ? a : b);
		if (order <= 0)
			has_a = ids_next(&left, &a);
		if (order >= 0)
			has_b = ids_next(&from, &b);
	}
	if (st == OK && (n > IDS_MAX || both.len > IDS_BYTES_MAX))
		st = STATUS_FULL;
	if (st != OK) {
		buffer_free(&both);
		return st;
	}
	buffer_free(into);
	*into = both;
	return OK;
}

enum status
ids_add(struct buffer *into, struct slice id)
{
	struct buffer one = {0};
	enum status st = append(&one, id);

	if (st == OK)
		st = ids_unite(into, (struct slice){one.at, one.len});
	buffer_free(&one);
	return st;
}

bool
ids_remove(struct buffer *into, struct slice others, struct slice *missing)
{
	struct slice left = {into->at, into->len}, id = {0}, other;

	for (struct slice all = others; ids_next(&all, &other);) {
		while (ids_next(&left, &id) && slice_compare(id, other) < 0)
			;
		if (!slice_equal(id, other)) {
			*missing = other;
			return false;
		}
	}
	unsigned char *to = into->at;
	bool has = ids_next(&others, &other);
	for (left = (struct slice){into->at, into->len}; ids_next(&left, &id);) {
		if (has && slice_equal(id, other)) {
			has = ids_next(&others, &other);
			continue;
		}
		memmove(to, id.at, id.len + 1);
		to += id.len + 1;
	}
	into->len = (size_t)(to - into->at);
	return true;
}
