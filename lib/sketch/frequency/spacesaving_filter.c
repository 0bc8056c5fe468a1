/* sketchutils: BSD-2-Clause, see LICENSE */
/*
 * Who loses a counter when there is no room for one more: all but the heaviest
 * half. What they had goes to the filter.
 */
#include "sketch/frequency/spacesaving_body.h"

static unsigned
bucket(uint64_t count)
{
	if (count < 64)
		return (unsigned)count;
	unsigned top = 63 - (unsigned)__builtin_clzll(count);
	return 64 + (top - 6) * 32 + (unsigned)(count >> (top - 5) & 31);
}

void
quota_offer(struct quota *q, uint64_t count, size_t size)
{
	q->in[bucket(count)].bytes += size;
	q->in[bucket(count)].entries++;
}

void
quota_close(struct quota *q)
{
	q->bucket = QUOTA_BUCKETS - 1;
	while (q->bucket > 0 && q->in[q->bucket].bytes <= q->bytes &&
	    q->in[q->bucket].entries <= q->entries) {
		q->bytes -= q->in[q->bucket].bytes;
		q->entries -= q->in[q->bucket].entries;
		q->bucket--;
	}
}

bool
quota_takes(struct quota *q, uint64_t count, size_t size)
{
	if (bucket(count) != q->bucket)
		return bucket(count) > q->bucket;
	if (size > q->bytes || q->entries == 0)
		return false;
	q->bytes -= size;
	q->entries--;
	return true;
}

void
spacesaving_slide(struct spacesaving *s, struct quota *q)
{
	struct tally *t = &s->tally;
	size_t to = 0;

	t->n = 0;
	for (size_t from = 0, size; from < t->used; from += size) {
		const struct entry *e = tally_at(t, from);
		size = tally_entry_size(t, e->len);
		if (!spacesaving_too_long(s, e->len) && quota_takes(q, e->count, size)) {
			memmove(t->block + to, e, size);
			to += size;
			t->n++;
			continue;
		}
		spacesaving_let_go(s, e->hash, e->count,
		    spacesaving_has_hits(s) ? spacesaving_hits_of(s, e)->count : 0);
		if (s->missing < e->count)
			s->missing = e->count;
	}
	t->used = to;
}

/* Keep the heaviest half. Of equals the first stay: were none of them kept, a
 * stream in which all are equal would empty the table. What then is above the
 * entries, and below this many cells, is the index's again, which is left out
 * of date. */
static void
keep_half(struct spacesaving *s, size_t cells)
{
	struct tally *t = &s->tally;

	tally_lay_out(t, t->size - cells * s->wide * sizeof *s->alpha);
	struct quota q = {.bytes = t->limit / 2, .entries = t->capacity / 2};
	for (size_t at = 0; at < t->used;) {
		const struct entry *e = tally_at(t, at);
		size_t size = tally_entry_size(t, e->len);
		at += size;
		if (!spacesaving_too_long(s, e->len))
			quota_offer(&q, e->count, size);
	}
	quota_close(&q);
	spacesaving_slide(s, &q);
}

void
spacesaving_purge(struct spacesaving *s)
{
	keep_half(s, s->cells);
	tally_index(&s->tally);
}

/*
 * Half of the block becomes the filter. Its place is still full of entries
 * while the first of them are dropped, so the index, which has to be made anew
 * anyway, lends its own for a coarser filter. That one is then stretched: a
 * cell takes the larger of the two it overlaps. Reading stays ahead of
 * writing, since both end at the end of the block.
 */
void
spacesaving_open_filter(struct spacesaving *s)
{
	struct tally *t = &s->tally;
	uint64_t *end = (uint64_t *)(void *)(t->block + t->size);
	size_t wide = s->wide, cells = t->size / 2 / sizeof *end / wide;
	size_t coarse = t->nslots / wide;
	const uint64_t *from = s->alpha = end - coarse * wide;

	s->cells = coarse;
	memset(s->alpha, 0, coarse * wide * sizeof *s->alpha);
	keep_half(s, cells);

	s->alpha = end - cells * wide;
	s->cells = cells;
	for (size_t i = 0, rest = 0; i < cells; i++) {
		for (size_t j = 0; j < wide; j++) {
			uint64_t a = from[j];
			if (rest + coarse > cells && a < from[wide + j])
				a = from[wide + j];
			s->alpha[i * wide + j] = a;
		}
		rest += coarse;
		if (rest >= cells) {
			rest -= cells;
			from += wide;
		}
	}
	tally_index(t);
}
