/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any bytes as a file of sketches. Whatever is accepted must come out again
 * as the very same bytes: there is one form for each record, each keyed
 * record, each armoured line and each sketch.
 *
 * Behind a wrong checksum nothing can be found, so the same bytes are tried a
 * second time with all checksums made right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/armor.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/keyed.h"
#include "base/reader.h"
#include "sketch/kinds.h"
#include "sketch/member/member.h"
#include "sketch/quantiles/quantiles.h"
#include "sketch/member/seen_file.h"

#include "resign.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static struct slice
slice_in(const struct buffer *b)
{
	return (struct slice){b->at, b->len};
}

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "record_fuzz: %s\n", what);
	abort();
}

/* A filter may be asked whatever its bits are; loaded or where they lie, it
 * answers alike, and has what is added. */
static void
check_member(const struct sketch *s, const struct record *head, struct slice bytes)
{
	const struct member *m = member_find(head->kind);
	uint64_t hash[40];
	bool has[40], mapped_has[40];
	void *mapped;

	if (!m)
		return;
	for (unsigned i = 0; i < 40; i++)
		hash[i] = hash_step(head->param[0], i + 1);
	hash[0] = 0;
	hash[1] = UINT64_MAX;
	size_t found = m->has(s->body, hash, 40, has);
	demand(m->map(&mapped, head, bytes.at) == OK, "loads, but does not map");
	demand(m->has(mapped, hash, 40, mapped_has) == found, "a map answers otherwise");
	demand(memcmp(has, mapped_has, sizeof has) == 0, "a map answers otherwise");
	m->fill(mapped);
	s->kind->free(mapped);
}

/* Whatever its content is, there is an answer, between its bounds. */
static void
check_quantiles(const struct sketch *s)
{
	const struct quantiles *q = quantiles_find(s->head.kind);
	uint64_t n = q ? q->total(s->body) : 0, at = 0, weight = 0;
	struct span span[6];
	struct bin bin;

	if (n == 0)
		return;
	q->least(s->body, &span[0]);
	q->at_rank(s->body, 1, false, &span[1]);
	q->quantile(s->body, 0.5, false, &span[2]);
	q->at_rank(s->body, n, true, &span[3]);
	q->most(s->body, &span[4]);
	q->mean(s->body, &span[5]);
	for (unsigned i = 0; i < 6; i++) {
		demand(span[i].low <= span[i].value && span[i].value <= span[i].high,
		    "an answer is not between its bounds");
		demand(span[i].low >= span[0].low && span[i].high <= span[4].high,
		    "an answer is not between the least and the most");
		demand(i == 0 || i > 4 || span[i].value >= span[i - 1].value,
		    "quantiles do not ascend");
	}
	q->below(s->body, span[2].value, &span[0]);
	demand(0 <= span[0].low && span[0].low <= span[0].value &&
	    span[0].value <= span[0].high && span[0].high <= (double)n, "a share is none");
	while (q->each(s->body, &at, &bin)) {
		demand(bin.low <= bin.high && bin.weight > 0, "an odd bin");
		weight = add_saturated(weight, bin.weight);
	}
	demand(weight == n, "bins do not add up");
}

static void
change_member(const struct sketch *s)
{
	const struct member *m = member_find(s->head.kind);
	uint64_t hash[40];
	bool has[40];
	size_t done = 0;

	if (!m)
		return;
	for (unsigned i = 0; i < 40; i++)
		hash[i] = hash_step(s->head.items, i + 1);
	enum status st = m->add(s->body, hash, 40, &done);
	demand(st == OK ? done == 40 : (st == STATUS_FULL || st == STATUS_MEMORY) && done < 40,
	    "an odd status from add");
	demand(m->has(s->body, hash, done, has) == done, "what was added is not there");
	for (unsigned i = 0; i < 40 && m->remove; i++)
		m->remove(s->body, hash[i]);
}

/* What was seen is read in pieces by bloom-uniq: it takes what load() takes, and
 * writes it again as it was. */
static void
check_seen(const struct record *head, struct slice bytes, bool loads)
{
	struct seen_loader loader;
	struct seen *seen;
	struct buffer out = {0};
	uint64_t own = seen_bytes_of(head);
	enum status st = OK;

	if (seen_new(&seen, own > 0 ? own : 1 << 28) != OK)
		return;
	demand(seen_load_start(&loader, seen, head, bytes.at) == OK, "no memory");
	for (size_t at = 0; at < bytes.len && st == OK; at += 24)
		st = seen_load_some(&loader, bytes.at + at, bytes.len - at < 24 ? bytes.len - at : 24);
	if (st == OK)
		st = seen_load_end(&loader);
	demand(st == OK || st == STATUS_INVARIANT, "an odd status from pieces");
	demand((st == OK) == loads, "pieces are taken, and the whole is not");
	if (st == OK) {
		demand(seen_write(seen, buffer_sink(&out)) == OK, "cannot write");
		demand(slice_equal(slice_in(&out), bytes), "what was seen has a second form");
	}
	buffer_free(&out);
	seen_free(seen);
}

/* Written and made again from its struct, a sketch is what it was. */
static void
check_sketch(const struct record *head, struct slice bytes)
{
	struct buffer payload = {0}, out = {0}, again = {0};
	struct sketch s = {0};
	struct facts facts = {0};

	demand(buffer_append(&payload, bytes.at, bytes.len) == OK, "no memory");
	enum status st = sketch_load(&s, head, &payload);
	if (head->kind == KIND_SEEN && st != STATUS_MEMORY)
		check_seen(head, bytes, st == OK);
	if (st == OK) {
		s.kind->facts(s.body, &facts);
		demand(facts.n > 0 && facts.n <= FACTS_MAX, "no facts, or too many");
		demand(sketch_write(&s, (struct slice){0}, buffer_sink(&out)) == OK, "cannot save");
		record_write(buffer_sink(&again), head, (struct slice){0}, bytes);
		demand(slice_equal(slice_in(&out), slice_in(&again)), "a sketch has a second form");
		check_member(&s, head, bytes);
		check_quantiles(&s);
		change_member(&s);
		sketch_free(&s);
	} else {
		demand(st == STATUS_INVARIANT || st == STATUS_MEMORY, "an odd status from load");
	}
	buffer_free(&payload);
	buffer_free(&out);
	buffer_free(&again);
}

static enum status
check_keyed(struct record_reader *r, const struct record *shared, struct slice extension,
    struct buffer *out)
{
	struct keyed_reader k;
	struct keyed_writer w;
	struct record head;
	struct slice key, payload;
	enum status st;

	keyed_reader_begin(&k, r, shared);
	demand(keyed_writer_begin(&w, buffer_sink(out), shared, extension) == OK, "cannot begin");
	while ((st = keyed_reader_next(&k, &key, &head, &payload)) == OK) {
		check_sketch(&head, payload);
		demand(keyed_writer_add(&w, key, &head, payload) == OK, "cannot add");
	}
	demand(keyed_writer_end(&w) == OK, "cannot end");
	keyed_writer_free(&w);
	keyed_reader_free(&k);
	return st == STATUS_END ? OK : st;
}

/* The bytes that the record just read must have come from. */
static void
check_record(const struct record_reader *r, const struct record *head, struct slice extension,
    struct slice payload, struct buffer *out)
{
	struct buffer binary = {0};
	struct slice key;

	if (!r->armored) {
		demand(record_write(buffer_sink(out), head, extension, payload) == OK, "cannot write");
		return;
	}
	if (memrchr(r->line.at, '\t', r->line.len)) {
		demand(extension_find(extension, EXTENSION_KEY, &key), "no key");
		demand(buffer_append(out, key.at, key.len) == OK, "no memory");
		for (size_t i = 0; i < out->len; i++)
			if (out->at[i] == r->end)
				out->at[i] = '\t';
		demand(buffer_append(out, "\t", 1) == OK, "no memory");
	}
	demand(record_write(buffer_sink(&binary), head, extension, payload) == OK, "cannot write");
	demand(armor_encode(out, slice_in(&binary)) == OK, "cannot armour");
	buffer_free(&binary);
}

/* Ids that were accepted are a set: united with itself the same, and nothing is left of
 * it without itself. */
static void
check_ids(struct slice extension)
{
	struct sketch s = {0};
	struct slice ids, missing;

	if (!extension_find(extension, EXTENSION_ID, &ids))
		return;
	demand(sketch_take_ids(&s, extension) == OK, "no memory");
	demand(ids_unite(&s.ids, ids) == OK, "ids do not unite");
	demand(slice_equal(slice_in(&s.ids), ids), "ids have a second form");
	demand(ids_count(ids) > 0, "an empty set of ids");
	demand(ids_remove(&s.ids, ids, &missing) && s.ids.len == 0, "ids without themselves");
	buffer_free(&s.ids);
}

static void
check_file(const uint8_t *data, size_t size)
{
	struct buffer extension = {0}, payload = {0}, out = {0};
	struct record_reader r;
	struct record head;
	enum status st;

	record_reader_memory(&r, (struct slice){data, size});
	r.check = kind_check;
	while ((st = record_reader_next(&r, &head, &extension, &payload)) == OK) {
		out.len = 0;
		check_ids(slice_in(&extension));
		if (head.flags & FLAG_KEYED) {
			st = check_keyed(&r, &head, slice_in(&extension), &out);
			if (st != OK)
				break;
		} else {
			check_sketch(&head, slice_in(&payload));
			check_record(&r, &head, slice_in(&extension), slice_in(&payload), &out);
		}
		size_t used = (size_t)(r.position - r.offset);
		/* The last line may lack its end. */
		if (r.armored && data[r.position - 1] == r.end)
			used--;
		demand(slice_equal(slice_in(&out), (struct slice){data + r.offset, used}),
		    "a record has a second form");
	}
	demand(st != OK && st != STATUS_SYSTEM && st != STATUS_BUSY, "an odd status");
	demand(st != STATUS_END || r.position == size, "the end is not the end");
	record_reader_close(&r);
	buffer_free(&extension);
	buffer_free(&payload);
	buffer_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_file(data, size);

	uint8_t *copy = malloc(size + 1);
	demand(copy != NULL, "no memory");
	if (size > 0)
		memcpy(copy, data, size);
	resign(copy, size);
	check_file(copy, size);
	free(copy);
	return 0;
}
