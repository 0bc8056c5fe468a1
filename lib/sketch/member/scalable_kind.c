/* sketchutils: BSD-2-Clause, see LICENSE */

/* Scalable Bloom filters in files, and what they say about themselves. The
 * layout is drawn in scalable.c. */
#include <stdlib.h>
#include <string.h>

#include "sketch/member/bloom_bits.h"
#include "sketch/member/scalable.h"
#include "sketch/member/scalable_body.h"

#define HEAD_USED 40                 /* bytes of a stage's head; the others are 0 */

struct scalable_form
scalable_form_of(const struct record *head)
{
	struct scalable_form form = {.capacity = head->param[2]};

	memcpy(&form.fpp, &head->param[3], sizeof form.fpp);
	return form;
}

static enum status
check(const struct record *head)
{
	struct scalable_form form = scalable_form_of(head);

	if (!scalable_valid(form.capacity, form.fpp))
		return STATUS_PARAMETER;
	for (unsigned i = 0; i < 8; i++)
		if (i != 2 && i != 3 && head->param[i] != 0)
			return STATUS_PARAMETER;
	/* A head alone is no stage; how long they are is told by the stages. */
	return head->size % RECORD_ALIGN == 0 && head->size != STAGE_HEAD ? OK : STATUS_SIZE;
}

uint64_t
stage_size(const struct bloom_shape *shape)
{
	return STAGE_HEAD + record_padded(bloom_bytes(shape));
}

/* The stage that begins here, of which left bytes, at least STAGE_HEAD, are there. */
static enum status
stage_decode(struct stage *stage, const unsigned char *p, uint64_t left)
{
	uint64_t probes = get_le64(p + 8), fpp = get_le64(p + 24);
	struct bloom_shape shape = {
		.type = BLOOM_BLOCK,
		.size = get_le64(p),
		.probes = probes <= UINT8_MAX ? (unsigned)probes : 0,
		.capacity = get_le64(p + 16),
	};

	memcpy(&shape.fpp, &fpp, sizeof shape.fpp);
	if (!bloom_stage_valid(&shape) || stage_size(&shape) > left)
		return STATUS_INVARIANT;
	*stage = (struct stage){.shape = shape, .items = get_le64(p + 32), .read = p + STAGE_HEAD};
	if (stage->items < 1 || stage->items > shape.capacity)
		return STATUS_INVARIANT;
	/* All stages that keep a promise have several bits an item. A forged one with
	 * none would have the next stage ask for more memory than there is. */
	if (shape.capacity > 8 * bloom_bytes(&shape))
		return STATUS_INVARIANT;
	uint64_t used = STAGE_HEAD + bloom_bytes(&shape);
	bool zeros = record_zeros(p + HEAD_USED, STAGE_HEAD - HEAD_USED) &&
	    record_zeros(p + used, (size_t)(stage_size(&shape) - used));
	return zeros ? OK : STATUS_INVARIANT;
}

static enum status
stages_decode(struct scalable *s, const unsigned char *payload, uint64_t size)
{
	for (uint64_t at = 0; at < size; ) {
		enum status st = scalable_reserve(s, 1);

		if (st == OK && s->n == SCALABLE_STAGES_MAX)
			st = STATUS_INVARIANT;
		if (st == OK)
			st = stage_decode(&s->stage[s->n], payload + at, size - at);
		if (st != OK)
			return st;
		at += stage_size(&s->stage[s->n].shape);
		s->n++;
	}
	return OK;
}

enum status
scalable_map(struct scalable **out, const struct record *head, const unsigned char *payload)
{
	struct scalable_form form = scalable_form_of(head);
	struct scalable *s;

	if (head->kind != KIND_BLOOM_SCALABLE)
		return STATUS_UNSUPPORTED;
	enum status st = check(head);
	if (st == OK)
		st = scalable_new(&s, form.capacity, form.fpp);
	if (st != OK)
		return st;
	st = stages_decode(s, payload, head->size);
	if (st != OK) {
		scalable_free(s);
		return st;
	}
	*out = s;
	return OK;
}

/* From a record: the buffer's memory becomes the stages'. */
static enum status
load(void **out, const struct record *head, struct buffer *payload)
{
	struct scalable *s;
	enum status st = scalable_map(&s, head, payload->at);

	if (st != OK)
		return st;
	s->loaded = *payload;
	*payload = (struct buffer){0};
	for (size_t i = 0; i < s->n; i++)
		s->stage[i].bits = s->loaded.at + (s->stage[i].read - s->loaded.at);
	*out = s;
	return OK;
}

void
stage_encode(struct stage *stage)
{
	unsigned char *head = stage->bits - STAGE_HEAD;
	uint64_t fpp;

	memcpy(&fpp, &stage->shape.fpp, sizeof fpp);
	put_le64(head, stage->shape.size);
	put_le64(head + 8, stage->shape.probes);
	put_le64(head + 16, stage->shape.capacity);
	put_le64(head + 24, fpp);
	put_le64(head + 32, stage->items);
}

static enum status
pieces(const void *sketch, struct record *head, struct buffer *list)
{
	const struct scalable *s = sketch;
	uint64_t size = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct stage *stage = &s->stage[i];
		struct slice piece = {stage->read - STAGE_HEAD, (size_t)stage_size(&stage->shape)};
		enum status st = buffer_append(list, &piece, sizeof piece);

		if (st != OK)
			return st;
		size += piece.len;
	}
	head->kind = KIND_BLOOM_SCALABLE;
	head->version = 1;
	head->size = size;
	memset(head->param, 0, sizeof head->param);
	head->param[2] = s->capacity;
	memcpy(&head->param[3], &s->fpp, sizeof s->fpp);
	return OK;
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	struct buffer list = {0};
	enum status st = pieces(sketch, head, &list);

	if (st == OK)
		st = buffer_reserve(payload, (size_t)head->size);
	for (size_t at = 0; at < list.len && st == OK; at += sizeof(struct slice)) {
		struct slice piece;

		memcpy(&piece, list.at + at, sizeof piece);
		st = buffer_append(payload, piece.at, piece.len);
	}
	buffer_free(&list);
	return st;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	return scalable_merge(into, from, why);
}

/* Of all stages together: how many bits are set, and the sum of the fpps. The
 * stages go by the same hash, so the chance that any of them finds an absent
 * item may be anything up to that. */
static double
stages_fpp(const struct scalable *s, uint64_t *ones)
{
	double fpp = 0;

	*ones = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct bloom_shape *shape = &s->stage[i].shape;
		struct bloom_count count = bloom_bits_count(s->stage[i].read, shape);

		*ones += count.ones;
		fpp += bloom_count_fpp(count, shape);
	}
	return fpp < 1 ? fpp : 1;
}

static uint64_t
stages_items(const struct scalable *s)
{
	uint64_t items = 0;

	for (size_t i = 0; i < s->n; i++)
		items = add_saturated(items, s->stage[i].items);
	return items;
}

struct fill
scalable_fill(const struct scalable *s)
{
	uint64_t ones;
	double fpp = stages_fpp(s, &ones);

	return (struct fill){(double)stages_items(s), fpp};
}

static void
form_facts(struct scalable_form form, struct facts *f)
{
	fact_text(f, "type", "scalable");
	fact_count(f, "first_capacity", form.capacity);
	fact_real(f, "wanted_fpp", form.fpp);
}

static void
settings(const struct record *head, struct facts *f)
{
	form_facts(scalable_form_of(head), f);
}

static void
facts(const void *sketch, struct facts *f)
{
	const struct scalable *s = sketch;
	uint64_t ones, bytes = scalable_bytes(s);
	double fpp = stages_fpp(s, &ones);

	form_facts(scalable_form(s), f);
	fact_count(f, "stages", s->n);
	fact_count(f, "blocks", bytes / BLOOM_BLOCK_BYTES);
	fact_real(f, "fpp", fpp);
	fact_real(f, "fill", bytes > 0 ? (double)ones / (8 * (double)bytes) : 0);
	fact_count(f, "distinct", stages_items(s));
	fact_count(f, "room", scalable_room(s));
}

static void
destroy(void *sketch)
{
	scalable_free(sketch);
}

const struct kind scalable_kind = {
	.id = KIND_BLOOM_SCALABLE, .version = 1, .name = "bloom-scalable",
	.check = check, .load = load, .save = save, .merge = merge,
	.settings = settings, .facts = facts, .free = destroy, .pieces = pieces,
};
