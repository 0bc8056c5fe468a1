/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The first two sketches of a file, whatever is in them, united, cut, subtracted,
 * compared and folded. What succeeds is a sketch that can be written and read;
 * what fails says why and leaves the sketch as it was; and where uniting twice
 * promises to be uniting once, it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/keyed.h"
#include "base/reader.h"
#include "sketch/kinds.h"

#include "resign.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "merge_fuzz: %s\n", what);
	abort();
}

/* A sketch's record, and the sketch anew as often as it is needed. */
struct saved {
	struct record head;
	struct buffer payload;
};

static struct sketch
load(const struct saved *from)
{
	struct sketch s;
	struct buffer payload = {0};

	demand(buffer_append(&payload, from->payload.at, from->payload.len) == OK, "no memory");
	demand(sketch_load(&s, &from->head, &payload) == OK, "it loaded before");
	buffer_free(&payload);
	return s;
}

static struct buffer
written(const struct sketch *s)
{
	struct buffer out = {0};

	demand(sketch_write(s, (struct slice){0}, buffer_sink(&out)) == OK, "cannot write");
	return out;
}

static struct slice
payload_in(struct slice bytes)
{
	struct record head;
	struct slice extension, payload;
	size_t used;

	demand(record_parse(bytes, &head, &extension, &payload, &used) == OK, "no record");
	return payload;
}

/* What was written is read as a sketch, which has one form. */
static void
check_written(struct slice bytes)
{
	struct saved saved = {0};
	struct slice extension, payload;
	size_t used;

	demand(record_parse(bytes, &saved.head, &extension, &payload, &used) == OK &&
	    used == bytes.len, "no record");
	demand(kind_check(&saved.head) == OK, "parameters that no reader takes");
	demand(buffer_append(&saved.payload, payload.at, payload.len) == OK, "no memory");
	struct sketch s = load(&saved);
	struct buffer again = written(&s);
	demand(slice_equal((struct slice){again.at, again.len}, bytes), "it has a second form");
	sketch_free(&s);
	buffer_free(&again);
	buffer_free(&saved.payload);
}

/* Is uniting it a second time no change? See the table in sketch(7). */
static bool
is_retry_safe(uint16_t kind)
{
	switch (kind) {
	case KIND_BLOOM_BLOCK:
	case KIND_BLOOM_CLASSIC:
	case KIND_BLOOM_PARQUET:
	case KIND_BLOOM_DCSO:
	case KIND_HLL:
	case KIND_HLL_REDIS:
	case KIND_HLL_POSTGRES:
	case KIND_HLL_DATASKETCHES:
	case KIND_MINHASH:
		return true;
	default:
		return false;
	}
}

typedef enum status operation(struct sketch *, const struct sketch *, struct mismatch *);

/* a = a OPERATION b; what is left in a is returned. */
static void
check_operation(operation *change, struct sketch *a, const struct sketch *b)
{
	struct mismatch why = {""};
	struct buffer before = written(a);
	enum status st = change(a, b, &why);
	struct buffer after = written(a);
	struct slice left = {after.at, after.len};

	if (st == OK) {
		check_written(left);
	} else {
		demand(st == STATUS_MISMATCH || st == STATUS_FULL || st == STATUS_MEMORY, "an odd status");
		demand(st == STATUS_MEMORY || *why.text, "it does not say why");
		demand(slice_equal((struct slice){before.at, before.len}, left), "it changed and failed");
	}
	if (st == OK && change == sketch_merge && is_retry_safe(a->head.kind)) {
		demand(change(a, b, &why) == OK, "once, but not twice");
		struct buffer again = written(a);
		demand(slice_equal(payload_in(left), payload_in((struct slice){again.at, again.len})),
		    "twice is not once");
		buffer_free(&again);
	}
	buffer_free(&before);
	buffer_free(&after);
}

static void
check_fold(const struct saved *from)
{
	const struct kind *k = kind_find(from->head.kind);

	if (!k->fold)
		return;
	for (unsigned by = 1; by <= 4; by++) {
		struct sketch s = load(from);
		uint64_t size = k->fold->size(s.body);
		double fpp = 0;

		if (k->fold->fpp && k->fold->fpp(s.body, size / by, &fpp) == OK)
			demand(fpp >= 0 && fpp <= 1, "an odd fpp");
		if (size % by == 0 && k->fold->fold(s.body, size / by) == OK) {
			struct buffer out = written(&s);
			demand(k->fold->size(s.body) == size / by, "not the size that was asked for");
			check_written((struct slice){out.at, out.len});
			buffer_free(&out);
		}
		sketch_free(&s);
	}
}

static void
check_pair(const struct saved *left, const struct saved *right)
{
	static operation *const change[] = {sketch_merge, sketch_intersect, sketch_subtract};
	const struct kind *k = kind_find(left->head.kind);
	struct comparison comparison = {0};
	struct mismatch why = {""};

	for (unsigned i = 0; i < 3; i++) {
		if ((i == 1 && !k->intersect) || (i == 2 && !k->subtract))
			continue;
		struct sketch a = load(left), b = load(right);
		check_operation(change[i], &a, &b);
		sketch_free(&a);
		sketch_free(&b);
	}
	struct sketch a = load(left), b = load(right);
	if (k->compare && record_compare(&a.head, &b.head, &why) == OK) {
		enum status st = k->compare(a.body, b.body, &comparison, &why);
		demand(st == OK || st == STATUS_MEMORY || *why.text, "it does not say why");
	}
	sketch_free(&a);
	sketch_free(&b);
}

/* Keeps it if it is a sketch. */
static bool
keep(struct saved *s, const struct record *head, struct slice payload)
{
	struct sketch sketch;
	struct buffer copy = {0};

	s->head = *head;
	s->payload.len = 0;
	demand(buffer_append(&s->payload, payload.at, payload.len) == OK &&
	    buffer_append(&copy, payload.at, payload.len) == OK, "no memory");
	enum status st = sketch_load(&sketch, head, &copy);
	if (st == OK)
		sketch_free(&sketch);
	buffer_free(&copy);
	return st == OK;
}

/* The first sketches of a file; how many. */
static size_t
find(struct slice bytes, struct saved *out, size_t max)
{
	struct buffer extension = {0}, payload = {0};
	struct record_reader r;
	struct record head;
	struct keyed_reader keyed;
	struct slice key, entry;
	size_t n = 0;

	record_reader_memory(&r, bytes);
	r.check = kind_check;
	while (n < max && record_reader_next(&r, &head, &extension, &payload) == OK) {
		if (!(head.flags & FLAG_KEYED)) {
			n += keep(&out[n], &head, (struct slice){payload.at, payload.len});
			continue;
		}
		struct record of_key;
		keyed_reader_begin(&keyed, &r, &head);
		while (keyed_reader_next(&keyed, &key, &of_key, &entry) == OK)
			if (n < max)
				n += keep(&out[n], &of_key, entry);
		keyed_reader_free(&keyed);
	}
	record_reader_close(&r);
	buffer_free(&extension);
	buffer_free(&payload);
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct saved saved[2] = {0};
	uint8_t *copy = malloc(size + 1);

	demand(copy != NULL, "no memory");
	if (size > 0)
		memcpy(copy, data, size);
	resign(copy, size);
	size_t n = find((struct slice){copy, size}, saved, 2);
	if (n > 0) {
		check_pair(&saved[0], &saved[0]);
		check_fold(&saved[0]);
	}
	if (n > 1) {
		check_pair(&saved[0], &saved[1]);
		check_pair(&saved[1], &saved[0]);
	}
	buffer_free(&saved[0].payload);
	buffer_free(&saved[1].payload);
	free(copy);
	return 0;
}
