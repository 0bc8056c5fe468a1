/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/armor.h"
#include "base/hash.h"
#include "base/keyed.h"

#define CHUNK_HEAD 16        /* checksum, bytes of entries */
#define LAST_CHUNK 64
#define ENTRIES_MAX (UINT64_C(1) << 62)
#define FLAGS_LOW 0xff

enum status
keyed_writer_begin(struct keyed_writer *w, struct sink out, const struct record *head,
    struct slice extension)
{
	*w = (struct keyed_writer){.out = out, .head = *head};
	w->head.flags |= FLAG_KEYED;
	w->head.size = w->head.items = RECORD_CHUNKED;
	/* Without a payload the checksum covers the extension alone. */
	return record_write(out, &w->head, extension, (struct slice){0});
}

/* Fill in the head of the chunk at hand and write it. */
static enum status
write_chunk(struct keyed_writer *w)
{
	struct buffer *c = &w->chunk;
	unsigned char sum[8];
	uint64_t entries = c->len - CHUNK_HEAD;

	enum status st = buffer_zeros(c, record_padded(c->len) - c->len);
	if (st != OK)
		return st;
	put_le64(c->at + 8, entries);
	put_le64(sum, hash_bytes(c->at + 8, c->len - 8, 0));
	memcpy(c->at, sum, 8);
	st = buffer_append(&w->sums, sum, 8);
	if (st == OK)
		st = w->out.write(w->out.to, c->at, c->len);
	c->len = 0;
	return st;
}

/* An entry's numbers: lengths, items, and what differs from the header. */
static size_t
put_entry_head(unsigned char *p, const struct record *base, const struct record *r,
    struct slice key, struct slice payload)
{
	unsigned variation = (r->flags & ~base->flags & FLAGS_LOW) << 8;
	size_t n = number_put(p, key.len);

	for (unsigned i = 0; i < 8; i++)
		if (r->param[i] != base->param[i])
			variation |= 1u << i;
	n += number_put(p + n, payload.len);
	n += number_put(p + n, r->items);
	n += number_put(p + n, variation);
	for (unsigned i = 0; i < 8; i++)
		if (variation & 1u << i)
			n += number_put(p + n, r->param[i]);
	return n;
}

enum status
keyed_writer_add(struct keyed_writer *w, struct slice key, const struct record *head,
    struct slice payload)
{
	unsigned char numbers[12 * NUMBER_BYTES];
	struct slice last = {w->last.at, w->last.len};
	enum status st = OK;

	/* An entry cannot say it, nor does any kind need it. */
	if (head->flags & FLAG_CONSERVATIVE)
		return STATUS_UNSUPPORTED;
	if (w->totals.keys > 0 && slice_compare(key, last) <= 0)
		return STATUS_INVARIANT;
	if (w->chunk.len == 0)
		st = buffer_zeros(&w->chunk, CHUNK_HEAD);
	size_t n = put_entry_head(numbers, &w->head, head, key, payload);
	if (st == OK)
		st = buffer_append(&w->chunk, numbers, n);
	if (st == OK)
		st = buffer_append(&w->chunk, key.at, key.len);
	if (st == OK)
		st = buffer_append(&w->chunk, payload.at, payload.len);
	w->last.len = 0;
	if (st == OK)
		st = buffer_append(&w->last, key.at, key.len);
	if (st != OK)
		return st;
	w->totals.keys++;
	w->totals.items = add_saturated(w->totals.items, head->items);
	return w->chunk.len - CHUNK_HEAD >= KEYED_CHUNK ? write_chunk(w) : OK;
}

enum status
keyed_writer_end(struct keyed_writer *w)
{
	unsigned char last[LAST_CHUNK] = {0};

	if (w->chunk.len > 0) {
		enum status st = write_chunk(w);
		if (st != OK)
			return st;
	}
	put_le64(last + 16, w->totals.items);
	put_le64(last + 24, w->totals.keys);
	put_le64(last + 32, hash_bytes(w->sums.at, w->sums.len, 0));
	put_le64(last, hash_bytes(last + 8, sizeof last - 8, 0));
	return w->out.write(w->out.to, last, sizeof last);
}

void
keyed_writer_free(struct keyed_writer *w)
{
	buffer_free(&w->chunk);
	buffer_free(&w->last);
	buffer_free(&w->sums);
}

enum status
keyed_line_write(struct sink out, struct slice key, const struct record *head,
    struct slice ids, struct slice payload, unsigned char end)
{
	struct buffer extension = {0};
	struct armor armor;

	if (key.len >= READER_KEY_MAX)
		return STATUS_PARAMETER;
	enum status st = ids.len > 0 ? extension_add(&extension, EXTENSION_ID, ids) : OK;
	if (st == OK)
		st = extension_add(&extension, EXTENSION_KEY, key);
	for (size_t i = 0; st == OK && i < key.len; i++)
		st = out.write(out.to, key.at[i] == end ? "\t" : (const char *)key.at + i, 1);
	if (st == OK)
		st = out.write(out.to, "\t", 1);
	if (st == OK)
		st = armor_begin(&armor, out);
	if (st == OK)
		st = record_write(armor_sink(&armor), head,
		    (struct slice){extension.at, extension.len}, payload);
	if (st == OK)
		st = armor_end(&armor);
	if (st == OK)
		st = out.write(out.to, &end, 1);
	buffer_free(&extension);
	return st;
}

void
keyed_reader_begin(struct keyed_reader *k, struct record_reader *from,
    const struct record *head)
{
	*k = (struct keyed_reader){.from = from, .head = *head, .closed = true};
}

void
keyed_reader_free(struct keyed_reader *k)
{
	buffer_free(&k->chunk);
	buffer_free(&k->last);
	buffer_free(&k->sums);
}

/* The chunk without entries ends the record and must sum up what was read. */
static enum status
read_totals(struct keyed_reader *k)
{
	enum status st = record_reader_bytes(k->from, &k->chunk, LAST_CHUNK - CHUNK_HEAD);

	if (st != OK)
		return st;
	const unsigned char *last = k->chunk.at;
	if (get_le64(last) != hash_bytes(last + 8, LAST_CHUNK - 8, 0) ||
	    get_le64(last + 32) != hash_bytes(k->sums.at, k->sums.len, 0))
		return STATUS_PAYLOAD;
	if (!record_zeros(last + 40, LAST_CHUNK - 40))
		return STATUS_PADDING;
	if (get_le64(last + 16) != k->totals.items || get_le64(last + 24) != k->totals.keys)
		return STATUS_INVARIANT;
	k->done = true;
	k->from->in_chunks = false;
	return STATUS_END;
}

static enum status
read_chunk(struct keyed_reader *k)
{
	struct buffer *c = &k->chunk;

	c->len = 0;
	enum status st = record_reader_bytes(k->from, c, CHUNK_HEAD);
	if (st != OK)
		return st;
	uint64_t entries = get_le64(c->at + 8);
	if (entries == 0)
		return read_totals(k);
	if (entries >= ENTRIES_MAX)
		return STATUS_SIZE;
	st = record_reader_bytes(k->from, c, record_padded(CHUNK_HEAD + entries) - CHUNK_HEAD);
	if (st != OK)
		return st;
	if (get_le64(c->at) != hash_bytes(c->at + 8, c->len - 8, 0))
		return STATUS_PAYLOAD;
	k->at = CHUNK_HEAD;
	k->end = CHUNK_HEAD + entries;
	if (!record_zeros(c->at + k->end, c->len - k->end))
		return STATUS_PADDING;
	/* The chunk before had room for more, and its bytes were not canonical. */
	if (!k->closed)
		return STATUS_INVARIANT;
	k->closed = false;
	return buffer_append(&k->sums, c->at, 8);
}

/* An entry's header from its numbers and the record's header. */
static bool
get_entry_head(struct slice *in, const struct record *base, struct record *head,
    uint64_t *key)
{
	struct record r = *base;
	uint64_t variation;

	r.flags &= (uint16_t)~FLAG_KEYED;
	if (!number_get(in, key) || !number_get(in, &r.size) ||
	    !number_get(in, &r.items) || !number_get(in, &variation))
		return false;
	if (variation > UINT16_MAX || (r.flags & variation >> 8) != 0)
		return false;
	r.flags |= (uint16_t)(variation >> 8);
	for (unsigned i = 0; i < 8; i++)
		if (variation >> i & 1)
			if (!number_get(in, &r.param[i]) || r.param[i] == base->param[i])
				return false;
	*head = r;
	return *key <= in->len && r.size <= in->len - *key;
}

static enum status
read_entry(struct keyed_reader *k, struct slice *key, struct record *head,
    struct slice *payload)
{
	struct slice in = {k->chunk.at + k->at, k->end - k->at};
	struct slice last = {k->last.at, k->last.len};
	struct record r;
	uint64_t length;

	/* The entry that fills a chunk is its last. */
	if (k->closed || !get_entry_head(&in, &k->head, &r, &length))
		return STATUS_INVARIANT;
	struct slice name = {in.at, (size_t)length};
	if (k->totals.keys > 0 && slice_compare(name, last) <= 0)
		return STATUS_INVARIANT;
	enum status st = k->from->check ? k->from->check(&r) : OK;
	if (st != OK)
		return st;
	k->last.len = 0;
	st = buffer_append(&k->last, name.at, name.len);
	if (st != OK)
		return st;

	*key = name;
	*head = r;
	*payload = (struct slice){in.at + length, (size_t)r.size};
	k->at = (size_t)(in.at + length + r.size - k->chunk.at);
	k->closed = k->at - CHUNK_HEAD >= KEYED_CHUNK;
	k->totals.keys++;
	k->totals.items = add_saturated(k->totals.items, r.items);
	return OK;
}

uint64_t
keyed_reader_sum(const struct keyed_reader *k)
{
	return hash_bytes(k->sums.at, k->sums.len, 0);
}

enum status
keyed_reader_next(struct keyed_reader *k, struct slice *key, struct record *head,
    struct slice *payload)
{
	enum status st = k->from->failure;

	if (st == OK && k->done)
		return STATUS_END;
	if (st == OK && k->at == k->end)
		st = read_chunk(k);
	if (st == OK)
		st = read_entry(k, key, head, payload);
	if (st != OK && st != STATUS_END)
		k->from->failure = st;
	return st;
}
